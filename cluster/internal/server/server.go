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
	if err := listenable(o.Listen); err != nil {
		return err
	}
	for _, file := range dropDamaged(o.Dir) {
		if o.Warn != nil {
			o.Warn(file + " is damaged: it is removed, and tasks of its queue are given to workers again")
		}
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
		stop(inner)
		return fmt.Errorf("NATS was not ready within %v: what is kept in %s may be damaged", started, o.Dir)
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

// listenable says why nothing can listen on an address. NATS would only not get ready.
func listenable(address string) error {
	l, err := net.Listen("tcp", address)
	if err != nil {
		return fmt.Errorf("cannot listen on %s: %w", address, err)
	}
	return l.Close()
}

// URL is where clients connect.
func (s *Server) URL() string { return s.inner.ClientURL() }

// Connect connects to the server from inside its process.
func (s *Server) Connect() (*nats.Conn, error) {
	return nats.Connect("", nats.InProcessServer(s.inner), nats.Name("fencepost-cluster serve"), nats.Timeout(started), nats.Token(s.options.Token), nats.MaxReconnects(-1),
		nats.ErrorHandler(func(*nats.Conn, *nats.Subscription, error) {}))
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

// ending is how long a server may take to stop. One that does not answer any more may never stop.
const ending = 30 * time.Second

// Stop stops the server.
func (s *Server) Stop() { stop(s.inner) }

func stop(inner *natsd.Server) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		inner.Shutdown()
		inner.WaitForShutdown()
	}()
	select {
	case <-done:
	case <-time.After(ending):
	}
}
