// Package storetest starts servers for tests.
package storetest

import (
	"testing"

	"fencepost/cluster/internal/server"
	"fencepost/cluster/internal/store"

	"github.com/nats-io/nats.go"
)

// Start starts a server that ends with the test, and returns its store.
func Start(t testing.TB) *store.Store {
	t.Helper()
	s, _ := Connect(t)
	return s
}

// Connect starts a server that ends with the test, and returns its store and the connection to it.
func Connect(t testing.TB) (*store.Store, *nats.Conn) {
	t.Helper()
	s, err := server.Start(server.Options{Listen: "127.0.0.1:0", Dir: t.TempDir(), Token: "secret"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Stop)
	nc, err := server.Connect(server.Access{URL: s.URL(), Token: "secret", Name: t.Name()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(nc.Close)
	out, err := store.Connect(t.Context(), nc, 1, nil)
	if err != nil {
		t.Fatal(err)
	}
	return out, nc
}
