package lin

import (
	"context"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"
	"time"

	"fencepost/internal/engine"
	"fencepost/internal/ir"
	"fencepost/internal/pipeline"
	"fencepost/internal/question/check"
	"fencepost/query"
	"fencepost/verdict"
)

// The answer. What goes wrong becomes a C program with an assertion, and check answers for it: its execution was
// found a second time, and replayed.

// refusedError has the diagnostics of a program that was refused.
type refusedError struct{ diags []verdict.Diagnostic }

func (e *refusedError) Error() string { return "a client was refused" }

// refusedBy returns the error of a program that could not be explored.
func refusedBy(out *explored, err error) error {
	if errors.Is(err, pipeline.ErrRefused) && out != nil {
		return &refusedError{out.diags}
	}
	return err
}

// describe says what was asked, for every answer.
func (q *question) describe() *verdict.Linearizability {
	o := q.object
	lin := &verdict.Linearizability{Object: o.Type, Spec: q.specName, LeftOut: o.Notes, Prefix: maxPrefix, Drained: q.drains}
	for _, op := range o.Ops {
		lin.Operations = append(lin.Operations, op.describe())
	}
	if o.Init != nil {
		lin.Init = o.Init.Name
	}
	if o.Destroy != nil {
		lin.Destroy = o.Destroy.Name
	}
	return lin
}

// describe returns an operation as people read it: its name, its arguments, and what the user said about it.
func (o *Operation) describe() string {
	var args []string
	for i := range o.Params {
		p := &o.Params[i]
		name := p.Name
		if name == "" {
			name = fmt.Sprintf("argument %d", i+1)
		}
		switch p.Kind {
		case ObjectArg:
			args = append(args, "object")
		case ValueArg:
			args = append(args, name)
		case KeyArg:
			args = append(args, fmt.Sprintf("%s in %d..%d", name, p.Low, p.High))
		case FixedArg:
			args = append(args, fmt.Sprint(p.Low))
		case BlockArg:
			args = append(args, name+" *")
		case OutArg:
			args = append(args, "out "+name)
		}
	}
	text := o.Name + "(" + strings.Join(args, ", ") + ")"
	if o.Role != "" {
		text += " by thread " + o.Role
	}
	if o.begin != nil {
		text += " after " + o.begin.Name
	}
	if o.state {
		text += " with variables of its thread"
	}
	if o.MayFail != nil {
		text += fmt.Sprintf(" which may fail with %d", *o.MayFail)
	}
	return text
}

// asserted is the question that check answers if an assertion fails.
var asserted = verdict.Question(ir.Assertion.String())

// wrong returns the answer about results that no sequence explains.
func (q *question) wrong(ctx context.Context, s *search, f *found) (*verdict.Result, error) {
	lin := q.describe()
	lin.Clients, lin.Programs, lin.States = s.clients, s.programs, s.states
	lin.History = history(f)
	if f.why == "" {
		lin.History.Best = q.best(ctx, s, f)
		lin.Hints = append(q.hints(ctx, s, f), q.returnHints(ctx, s, f.client)...)
	}
	reason := "no order of the calls explains what they returned"
	if len(lin.History.Before) > 0 {
		reason = "no order of the calls that real time allows explains what they returned"
	}
	if f.client.pending != 0 {
		reason += ", whether or not pending calls have taken effect"
	}
	if f.why != "" {
		reason = "one at a time, " + f.why
	}
	why := fmt.Sprintf("%s of %s:\n%s", reason, path.Base(q.in.Name), f.client)
	text := s.writer.program(f.client, f.order, append([]int64{}, f.results...), why)
	res, err := q.confirmed(ctx, s, lin, text)
	if err == nil && res.Question != asserted && !f.client.checks {
		// Calls wait for ever in some executions, which is no violation here.
		checking := *f.client
		checking.checks = true
		text = s.writer.program(&checking, f.order, append([]int64{}, f.results...), why)
		res, err = q.confirmed(ctx, s, lin, text)
	}
	if err != nil {
		return nil, err
	}
	if res.Question != asserted {
		return nil, fmt.Errorf("check finds something else in a client that goes wrong: %s", res.Reason)
	}
	res.Question, res.Reason = verdict.Linearizable, reason
	return res, nil
}

// failed returns the answer about a client with an error.
func (q *question) failed(ctx context.Context, s *search, c *client) (*verdict.Result, error) {
	lin := q.describe()
	lin.Clients, lin.Programs, lin.States = s.clients, s.programs, s.states
	return q.confirmed(ctx, s, lin, s.writer.program(c, c.programOrder(), nil, ""))
}

// confirmed asks check about the client, and returns its answer as one about the object.
func (q *question) confirmed(ctx context.Context, s *search, lin *verdict.Linearizability, text string) (*verdict.Result, error) {
	opt := query.CheckOptions{Options: s.explorer.opt, Models: query.Models{query.Model(s.model.String())}}
	opt.Progress = nil
	answer, err := check.Run(ctx, s.explorer.input(text), opt)
	res, err := onlyResult(answer, err)
	if err != nil {
		return nil, err
	}
	if res.Verdict != verdict.Unsafe {
		if ctx.Err() != nil {
			return nil, &openError{why: "the time was over before the client that goes wrong was checked: " + res.Reason}
		}
		return nil, fmt.Errorf("check does not confirm a client that goes wrong: %s: %s", res.Verdict, res.Reason)
	}
	lin.Client, lin.File = text, path.Base(s.explorer.name)
	res.Program = q.in.Name
	res.Linearizability = lin
	return res, nil
}

// onlyResult returns the result of a question about one client.
func onlyResult(answer query.Answer, err error) (*verdict.Result, error) {
	if err != nil {
		return nil, err
	}
	if answer.HasErrors() || len(answer.Results) != 1 {
		return nil, &refusedError{answer.Diagnostics}
	}
	return &answer.Results[0], nil
}

// Client returns the client that an answer shows as a program for check, with the options to read it.
func Client(in query.Input, opt query.LinOptions, shown *verdict.Linearizability) (query.Input, query.Options) {
	x := &explorer{name: path.Join(path.Dir(in.Name), shown.File), more: in.More}
	if pipeline.IsMachineCode(in.Text) {
		x.code = &in
	}
	common := opt.Options
	common.Lang, common.C.Include = "", including(in, opt.C.Include)
	return x.input(shown.Client), common
}

// history returns the calls and their results.
func history(f *found) *verdict.History {
	h := &verdict.History{}
	slots := f.client.slotOf()
	thread := make([]int, 0, len(slots))
	for range f.client.prefix {
		thread = append(thread, 0)
	}
	for t, calls := range f.client.threads {
		for range calls {
			thread = append(thread, t+1)
		}
	}
	for n, one := range f.client.all() {
		c := verdict.HistoryCall{Call: one.String()}
		if n < len(thread) {
			c.Thread = thread[n]
		}
		c.Pending = f.client.isPending(n)
		for _, v := range f.results[slots[n]:slots[n+1]] {
			c.Results = append(c.Results, fmt.Sprint(v))
		}
		h.Calls = append(h.Calls, c)
	}
	first := len(f.client.prefix)
	for _, p := range f.order.pairs(f.client.programOrder()) {
		h.Before = append(h.Before, [2]int{first + p[0], first + p[1]})
	}
	return h
}

// best says which order comes closest, and what is wrong with it.
func (q *question) best(ctx context.Context, s *search, f *found) string {
	calls := f.client.concurrent()
	words := func(seq sequence) string {
		var out []string
		for _, i := range seq {
			out = append(out, calls[i].String())
		}
		return strings.Join(out, ", ")
	}
	if len(f.legal) > 0 {
		seq := f.legal[0]
		at := map[int]int{}
		for i, n := range seq {
			at[n] = i
		}
		for _, p := range f.order.pairs(f.client.programOrder()) {
			if at[p[0]] > at[p[1]] {
				return fmt.Sprintf("%s would explain the results, but %s had returned before %s began", words(seq), calls[p[0]].String(), calls[p[1]].String())
			}
		}
		return words(seq) + " would explain the results, but not the order of the calls"
	}
	most, text := -1, ""
	slots, all := f.client.slotOf(), f.client.all()
	for part := f.client.pending; ; part = (part - 1) & f.client.pending { // pending calls that are left out return nothing
		t, err := s.spec.table(ctx, f.client, part)
		if err != nil {
			return ""
		}
		for _, final := range t.finals {
			agree, first := 0, -1
			for n := range all {
				same := true
				for k := slots[n]; k < slots[n+1]; k++ {
					same = same && final.results[k] == f.results[k]
				}
				if same {
					agree++
				} else if first < 0 {
					first = n
				}
			}
			if agree > most && first >= 0 {
				most = agree
				text = fmt.Sprintf("after %s, %s returns %s, not %s", words(final.order), all[first].String(),
					numbers(final.results[slots[first]:slots[first+1]]), numbers(f.results[slots[first]:slots[first+1]]))
			}
		}
		if part == 0 {
			return text
		}
	}
}

func numbers(values []int64) string {
	var out []string
	for _, v := range values {
		out = append(out, fmt.Sprint(v))
	}
	return strings.Join(out, ", ")
}

// hints suggests comments with which the results would be right: an operation that may fail.
func (q *question) hints(ctx context.Context, s *search, f *found) []string {
	slots, all := f.client.slotOf(), f.client.all()
	var out []string
	for i, one := range f.client.concurrent() {
		if one.op.MayFail != nil || one.op.Result == "void" || f.client.isPending(len(f.client.prefix)+i) {
			continue
		}
		t, err := s.spec.table(ctx, f.client, 1<<i)
		if err != nil {
			return nil
		}
		n := len(f.client.prefix) + i
		if s.spec.does(ctx, f, n, t) {
			continue // that is success
		}
		for _, seq := range t.orders[key(f.client.resultsWithout(f.results, 1<<i))] {
			if !f.order.contradicts(seq) {
				out = append(out, fmt.Sprintf("if %s may return %d although it need not, write //@ may fail %d before it", all[n].op.Name, f.results[slots[n]], f.results[slots[n]]))
				return out
			}
		}
	}
	return out
}

// does reports whether a concurrent call of the client with the result of the history does something, one call at a time: without
// the call, as in a table, others return something else.
func (s *specification) does(ctx context.Context, f *found, n int, without *table) bool {
	t, err := s.table(ctx, f.client, 0)
	slot, dropped := f.client.slotOf()[n], uint64(1)<<(n-len(f.client.prefix))
	return err != nil || slices.ContainsFunc(t.finals, func(one final) bool {
		return one.results[slot] == f.results[slot] && without.orders[key(f.client.resultsWithout(one.results, dropped))] == nil
	})
}

// holds returns the answer where nothing goes wrong in the clients that were looked at.
func (q *question) holds(ctx context.Context, s *search, calls int, open string) *verdict.Result {
	lin := q.describe()
	lin.Clients, lin.Programs, lin.States, lin.Calls = s.clients, s.programs, s.states, calls
	out := &engine.Outcome{Unknown: open, Stats: verdict.Stats{States: s.states, Seconds: time.Since(s.begun).Seconds()}}
	if s.bounds != nil {
		out.Coverage.Bounds = s.bounds.cover.Bounds
	}
	if calls > 0 {
		out.Coverage.Bounds = append(out.Coverage.Bounds, verdict.Bound{Name: "calls", Value: calls, Hit: true, Given: true})
	}
	if s.waits {
		lin.Hints = append(lin.Hints, "one at a time, calls can wait for ever: what the others return is explained with and without calls that are pending")
	}
	if open == "" {
		lin.Hints = append(lin.Hints, q.openHint(ctx, s)...)
	}
	res := q.run.Conclude(&pipeline.Conclusion{
		Question: verdict.Linearizable, Model: s.model, Engine: Command, Outcome: out, Given: pipeline.GivenBy(&q.opt.Options),
	})
	res.Linearizability = lin
	return res
}
