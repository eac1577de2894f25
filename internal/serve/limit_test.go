package serve

import (
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
)

// TestConnections: a connection beyond the limit waits until another one is closed, and half-sent requests take no more
// memory than the limit allows.
func TestConnections(t *testing.T) {
	plain, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	open := make(chan string, 10)
	closed := make(chan struct{}, 10)
	server := &http.Server{
		Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { _, _ = io.WriteString(w, "answer") }),
		ConnState: func(c net.Conn, s http.ConnState) {
			switch s {
			case http.StateNew:
				open <- c.RemoteAddr().String()
			case http.StateClosed:
				closed <- struct{}{}
			}
		},
	}
	limited := Limit(plain, 2)
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(limited) }()
	var conns []net.Conn
	for range 4 {
		c, err := net.Dial("tcp", plain.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		if _, err := io.WriteString(c, "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\nhalf"); err != nil {
			t.Fatal(err)
		}
		conns = append(conns, c)
	}
	first, second := <-open, <-open
	if got := []string{conns[0].LocalAddr().String(), conns[1].LocalAddr().String()}; !strings.Contains(first+" "+second, got[0]) || !strings.Contains(first+" "+second, got[1]) {
		t.Errorf("%s and %s are connected, want %v", first, second, got)
	}
	if len(open) != 0 {
		t.Error("a third connection is open")
	}
	conns[0].Close()
	<-closed
	if third := <-open; third != conns[2].LocalAddr().String() {
		t.Errorf("%s is connected, want %s", third, conns[2].LocalAddr())
	}
	server.Close()
	if err := <-ended; err != http.ErrServerClosed {
		t.Error(err)
	}
}
