package server

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
)

// Access says which server to connect to, and how.
type Access struct {
	URL         string // or several, separated by commas: the servers of one NATS cluster
	Token       string
	Credentials string // a credentials file of NATS
	Authority   string // a file with the certificates that the server's must lead to; "": those of the system
	// Certificate and Key are files for servers that want clients to show a certificate.
	Certificate, Key string
	Name             string // of this participant, for the server's logs
}

// servers returns the addresses of the servers.
func (a *Access) servers() ([]*url.URL, error) {
	var all []*url.URL
	for one := range strings.SplitSeq(a.URL, ",") {
		u, err := url.Parse(strings.TrimSpace(one))
		if err != nil || u.Host == "" {
			return nil, fmt.Errorf("%q is no address of a server; such as nats://127.0.0.1:4222", one)
		}
		all = append(all, u)
	}
	return all, nil
}

// Local reports whether all servers are on this machine.
func (a *Access) Local() bool {
	all, err := a.servers()
	return err == nil && !slices.ContainsFunc(all, func(u *url.URL) bool { return !Loopback(u.Hostname()) })
}

// Readable reports whether the token travels through a network without encryption.
func (a *Access) Readable() bool {
	all, err := a.servers()
	return err == nil && a.Token != "" && a.Authority == "" && slices.ContainsFunc(all, func(u *url.URL) bool {
		return u.Scheme != "tls" && !Loopback(u.Hostname())
	})
}

// Connect connects to a server, or to one of the servers of a NATS cluster. The connection comes back by itself after
// the server was away. It goes to the servers that were asked for and to no other that a server recommends.
func Connect(a Access) (*nats.Conn, error) {
	all, err := a.servers()
	if err != nil {
		return nil, err
	}
	var hosts []string
	for _, u := range all {
		hosts = append(hosts, u.Host)
	}
	host := strings.Join(hosts, ", ")
	options := []nats.Option{
		nats.Name(a.Name), nats.MaxReconnects(-1), nats.ReconnectWait(250 * time.Millisecond), nats.IgnoreDiscoveredServers(),
		nats.Timeout(5 * time.Second), nats.PingInterval(10 * time.Second),
		// What fails is noticed where it is needed.
		nats.ErrorHandler(func(*nats.Conn, *nats.Subscription, error) {}),
	}
	if a.Token != "" && a.Credentials == "" {
		options = append(options, nats.Token(a.Token))
	}
	if a.Credentials != "" {
		options = append(options, nats.UserCredentials(a.Credentials))
	}
	if a.Authority != "" {
		pem, err := os.ReadFile(a.Authority)
		if err != nil {
			return nil, err
		}
		pool := x509.NewCertPool()
		if !pool.AppendCertsFromPEM(pem) {
			return nil, fmt.Errorf("%s: no certificate in it", a.Authority)
		}
		options = append(options, nats.Secure(&tls.Config{RootCAs: pool, MinVersion: tls.VersionTLS12}))
	}
	if a.Certificate != "" {
		options = append(options, nats.ClientCert(a.Certificate, a.Key))
	}
	nc, err := nats.Connect(a.URL, options...)
	switch {
	case errors.Is(err, nats.ErrAuthorization):
		return nil, fmt.Errorf("%s wants another token or other credentials", host)
	case err == nil:
		return nc, nil
	case Permanent(err):
		return nil, fmt.Errorf("connecting to %s: %w", host, err)
	default:
		return nil, fmt.Errorf("connecting to %s: %w: %w", host, ErrAway, err)
	}
}

// ErrAway says that no server listens, or that none answers: one may be there later.
var ErrAway = errors.New("no server answers")

// Permanent reports whether an error of a connection stays until the user changes how the connection is made.
func Permanent(err error) bool {
	for _, e := range []error{
		nats.ErrAuthorization, nats.ErrAuthExpired, nats.ErrAuthRevoked, nats.ErrAccountAuthExpired, nats.ErrSecureConnRequired, nats.ErrSecureConnWanted,
		nats.ErrClientCertOrRootCAsRequired, nats.ErrNkeysNotSupported, nats.ErrMaxAccountConnectionsExceeded,
	} {
		if errors.Is(err, e) {
			return true
		}
	}
	var certificate *tls.CertificateVerificationError
	var alert tls.AlertError
	var record tls.RecordHeaderError
	var path *fs.PathError
	return errors.As(err, &certificate) || errors.As(err, &alert) || errors.As(err, &record) || errors.As(err, &path)
}
