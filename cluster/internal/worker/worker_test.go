package worker_test

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"io"
	"log"
	"math/rand"
	"sync"
	"testing"
	"time"

	"fencepost/cluster/internal/store"
	"fencepost/cluster/internal/store/storetest"
	"fencepost/cluster/internal/synthetic"
	"fencepost/cluster/internal/task"
	"fencepost/cluster/internal/worker"
)

var trees = flag.Int("fp.trees", 6, "how many random trees are explored with crashes")

func openTree(_ *store.Job, program []byte) (worker.Explorer, error) {
	var tree synthetic.Tree
	err := json.Unmarshal(program, &tree)
	return &tree, err
}

// submit stores a check of a tree.
func submit(t testing.TB, s *store.Store, tree *synthetic.Tree, ackWait time.Duration) *store.Job {
	t.Helper()
	program, err := json.Marshal(tree)
	if err != nil {
		t.Fatal(err)
	}
	job := &store.Job{Title: t.Name(), Version: "test", Root: tree.Root(), Executions: 20, AckWait: ackWait}
	if err := s.Submit(t.Context(), job, program); err != nil {
		t.Fatal(err)
	}
	return job
}

// work runs workers until a check has ended, and returns the check.
func work(t testing.TB, s *store.Store, job *store.Job, n int, before func(worker.Step) error) *store.Job {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var group sync.WaitGroup
	for i := range n {
		w := &worker.Worker{
			Store: s, Open: openTree, Me: store.Worker{ID: string(rune('a' + i)), Version: "test", Slots: 1},
			Log: log.New(io.Discard, "", 0), Before: before, Retry: time.Millisecond,
		}
		group.Go(func() { _ = w.Run(ctx) })
	}
	var ended *store.Job
	err := s.WatchJobs(ctx, func(id string, j *store.Job) {
		if id == job.ID && j != nil && j.State != store.Open {
			ended = j
			cancel()
		}
	})
	group.Wait()
	if ended == nil {
		t.Fatalf("the check has not ended: %v", err)
	}
	return ended
}

// sum adds up the records of a check.
func sum(t *testing.T, s *store.Store, job *store.Job) (synthetic.Part, *task.Total) {
	t.Helper()
	tree, err := s.Tree(t.Context(), job)
	if err != nil {
		t.Fatal(err)
	}
	all, err := tree.Sum()
	if err != nil {
		t.Fatal(err)
	}
	part, err := synthetic.Add(all.Records)
	if err != nil {
		t.Fatal(err)
	}
	return part, all
}

// alone explores a tree in one go.
func alone(t *testing.T, tree *synthetic.Tree) synthetic.Part {
	t.Helper()
	r, err := tree.Explore(t.Context(), tree.Root(), worker.Limit{})
	if err != nil {
		t.Fatal(err)
	}
	part, err := synthetic.Add([]*task.Record{r})
	if err != nil {
		t.Fatal(err)
	}
	return part
}

// TestCrashes makes workers forget what they were doing at random steps, and the queue give tasks to others
// while they are being explored.
func TestCrashes(t *testing.T) {
	s := storetest.Start(t)
	rng := rand.New(rand.NewSource(1))
	var mu sync.Mutex
	crashes := map[worker.Step]int{}
	for n := range *trees {
		tree := &synthetic.Tree{Seed: int64(n), Depth: 9}
		job := submit(t, s, tree, 30*time.Millisecond)
		ended := work(t, s, job, 3, func(step worker.Step) error {
			mu.Lock()
			defer mu.Unlock()
			if rng.Intn(40) != 0 {
				return nil
			}
			crashes[step]++
			return errors.New("crash")
		})
		if ended.State != store.Complete {
			t.Fatalf("tree %d: %s %s", n, ended.State, ended.Reason)
		}
		got, _ := sum(t, s, job)
		if want := alone(t, tree); got != want {
			t.Errorf("tree %d: counted %+v, want %+v", n, got, want)
		}
		if err := s.Remove(t.Context(), job.ID); err != nil {
			t.Error(err)
		}
	}
	t.Logf("crashes before each step: %v", crashes)
}

// TestStopped: the first violation ends the check for all.
func TestStopped(t *testing.T) {
	s := storetest.Start(t)
	tree := &synthetic.Tree{Seed: 3, Depth: 12, Bad: 500}
	job := submit(t, s, tree, time.Second)
	if ended := work(t, s, job, 2, nil); ended.State != store.Stopped {
		t.Fatalf("got %s %s", ended.State, ended.Reason)
	}
	if _, all := sum(t, s, job); !all.Over {
		t.Error("no record has the violation")
	}
}

// slow is a tree whose first exploration of the root takes until it is released.
type slow struct {
	synthetic.Tree
	mu      sync.Mutex
	first   bool
	release chan struct{}
}

func (x *slow) Explore(ctx context.Context, root []byte, limit worker.Limit) (*task.Record, error) {
	x.mu.Lock()
	first := !x.first && string(root) == "/"
	x.first = true
	x.mu.Unlock()
	if first {
		<-x.release
		// What a slow worker comes to differs from what the fast one did.
		limit.Executions = 1
	}
	return x.Tree.Explore(ctx, root, limit)
}

// TestPaused: a worker that is paused past the acknowledgement time finds another worker's record instead
// of its own, and what it would have left does not exist.
func TestPaused(t *testing.T) {
	s := storetest.Start(t)
	x := &slow{Tree: synthetic.Tree{Seed: 5, Depth: 8}, release: make(chan struct{})}
	job := submit(t, s, &x.Tree, 20*time.Millisecond)
	d, err := s.Take(t.Context(), job, time.Second)
	if err != nil || d == nil {
		t.Fatal(d, err)
	}
	// The delivery is not extended, so that a second worker gets the task.
	done := make(chan error, 1)
	go func() {
		r, err := x.Explore(t.Context(), d.Task, worker.Limit{Executions: 20})
		if err == nil {
			var kept *task.Record
			kept, err = s.Commit(t.Context(), job, d.ID, r)
			if err == nil && kept.Executions == r.Executions {
				err = errors.New("the late record was kept")
			}
		}
		done <- err
	}()
	for ready := false; !ready; {
		x.mu.Lock()
		ready = x.first
		x.mu.Unlock()
	}
	if ended := work(t, s, job, 2, nil); ended.State != store.Complete {
		t.Fatalf("got %s %s", ended.State, ended.Reason)
	}
	close(x.release)
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	if got, _ := sum(t, s, job); got != alone(t, &x.Tree) {
		t.Errorf("counted %+v, want %+v", got, alone(t, &x.Tree))
	}
}

// TestSeveral: checks at the same time do not disturb each other, and one of another version is left alone.
func TestSeveral(t *testing.T) {
	s := storetest.Start(t)
	other := &store.Job{Title: "another version", Version: "other", Root: []byte("/"), AckWait: time.Second}
	if err := s.Submit(t.Context(), other, []byte("{}")); err != nil {
		t.Fatal(err)
	}
	var jobs []*store.Job
	var list []*synthetic.Tree
	for n := range 4 {
		list = append(list, &synthetic.Tree{Seed: int64(100 + n), Depth: 7})
		jobs = append(jobs, submit(t, s, list[n], time.Second))
	}
	for n, job := range jobs {
		if ended := work(t, s, job, 2, nil); ended.State != store.Complete {
			t.Fatalf("got %s %s", ended.State, ended.Reason)
		}
		if got, _ := sum(t, s, job); got != alone(t, list[n]) {
			t.Errorf("check %d: counted %+v, want %+v", n, got, alone(t, list[n]))
		}
	}
	if waiting, taken, err := s.Queue(t.Context(), other); err != nil || waiting != 1 || taken != 0 {
		t.Errorf("of the other version %d tasks wait and %d are taken, %v", waiting, taken, err)
	}
}

// TestCancelled: workers stop to explore what was cancelled.
func TestCancelled(t *testing.T) {
	s := storetest.Start(t)
	job := submit(t, s, &synthetic.Tree{Seed: 1, Depth: 60}, time.Second)
	var once sync.Once
	ended := work(t, s, job, 2, func(worker.Step) error {
		once.Do(func() {
			if _, err := s.End(t.Context(), job.ID, store.Cancelled, "by the test"); err != nil {
				t.Error(err)
			}
		})
		return nil
	})
	if ended.State != store.Cancelled || ended.Reason != "by the test" {
		t.Errorf("got %s %s", ended.State, ended.Reason)
	}
}

// TestFailed: what no worker can do ends the check with the reason.
func TestFailed(t *testing.T) {
	s := storetest.Start(t)
	job := &store.Job{Title: "bad", Version: "test", Root: []byte("no path"), AckWait: time.Second}
	if err := s.Submit(t.Context(), job, []byte("{}")); err != nil {
		t.Fatal(err)
	}
	if ended := work(t, s, job, 1, nil); ended.State != store.Failed || ended.Reason != `"no path" is no path` {
		t.Errorf("got %s %s", ended.State, ended.Reason)
	}
}

// TestPoison: a task that makes every worker crash ends the check.
func TestPoison(t *testing.T) {
	s := storetest.Start(t)
	job := submit(t, s, &synthetic.Tree{Seed: 1, Depth: 6}, 5*time.Millisecond)
	ended := work(t, s, job, 1, func(step worker.Step) error {
		if step == worker.Commit {
			return errors.New("crash")
		}
		return nil
	})
	if ended.State != store.Failed {
		t.Errorf("got %s %s", ended.State, ended.Reason)
	}
}

// TestLostTasks: tasks that the queue has lost are enqueued again.
func TestLostTasks(t *testing.T) {
	s := storetest.Start(t)
	tree := &synthetic.Tree{Seed: 8, Depth: 8}
	job := submit(t, s, tree, time.Second)
	d, err := s.Take(t.Context(), job, time.Second)
	if err != nil || d == nil {
		t.Fatal(d, err)
	}
	// The first task has a record, is acknowledged, and its successors never come to the queue.
	r, err := tree.Explore(t.Context(), d.Task, worker.Limit{Executions: 5})
	if err != nil || len(r.Pending) == 0 {
		t.Fatal(r, err)
	}
	if _, err := s.Commit(t.Context(), job, d.ID, r); err != nil {
		t.Fatal(err)
	}
	if err := d.Done(t.Context()); err != nil {
		t.Fatal(err)
	}
	if ended := work(t, s, job, 2, nil); ended.State != store.Complete {
		t.Fatalf("got %s %s", ended.State, ended.Reason)
	}
	if got, _ := sum(t, s, job); got != alone(t, tree) {
		t.Errorf("counted %+v, want %+v", got, alone(t, tree))
	}
}
