package server

import (
	"encoding/binary"
	"os"
	"path/filepath"
	"testing"

	"github.com/nats-io/nats.go/jetstream"
)

func numbers(list ...uint64) []byte {
	out := []byte{22, 2}
	for _, n := range list {
		out = binary.AppendUvarint(out, n)
	}
	return out
}

// TestPlausible: what NATS writes about a queue is kept, and a count that is larger than the file is not.
func TestPlausible(t *testing.T) {
	for _, good := range [][]byte{
		numbers(0, 0, 0, 0, 0, 0), numbers(1, 1, 1, 1, 0, 0), numbers(1, 2, 3, 4, 2, 99, 1, 1, 5, 2, 2, 6, 0), numbers(1, 1, 9, 9, 1, 50, 3, 3, 1, 1, 4, 2),
		numbers(1, 1, 1, 1),
	} {
		if !plausible(good) {
			t.Errorf("% x is refused", good)
		}
	}
	for _, bad := range [][]byte{
		nil, {22}, numbers(1, 2, 3), numbers(1, 1, 1, 1, 1<<40, 5), numbers(1, 1, 1, 1, 0, 1<<40), numbers(1, 1, 1, 1, 2, 99, 1, 1, 5),
		numbers(1, 1, 1, 1, 1<<63, 0),
	} {
		if plausible(bad) {
			t.Errorf("% x is accepted", bad)
		}
	}
}

// TestDamagedQueue: a server starts though the file about a queue says that it has more entries than there can be. NATS
// by itself would not.
func TestDamagedQueue(t *testing.T) {
	dir := t.TempDir()
	o := Options{Listen: "127.0.0.1:0", Dir: dir, Token: "secret"}
	s, err := Start(o)
	if err != nil {
		t.Fatal(err)
	}
	makeQueue(t, s)
	s.Stop()
	files, err := filepath.Glob(filepath.Join(dir, "jetstream", "*", "streams", "*", "obs", "*", "o.dat"))
	if err != nil || len(files) != 1 {
		t.Fatal(files, err)
	}
	if data, err := os.ReadFile(files[0]); err != nil || !plausible(data) {
		t.Errorf("% x, which NATS wrote, is refused, %v", data, err)
	}
	if err := os.WriteFile(files[0], numbers(1, 1, 1, 1, 0, 1<<45), 0o600); err != nil {
		t.Fatal(err)
	}
	s, err = Start(o)
	if err != nil {
		t.Fatal(err)
	}
	s.Stop()
}

// makeQueue makes a queue with a task that a worker has, and a task that it has done.
func makeQueue(t *testing.T, s *Server) {
	t.Helper()
	nc, err := s.Connect()
	if err != nil {
		t.Fatal(err)
	}
	defer nc.Close()
	js, err := jetstream.New(nc)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := js.CreateStream(t.Context(), jetstream.StreamConfig{Name: "queue", Subjects: []string{"queue"}, Retention: jetstream.WorkQueuePolicy}); err != nil {
		t.Fatal(err)
	}
	c, err := js.CreateConsumer(t.Context(), "queue", jetstream.ConsumerConfig{Durable: "workers", AckPolicy: jetstream.AckExplicitPolicy})
	if err != nil {
		t.Fatal(err)
	}
	for range 3 {
		if _, err := js.Publish(t.Context(), "queue", []byte("task")); err != nil {
			t.Fatal(err)
		}
	}
	for range 2 {
		msg, err := c.Next()
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = msg.Nak() }()
	}
	msg, err := c.Next()
	if err != nil {
		t.Fatal(err)
	}
	if err := msg.DoubleAck(t.Context()); err != nil {
		t.Fatal(err)
	}
}
