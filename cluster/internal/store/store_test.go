package store_test

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"math/rand"
	"net"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"fencepost/cluster/internal/server"
	"fencepost/cluster/internal/store"
	"fencepost/cluster/internal/store/storetest"
	"fencepost/cluster/internal/task"
)

func submit(t *testing.T, s *store.Store, program []byte) *store.Job {
	t.Helper()
	job := &store.Job{Title: "test", Version: "test", Root: []byte("root"), AckWait: time.Second}
	if err := s.Submit(t.Context(), job, program); err != nil {
		t.Fatal(err)
	}
	return job
}

// TestLargeRecord: a record that does not fit in one message is stored in pieces, and the second one refused.
func TestLargeRecord(t *testing.T) {
	s := storetest.Start(t)
	job := submit(t, s, nil)
	random := make([]byte, task.MaxTask)
	rand.New(rand.NewSource(1)).Read(random)
	r := &task.Record{Executions: 1, Pending: [][]byte{random, random[1:], bytes.Clone(random[2:])}}
	id := task.NameOf(job.Root)
	if _, err := s.Commit(t.Context(), job, id, r); err != nil {
		t.Fatal(err)
	}
	kept, err := s.Commit(t.Context(), job, id, &task.Record{Executions: 2})
	if err != nil {
		t.Fatal(err)
	}
	if kept.Executions != 1 || len(kept.Pending) != 3 || !bytes.Equal(kept.Pending[0], random) {
		t.Errorf("kept %d executions and %d tasks", kept.Executions, len(kept.Pending))
	}
	if err := s.Enqueue(t.Context(), job, [][]byte{make([]byte, 1<<20)}); err == nil {
		t.Error("a task that does not fit in a message was enqueued")
	}
}

func TestJobs(t *testing.T) {
	s := storetest.Start(t)
	first, second := submit(t, s, []byte("one")), submit(t, s, []byte("two"))
	jobs, err := s.Jobs(t.Context())
	if err != nil || len(jobs) != 2 || jobs[0].ID != first.ID || jobs[1].ID != second.ID {
		t.Fatalf("got %v, %v", jobs, err)
	}
	if program, err := s.Program(t.Context(), second.ID); err != nil || string(program) != "two" {
		t.Errorf("got %q, %v", program, err)
	}
	if j, err := s.End(t.Context(), first.ID, store.Stopped, ""); err != nil || j.State != store.Stopped {
		t.Errorf("got %v, %v", j, err)
	}
	// A check ends once.
	if j, err := s.End(t.Context(), first.ID, store.Complete, ""); err != nil || j.State != store.Stopped {
		t.Errorf("got %v, %v", j, err)
	}
	if err := s.Remove(t.Context(), first.ID); err != nil {
		t.Error(err)
	}
	for _, id := range []string{first.ID, "nothing", "no key"} {
		if _, err := s.Job(t.Context(), id); !errors.Is(err, store.ErrUnknownJob) {
			t.Errorf("%s: got %v", id, err)
		}
	}
	if err := s.Submit(t.Context(), &store.Job{}, make([]byte, store.MaxProgram+1)); err == nil {
		t.Error("a program over the limit was stored")
	}
}

// TestDuplicates: a task that was enqueued lately is enqueued once.
func TestDuplicates(t *testing.T) {
	s := storetest.Start(t)
	job := submit(t, s, nil)
	for range 3 {
		if err := s.Enqueue(t.Context(), job, [][]byte{job.Root, []byte("other")}); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Enqueue(t.Context(), job, [][]byte{[]byte("last")}); err != nil {
		t.Fatal(err)
	}
	// Tasks are handed out in the order in which they came.
	for _, want := range []string{string(job.Root), "other", "last"} {
		d, err := s.Take(t.Context(), job, time.Minute)
		if err != nil || d == nil || string(d.Task) != want {
			t.Fatalf("got %v, %v, want the task %q", d, err, want)
		}
	}
}

// TestLostReply: a question whose reply is lost with the connection is asked again, long before the time is up.
func TestLostReply(t *testing.T) {
	s, err := server.Start(server.Options{Listen: "127.0.0.1:0", Dir: t.TempDir(), Token: "secret"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Stop)
	p := newProxy(t, strings.TrimPrefix(s.URL(), "nats://"), "STREAM.CREATE.KV_fp_workers")
	nc, err := server.Connect(server.Access{URL: p.url, Token: "secret", Name: t.Name()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(nc.Close)
	if _, err := store.Connect(t.Context(), nc, 1, nil); err != nil {
		t.Error(err)
	}
	if !p.cut.Load() {
		t.Error("no question was lost")
	}
}

// proxy hands bytes on between clients and a server. It closes the first connection that carries a word, and does not
// hand the word on.
type proxy struct {
	url, server, word string
	cut               atomic.Bool
}

func newProxy(t *testing.T, server, word string) *proxy {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	p := &proxy{url: "nats://" + l.Addr().String(), server: server, word: word}
	go func() {
		for {
			client, err := l.Accept()
			if err != nil {
				return
			}
			go p.serve(client)
		}
	}()
	return p
}

func (p *proxy) serve(client net.Conn) {
	defer client.Close()
	server, err := net.Dial("tcp", p.server)
	if err != nil {
		return
	}
	defer server.Close()
	go func() {
		_, _ = io.Copy(client, server)
		client.Close()
	}()
	for r := bufio.NewReader(client); ; {
		line, err := r.ReadBytes('\n')
		if bytes.Contains(line, []byte(p.word)) && p.cut.CompareAndSwap(false, true) {
			return
		}
		if _, failed := server.Write(line); failed != nil || err != nil {
			return
		}
	}
}
