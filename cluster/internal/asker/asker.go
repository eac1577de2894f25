package asker

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"sync"
	"time"

	"fencepost"
	"fencepost/cluster/internal/program"
	"fencepost/cluster/internal/store"
	"fencepost/cluster/internal/task"
	"fencepost/verdict"
)

// Asker submits checks to a server.
type Asker struct {
	Store *store.Store
	// Slice, Executions and AckWait are handed to the checks, see store.Job.
	Slice      time.Duration
	Executions int64
	AckWait    time.Duration
	// Keep leaves a check in the store after its answer.
	Keep bool
	// Submitted, if not nil, is called with each check.
	Submitted func(*store.Job)
}

// Times between two questions to the server about the state of a check.
const (
	shortPause = 20 * time.Millisecond
	longPause  = time.Second
)

// Check asks about a program under the models of the options, one after the other.
func (a *Asker) Check(ctx context.Context, in fencepost.Input, opt fencepost.CheckOptions) (fencepost.Answer, error) {
	models := opt.Models
	if len(models) == 0 {
		models = []fencepost.Model{fencepost.TSO}
	}
	var all fencepost.Answer
	for _, model := range models {
		answer, err := a.checkUnder(ctx, in, model, opt)
		if err != nil {
			return fencepost.Answer{}, err
		}
		all.Diagnostics = answer.Diagnostics
		all.Results = append(all.Results, answer.Results...)
		if answer.HasErrors() {
			break
		}
	}
	return all, nil
}

func (a *Asker) checkUnder(ctx context.Context, in fencepost.Input, model fencepost.Model, opt fencepost.CheckOptions) (fencepost.Answer, error) {
	b, x, diags, err := program.New(ctx, in, model, opt)
	if err != nil || x == nil {
		return fencepost.Answer{Diagnostics: diags}, err
	}
	if opt.Timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, opt.Timeout)
		defer cancel()
		ctx = store.Asking(ctx)
	}
	start := time.Now()
	for root := x.Root(); ; {
		job, err := a.submit(ctx, b, x, root)
		if err != nil {
			return fencepost.Answer{}, err
		}
		sum, unfinished, err := a.await(ctx, job, opt.Progress)
		if err != nil {
			return fencepost.Answer{}, err
		}
		if !a.Keep {
			a.remove(ctx, job)
		}
		if sum.Again() && unfinished == "" {
			root = x.Restart(sum)
			continue
		}
		// The context may have ended, but the answer is still to be made.
		answer, err := x.Answer(context.WithoutCancel(ctx), sum, unfinished, time.Since(start))
		answer.Diagnostics = append(diags, answer.Diagnostics...)
		return answer, err
	}
}

// Submit submits a check and does not wait for it. It returns nil and diagnostics if the program is refused.
func (a *Asker) Submit(ctx context.Context, in fencepost.Input, model fencepost.Model, opt fencepost.CheckOptions) (*store.Job, []verdict.Diagnostic, error) {
	b, x, diags, err := program.New(ctx, in, model, opt)
	if err != nil || x == nil {
		return nil, diags, err
	}
	job, err := a.submit(ctx, b, x, x.Root())
	return job, diags, err
}

func (a *Asker) submit(ctx context.Context, b *program.Bundle, x *fencepost.Exploration, root fencepost.Task) (*store.Job, error) {
	data, err := b.Encode()
	if err != nil {
		return nil, err
	}
	id := x.Identity()
	identity, err := json.Marshal(id)
	if err != nil {
		return nil, err
	}
	first, err := task.Join(root.Bytes())
	if err != nil {
		return nil, err
	}
	job := &store.Job{
		Title: b.Input.Name, Model: string(id.Model), Version: id.Version, Identity: identity, Root: first,
		Slice: a.Slice, Executions: a.Executions, AckWait: a.AckWait,
	}
	if err := a.Store.Submit(ctx, job, data); err != nil {
		return nil, err
	}
	if a.Submitted != nil {
		a.Submitted(job)
	}
	return job, nil
}

// remove deletes a check, also after the end of the context. What cannot be deleted now is shown by status.
func (a *Asker) remove(ctx context.Context, job *store.Job) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
	defer cancel()
	_ = a.Store.Remove(ctx, job.ID)
}

// await waits for the end of a check, and returns what its records come to. If the check is not complete,
// unfinished says why.
func (a *Asker) await(ctx context.Context, job *store.Job, progress func(fencepost.Progress)) (sum fencepost.Partial, unfinished string, err error) {
	seen := &observer{asker: a, job: job, tree: task.NewTree(task.NameOf(job.Root)), progress: progress}
	watching, stop := context.WithCancel(ctx)
	var group sync.WaitGroup
	group.Go(func() { seen.read(watching) })
	defer group.Wait()
	defer stop()
	lost := 0
	for wait := shortPause; ; wait = min(wait*3/2, longPause) {
		select {
		case <-ctx.Done():
			return a.giveUp(ctx, job)
		case <-time.After(wait):
		}
		now, err := a.Store.Job(ctx, job.ID)
		switch {
		case errors.Is(err, store.ErrUnknownJob):
			return sum, "", fmt.Errorf("the check %s was removed from the server", job.ID)
		case err != nil:
			continue // the server is away, and the connection comes back by itself
		case now.State == store.Open:
			seen.conclude(ctx)
			continue
		}
		sum, err = a.sum(ctx, now)
		if errors.Is(err, errRecords) {
			if lost++; lost > patience {
				return sum, "", err
			}
		}
		if err != nil {
			continue
		}
		return sum, reason(now), nil
	}
}

// reason says why a check that has ended is not complete.
func reason(job *store.Job) string {
	switch job.State {
	case store.Complete, store.Stopped:
		return ""
	case store.Open:
		return "the check goes on"
	default:
		if job.Reason == "" {
			return string(job.State)
		}
		return string(job.State) + ": " + job.Reason
	}
}

// giveUp cancels a check whose asker stops to wait.
func (a *Asker) giveUp(ctx context.Context, job *store.Job) (fencepost.Partial, string, error) {
	why := "interrupted"
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		why = "time limit"
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 4*time.Second)
	defer cancel()
	if now, err := a.Store.End(ctx, job.ID, store.Cancelled, why); err == nil {
		if sum, err := a.sum(ctx, now); err == nil {
			if r := reason(now); r == "" {
				return sum, "", nil
			}
			return sum, why, nil
		}
	}
	return fencepost.Partial{}, why, nil
}

// sum adds up the records of a check that count.
func (a *Asker) sum(ctx context.Context, job *store.Job) (fencepost.Partial, error) {
	tree, err := a.Store.Tree(ctx, job)
	if err != nil {
		return fencepost.Partial{}, err
	}
	s, err := tree.Sum()
	if err != nil {
		return fencepost.Partial{}, err
	}
	sum, err := program.Add(s.Records)
	if err != nil {
		return fencepost.Partial{}, err
	}
	// The state says that nothing is left to explore. That must follow from the records: one may be lost, or not have
	// reached the server that was asked.
	if reason(job) == "" && len(s.Missing) > 0 && !sum.Over() && !sum.Again() {
		return fencepost.Partial{}, fmt.Errorf("%w: the check is %s, and %d tasks have no record", errRecords, job.State, len(s.Missing))
	}
	return sum, nil
}

// errRecords says that records are missing though the state of the check says that nothing is left to explore.
var errRecords = errors.New("the server has lost records")

// patience is how often an asker asks again for records that are lost, before it gives up.
const patience = 60

// Result returns the answer of a check that was submitted before. For one that goes on it is unknown.
func (a *Asker) Result(ctx context.Context, id string) (fencepost.Answer, error) {
	job, err := a.Store.Job(ctx, id)
	if err != nil {
		return fencepost.Answer{}, err
	}
	if job.Version != fencepost.BuildVersion() {
		return fencepost.Answer{}, fmt.Errorf("%s was asked for by version %s of fencepost, and this is %s", id, job.Version, fencepost.BuildVersion())
	}
	data, err := a.Store.Program(ctx, id)
	if err != nil {
		return fencepost.Answer{}, err
	}
	b, err := program.Decode(data)
	if err != nil {
		return fencepost.Answer{}, err
	}
	x, err := b.Open(ctx)
	if err != nil {
		return fencepost.Answer{}, err
	}
	sum, err := a.sum(ctx, job)
	if err != nil {
		return fencepost.Answer{}, err
	}
	took := time.Since(job.Created)
	if !job.Ended.IsZero() {
		took = job.Ended.Sub(job.Created)
	}
	if sum.Again() && reason(job) == "" {
		return fencepost.Answer{}, fmt.Errorf("%s met accesses of a size that it did not expect: ask again with check, which starts again by itself", id)
	}
	return x.Answer(ctx, sum, reason(job), took)
}

// observer reads records as they come.
type observer struct {
	asker    *Asker
	job      *store.Job
	progress func(fencepost.Progress)
	mu       sync.Mutex
	tree     *task.Tree
	shown    time.Time
}

// read reads records until the context ends.
func (o *observer) read(ctx context.Context) {
	for ctx.Err() == nil {
		_ = o.asker.Store.Watch(ctx, o.job.ID, func(id task.ID, r *task.Record) (bool, error) {
			o.mu.Lock()
			defer o.mu.Unlock()
			if r != nil {
				o.tree.Add(id, r)
			}
			o.show()
			return true, nil
		})
		select {
		case <-ctx.Done():
		case <-time.After(longPause):
		}
	}
}

// show reports progress, not too often.
func (o *observer) show() {
	if o.progress == nil || time.Since(o.shown) < 200*time.Millisecond {
		return
	}
	o.shown = time.Now()
	_, open := o.tree.Tasks()
	total := o.tree.Estimate()
	model := fencepost.Model(o.job.Model)
	o.progress(fencepost.Progress{
		Model: model, Under: model, Engine: "rf", Waiting: int64(open), Elapsed: time.Since(o.job.Created),
		Executions: o.tree.Executions(), Low: total / 2, High: int64(math.Min(2*float64(total), math.MaxInt64)),
	})
}

// conclude ends the check if all tasks that are known have records, so that a small check need not wait until
// a worker looks.
func (o *observer) conclude(ctx context.Context) {
	o.mu.Lock()
	_, open := o.tree.Tasks()
	o.mu.Unlock()
	if open == 0 {
		// If this fails, a worker will do it.
		_ = o.asker.Store.Conclude(ctx, o.job)
	}
}
