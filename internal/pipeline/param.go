package pipeline

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"fencepost/internal/engine"
	"fencepost/internal/engine/param"
	"fencepost/internal/ir"
	"fencepost/internal/memory"
	"fencepost/internal/source"
	"fencepost/internal/transform"
	"fencepost/verdict"
)

// Any number of threads. Engine param says whether some instance violates; the
// execution that shows it comes from the engines for fixed threads, asked about
// instances of growing size at the same time. Whichever ends first answers. If
// engine param says that k instances are enough and they are not, one of the two is
// wrong, which is an internal error.

// Domain restricts the values of memory.
type Domain = param.Domain

// AnyThreads is what Coverage.Threads says of an answer for any number of threads.
const AnyThreads = verdict.AnyThreads

// RobustParam answers whether all instances of a program are robust against TSO.
func RobustParam(ctx context.Context, in Input, opt Options) (answer Answer, err error) {
	defer func() { remember(&answer, askedRobustParam, opt) }()
	return paramAnswer(ctx, in, opt, param.Robust, func(ctx context.Context, opt Options) (Answer, error) { return Robust(ctx, in, opt) })
}

// CheckParam answers whether assertions and goals hold under SC in all instances.
func CheckParam(ctx context.Context, in Input, opt Options) (answer Answer, err error) {
	defer func() { remember(&answer, askedCheckParam, opt) }()
	return paramAnswer(ctx, in, opt, param.Safety, func(ctx context.Context, opt Options) (Answer, error) {
		return Check(ctx, in, []string{memory.SC.String()}, opt)
	})
}

func paramAnswer(ctx context.Context, in Input, opt Options, q param.Question, ask asker) (answer Answer, err error) {
	stage := "front end"
	defer caught(&stage, in, &err)
	opt.Threads = 0
	p := load(ctx, in, opt)
	if !p.ok() {
		return Answer{Diagnostics: p.diags}, nil
	}
	stage = "passes"
	if opt.Replicate == "" {
		opt.Replicate = p.replicated()
	}
	flat, diagnostic := p.template(opt)
	if flat == nil {
		return Answer{Diagnostics: append(p.diags, diagnostic...)}, nil
	}
	if d, refused := p.unlistedInputs(flat, "any number of threads"); refused {
		return Answer{Diagnostics: append(p.diags, d)}, nil
	}
	if q == param.Safety && p.props.Empty() {
		return Answer{Diagnostics: append(p.diags, nothingToCheck(in))}, nil
	}
	if opt.Timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, opt.Timeout)
		defer cancel()
	}
	stage = "any number of threads"
	props := *p.props
	unasked := props.Deadlock && !opt.Deadlock && q == param.Safety
	props.Deadlock = opt.Deadlock
	p.props = &props // what the answer says was asked
	task := &engine.Task{Program: flat, Props: &props, Model: memory.SC}
	res, err := p.decideParam(ctx, task, opt, q, ask)
	if u := (*engine.Unsupported)(nil); errors.As(err, &u) {
		return Answer{Diagnostics: append(p.diags, p.unsupported(err))}, nil
	}
	if err != nil {
		return Answer{}, fmt.Errorf("%s, %s: %w", in.Name, stage, err)
	}
	if unasked && res.Verdict != verdict.Unsafe {
		res.Warnings = append(res.Warnings, verdict.Warning{
			Code: "FP0914", Message: "deadlock is not part of this answer: it cannot be decided for any number of threads",
		})
	}
	return Answer{Results: []verdict.Result{*res}, Diagnostics: p.diags}, nil
}

func nothingToCheck(in Input) verdict.Diagnostic {
	return verdict.Diagnostic{
		Severity: verdict.SeverityError, Code: "FP0900", Pos: verdict.Pos{File: in.Name},
		Message: "no assertion, goal or final condition: there is nothing to check",
		Notes:   []string{"add an assert, a goal or a final condition; or ask whether it is robust"},
	}
}

// replicated is the function behind a comment //@ replicate, "" if there is none.
func (p *program) replicated() string {
	for _, note := range p.notes {
		if note.Text != "replicate" || note.Next.File == "" {
			continue
		}
		best := ""
		var at source.Pos
		for _, f := range p.ir.Funcs {
			if pos := f.Pos.Pos; pos.File == note.Next.File && !pos.Before(note.Next) && (best == "" || pos.Before(at)) {
				best, at = f.Name, pos
			}
		}
		return best
	}
	return ""
}

// template is the flat program with its templates, or what is wrong.
func (p *program) template(opt Options) (*ir.Program, []verdict.Diagnostic) {
	flat := p.flat(opt)
	if flat == nil {
		return nil, nil
	}
	if opt.Replicate != "" {
		if _, err := transform.Replicate(p.ir, opt.Replicate, 1); err != nil {
			return nil, []verdict.Diagnostic{{Severity: verdict.SeverityError, Code: "FP0911", Pos: verdict.Pos{File: p.input.Name}, Message: err.Error()}}
		}
		for t := range flat.Threads {
			if th := &flat.Threads[t]; !th.Start && runs(th, opt.Replicate) {
				th.Unbounded = true
			}
		}
	}
	for t := range flat.Threads {
		if flat.Threads[t].Unbounded {
			if d, refused := p.named(flat); refused {
				return nil, []verdict.Diagnostic{d}
			}
			return flat, nil
		}
	}
	return nil, []verdict.Diagnostic{{
		Severity: verdict.SeverityError, Code: "FP0910", Pos: verdict.Pos{File: p.input.Name},
		Message: "no thread stands for any number of threads",
		Notes:   []string{"write `thread worker * n` in .fp; in C name the function that the threads run: --replicate FUNCTION, or //@ replicate in front of it"},
	}}
}

// runs reports whether a thread was started with a function: it has its name, with
// a number if there are several.
func runs(th *ir.Thread, function string) bool {
	name, _, _ := strings.Cut(th.Name, "#")
	return name == function
}

// maxInstance is the largest instance tried before engine param has an answer.
const maxInstance = 4

// asker asks an engine for fixed threads about the program with some options.
type asker func(context.Context, Options) (Answer, error)

// decided is what engine param says.
type decided struct {
	a   *param.Answer
	err error
}

// decideParam runs both searches.
func (p *program) decideParam(ctx context.Context, task *engine.Task, opt Options, q param.Question, ask asker) (*verdict.Result, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	all := make(chan decided, 1)
	go func() {
		var d decided
		defer func() {
			if r := recover(); r != nil {
				d.err = fmt.Errorf("engine param: %v\n%s", r, stack())
			}
			all <- d
		}()
		d.a, d.err = param.Decide(ctx, task, q, opt.Domain)
	}()
	n := p.leastInstance()
	var early *decided
	for ; n <= maxInstance; n++ {
		if early == nil {
			select {
			case d := <-all:
				if d.final() {
					return p.concludeParam(ctx, d, opt, q, ask, n)
				}
				early = &d
			default:
			}
		}
		if res, err := instance(ctx, ask, opt, n); err != nil || res != nil {
			return res, err
		}
	}
	if early == nil {
		d := <-all
		early = &d
	}
	return p.concludeParam(ctx, *early, opt, q, ask, n)
}

// final reports whether no search of instances can change the answer. One that knows
// nothing, or that leaves out executions, waits for them: what is said must not depend
// on who is faster, and a small instance may violate what holds within bounds.
func (d *decided) final() bool {
	return d.err != nil || d.a.Possible || d.a.Coverage.Exhaustive
}

// leastInstance is how many instances the goals name.
func (p *program) leastInstance() int {
	least := 1
	for _, g := range p.props.Goals {
		of := map[ir.ThreadID]int{}
		for _, at := range g.At {
			of[at.Thread]++
			least = max(least, of[at.Thread])
		}
	}
	return least
}

// concludeParam makes the answer once engine param has spoken. Instances below n
// were asked already.
func (p *program) concludeParam(ctx context.Context, d decided, opt Options, q param.Question, ask asker, n int) (*verdict.Result, error) {
	if d.err != nil {
		return nil, d.err
	}
	a := d.a
	res := &verdict.Result{
		Program: p.input.Name, Question: p.question(), Model: memory.SC.String(), Engine: "param",
		Coverage: a.Coverage, Stats: a.Stats,
		Sources: p.sources(),
	}
	if q == param.Robust {
		res.Question, res.Model = Robustness, memory.TSO.String()
	}
	res.Coverage.Threads = AnyThreads
	if a.Net.Places > 0 { // there is a net
		res.Stats.Net = &verdict.Net{PetriPlaces: a.Net.Places, Transitions: a.Net.Transitions, Elements: a.Net.Elements, Tried: a.Net.Tried, Pruned: a.Net.Pruned}
	}
	switch {
	case a.Unknown != "":
		res.Verdict, res.Reason = verdict.Unknown, a.Unknown
		return res, nil
	case !a.Possible:
		holds(res, verdict.Safe, opt)
		return res, nil
	}
	for ; a.Enough == 0 || n <= a.Enough; n++ {
		found, err := instance(ctx, ask, opt, n)
		if refused := (*tooMany)(nil); errors.As(err, &refused) {
			res.Verdict = verdict.Unknown
			res.Reason = fmt.Sprintf("some number of threads violates it, but %s", err)
			return res, nil
		}
		if err != nil || found != nil {
			return found, err
		}
		if ctx.Err() != nil {
			res.Verdict = verdict.Unknown
			res.Reason = fmt.Sprintf("some number of threads violates it, but the time ended before an instance of %d threads was searched", n)
			return res, nil
		}
	}
	return nil, fmt.Errorf("engines contradict each other: param says that %d threads are enough for a violation, the others find none", a.Enough)
}

// tooMany is an instance that the engines for fixed threads do not take.
type tooMany struct {
	n   int
	why string
}

func (t *tooMany) Error() string {
	return fmt.Sprintf("an instance of %d threads is refused: %s", t.n, t.why)
}

// instance asks about a fixed number of threads; nil if nothing is wrong there.
func instance(ctx context.Context, ask asker, opt Options, n int) (*verdict.Result, error) {
	opt.Threads, opt.Instances = n, n
	answer, err := ask(ctx, opt)
	if err != nil {
		return nil, err
	}
	if answer.HasErrors() {
		return nil, &tooMany{n, answer.Diagnostics[len(answer.Diagnostics)-1].Message}
	}
	if r := &answer.Results[0]; r.Verdict == verdict.Unsafe {
		r.Instance = n
		return r, nil
	}
	return nil, nil
}

// exportNet writes the net of a program: of its own questions for the model sc, else
// of robustness.
func exportNet(in Input, opt ExportOptions) (string, []verdict.Diagnostic, error) {
	opt.Threads = 0
	p := load(context.Background(), in, opt.Options)
	if !p.ok() {
		return "", p.diags, nil
	}
	flat, wrong := p.template(opt.Options)
	if flat == nil {
		return "", append(p.diags, wrong...), nil
	}
	q := param.Robust
	if opt.Model == memory.SC.String() {
		q = param.Safety
	}
	net, bad, err := param.NetOf(context.Background(), &engine.Task{Program: flat, Props: p.props, Model: memory.SC}, q, opt.Domain)
	if err != nil {
		return "", append(p.diags, p.unsupported(err)), nil
	}
	var b strings.Builder
	if err := param.WritePNML(&b, net, bad, in.Name); err != nil {
		return "", nil, err
	}
	return b.String(), p.diags, nil
}
