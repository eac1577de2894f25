package lin

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"fencepost/internal/lazyregexp"
	"fencepost/internal/pipeline"
	"fencepost/internal/question/fences"
	"fencepost/internal/supervise"
	"fencepost/query"
	"fencepost/verdict"
)

// Repair: which fences, or memory orders, make an object linearizable?
//
// A client with an order of its calls becomes a program with an assertion that allows the results which some
// sequence explains. The question of the commands fences and orders is asked about all clients that have gone wrong so far,
// as one program that chooses one of them. The answer goes into the text, lin asks about the new text, and a client that
// goes wrong joins the others, until none does.
//
// The last set is a cheapest one: it is a cheapest one for some clients, and enough for all up to the bound. The sequences do not
// depend on fences and orders, so the assertions stay as they are.

// mostRepairs bounds the rounds: every round has another client.
const mostRepairs = 30

// repairer looks for a repair.
type repairer struct {
	question
	fences query.FenceOptions
	ask    func(context.Context, query.Input, query.FenceOptions) (query.Answer, error)
	cases  []string // clients that have to be right, as C
	seen   map[string]bool

	asked, programs int // clients, and programs for them, of the last text
}

// Repair finds the cheapest fences, or memory orders if the options are about these, with which the functions of a file form
// a linearizable object.
func Repair(ctx context.Context, in query.Input, opt query.FenceOptions) (query.Answer, error) {
	run := pipeline.Open(in)
	r := &repairer{fences: opt, ask: fences.Run, seen: map[string]bool{}}
	if opt.Orders.Accesses {
		r.fences, r.ask = fences.OrderDefaults(opt), fences.RunOrders
	}
	r.fences = fences.Defaults(r.fences)
	if r.fences.Files == "" && len(in.More) == 0 {
		r.fences.Files = path.Base(in.Name) // and not the client
	}
	r.question = question{run: run, in: in, opt: query.LinOptions{Options: opt.Options, Models: r.fences.Models(), Calls: cmp.Or(opt.Calls, mutateCalls)}}
	run.Asks(r.about(), r.fences.Model)
	return run.Answer(ctx, Command, opt, func(ctx context.Context) ([]verdict.Result, error) {
		if err := fences.Validate(&r.fences); err != nil {
			return nil, err
		}
		if err := r.opt.Validate(); err != nil {
			return nil, err
		}
		if r.fences.Remove || r.fences.AllOptimal {
			return nil, run.Refuse(verdict.Diagnostic{Code: "FP0943", Message: "--remove and --all-optimal do not go with --for linearizability", Notes: []string{"`fencepost lin --mutate` says which fences and orders no client needs"}})
		}
		ctx, cancel := supervise.TimeLimit(ctx, opt.Timeout)
		defer cancel()
		r.opt.Timeout, r.fences.Timeout = 0, 0 // the context has it
		res, err := r.repair(ctx)
		if err != nil {
			return nil, r.refuse(err)
		}
		return []verdict.Result{*res}, nil
	})
}

// about returns the question.
func (r *repairer) about() verdict.Question {
	if r.fences.Orders.Accesses {
		return "orders for linearizability"
	}
	return "fences for linearizability"
}

// repair asks about clients and fences in turn.
func (r *repairer) repair(ctx context.Context) (*verdict.Result, error) {
	if err := r.findObject(ctx); err != nil {
		return nil, err
	}
	if err := r.begin(ctx); err != nil {
		return nil, err
	}
	var history *verdict.History
	for range mostRepairs {
		res, err := r.askFences(ctx)
		if err != nil {
			return nil, err
		}
		res.Linearizability = r.describe()
		res.Linearizability.History = history
		if res.Verdict != verdict.Safe {
			return res, nil
		}
		wrong, open, err := r.askClients(ctx, r.patched(res))
		switch {
		case err != nil:
			return nil, err
		case open != "":
			res.Verdict, res.Reason = verdict.Unknown, "not all clients could be asked about with them: "+open
			return res, nil
		case wrong == nil:
			lin := res.Linearizability
			lin.Calls, lin.Clients, lin.Programs = r.opt.Calls, r.asked, r.programs
			res.Coverage.Bounds = append(res.Coverage.Bounds, verdict.Bound{Name: "calls", Value: r.opt.Calls, Hit: true, Given: true})
			res.Coverage.Exhaustive = false
			return res, nil
		}
		if history == nil {
			history = wrong.Linearizability.History
		}
	}
	return nil, errors.New("clients still go wrong after many repairs")
}

// begin puts the first client into the program, so that there is one.
func (r *repairer) begin(ctx context.Context) error {
	s, err := r.clientSearch(ctx, r.in, r.fences.Models()[0])
	if err != nil {
		return err
	}
	for calls := 2; calls <= r.opt.Calls; calls++ {
		if list := clients(r.object, calls, 0, r.drains); len(list) > 0 {
			_, err = r.add(ctx, s, list[0], list[0].programOrder())
			return err
		}
	}
	return r.run.Refuse(verdict.Diagnostic{Code: "FP0943", Message: fmt.Sprintf("there is no client with two threads and at most %d concurrent calls", r.opt.Calls), Notes: []string{"give a larger number with --calls"}})
}

// clientSearch prepares the search in clients of a text.
func (r *repairer) clientSearch(ctx context.Context, in query.Input, name query.Model) (*search, error) {
	model, err := pipeline.ParseAnyModel(name)
	if err != nil {
		return nil, err
	}
	r.question.in = in
	return r.search(ctx, model)
}

// add puts a client into the program, and reports whether it is a new one.
func (r *repairer) add(ctx context.Context, s *search, c *client, o order) (bool, error) {
	allowed, err := s.allowed(ctx, c, o)
	if err != nil {
		return false, err
	}
	t, err := s.spec.table(ctx, c, 0)
	if err != nil {
		return false, err
	}
	ends, err := s.ends(ctx, c, t)
	if err != nil {
		return false, err
	}
	if !ends {
		checking := *c
		checking.checks, c = true, &checking
	}
	text := s.writer.allows(c, o, allowed)
	if r.seen[text] {
		return false, nil
	}
	r.seen[text] = true
	r.cases = append(r.cases, text)
	return true, nil
}

// askClients asks lin about a text under all models. It returns the answer about a client that goes wrong, which joins the program, or why
// the answer is open.
func (r *repairer) askClients(ctx context.Context, in query.Input) (*verdict.Result, string, error) {
	original := r.in
	defer func() { r.question.in = original }()
	r.asked, r.programs = 0, 0
	for _, name := range r.fences.Models() {
		s, err := r.clientSearch(ctx, in, name)
		if err != nil {
			return nil, "", err
		}
		res, err := r.clients(ctx, s)
		r.asked, r.programs = r.asked+s.clients, r.programs+s.programs
		if open := (*openError)(nil); errors.As(err, &open) {
			return nil, open.why, nil
		}
		switch {
		case err != nil:
			return nil, "", err
		case res.Verdict == verdict.Safe:
			continue
		case res.Verdict != verdict.Unsafe:
			return nil, res.Reason, nil
		}
		o := s.last.programOrder()
		if s.wrongOrder != nil {
			o = *s.wrongOrder
		}
		fresh, err := r.add(ctx, s, s.last, o)
		if err == nil && !fresh {
			return nil, fmt.Sprintf("the client %s goes wrong although its assertion holds", s.last), nil
		}
		return res, "", err
	}
	return nil, "", nil
}

// patched returns the text with the changes of a result.
func (r *repairer) patched(res *verdict.Result) query.Input {
	in := r.in
	in.More = slices.Clone(in.More)
	for _, p := range res.Repair.Patches {
		if path.Clean(p.File) == path.Clean(in.Name) {
			in.Text = []byte(p.Text)
		}
		for i := range in.More {
			if path.Clean(p.File) == path.Clean(in.More[i].Name) {
				in.More[i].Text = []byte(p.Text)
			}
		}
	}
	return in
}

// askFences asks which fences or orders all clients of the program need.
func (r *repairer) askFences(ctx context.Context) (*verdict.Result, error) {
	dir, base := path.Split(r.in.Name)
	name := dir + strings.TrimSuffix(base, path.Ext(base)) + "_clients.c"
	opt := r.fences
	opt.For = query.ForAssertions
	opt.C.Include = including(r.in, opt.C.Include)
	answer, err := r.ask(ctx, query.Input{Name: name, Text: []byte(together(r.cases)), More: r.in.More}, opt)
	if err != nil {
		return nil, err
	}
	if len(answer.Results) != 1 {
		return nil, &refusedError{answer.Diagnostics}
	}
	res := &answer.Results[0]
	res.Question, res.Program = r.about(), r.in.Name
	if res.Repair != nil {
		res.Repair.For = string(query.ForLinearizability)
	}
	if res.Sources != nil {
		res.Sources[r.in.Name] = string(r.in.Text)
	}
	return res, nil
}

var (
	clientName = lazyregexp.New(`\b(?:lin_object|lin_result|lin_block\d+|lin_returned|lin_may_begin|lin_legal|lin_shown|lin_over|thread_\d+|clock_\d+|main)\b`)
	directive  = lazyregexp.New(`(?m)^#include .*\n`)
)

// together returns one program that runs one of several clients.
func together(cases []string) string {
	if len(cases) == 1 {
		return cases[0]
	}
	var heads []string
	var b, last strings.Builder
	for i, text := range cases {
		for _, head := range directive.FindAllString(text, -1) {
			if !slices.Contains(heads, head) {
				heads = append(heads, head)
			}
		}
		text = directive.ReplaceAllString(text, "")
		b.WriteString(clientName.ReplaceAllStringFunc(text, func(name string) string { return fmt.Sprintf("%s_%d", name, i+1) }))
		if i+1 < len(cases) {
			fmt.Fprintf(&last, "  if (__VERIFIER_nondet_bool())\n    return main_%d();\n", i+1)
		}
	}
	return fmt.Sprintf("_Bool __VERIFIER_nondet_bool(void);\n%s%s\nint main(void) {\n%s  return main_%d();\n}\n", strings.Join(heads, ""), b.String(), last.String(), len(cases))
}
