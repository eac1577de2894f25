package asker

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"fencepost"
	"fencepost/cluster/internal/program"
	"fencepost/cluster/internal/store"
	"fencepost/cluster/internal/task"
	"fencepost/query"
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
	// Patience is how long nothing may happen until the asker gives up; 0: for ever.
	Patience time.Duration
	// Say, if not nil, prints a line for the user. It is called every few seconds.
	Say func(line string)
	// Server is the name of the server, for messages.
	Server string

	report *report
}

// Check asks about a program under the models of the options, one after the other.
func (a *Asker) Check(ctx context.Context, in query.Input, opt query.CheckOptions) (query.Answer, error) {
	models := opt.Models
	if len(models) == 0 {
		models = []query.Model{query.TSO}
	}
	var all query.Answer
	for _, model := range models {
		answer, err := a.checkUnder(ctx, in, model, opt)
		if err != nil {
			return query.Answer{}, err
		}
		all.Diagnostics = answer.Diagnostics
		all.Results = append(all.Results, answer.Results...)
		if answer.HasErrors() {
			break
		}
	}
	return all, nil
}

func (a *Asker) checkUnder(ctx context.Context, in query.Input, model query.Model, opt query.CheckOptions) (query.Answer, error) {
	a.report = newReport(a.Say, opt.Progress != nil)
	defer a.report.end()
	b, x, diags, err := program.New(ctx, in, model, opt)
	if err != nil || x == nil {
		return query.Answer{Diagnostics: diags}, err
	}
	if opt.Timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, opt.Timeout)
		defer cancel()
		ctx = store.Asking(ctx)
	}
	start := time.Now()
	for root := x.Root(); ; {
		sum, unfinished, err := a.run(ctx, b, x, root, opt.Progress)
		if err != nil {
			return query.Answer{}, err
		}
		if sum.Again() && unfinished == "" {
			root = x.Restart(sum)
			continue
		}
		if sum.Again() { // what was found is void
			sum = fencepost.Partial{}
		}
		if proof, ok := x.Proof(sum); ok && unfinished == "" {
			made, _, err := a.run(ctx, b, x, proof, opt.Progress)
			if err != nil {
				return query.Answer{}, err
			}
			sum.Add(made) // a proof that is not finished is none, which is seen when it is put together
		}
		// The context may have ended, but the answer is still to be made.
		answer, err := x.Answer(context.WithoutCancel(ctx), sum, unfinished, time.Since(start))
		answer.Diagnostics = append(diags, answer.Diagnostics...)
		return answer, err
	}
}

// run has all that a task leads to explored, and returns what that comes to. If it is not complete, unfinished says why.
func (a *Asker) run(ctx context.Context, b *program.Bundle, x *fencepost.Exploration, root fencepost.Task, progress func(query.Progress)) (sum fencepost.Partial, unfinished string, err error) {
	job, err := a.submit(ctx, b, x, root)
	if err != nil {
		return sum, "", err
	}
	sum, unfinished = a.await(ctx, job, progress)
	if !a.Keep {
		a.remove(ctx, job)
	}
	return sum, unfinished, nil
}

// Submit submits a check and does not wait for it. It returns nil and diagnostics if the program is refused.
func (a *Asker) Submit(ctx context.Context, in query.Input, model query.Model, opt query.CheckOptions) (*store.Job, []verdict.Diagnostic, error) {
	a.report = newReport(a.Say, opt.Progress != nil)
	defer a.report.end()
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
	a.report.now("submitting the check")
	submitting, cancel := a.bounded(ctx)
	defer cancel()
	if err := a.Store.Submit(submitting, job, data); err != nil {
		return nil, fmt.Errorf("submitting the check: %w", err)
	}
	if a.Submitted != nil {
		a.Submitted(job)
	}
	return job, nil
}

// bounded returns a context that ends when the patience of the asker does.
func (a *Asker) bounded(ctx context.Context) (context.Context, context.CancelFunc) {
	if a.Patience == 0 {
		return context.WithCancel(ctx)
	}
	ctx, cancel := context.WithTimeout(ctx, a.Patience)
	return store.Asking(ctx), cancel
}

// Notice takes a failure of the server that is tried again.
func (a *Asker) Notice(err error) { a.report.trouble(store.Message(err)) }

// remove deletes a check, also after the end of the context. What cannot be deleted now is shown by status.
func (a *Asker) remove(ctx context.Context, job *store.Job) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
	defer cancel()
	_ = a.Store.Remove(ctx, job.ID)
}

// Result returns the answer of a check that was submitted before. For one that goes on it is unknown.
func (a *Asker) Result(ctx context.Context, id string) (query.Answer, error) {
	job, err := a.Store.Job(ctx, id)
	if err != nil {
		return query.Answer{}, err
	}
	if job.Version != fencepost.BuildVersion() {
		return query.Answer{}, fmt.Errorf("%s was asked for by version %s of fencepost, and this is %s", id, job.Version, fencepost.BuildVersion())
	}
	data, err := a.Store.Program(ctx, id)
	if err != nil {
		return query.Answer{}, err
	}
	b, err := program.Decode(data)
	if err != nil {
		return query.Answer{}, err
	}
	x, err := b.Open(ctx)
	if err != nil {
		return query.Answer{}, err
	}
	sum, err := a.sum(ctx, job)
	if err != nil {
		return query.Answer{}, err
	}
	took := time.Since(job.Created)
	if !job.Ended.IsZero() {
		took = job.Ended.Sub(job.Created)
	}
	if sum.Again() && reason(job) == "" {
		return query.Answer{}, fmt.Errorf("%s met accesses of a size that it did not expect: ask again with check, which starts again by itself", id)
	}
	return x.Answer(ctx, sum, reason(job), took)
}
