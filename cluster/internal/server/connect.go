package server

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net/url"
	"os"
	"time"

	"github.com/nats-io/nats.go"
)

// Access says which server to connect to, and how.
type Access struct {
	URL         string
	Token       string
	Credentials string // a credentials file of NATS
	Authority   string // a file with the certificates that the server's must lead to; "": those of the system
	// Certificate and Key are files for servers that want clients to show a certificate.
	Certificate, Key string
	Name             string // of this participant, for the server's logs
}

// Readable reports whether the token travels through a network without encryption.
func (a *Access) Readable() bool {
	u, err := url.Parse(a.URL)
	return err == nil && a.Token != "" && u.Scheme != "tls" && a.Authority == "" && !Loopback(u.Hostname())
}

// Connect connects to a server. The connection comes back by itself after the server was away. It goes to the
// server that was asked for and to no other that the server recommends.
func Connect(a Access) (*nats.Conn, error) {
	u, err := url.Parse(a.URL)
	if err != nil || u.Host == "" {
		return nil, fmt.Errorf("%q is no address of a server; such as nats://127.0.0.1:4222", a.URL)
	}
	options := []nats.Option{
		nats.Name(a.Name), nats.MaxReconnects(-1), nats.ReconnectWait(250 * time.Millisecond), nats.IgnoreDiscoveredServers(),
		nats.Timeout(5 * time.Second), nats.PingInterval(10 * time.Second),
	}
	if a.Token != "" {
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
		return nil, fmt.Errorf("%s wants another token or other credentials", u.Host)
	case err != nil:
		return nil, fmt.Errorf("connecting to %s: %w", u.Host, err)
	}
	return nc, nil
}
