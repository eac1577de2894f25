package serve

import (
	"net"
	"sync"
)

// MaxConnections is how many connections a server has at the same time. Others wait until one is closed; a client that
// sends nothing is disconnected, so they do not wait for ever.
const MaxConnections = 128

// Limit returns a listener that has at most n connections at the same time. A request in progress takes memory, and
// this bounds how many there are.
func Limit(l net.Listener, n int) net.Listener {
	return &limited{Listener: l, slots: make(chan struct{}, n), closed: make(chan struct{})}
}

type limited struct {
	net.Listener
	slots  chan struct{}
	closed chan struct{}
	once   sync.Once
}

// Accept waits for a connection and for a slot for it.
func (l *limited) Accept() (net.Conn, error) {
	select {
	case l.slots <- struct{}{}:
	case <-l.closed:
		return nil, net.ErrClosed
	}
	c, err := l.Listener.Accept()
	if err != nil {
		<-l.slots
		return nil, err
	}
	return &connection{Conn: c, leave: func() { <-l.slots }}, nil
}

// Close ends the listener and a call of Accept that waits.
func (l *limited) Close() error {
	l.once.Do(func() { close(l.closed) })
	return l.Listener.Close()
}

// connection gives its slot back when it is closed.
type connection struct {
	net.Conn
	once  sync.Once
	leave func()
}

func (c *connection) Close() error {
	err := c.Conn.Close()
	c.once.Do(c.leave)
	return err
}
