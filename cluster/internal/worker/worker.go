package worker

import (
	"context"
	"errors"
	"fmt"
	"log"
	"sync"
	"sync/atomic"
	"time"

	"fencepost/cluster/internal/store"
	"fencepost/cluster/internal/task"
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
	checks            []*check             // open ones, oldest first
	others            map[string]bool      // checks of other versions
	ctx               context.Context      // of Run
	said              map[string]time.Time // when each message was last printed
	wrong             string               // the latest failure
	wrongAt           time.Time
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
	id     string
	job    atomic.Pointer[store.Job]
	ctx    context.Context // ends when the check does
	cancel context.CancelFunc

	opening  sync.Mutex
	explorer Explorer
	unread   int // how often the program could not be read

	concluding sync.Mutex
	concluded  time.Time // when a slot last looked whether the check is complete
	// idle counts how often in turn the queue had tasks and gave none to this worker, and last is the number of tasks
	// that it had.
	idle, last int
	exploring  atomic.Int64 // tasks that this worker has
	lost       atomic.Int64 // how often in turn something was found to be lost
}

// Run works until the context ends.
func (w *Worker) Run(ctx context.Context) error {
	w.others = map[string]bool{}
	w.said = map[string]time.Time{}
	var group sync.WaitGroup
	defer group.Wait()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	w.ctx = ctx
	group.Go(func() { w.announce(ctx) })
	for range w.Me.Slots {
		group.Go(func() { w.slot(ctx) })
	}
	return w.watch(ctx)
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
		w.after(c, w.step(c, wait))
	}
}

// step takes a task of a check and does all that is to be done for it.
func (w *Worker) step(c *check, wait time.Duration) error {
	job := c.job.Load()
	d, err := w.Store.Take(c.ctx, job, wait)
	if err != nil {
		return err
	}
	if d == nil {
		return w.conclude(c, job)
	}
	c.exploring.Add(1)
	defer c.exploring.Add(-1)
	if err := w.handle(c, job, d); err != nil {
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

func (w *Worker) handle(c *check, job *store.Job, d *store.Delivery) error {
	err := w.do(c, job, d)
	var f fatal
	if errors.As(err, &f) && c.ctx.Err() == nil {
		w.Log.Printf("%s: failed: %v", c.id, f.error)
		_, err = w.Store.End(c.ctx, c.id, store.Failed, f.Error())
	}
	return err
}

func (w *Worker) do(c *check, job *store.Job, d *store.Delivery) error {
	record, err := w.Store.Record(c.ctx, job, d.ID)
	if err != nil {
		return err
	}
	if record == nil {
		if record, err = w.explore(c, job, d); err != nil {
			return err
		}
	}
	if record.Over {
		if _, err := w.Store.End(c.ctx, c.id, store.Stopped, ""); err != nil {
			return err
		}
	} else if err := w.send(c, job, d.ID, record); err != nil {
		return err
	}
	if err := w.before(Acknowledge); err != nil {
		return err
	}
	return d.Done(c.ctx)
}

// explore explores a task and stores the record. It returns the record that is stored, which is another
// worker's if that one was faster.
func (w *Worker) explore(c *check, job *store.Job, d *store.Delivery) (*task.Record, error) {
	if d.Count > maxDeliveries {
		return nil, fatal{fmt.Errorf("the task %s was given to workers %d times, and none stored a record: do they have enough memory?", d.ID, d.Count-1)}
	}
	explorer, err := w.explorer(c, job)
	if err != nil {
		return nil, err
	}
	if err := w.before(Explore); err != nil {
		return nil, err
	}
	record, err := w.extended(job, d, func() (*task.Record, error) {
		return explorer.Explore(c.ctx, d.Task, Limit{Time: w.slice(job, d), Executions: job.Executions, Groups: w.wanted(d)})
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
	return w.Store.Commit(c.ctx, job, d.ID, record)
}

// spare is how many tasks should wait per slot, so that no slot is idle when others need long.
const spare = 3

// short is the part of a slice that a task is explored for where slots have nothing to do.
const short = 8

// slice returns how long a task is explored. If fewer tasks wait than there are slots, as at the beginning and the end of
// a check, the task is soon divided, so that others need not wait for it.
func (w *Worker) slice(job *store.Job, d *store.Delivery) time.Duration {
	if d.Waiting < w.allSlots() {
		return max(job.Slice/short, time.Millisecond)
	}
	return job.Slice
}

// allSlots returns how many slots all workers have, as far as this one knows.
func (w *Worker) allSlots() int { return max(int(w.slots.Load()), w.Me.Slots) }

// wanted returns how many tasks an exploration should leave: as many as are missing in the queue, and at least one.
func (w *Worker) wanted(d *store.Delivery) int {
	return max(1, spare*w.allSlots()-d.Waiting)
}

// explorer reads the program of a check once.
func (w *Worker) explorer(c *check, job *store.Job) (Explorer, error) {
	c.opening.Lock()
	defer c.opening.Unlock()
	if c.explorer != nil {
		return c.explorer, nil
	}
	program, err := w.Store.Program(c.ctx, c.id)
	if errors.Is(err, store.ErrUnread) {
		c.unread++
	}
	if errors.Is(err, store.ErrProgram) || c.unread >= patientLosses {
		return nil, fatal{err}
	}
	if err != nil {
		return nil, err
	}
	e, err := w.Open(job, program)
	if err != nil {
		return nil, fatal{err}
	}
	c.explorer = e
	return e, nil
}

// extended runs a function, and meanwhile keeps the queue from giving the task to another worker.
func (w *Worker) extended(job *store.Job, d *store.Delivery, run func() (*task.Record, error)) (*task.Record, error) {
	stop := make(chan struct{})
	defer close(stop)
	go func() {
		tick := time.NewTicker(max(job.AckWait/3, time.Millisecond))
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
func (w *Worker) send(c *check, job *store.Job, id task.ID, record *task.Record) error {
	if len(record.Pending) == 0 {
		return nil
	}
	sent, err := w.Store.Sent(c.ctx, job, id)
	if err != nil || sent {
		return err
	}
	if err := w.before(Enqueue); err != nil {
		return err
	}
	if err := w.Store.Enqueue(c.ctx, job, record.Pending); err != nil {
		return err
	}
	if err := w.before(MarkSent); err != nil {
		return err
	}
	return w.Store.MarkSent(c.ctx, job, id)
}

func (w *Worker) before(step Step) error {
	if w.Before == nil {
		return nil
	}
	return w.Before(step)
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
