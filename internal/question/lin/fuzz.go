package lin

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"path"
	"slices"
	"strings"
	"sync"
	"time"

	"fencepost/internal/engine"
	enginefuzz "fencepost/internal/engine/fuzz"
	"fencepost/internal/engine/rf"
	"fencepost/internal/ir"
	"fencepost/internal/memory"
	"fencepost/internal/pipeline"
	"fencepost/internal/question/check"
	"fencepost/internal/question/fuzz"
	"fencepost/internal/supervise"
	"fencepost/query"
	"fencepost/verdict"
)

// Random executions of large clients. Every runsPerClient seeds share a client, which depends on their number; an
// execution depends on the client and its seed. The first wrong history is shortened: calls are left out as long as some
// of as many executions go wrong without them. If few calls are left, all executions of this client are looked at.

const (
	runsPerClient = 256
	shorterRuns   = 2048 // executions of a client with fewer calls
)

// wrongRun is an execution of a large client that goes wrong.
type wrongRun struct {
	client *largeClient
	seed   uint64
	values []int64 // results and reads; nil: the program has an error
}

// random answers by random executions of large clients.
func (q *question) random(ctx context.Context, s *search) (*verdict.Result, error) {
	f := &clientFuzzer{q: q, s: s, sum: verdict.Fuzz{Seed: uint64(cmp.Or(q.opt.Seed, 1)), Depth: cmp.Or(q.opt.Depth, query.DefaultDepth)}, least: q.opt.Fuzz, begun: time.Now()}
	left := int64(q.opt.Runs)
	for seed := f.sum.Seed; ; {
		number := (seed - 1) / runsPerClient
		runs := int64((number+1)*runsPerClient + 1 - seed)
		if q.opt.Runs > 0 {
			runs = min(runs, left)
		}
		c, err := f.draw(ctx, number)
		var wrong *wrongRun
		if err == nil {
			wrong, err = f.run(ctx, c, seed, runs)
		}
		if over := outOfTime(ctx, err); over != "" || err == nil && wrong == nil && ctx.Err() != nil {
			return f.nothing(ctx), nil
		}
		if err != nil {
			return nil, err
		}
		if wrong != nil {
			f.sum.Found = wrong.seed
			return f.found(ctx, wrong)
		}
		f.clients++
		seed += uint64(runs)
		if left -= runs; q.opt.Runs > 0 && left <= 0 {
			return f.nothing(ctx), nil
		}
		if q.opt.Progress != nil {
			q.opt.Progress(query.Progress{Model: query.Model(s.model.String()), Under: query.Model(s.model.String()), Engine: Command, Executions: f.executions})
		}
	}
}

// clientFuzzer is the search of one model.
type clientFuzzer struct {
	q          *question
	s          *search
	sum        verdict.Fuzz
	clients    int
	least      int // calls of a client
	executions int64
	unjudged   int64
	begun      time.Time
}

// draw returns the client with a number. Under c11 reading the counter of another thread makes its calls happen before, so there is less of it.
// If the calls fail one at a time, the object has too little room for so many, and the client has fewer.
func (f *clientFuzzer) draw(ctx context.Context, number uint64) (*largeClient, error) {
	reading := 4
	if f.s.model == memory.C11 {
		reading = 1
	}
	for calls := f.q.opt.Fuzz; ; calls /= 2 {
		c := newLargeClient(rand.New(rand.NewPCG(number, 0x6c696e)), f.q.object, calls, reading, f.q.drains)
		m, err := f.s.spec.newMonitor(ctx, c)
		if err != nil {
			return nil, err
		}
		if !m.failsAlone() {
			f.least = min(f.least, len(c.reads))
			return c, nil
		}
		if calls < 4 {
			return nil, &openError{why: fmt.Sprintf("%s fails one call at a time", &c.client)}
		}
	}
}

// run runs executions of a client. It returns one that goes wrong, that of the least seed, or nil.
func (f *clientFuzzer) run(ctx context.Context, c *largeClient, seed uint64, runs int64) (*wrongRun, error) {
	m, err := f.s.spec.newMonitor(ctx, c)
	if err != nil {
		return nil, err
	}
	run := pipeline.Open(f.s.explorer.input(f.s.writer.reading(c, nil, "")))
	opt := query.FuzzOptions{Options: f.s.explorer.opt, Models: query.Models{query.Model(f.s.model.String())}}
	opt.Progress, opt.Workers = nil, 1
	how := opt.Check()
	flat, err := check.Read(ctx, run, &how)
	if err == nil && memory.HasC11 && f.s.model == memory.C11 {
		flat, err = pipeline.ForC11(run.Program, flat)
		how.Unroll = cmp.Or(how.Unroll, fuzz.UnrollC11)
	}
	if err != nil {
		return nil, refusedBy(&explored{diags: run.Diagnostics}, err)
	}
	results, reads := c.slots()
	if run.Props.Observe, err = observe(flat, []variable{{resultName, results}}); err != nil {
		return nil, err
	}
	run.Props.Whole, run.Props.Objects = false, nil
	if ends := m.alwaysEnds(); !ends { // and then a call may wait for ever
		run.Props.Deadlock, run.Props.Endless = false, false
	}
	seen, err := observeSize(flat, []variable{{seenName, reads}}, ir.S32)
	if err != nil {
		return nil, err
	}
	run.Props.Observe = append(run.Props.Observe, seen...)
	task := run.QuestionTask(flat, f.s.model, &pipeline.Asked{CheckOptions: how, Given: pipeline.GivenBy(&opt.Options)})
	task.Progress = nil
	var mu sync.Mutex
	task.Finals, task.WitnessFinal = true, func(state string) bool {
		mu.Lock()
		defer mu.Unlock()
		return !m.right(values(state))
	}
	e := f.engine(seed, runs)
	out, err := pipeline.RunEngine(ctx, &e, task)
	if err != nil {
		return nil, err
	}
	f.unjudged += m.unjudged
	if done := out.Stats.Fuzz; done != nil {
		f.sum.Steps, f.sum.Cut = f.sum.Steps+done.Steps, f.sum.Cut+done.Cut
	}
	f.executions += out.Stats.Executions
	if len(out.Violations) == 0 {
		if out.Stats.Executions == 0 && ctx.Err() == nil {
			return nil, &openError{why: out.Unknown}
		}
		return nil, nil
	}
	wrong := &wrongRun{client: c, seed: out.Stats.Fuzz.Found}
	if v := &out.Violations[0]; v.Kind == engine.FinalReached {
		wrong.values = values(v.Final)
	}
	return wrong, nil
}

// engine returns the engine for some executions.
func (f *clientFuzzer) engine(seed uint64, runs int64) engine.Engine {
	if memory.HasC11 && f.s.model == memory.C11 {
		return rf.New(rf.Options{Walk: &rf.Walk{Seed: seed, Runs: runs, Depth: f.sum.Depth}})
	}
	return enginefuzz.New(enginefuzz.Options{Seed: seed, Runs: runs, Depth: f.sum.Depth, Buffer: cmp.Or(f.q.opt.Buffer, query.FuzzBuffer)})
}

// shorten leaves calls out as long as an execution goes wrong: halves first, and single calls in the end.
func (f *clientFuzzer) shorten(ctx context.Context, w *wrongRun) *wrongRun {
	error := w.values == nil
	for size := len(w.client.reads) / 2; size > 0; {
		smaller := false
		for from := 0; from < len(w.client.reads); from += size {
			kept := make([]bool, len(w.client.reads))
			for i := range kept {
				kept[i] = i < from || i >= from+size
			}
			c := w.client.keep(pairs(w.client, kept))
			if len(c.reads) == len(w.client.reads) || len(c.threads) < 2 {
				continue
			}
			next, err := f.run(ctx, c, 1, shorterRuns)
			if err != nil || ctx.Err() != nil {
				return w
			}
			if next != nil && (next.values == nil) == error {
				w, smaller = next, true
				break
			}
		}
		if !smaller {
			size /= 2
		}
		size = min(size, len(w.client.reads)/2)
	}
	for len(w.client.prefix) > 0 {
		c := w.client.keep(slices.Repeat([]bool{true}, len(w.client.reads)))
		c.prefix = c.prefix[1:]
		next, err := f.run(ctx, c, 1, shorterRuns)
		if err != nil || next == nil || (next.values == nil) != error {
			break
		}
		w = next
	}
	return w
}

// pairs keeps both or none of a call and the one that ends what it begins.
func pairs(c *largeClient, kept []bool) []bool {
	n := 0
	for _, calls := range c.threads {
		for i := range calls {
			if calls[i].op.Ends != nil && i+1 < len(calls) && calls[i+1].op == calls[i].op.Ends {
				both := kept[n] && kept[n+1]
				kept[n], kept[n+1] = both, both
			}
			n++
		}
	}
	return kept
}

// found answers about an execution that goes wrong.
func (f *clientFuzzer) found(ctx context.Context, w *wrongRun) (*verdict.Result, error) {
	q, s := f.q, f.s
	calls := len(w.client.reads)
	first := w
	half, cancel := supervise.TimeLimit(ctx, q.opt.Timeout/2)
	w = f.shorten(half, w)
	cancel()
	say := fmt.Sprintf("found with %d calls by seed %d: `fencepost lin %s --fuzz %d --seed %d --runs 1 --depth %d --model %s` runs that execution again", calls, first.seed,
		path.Base(q.in.Name), q.opt.Fuzz, first.seed, f.sum.Depth, s.model)
	if len(w.client.reads) <= maxCalls && len(w.client.suffix) <= maxSuffix {
		part, cancel := supervise.TimeLimit(ctx, q.opt.Timeout/3)
		wrong, failed, err := s.inClient(part, &w.client.client)
		cancel()
		var res *verdict.Result
		switch {
		case err != nil:
		case failed:
			res, err = q.failed(ctx, s, &w.client.client)
		case wrong != nil:
			res, err = q.wrong(ctx, s, wrong)
		}
		if res != nil && err == nil {
			return f.say(res, say), nil
		}
	}
	return f.shown(ctx, w, say)
}

// shown returns the answer of fuzz about the client whose assertion excludes what was found.
func (f *clientFuzzer) shown(ctx context.Context, w *wrongRun, say string) (*verdict.Result, error) {
	q, s := f.q, f.s
	reason := "no order of the calls that the threads saw explains what they returned"
	why := fmt.Sprintf("%s of %s:\n%s", reason, path.Base(q.in.Name), &w.client.client)
	text := s.writer.reading(w.client, w.values, why)
	opt := query.FuzzOptions{Options: s.explorer.opt, Models: query.Models{query.Model(s.model.String())}, Seed: int(w.seed), Runs: 1, Depth: f.sum.Depth}
	opt.Progress, opt.Workers, opt.Timeout = nil, 1, 0
	answer, err := fuzz.Run(context.WithoutCancel(ctx), s.explorer.input(text), opt) // one execution, although the time may be over
	res, err := onlyResult(answer, err)
	if err != nil {
		return nil, err
	}
	if res.Verdict != verdict.Unsafe {
		return nil, fmt.Errorf("the execution of seed %d is not found again: %s: %s", w.seed, res.Verdict, res.Reason)
	}
	lin := q.describe()
	lin.Client, lin.File = text, path.Base(s.explorer.name)
	if w.values != nil {
		lin.History = w.client.history(w.values)
		res.Question, res.Reason = verdict.Linearizable, reason
	}
	res.Program, res.Linearizability = q.in.Name, lin
	return f.say(res, say, fmt.Sprintf("`fencepost fuzz %s --seed %d --runs 1 --depth %d --model %s` executes the client in the same way", lin.File, w.seed, f.sum.Depth, s.model)), nil
}

// say adds to an answer how it was found.
func (f *clientFuzzer) say(res *verdict.Result, lines ...string) *verdict.Result {
	sum := f.sum
	res.Stats.Executions = f.executions
	sum.Found = 0 // the seed is one of lin
	res.Stats.Fuzz = &sum
	res.Linearizability.Clients, res.Linearizability.Programs = f.clients, 0
	res.Linearizability.Hints = append(res.Linearizability.Hints, lines...)
	return res
}

// nothing answers that nothing was found.
func (f *clientFuzzer) nothing(context.Context) *verdict.Result {
	out := &engine.Outcome{Unknown: fmt.Sprintf("nothing found in %s", f.tried())}
	out.Stats = verdict.Stats{Executions: f.executions, Fuzz: &f.sum, Seconds: time.Since(f.begun).Seconds()}
	res := f.q.run.Conclude(&pipeline.Conclusion{Question: verdict.Linearizable, Model: f.s.model, Engine: Command, Outcome: out, Given: pipeline.GivenBy(&f.q.opt.Options)})
	res.Linearizability = f.q.describe()
	res.Linearizability.Clients = f.clients
	if f.least < f.q.opt.Fuzz {
		res.Linearizability.Hints = append(res.Linearizability.Hints, fmt.Sprintf("some clients have fewer calls, at least %d: more of them fail one at a time", f.least))
	}
	if f.unjudged > 0 {
		res.Linearizability.Hints = append(res.Linearizability.Hints, fmt.Sprintf("%d histories were too long to be judged", f.unjudged))
	}
	return res
}

// tried says how much was tried.
func (f *clientFuzzer) tried() string {
	return fmt.Sprintf("%d executions of random clients with %d calls, and there may be others", f.executions, f.q.opt.Fuzz)
}

// history returns the calls of a large client and what they returned, and which calls had been seen to return before others.
func (c *largeClient) history(values []int64) *verdict.History {
	results, _ := c.slots()
	var before order // for the few calls of clients that fit
	h := history(&found{client: &c.client, results: values[:results], order: before})
	seen, n := values[results:], 0
	var first []int
	for _, calls := range c.threads {
		first = append(first, n)
		n += len(calls)
	}
	for i, reads := range c.reads {
		for _, u := range reads {
			if k := int(seen[0]); k > 0 {
				h.Before = append(h.Before, [2]int{len(c.prefix) + first[u] + k - 1, len(c.prefix) + i})
			}
			seen = seen[1:]
		}
	}
	return h
}

// refusedFuzz returns why random executions cannot answer, or "".
func (q *question) refusedFuzz() string {
	switch {
	case q.opt.Return == query.ReturnOpen:
		return "random executions know that a call has returned only as programs do: --return open is not for --fuzz"
	case q.opt.Spec != "":
		return "random executions are compared with the code itself or with a file: leave --spec " + strings.TrimSpace(q.opt.Spec) + " out"
	case q.opt.Mutate:
		return "--mutate is not for --fuzz"
	}
	return ""
}
