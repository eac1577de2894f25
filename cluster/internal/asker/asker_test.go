package asker_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"fencepost"
	"fencepost/cluster/internal/asker"
	"fencepost/cluster/internal/program"
	"fencepost/cluster/internal/store"
	"fencepost/cluster/internal/store/storetest"
	"fencepost/cluster/internal/task"
	"fencepost/cluster/internal/worker"
	"fencepost/query"
	"fencepost/verdict"
)

// safe has more executions than one slice explores, and no violation.
const safe = "var x, y;\nthread t1 { reg r; x = 1; y = 1; r = x; }\nthread t2 { reg r; y = 2; x = 2; r = y; }\nnever t1:r == 7;\n"

// submitted submits a check, and stores the record of its first task: some executions, and tasks that are left.
func submitted(t *testing.T) (*asker.Asker, *store.Job, *task.Record) {
	t.Helper()
	return submittedWith(t, func(r *task.Record) *task.Record { return r })
}

// submittedWith is submitted, with another record instead of the right one.
func submittedWith(t *testing.T, forge func(*task.Record) *task.Record) (*asker.Asker, *store.Job, *task.Record) {
	t.Helper()
	a := &asker.Asker{Store: storetest.Start(t), Slice: time.Second, Executions: 1, AckWait: time.Minute}
	job, diags, err := a.Submit(t.Context(), query.Input{Name: "safe.fp", Text: []byte(safe)}, query.TSO, query.CheckOptions{})
	if err != nil || job == nil {
		t.Fatal(err, diags)
	}
	data, err := a.Store.Program(t.Context(), job.ID)
	if err != nil {
		t.Fatal(err)
	}
	e, err := program.Open(t.Context())(job, data)
	if err != nil {
		t.Fatal(err)
	}
	r, err := e.Explore(t.Context(), job.Root, worker.Limit{Executions: 1, Groups: 2})
	if err != nil || len(r.Pending) == 0 || r.Over {
		t.Fatalf("%+v, %v", r, err)
	}
	r = forge(r)
	if _, err := a.Store.Commit(t.Context(), job, task.NameOf(job.Root), r); err != nil {
		t.Fatal(err)
	}
	return a, job, r
}

// TestLostRecords: a check whose state says that nothing is left has no answer if records are missing. Without the test
// of the records, both would be safe.
func TestLostRecords(t *testing.T) {
	for _, state := range []store.State{store.Complete, store.Stopped} {
		a, job, _ := submitted(t)
		if _, err := a.Store.End(t.Context(), job.ID, state, ""); err != nil {
			t.Fatal(err)
		}
		answer, err := a.Result(t.Context(), job.ID)
		if !errors.Is(err, asker.ErrRecords) {
			t.Errorf("%s: %v, %+v", state, err, answer.Results)
		}
	}
}

// TestUnfinished: what has not ended, was cancelled or has failed is unknown, with the reason.
func TestUnfinished(t *testing.T) {
	for state, why := range map[store.State]string{store.Open: "the check goes on", store.Cancelled: "cancelled: by a user", store.Failed: "failed: by a user"} {
		a, job, _ := submitted(t)
		if state != store.Open {
			if _, err := a.Store.End(t.Context(), job.ID, state, "by a user"); err != nil {
				t.Fatal(err)
			}
			// What ends once does not end again.
			if now, err := a.Store.End(t.Context(), job.ID, store.Complete, ""); err != nil || now.State != state {
				t.Fatalf("%v, %v", now, err)
			}
		}
		answer, err := a.Result(t.Context(), job.ID)
		if err != nil {
			t.Fatal(err)
		}
		if r := answer.Results[0]; r.Verdict != verdict.Unknown || !strings.Contains(r.Reason, why) {
			t.Errorf("%s: %v: %s", state, r.Verdict, r.Reason)
		}
	}
}

// TestMixedRecords: the tasks of another check, and what is not a task, are refused by workers.
func TestMixedRecords(t *testing.T) {
	a, job, r := submitted(t)
	other, diags, err := a.Submit(t.Context(), query.Input{Name: "safe.fp", Text: []byte(strings.Replace(safe, "r == 7", "r == 8", 1))}, query.TSO, query.CheckOptions{})
	if err != nil || other == nil {
		t.Fatal(err, diags)
	}
	data, err := a.Store.Program(t.Context(), other.ID)
	if err != nil {
		t.Fatal(err)
	}
	e, err := program.Open(t.Context())(other, data)
	if err != nil {
		t.Fatal(err)
	}
	for what, bytes := range map[string][]byte{"a task of another check": r.Pending[0], "the root of another check": job.Root, "no task": []byte("x")} {
		if _, err := e.Explore(t.Context(), bytes, worker.Limit{}); err == nil {
			t.Errorf("%s is explored", what)
		}
	}
	// A worker that reads another program than the asker refuses the check.
	if _, err := program.Open(t.Context())(job, data); err == nil || !strings.Contains(err.Error(), "belongs to another program than") {
		t.Errorf("the program of another check: %v", err)
	}
	// A worker, or an asker, of another version.
	stranger := *job
	stranger.Version = "another"
	stranger.Identity = []byte(strings.Replace(string(job.Identity), fencepost.BuildVersion(), "another", 1))
	text, err := a.Store.Program(t.Context(), job.ID)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := program.Open(t.Context())(&stranger, text); err == nil || !strings.Contains(err.Error(), "version") {
		t.Errorf("another version: %v", err)
	}
	stranger.Title = "another version"
	if err := a.Store.Submit(t.Context(), &stranger, text); err != nil {
		t.Fatal(err)
	}
	if _, err := a.Result(t.Context(), stranger.ID); err == nil || !strings.Contains(err.Error(), "version another") {
		t.Errorf("the result of another version: %v", err)
	}
}

// TestAwaitEnds: an asker whose time is over says so, and what was found so far counts.
func TestAwaitEnds(t *testing.T) {
	a, job, r := submitted(t)
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	sum, unfinished := asker.Await(ctx, a, job)
	if unfinished != "time limit" || sum.Executions() != r.Executions {
		t.Errorf("%d executions, %q", sum.Executions(), unfinished)
	}
	if now, err := a.Store.Job(t.Context(), job.ID); err != nil || now.State != store.Cancelled {
		t.Errorf("%+v, %v", now, err)
	}
}

// TestForgedRecord: a record that says that nothing was found, and that nothing is left, is not believed. Without the
// sums, the answer would be safe.
func TestForgedRecord(t *testing.T) {
	for what, forge := range map[string]func(r *task.Record) *task.Record{
		"nothing": func(*task.Record) *task.Record { return &task.Record{} },
		"a part": func(r *task.Record) *task.Record {
			return &task.Record{Part: r.Part, Executions: r.Executions, Fingerprint: r.Fingerprint, Share: r.Share}
		},
		"a part as whole": func(r *task.Record) *task.Record {
			return &task.Record{Part: r.Part, Executions: r.Executions, Fingerprint: r.Fingerprint, Share: 1}
		},
		"other executions": func(r *task.Record) *task.Record { r.Executions++; return r },
		"other classes":    func(r *task.Record) *task.Record { r.Fingerprint = "0"; return r },
		"no violation":     func(r *task.Record) *task.Record { r.Over, r.Pending = true, nil; return r },
	} {
		a, job, r := submittedWith(t, forge)
		if err := finish(t, a, job, r); err != nil {
			t.Fatal(err)
		}
		answer, err := a.Result(t.Context(), job.ID)
		if !errors.Is(err, program.ErrSums) {
			t.Errorf("%s: %v, %+v", what, err, answer.Results)
		}
	}
	// The same without a forged record.
	a, job, r := submittedWith(t, func(r *task.Record) *task.Record { return r })
	if err := finish(t, a, job, r); err != nil {
		t.Fatal(err)
	}
	if answer, err := a.Result(t.Context(), job.ID); err != nil || answer.Results[0].Verdict != verdict.Safe {
		t.Errorf("%v, %+v", err, answer.Results)
	}
}

// finish explores what a record leaves, and ends the check.
func finish(t *testing.T, a *asker.Asker, job *store.Job, r *task.Record) error {
	t.Helper()
	data, err := a.Store.Program(t.Context(), job.ID)
	if err != nil {
		return err
	}
	e, err := program.Open(t.Context())(job, data)
	if err != nil {
		return err
	}
	for _, next := range r.Pending {
		rest, err := e.Explore(t.Context(), next, worker.Limit{})
		if err != nil {
			return err
		}
		if _, err := a.Store.Commit(t.Context(), job, task.NameOf(next), rest); err != nil {
			return err
		}
	}
	// The queue is empty when all is done.
	for {
		d, err := a.Store.Take(t.Context(), job, time.Second)
		if err != nil || d == nil {
			break
		}
		if err := d.Done(t.Context()); err != nil {
			return err
		}
	}
	_, err = a.Store.Conclude(t.Context(), job)
	return err
}

// TestChangedRecords: records that are not those of the completed check are not believed, even if they add up.
func TestChangedRecords(t *testing.T) {
	a, job, r := submitted(t)
	if err := finish(t, a, job, r); err != nil {
		t.Fatal(err)
	}
	now, err := a.Store.Job(t.Context(), job.ID)
	if err != nil || now.State != store.Complete || now.Sums == nil || now.Sums.Records != 1+len(r.Pending) {
		t.Fatalf("%+v, %v", now, err)
	}
	opened, err := a.Store.Reopen(t.Context(), now)
	if err != nil || !opened {
		t.Fatal(opened, err)
	}
	// Another end, that knows nothing of the records.
	if _, err := a.Store.End(t.Context(), job.ID, store.Complete, ""); err != nil {
		t.Fatal(err)
	}
	if answer, err := a.Result(t.Context(), job.ID); !errors.Is(err, asker.ErrRecords) {
		t.Errorf("%v, %+v", err, answer.Results)
	}
}
