package asker

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"fencepost"
	"fencepost/cluster/internal/program"
	"fencepost/cluster/internal/store"
	"fencepost/cluster/internal/task"
	"fencepost/query"
)

// Times between two questions to the server about the state of a check.
const (
	shortPause = 20 * time.Millisecond
	longPause  = time.Second
)

// probePause is how many questions about the state go by until the asker finds out whether the server stores anything and
// whether there are workers.
const probePause = 4

// longestRound is how long a round of questions takes at most, where none is answered.
const longestRound = 20 * time.Second

// await waits for the end of a check, and returns what its records come to. If the check is not complete,
// unfinished says why.
func (a *Asker) await(ctx context.Context, job *store.Job, progress func(query.Progress)) (sum fencepost.Partial, unfinished string) {
	seen := newObserver(a, job, progress)
	watching, stop := context.WithCancel(ctx)
	var group sync.WaitGroup
	group.Go(func() { seen.read(watching) })
	defer group.Wait()
	defer stop()
	idle, questions, last := time.Duration(0), 0, time.Now()
	for wait := shortPause; ; wait = min(wait*3/2, longPause) {
		select {
		case <-ctx.Done():
			return a.giveUp(ctx, seen, why(ctx))
		case <-time.After(wait):
		}
		if questions++; wait == longPause && questions%probePause == 0 {
			a.probe(ctx, job)
		}
		// This process may have been stopped meanwhile, which does not count.
		idle += min(time.Since(last), longestRound)
		last = time.Now()
		if seen.moved() {
			idle = 0
		}
		if a.Patience > 0 && idle > a.Patience {
			return a.giveUp(ctx, seen, fmt.Sprintf("nothing happened for %v: %s", a.Patience, a.report.state()))
		}
		end, sum, unfinished := a.question(ctx, seen)
		if end {
			return sum, unfinished
		}
	}
}

func why(ctx context.Context) string {
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return "time limit"
	}
	return "interrupted"
}

// question asks for the state of a check. If the check has ended, or can have no answer, it returns what is known.
func (a *Asker) question(ctx context.Context, seen *observer) (end bool, sum fencepost.Partial, unfinished string) {
	id := seen.check().ID
	now, err := a.Store.Job(ctx, id)
	switch {
	case ctx.Err() != nil:
		return false, sum, ""
	case errors.Is(err, store.ErrUnknownJob):
		return true, seen.known(), fmt.Sprintf("the check %s is no longer on the server: it was removed, or the server has lost it", id)
	case errors.Is(err, store.ErrDamaged):
		return true, seen.known(), fmt.Sprintf("the server has damaged the check: %v", err)
	case a.Store.Closed() != "":
		return true, seen.known(), "the connection to the server has ended: " + a.Store.Closed()
	case err != nil: // the connection comes back by itself
		a.report.trouble(store.Message(err))
		return false, sum, ""
	case now.State == store.Open:
		seen.update(now)
		if err := seen.conclude(ctx); err != nil {
			a.report.trouble(store.Message(err))
		}
		return false, sum, ""
	}
	sum, err = a.sum(ctx, now)
	if err == nil {
		return true, sum, reason(now)
	}
	if ctx.Err() != nil || store.KindOf(err) == store.Away || store.KindOf(err) == store.Full {
		a.report.trouble(store.Message(err))
		return false, fencepost.Partial{}, ""
	}
	opened, again := a.Store.Reopen(ctx, now)
	switch {
	case again != nil:
		a.report.trouble(store.Message(again))
		return false, fencepost.Partial{}, ""
	case opened:
		a.report.trouble(fmt.Sprintf("%v: what is missing is explored again", err))
		return false, fencepost.Partial{}, ""
	default:
		return true, fencepost.Partial{}, err.Error()
	}
}

// probe finds out whether the server stores anything and whether there are workers.
func (a *Asker) probe(ctx context.Context, job *store.Job) {
	now, err := a.Store.Probe(ctx, job.ID)
	if err != nil {
		if ctx.Err() == nil {
			a.report.trouble(store.Message(err))
		}
		return
	}
	all, _, err := a.Store.Workers(ctx)
	if err != nil {
		if ctx.Err() == nil {
			a.report.trouble(store.Message(err))
		}
		return
	}
	a.report.fine()
	ours, others := 0, 0
	for _, w := range all {
		switch {
		case now.Sub(w.Seen) > store.Silence:
		case w.Version != job.Version:
			others++
		default:
			ours++
			if w.Trouble != "" {
				a.report.trouble(fmt.Sprintf("the worker %s on %s says: %s", w.ID, w.Host, w.Trouble))
			}
		}
	}
	a.report.workers(ours, others, a.Server)
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
func (a *Asker) giveUp(ctx context.Context, seen *observer, why string) (fencepost.Partial, string) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 4*time.Second)
	defer cancel()
	if now, err := a.Store.End(ctx, seen.check().ID, store.Cancelled, why); err == nil {
		if sum, err := a.sum(ctx, now); err == nil {
			if r := reason(now); r == "" {
				return sum, ""
			}
			return sum, why
		}
	}
	return seen.known(), why
}

// sum adds up the records of a check that count.
func (a *Asker) sum(ctx context.Context, job *store.Job) (fencepost.Partial, error) {
	tree, err := a.Store.Tree(ctx, job)
	if err != nil {
		return fencepost.Partial{}, err
	}
	total, err := tree.Sum()
	if err != nil {
		return fencepost.Partial{}, err
	}
	sum, err := program.Add(total.Records)
	if err != nil {
		return fencepost.Partial{}, err
	}
	return sum, whole(job, total, sum)
}

// whole says why the records of a check do not fit its state. The state says that nothing is left to
// explore, which must follow from the records: one may be lost.
func whole(job *store.Job, total *task.Total, sum fencepost.Partial) error {
	if reason(job) != "" || sum.Over() || sum.Again() {
		return nil
	}
	if len(total.Missing) > 0 {
		return fmt.Errorf("%w: the check is %s, and %d tasks have no record", ErrRecords, job.State, len(total.Missing))
	}
	if job.Sums == nil || store.SumsOf(total) != *job.Sums {
		return fmt.Errorf("%w: they differ from the records that the check was completed with", ErrRecords)
	}
	return program.Whole(sum)
}

// ErrRecords says that records are missing though the state of the check says that nothing is left to explore.
var ErrRecords = errors.New("the server has lost records")

// observer reads records as they come.
type observer struct {
	asker    *Asker
	progress func(query.Progress)
	mu       sync.Mutex
	job      *store.Job
	stop     context.CancelFunc // ends the present reading
	tree     *task.Tree
	records  int // that were new since the last question
	shown    time.Time
}

func newObserver(a *Asker, job *store.Job, progress func(query.Progress)) *observer {
	return &observer{asker: a, job: job, tree: task.NewTree(task.NameOf(job.Root)), progress: progress}
}

// check returns the check as it was last read.
func (o *observer) check() *store.Job {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.job
}

// update takes the present state of the check. If its records were made again, they are read from the beginning.
func (o *observer) update(job *store.Job) {
	o.mu.Lock()
	defer o.mu.Unlock()
	old := o.job
	o.job = job
	if job.Records == old.Records {
		return
	}
	o.tree = task.NewTree(task.NameOf(job.Root))
	if o.stop != nil {
		o.stop()
	}
}

// moved reports whether there are new records.
func (o *observer) moved() bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	n := o.records
	o.records = 0
	return n > 0
}

// known returns what the records come to that have been read, if they can be added up.
func (o *observer) known() fencepost.Partial {
	o.mu.Lock()
	defer o.mu.Unlock()
	total, err := o.tree.Sum()
	if err != nil {
		return fencepost.Partial{}
	}
	sum, err := program.Add(total.Records)
	if err != nil {
		return fencepost.Partial{}
	}
	return sum
}

// read reads records until the context ends.
func (o *observer) read(ctx context.Context) {
	for ctx.Err() == nil {
		reading, stop := context.WithCancel(ctx)
		o.mu.Lock()
		job, tree := o.job, o.tree
		o.stop = stop
		o.mu.Unlock()
		_ = o.asker.Store.Watch(reading, job, func(id task.ID, r *task.Record) (bool, error) {
			o.mu.Lock()
			defer o.mu.Unlock()
			if r != nil && tree.Add(id, r) {
				o.records++
			}
			o.show()
			return true, nil
		})
		stop()
		select {
		case <-ctx.Done():
		case <-time.After(longPause):
		}
	}
}

// show reports progress, not too often. The caller holds the lock.
func (o *observer) show() {
	_, open := o.tree.Tasks()
	least := o.tree.AtLeast()
	o.asker.report.progress(o.tree.Executions(), open, least)
	if o.progress == nil || time.Since(o.shown) < 200*time.Millisecond {
		return
	}
	o.shown = time.Now()
	model := query.Model(o.job.Model)
	o.progress(query.Progress{
		Model: model, Under: model, Engine: "rf", Waiting: int64(open), Elapsed: time.Since(o.job.Created),
		Executions: o.tree.Executions(), Low: least,
	})
}

// conclude ends the check if all tasks that are known have records, so that a small check need not wait until
// a worker looks.
func (o *observer) conclude(ctx context.Context) error {
	o.mu.Lock()
	_, open := o.tree.Tasks()
	job := o.job
	o.mu.Unlock()
	if open > 0 {
		return nil
	}
	_, err := o.asker.Store.Conclude(ctx, job)
	return err
}
