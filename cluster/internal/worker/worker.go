package worker

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log"
	"sync"
	"sync/atomic"
	"time"

	"fencepost/cluster/internal/store"
	"fencepost/cluster/internal/task"

	"github.com/nats-io/nats.go/jetstream"
)

// Limit bounds the exploration of one task. Zero is no limit.
type Limit struct {
	Time       time.Duration
	Executions int64
	Groups     int // into how many tasks the rest is divided
}

// Explorer explores the tasks of one check. It is safe for concurrent use.
type Explorer interface {
	// Explore explores a task until nothing is left, the limit is reached, or the context ends. In the last
	// case it returns the context's error.
	Explore(ctx context.Context, t []byte, limit Limit) (*task.Record, error)
}

// Open reads the stored program of a check.
type Open func(job *store.Job, program []byte) (Explorer, error)

// maxDeliveries is how many workers may take a task without ever storing its record. Then the check fails:
// the task needs more memory than workers have, or makes them crash.
const maxDeliveries = 30

// heartbeat is how often a worker says that it is there.
const heartbeat = store.Silence / 4

// Worker is a participant that explores tasks.
type Worker struct {
	Store *store.Store
	Open  Open
	// Me has the worker's name and the number of its slots.
	Me  store.Worker
	Log *log.Logger
	// Retry is how long a slot waits after something failed; 0: a second.
	Retry time.Duration
	// Before, if not nil, is called before each step of a task. An error makes the slot forget the task, as a
	// crash would. Tests use it.
	Before func(step Step) error

	tasks, executions atomic.Int64
	slots             atomic.Int64 // of all workers
	mu                sync.Mutex
	checks            []*check        // open ones, oldest first
	others            map[string]bool // checks of other versions
}

// Step is a step in the life of a task.
type Step int

// The steps, in order.
const (
	Explore Step = iota + 1
	Commit
	Enqueue
	MarkSent
	Acknowledge
)

// check is an open check as this worker sees it.
type check struct {
	job    *store.Job
	ctx    context.Context // ends when the check does
	cancel context.CancelFunc

	opening  sync.Mutex
	explorer Explorer

	concluding sync.Mutex
	concluded  time.Time // when a slot last looked whether the check is complete
}

// Run works until the context ends.
func (w *Worker) Run(ctx context.Context) error {
	w.others = map[string]bool{}
	var group sync.WaitGroup
	defer group.Wait()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	group.Go(func() { w.announce(ctx) })
	for range w.Me.Slots {
		group.Go(func() { w.slot(ctx) })
	}
	return w.watch(ctx)
}

func (w *Worker) announce(ctx context.Context) {
	beat := time.NewTicker(heartbeat)
	defer beat.Stop()
	for {
		me := w.Me
		me.Tasks, me.Executions = w.tasks.Load(), w.executions.Load()
		if err := w.Store.Announce(ctx, &me); err != nil && ctx.Err() == nil {
			w.Log.Printf("cannot reach the server: %v", err)
		}
		w.count(ctx)
		w.refresh(ctx)
		select {
		case <-ctx.Done():
			ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 2*time.Second)
			defer cancel()
			// Where this fails the entry vanishes by itself.
			_ = w.Store.Leave(ctx, me.ID)
			return
		case <-beat.C:
		}
	}
}

// count counts the slots of all workers that are there.
func (w *Worker) count(ctx context.Context) {
	all, now, err := w.Store.Workers(ctx)
	if err != nil {
		return
	}
	slots := 0
	for _, other := range all {
		if now.Sub(other.Seen) < store.Silence {
			slots += other.Slots
		}
	}
	w.slots.Store(int64(slots))
}

// watch keeps the list of open checks.
func (w *Worker) watch(ctx context.Context) error {
	for ctx.Err() == nil {
		err := w.Store.WatchJobs(ctx, func(id string, job *store.Job) { w.update(ctx, id, job) })
		if ctx.Err() == nil {
			w.Log.Printf("cannot read the list of checks, trying again: %v", err)
			pause(ctx, time.Second)
		}
	}
	return ctx.Err()
}

// refresh reads the list of open checks again, in case the server stopped to send changes while it was away.
func (w *Worker) refresh(ctx context.Context) {
	jobs, err := w.Store.Jobs(ctx)
	if err != nil {
		return
	}
	known := map[string]bool{}
	for _, job := range jobs {
		known[job.ID] = true
		w.update(ctx, job.ID, job)
	}
	w.mu.Lock()
	var gone []string
	for _, c := range w.checks {
		// A check that was submitted after the list was read is not gone.
		if !known[c.job.ID] && time.Since(c.job.Created) > heartbeat {
			gone = append(gone, c.job.ID)
		}
	}
	w.mu.Unlock()
	for _, id := range gone {
		w.update(ctx, id, nil)
	}
}

// update takes the new state of a check; nil: it was removed.
func (w *Worker) update(ctx context.Context, id string, job *store.Job) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for i, c := range w.checks {
		if c.job.ID != id {
			continue
		}
		if job == nil || job.State != store.Open {
			c.cancel()
			w.checks = append(w.checks[:i:i], w.checks[i+1:]...)
		}
		return
	}
	if job == nil || job.State != store.Open {
		return
	}
	if job.Version != w.Me.Version {
		if !w.others[id] {
			w.Log.Printf("%s: left alone, it is for version %s of fencepost and this is %s", id, job.Version, w.Me.Version)
		}
		w.others[id] = true
		return
	}
	c := &check{job: job}
	c.ctx, c.cancel = context.WithCancel(ctx)
	w.checks = append(w.checks, c)
}

// next returns the open check whose turn it is, and how many are open.
func (w *Worker) next(turn int) (*check, int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.checks) == 0 {
		return nil, 0
	}
	return w.checks[turn%len(w.checks)], len(w.checks)
}

// Waiting times of a slot.
const (
	idle    = 100 * time.Millisecond // without an open check
	patient = 250 * time.Millisecond // for a task, where one check is open
	brief   = 50 * time.Millisecond  // for a task, where other checks may have one
)

func (w *Worker) slot(ctx context.Context) {
	for turn := 0; ctx.Err() == nil; turn++ {
		c, open := w.next(turn)
		if c == nil {
			pause(ctx, idle)
			continue
		}
		wait := patient
		if open > 1 {
			wait = brief
		}
		err := w.step(c, wait)
		switch {
		case err == nil, c.ctx.Err() != nil:
		case errors.Is(err, jetstream.ErrStreamNotFound), errors.Is(err, jetstream.ErrConsumerNotFound), errors.Is(err, jetstream.ErrBucketNotFound):
			// The check was removed, and the list will say so.
			pause(ctx, idle)
		default:
			w.Log.Printf("%s: trying again: %v", c.job.ID, err)
			pause(ctx, cmp.Or(w.Retry, time.Second))
		}
	}
}

// step takes a task of a check and does all that is to be done for it.
func (w *Worker) step(c *check, wait time.Duration) error {
	d, err := w.Store.Take(c.ctx, c.job.ID, wait)
	if err != nil {
		return err
	}
	if d == nil {
		return w.conclude(c)
	}
	if err := w.handle(c, d); err != nil {
		if c.ctx.Err() != nil {
			// The check has ended, or this worker stops and another one can have the task at once.
			_ = d.GiveBack()
		}
		return err
	}
	return nil
}

// fatal is an error that no other worker can mend.
type fatal struct{ error }

func (w *Worker) handle(c *check, d *store.Delivery) error {
	err := w.do(c, d)
	var f fatal
	if errors.As(err, &f) && c.ctx.Err() == nil {
		w.Log.Printf("%s: failed: %v", c.job.ID, f.error)
		_, err = w.Store.End(c.ctx, c.job.ID, store.Failed, f.Error())
	}
	return err
}

func (w *Worker) do(c *check, d *store.Delivery) error {
	record, err := w.Store.Record(c.ctx, c.job.ID, d.ID)
	if err != nil {
		return err
	}
	if record == nil {
		if record, err = w.explore(c, d); err != nil {
			return err
		}
	}
	if record.Over {
		if _, err := w.Store.End(c.ctx, c.job.ID, store.Stopped, ""); err != nil {
			return err
		}
	} else if err := w.send(c, d.ID, record); err != nil {
		return err
	}
	if err := w.before(Acknowledge); err != nil {
		return err
	}
	return d.Done(c.ctx)
}

// explore explores a task and stores the record. It returns the record that is stored, which is another
// worker's if that one was faster.
func (w *Worker) explore(c *check, d *store.Delivery) (*task.Record, error) {
	if d.Count > maxDeliveries {
		return nil, fatal{fmt.Errorf("the task %s was given to workers %d times, and none stored a record: do they have enough memory?", d.ID, d.Count-1)}
	}
	explorer, err := w.explorer(c)
	if err != nil {
		return nil, err
	}
	if err := w.before(Explore); err != nil {
		return nil, err
	}
	record, err := w.extended(c, d, func() (*task.Record, error) {
		return explorer.Explore(c.ctx, d.Task, Limit{Time: w.slice(c, d), Executions: c.job.Executions, Groups: w.wanted(d)})
	})
	if err != nil {
		if c.ctx.Err() != nil {
			return nil, err
		}
		return nil, fatal{err}
	}
	w.tasks.Add(1)
	w.executions.Add(record.Executions)
	if err := w.before(Commit); err != nil {
		return nil, err
	}
	return w.Store.Commit(c.ctx, c.job.ID, d.ID, record)
}

// spare is how many tasks should wait per slot, so that no slot is idle when others need long.
const spare = 3

// short is the part of a slice that a task is explored for where slots have nothing to do.
const short = 8

// slice returns how long a task is explored. If fewer tasks wait than there are slots, as at the beginning and the end of
// a check, the task is soon divided, so that others need not wait for it.
func (w *Worker) slice(c *check, d *store.Delivery) time.Duration {
	if d.Waiting < w.allSlots() {
		return max(c.job.Slice/short, time.Millisecond)
	}
	return c.job.Slice
}

// allSlots returns how many slots all workers have, as far as this one knows.
func (w *Worker) allSlots() int { return max(int(w.slots.Load()), w.Me.Slots) }

// wanted returns how many tasks an exploration should leave: as many as are missing in the queue, and at least one.
func (w *Worker) wanted(d *store.Delivery) int {
	return max(1, spare*w.allSlots()-d.Waiting)
}

// explorer reads the program of a check once.
func (w *Worker) explorer(c *check) (Explorer, error) {
	c.opening.Lock()
	defer c.opening.Unlock()
	if c.explorer != nil {
		return c.explorer, nil
	}
	program, err := w.Store.Program(c.ctx, c.job.ID)
	if err != nil {
		return nil, err
	}
	e, err := w.Open(c.job, program)
	if err != nil {
		return nil, fatal{err}
	}
	c.explorer = e
	return e, nil
}

// extended runs a function, and meanwhile keeps the queue from giving the task to another worker.
func (w *Worker) extended(c *check, d *store.Delivery, run func() (*task.Record, error)) (*task.Record, error) {
	stop := make(chan struct{})
	defer close(stop)
	go func() {
		tick := time.NewTicker(max(c.job.AckWait/3, time.Millisecond))
		defer tick.Stop()
		for {
			select {
			case <-stop:
				return
			case <-tick.C:
				// If this fails, another worker may explore the task as well.
				_ = d.Extend()
			}
		}
	}()
	return run()
}

// send enqueues the tasks that a record leaves, unless that has been done.
func (w *Worker) send(c *check, id task.ID, record *task.Record) error {
	if len(record.Pending) == 0 {
		return nil
	}
	sent, err := w.Store.Sent(c.ctx, c.job.ID, id)
	if err != nil || sent {
		return err
	}
	if err := w.before(Enqueue); err != nil {
		return err
	}
	if err := w.Store.Enqueue(c.ctx, c.job.ID, record.Pending); err != nil {
		return err
	}
	if err := w.before(MarkSent); err != nil {
		return err
	}
	return w.Store.MarkSent(c.ctx, c.job.ID, id)
}

func (w *Worker) before(step Step) error {
	if w.Before == nil {
		return nil
	}
	return w.Before(step)
}

// concludePause is the shortest time between two looks of a worker whether a check is complete.
const concludePause = 500 * time.Millisecond

// conclude looks whether a check with an empty queue is complete.
func (w *Worker) conclude(c *check) error {
	if !c.concluding.TryLock() {
		return nil
	}
	defer c.concluding.Unlock()
	if time.Since(c.concluded) < concludePause {
		return nil
	}
	took := time.Now()
	err := w.Store.Conclude(c.ctx, c.job)
	// A check with many records is read rarely.
	c.concluded = time.Now().Add(10 * time.Since(took))
	return err
}

// pause waits, or less if the context ends.
func pause(ctx context.Context, d time.Duration) {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
	case <-t.C:
	}
}
