package server

import (
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"strconv"
	"time"

	natsd "github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
)

// Options are the options of an embedded server.
type Options struct {
	Listen string // host:port
	Dir    string // where everything is kept
	Token  string // that clients must know; "": no token is asked for
	// Certificate and Key are files for TLS; "": none.
	Certificate, Key string
	MaxDisk          int64 // bytes in Dir; 0: as much as the disk has
	Debug            bool  // the server's own messages on standard error
}

// started is how long a server may take to be ready. Reading many records from disk takes a while.
const started = 60 * time.Second

// Server is a running server.
type Server struct {
	inner *natsd.Server
	token string
}

// Loopback reports whether only this machine can connect to an address.
func Loopback(host string) bool {
	if host == "localhost" {
		return true
	}
	ip := net.ParseIP(host)
	return ip != nil && ip.IsLoopback()
}

// Start starts a server and waits until it is ready. It refuses an address that other machines can reach
// unless clients must know a token.
func Start(o Options) (*Server, error) {
	host, port, err := net.SplitHostPort(o.Listen)
	if err != nil {
		return nil, fmt.Errorf("the address %q: %w", o.Listen, err)
	}
	number, err := strconv.Atoi(port)
	if err != nil || number < 0 || number > 65535 {
		return nil, fmt.Errorf("the address %q: %q is no port", o.Listen, port)
	}
	if !Loopback(host) && o.Token == "" {
		return nil, fmt.Errorf("other machines can reach %s: a token is needed, give one with --token-file", o.Listen)
	}
	if number == 0 {
		number = natsd.RANDOM_PORT
	}
	options := &natsd.Options{
		ServerName: "fencepost", Host: host, Port: number, NoSigs: true, NoLog: !o.Debug, Debug: o.Debug,
		JetStream: true, StoreDir: o.Dir, JetStreamMaxStore: o.MaxDisk, Authorization: o.Token,
		// What has been acknowledged must survive a power failure, or a record could vanish after the tasks
		// that it leaves have been explored.
		SyncAlways: true,
		MaxPayload: 1 << 20,
	}
	if o.Certificate != "" {
		pair, err := tls.LoadX509KeyPair(o.Certificate, o.Key)
		if err != nil {
			return nil, fmt.Errorf("the certificate: %w", err)
		}
		options.TLS = true
		options.TLSConfig = &tls.Config{Certificates: []tls.Certificate{pair}, MinVersion: tls.VersionTLS12}
	}
	s, err := natsd.NewServer(options)
	if err != nil {
		return nil, fmt.Errorf("the server: %w", err)
	}
	if o.Debug {
		s.ConfigureLogger()
	}
	go s.Start()
	if !s.ReadyForConnections(started) {
		s.Shutdown()
		if errors.Is(portInUse(o.Listen), errInUse) {
			return nil, fmt.Errorf("something else listens on %s", o.Listen)
		}
		return nil, fmt.Errorf("the server was not ready within %v", started)
	}
	if !s.JetStreamEnabled() {
		s.Shutdown()
		return nil, fmt.Errorf("the server cannot keep anything in %s", o.Dir)
	}
	return &Server{inner: s, token: o.Token}, nil
}

var errInUse = errors.New("in use")

func portInUse(address string) error {
	l, err := net.Listen("tcp", address)
	if err != nil {
		return errInUse
	}
	return l.Close()
}

// URL is where clients connect.
func (s *Server) URL() string { return s.inner.ClientURL() }

// Connect connects to the server from inside its process.
func (s *Server) Connect() (*nats.Conn, error) {
	options := []nats.Option{nats.InProcessServer(s.inner), nats.Name("fencepost-cluster serve"), nats.Timeout(started)}
	if s.token != "" {
		options = append(options, nats.Token(s.token))
	}
	return nats.Connect("", options...)
}

// Healthy reports whether the server still stores what it is given. It stops to do so when the disk is full.
func (s *Server) Healthy() bool { return s.inner.JetStreamEnabled() }

// Stop stops the server.
func (s *Server) Stop() {
	s.inner.Shutdown()
	s.inner.WaitForShutdown()
}
