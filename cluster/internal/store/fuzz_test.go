package store

import (
	"bytes"
	"errors"
	"fmt"
	"testing"
	"time"

	"fencepost/cluster/internal/task"

	natsd "github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// sealed returns a record as it is stored.
func sealed(t testing.TB, job string, id task.ID, r *task.Record) []byte {
	t.Helper()
	data, err := r.Encode()
	if err != nil {
		t.Fatal(err)
	}
	sum := task.SumOf(job, id, data)
	return append(append([]byte{whole}, sum[:]...), data...)
}

// FuzzStored: a record, a piece or a check is read as it was stored, or found to be damaged.
func FuzzStored(f *testing.F) {
	value := sealed(f, "job", "id", &task.Record{Executions: 5, Pending: [][]byte{[]byte("task")}})
	f.Add(value, []byte("piece"))
	f.Add([]byte("p"+string(make([]byte, 32))+`{"try":"x","count":3}`), value)
	check, err := (&Job{ID: "job", State: Open, Root: []byte("root")}).encode()
	if err != nil {
		f.Fatal(err)
	}
	f.Add(check, []byte{})
	f.Fuzz(func(t *testing.T, data, piece []byte) {
		r, err := readRecord("job", "id", data, func(string, int) ([]byte, error) { return piece, nil })
		if err != nil && !errors.Is(err, ErrDamaged) {
			t.Fatal(err)
		}
		if err == nil && data[0] == whole && !bytes.Equal(data, sealed(t, "job", "id", r)) {
			// Another compression of the same record has another checksum, which is right as well.
			if task.SumOf("job", "id", data[33:]) != task.Sum(data[1:33]) {
				t.Fatal("a wrong checksum is accepted")
			}
		}
		if job, err := decodeJob(data); err == nil {
			if _, err := job.encode(); err != nil {
				t.Fatal(err)
			}
		}
	})
}

// TestEveryBit: no bit of a stored record or of a check can be changed, and nothing can be cut off, without being noticed. A record is not
// that of another task or check.
func TestEveryBit(t *testing.T) {
	value := sealed(t, "job", "id", &task.Record{Executions: 5, Pending: [][]byte{[]byte("task")}})
	check, err := (&Job{ID: "job", State: Open, Root: []byte("root")}).encode()
	if err != nil {
		t.Fatal(err)
	}
	read := func(job string, id task.ID, data []byte) error {
		_, err := readRecord(job, id, data, func(string, int) ([]byte, error) { return nil, ErrDamaged })
		return err
	}
	if err := read("job", "id", value); err != nil {
		t.Fatal(err)
	}
	if _, err := decodeJob(check); err != nil {
		t.Fatal(err)
	}
	for i := range 8 * len(value) {
		bad := bytes.Clone(value)
		bad[i/8] ^= 1 << (i % 8)
		if err := read("job", "id", bad); !errors.Is(err, ErrDamaged) {
			t.Fatalf("bit %d: %v", i, err)
		}
		if err := read("job", "id", value[:i/8]); !errors.Is(err, ErrDamaged) {
			t.Fatalf("cut off at %d: %v", i/8, err)
		}
	}
	for i := range 8 * len(check) {
		bad := bytes.Clone(check)
		bad[i/8] ^= 1 << (i % 8)
		if _, err := decodeJob(bad); !errors.Is(err, ErrDamaged) {
			t.Fatalf("bit %d of a check: %v", i, err)
		}
	}
	for _, other := range []error{read("other", "id", value), read("job", "other", value)} {
		if !errors.Is(other, ErrDamaged) {
			t.Errorf("a record of something else: %v", other)
		}
	}
}

// TestKinds: what a server answers with is told apart. Only what may come back by itself is away.
func TestKinds(t *testing.T) {
	for code, want := range codes {
		if got := KindOf(apiError(code)); got != want {
			t.Errorf("%d: %v, want %v", code, got, want)
		}
	}
	for code, want := range map[int]Trouble{10023: Full, 10047: Full, 10077: Full, 10059: Lost, 10194: Lost, 10008: Away, 10058: Other} {
		if got := KindOf(apiError(jetstream.ErrorCode(code))); got != want {
			t.Errorf("%d: %v, want %v", code, got, want)
		}
	}
	// A NATS cluster that has just started says this until its servers know each other; one that is too small says it for ever.
	for reason, want := range map[string]Trouble{"peer offline": Away, "cluster size too small": Other} {
		if got := KindOf(&jetstream.APIError{Code: 400, ErrorCode: noPeers, Description: "no suitable peers for placement, " + reason}); got != want {
			t.Errorf("%s: %v, want %v", reason, got, want)
		}
	}
}

// apiError is an answer of a server, with a code of HTTP that says little.
func apiError(code jetstream.ErrorCode) error {
	return fmt.Errorf("asking: %w", &jetstream.APIError{Code: 503, ErrorCode: code})
}

// TestSweep: what an asker that was killed has left is removed, and what belongs to a check is kept.
func TestSweep(t *testing.T) {
	s, js := embedded(t)
	job := &Job{Title: "kept", Root: []byte("root"), AckWait: time.Second}
	if err := s.Submit(t.Context(), job, []byte("program")); err != nil {
		t.Fatal(err)
	}
	half := &Job{ID: "half", Replicas: 1, AckWait: time.Second}
	if err := errors.Join(s.makeRecords(t.Context(), half), s.makeQueue(t.Context(), half)); err != nil {
		t.Fatal(err)
	}
	count := func() (ours, theirs int) {
		for name := range js.StreamNames(t.Context()).Name() {
			switch jobOfStream(name) {
			case job.ID:
				ours++
			case "half":
				theirs++
			}
		}
		return ours, theirs
	}
	s.Sweep(t.Context()) // it may be about to be submitted
	if ours, theirs := count(); ours != 2 || theirs != 2 {
		t.Errorf("%d and %d streams are left, want 2 and 2", ours, theirs)
	}
	s.sweep(t.Context(), 0)
	if ours, theirs := count(); ours != 2 || theirs != 0 {
		t.Errorf("%d and %d streams are left, want 2 and 0", ours, theirs)
	}
}

// embedded starts NATS and returns its store.
func embedded(t *testing.T) (*Store, jetstream.JetStream) {
	t.Helper()
	server, err := natsd.NewServer(&natsd.Options{Host: "127.0.0.1", Port: -1, NoSigs: true, NoLog: true, JetStream: true, StoreDir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	go server.Start()
	t.Cleanup(server.Shutdown)
	if !server.ReadyForConnections(time.Hour) {
		t.Fatal("the server is not ready")
	}
	nc, err := nats.Connect(server.ClientURL())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(nc.Close)
	s, err := Connect(t.Context(), nc, 1, nil)
	if err != nil {
		t.Fatal(err)
	}
	return s, s.js
}
