package worker

import (
	"context"
	"errors"
	"fmt"
	"time"

	"fencepost/cluster/internal/store"
)

// watch keeps the list of open checks.
func (w *Worker) watch(ctx context.Context) error {
	for ctx.Err() == nil {
		err := w.Store.WatchJobs(ctx, w.update)
		if ctx.Err() != nil {
			break
		}
		if why := w.Store.Closed(); why != "" {
			return fmt.Errorf("the connection to the server has ended: %s", why)
		}
		w.say(err)
		pause(ctx, time.Second)
	}
	return ctx.Err()
}

// refresh reads the list of open checks again, in case the server stopped to send changes while it was away.
func (w *Worker) refresh(ctx context.Context) error {
	jobs, err := w.Store.Jobs(ctx)
	if err != nil {
		return err
	}
	known := map[string]bool{}
	for _, job := range jobs {
		known[job.ID] = true
		w.update(job.ID, job)
	}
	w.mu.Lock()
	var gone []string
	for _, c := range w.checks {
		if !known[c.id] {
			gone = append(gone, c.id)
		}
	}
	w.mu.Unlock()
	for _, id := range gone {
		// A check that was submitted after the list was read is not gone.
		job, err := w.Store.Job(ctx, id)
		if err != nil && !errors.Is(err, store.ErrUnknownJob) {
			return err
		}
		w.update(id, job)
	}
	return nil
}

// update takes the new state of a check; nil: it was removed.
func (w *Worker) update(id string, job *store.Job) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for i, c := range w.checks {
		if c.id != id {
			continue
		}
		if job == nil || job.State != store.Open {
			c.cancel()
			w.checks = append(w.checks[:i:i], w.checks[i+1:]...)
		} else {
			c.job.Store(job)
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
	c := &check{id: id}
	c.job.Store(job)
	c.ctx, c.cancel = context.WithCancel(w.ctx)
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
