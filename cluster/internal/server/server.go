package server

import (
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"time"

	natsd "github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
)

// Options are the options of an embedded server.
type Options struct {
	Listen string // host:port
	Dir    string // where everything is kept
	Token  string // that clients must know
	// Certificate and Key are files for TLS; "": none.
	Certificate, Key string
	MaxDisk          int64 // bytes in Dir; 0: as much as the disk has
	Debug            bool  // the server's own messages on standard error
	// Warn, if not nil, is called with the warnings and errors of NATS.
	Warn func(string)
}

// started is how long a server may take to be ready. Reading many records from disk takes a while.
const started = 60 * time.Second

// Server is a running server.
type Server struct {
	options Options
	inner   *natsd.Server
}

// Loopback reports whether only this machine can connect to an address.
func Loopback(host string) bool {
	if host == "localhost" {
		return true
	}
	ip := net.ParseIP(host)
	return ip != nil && ip.IsLoopback()
}

// Start starts a server and waits until it is ready. It refuses to serve clients that know no token, on this machine
// as well: every process can connect to it.
func Start(o Options) (*Server, error) {
	s := &Server{options: o}
	return s, s.start()
}

func (s *Server) start() error {
	o := &s.options
	options, err := o.nats()
	if err != nil {
		return err
	}
	inner, err := natsd.NewServer(options)
	if err != nil {
		return fmt.Errorf("the server: %w", err)
	}
	if o.Debug {
		inner.ConfigureLogger()
	} else if o.Warn != nil {
		inner.SetLoggerV2(&warnings{warn: o.Warn}, false, false, false)
	}
	go inner.Start()
	if !inner.ReadyForConnections(started) {
		inner.Shutdown()
		if errors.Is(portInUse(o.Listen), errInUse) {
			return fmt.Errorf("something else listens on %s", o.Listen)
		}
		return fmt.Errorf("the server was not ready within %v", started)
	}
	if !inner.JetStreamEnabled() {
		inner.Shutdown()
		return fmt.Errorf("the server cannot keep anything in %s", o.Dir)
	}
	s.inner = inner
	// One that is started again listens on the same port.
	if address, ok := inner.Addr().(*net.TCPAddr); ok {
		host, _, _ := net.SplitHostPort(o.Listen)
		o.Listen = net.JoinHostPort(host, strconv.Itoa(address.Port))
	}
	return nil
}

// nats returns the options of NATS.
func (o *Options) nats() (*natsd.Options, error) {
	host, port, err := net.SplitHostPort(o.Listen)
	if err != nil {
		return nil, fmt.Errorf("the address %q: %w", o.Listen, err)
	}
	number, err := strconv.Atoi(port)
	if err != nil || number < 0 || number > 65535 {
		return nil, fmt.Errorf("the address %q: %q is no port", o.Listen, port)
	}
	if o.Token == "" {
		return nil, fmt.Errorf("others can reach %s: a token is needed", o.Listen)
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
	return options, nil
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
	return nats.Connect("", nats.InProcessServer(s.inner), nats.Name("fencepost-cluster serve"), nats.Timeout(started), nats.Token(s.options.Token), nats.MaxReconnects(-1))
}

// Health says why the server, or a part of it, stores nothing any more, as after the disk was full; "": it stores. What NATS could not
// write once it does not write again until it is started again.
func (s *Server) Health() string {
	if !s.inner.JetStreamEnabled() {
		return "NATS has stopped to store anything"
	}
	h := s.inner.Healthz(&natsd.HealthzOptions{Details: true})
	for _, e := range h.Errors {
		if e.Type == natsd.HealthzErrorStream && writeError(e.Error) {
			return e.Error
		}
	}
	return ""
}

// room is how much must fit on the disk until a server that could not write is started again.
const room = 1 << 20

// Room says why nothing can be written to the directory of the server; nil: there is room.
func (s *Server) Room() error {
	name := filepath.Join(s.options.Dir, "room")
	defer os.Remove(name)
	f, err := os.Create(name)
	if err != nil {
		return err
	}
	_, err = f.Write(make([]byte, room))
	return errors.Join(err, f.Sync(), f.Close())
}

// Restart starts the server again. Clients come back by themselves.
func (s *Server) Restart() error {
	s.Stop()
	return s.start()
}

// Stop stops the server.
func (s *Server) Stop() {
	s.inner.Shutdown()
	s.inner.WaitForShutdown()
}
