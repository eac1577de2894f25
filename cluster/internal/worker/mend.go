package worker

import (
	"cmp"
	"errors"
	"fmt"
	"time"

	"fencepost/cluster/internal/store"
)

// patientLosses is how often in turn something is found to be lost before it is made again: the check may have been
// removed just now.
const patientLosses = 3

// after does what is to be done after a step of a check: nothing, to wait, or to mend.
func (w *Worker) after(c *check, err error) {
	switch {
	case c.ctx.Err() != nil:
		return
	case err == nil:
		c.lost.Store(0)
		return
	case store.KindOf(err) != store.Lost:
		w.say(fmt.Errorf("%s: %w", c.id, err))
		pause(c.ctx, cmp.Or(w.Retry, time.Second))
		return
	}
	pause(c.ctx, cmp.Or(w.Retry, time.Second/2))
	if c.lost.Add(1) < patientLosses {
		return
	}
	c.lost.Store(0)
	w.mend(c, false, err)
}

// mend makes again what the server has lost of a check.
func (w *Worker) mend(c *check, stalled bool, cause error) {
	old := c.job.Load()
	job, err := w.Store.Mend(c.ctx, old, stalled)
	switch {
	case errors.Is(err, store.ErrRemoved):
		w.update(c.id, job)
	case err != nil:
		w.say(fmt.Errorf("%s: %w", c.id, err))
	case job.Queue != old.Queue || job.Records != old.Records:
		w.Log.Printf("%s: %v: made again from the records that can be read", c.id, cause)
		w.update(c.id, job)
	}
}

// concludePause is the shortest time between two looks of a worker whether a check is complete.
const concludePause = 500 * time.Millisecond

// stalled is how often in turn a queue may have the same number of tasks and give none to this worker, before the queue is made again. Another worker may have
// a task that takes long, so that is twice as many each time.
const stalled = 60

// conclude finds out whether a check with an empty queue is complete.
func (w *Worker) conclude(c *check, job *store.Job) error {
	if !c.concluding.TryLock() {
		return nil
	}
	defer c.concluding.Unlock()
	if time.Since(c.concluded) < concludePause {
		return nil
	}
	took := time.Now()
	queued, err := w.Store.Conclude(c.ctx, job)
	// A check with many records is read rarely.
	c.concluded = time.Now().Add(10 * time.Since(took))
	if err != nil {
		return err
	}
	if queued == 0 || queued != c.last || c.exploring.Load() > 0 {
		c.idle, c.last = 0, queued
		return nil
	}
	if c.idle++; c.idle > stalled<<min(job.Queue, 6) {
		c.idle = 0
		w.mend(c, true, fmt.Errorf("the queue has %d tasks and gives none", queued))
	}
	return nil
}
