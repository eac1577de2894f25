package pipeline

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"fencepost/internal/engine"
	"fencepost/internal/engine/explicit"
	"fencepost/internal/engine/mover"
	"fencepost/internal/ir"
	"fencepost/internal/memory"
	"fencepost/internal/transform"
	"fencepost/verdict"
)

// ValueRobustness is the question Prove answers.
const ValueRobustness = verdict.ValueRobustness

// ProveOptions say what a proof may help itself to.
type ProveOptions struct {
	NoInference   bool // of invariants
	NoAbstraction bool // of loads
	// Arithmetic is "int" for numbers that never wrap, "bv" for exact ones, "" for
	// what suits the program: exact for C and wherever bits matter.
	Arithmetic string
	quick      bool // a search can answer the program's checks
}

// fixed reports whether the number of threads is.
func fixed(p *ir.Program) bool {
	return !slices.ContainsFunc(p.Threads, func(t ir.Thread) bool { return t.Unbounded })
}

// Prove tries to prove that a program reaches the same shared states with and
// without store buffers, with any number of threads where it has templates. The
// answer is never Unsafe.
func Prove(ctx context.Context, in Input, how ProveOptions, opt Options) (answer Answer, err error) {
	stage := "front end"
	defer caught(&stage, in, &err)
	defer func() { remember(&answer, askedProve, how, opt) }()

	opt.claims = true
	p := load(ctx, in, opt)
	if !p.ok() {
		return Answer{Diagnostics: p.diags}, nil
	}
	stage = "passes"
	flat, wrong := p.provable(opt)
	if flat == nil {
		return Answer{Diagnostics: append(p.diags, wrong...)}, nil
	}
	stage = "engine " + mover.Name
	if opt.Timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, opt.Timeout)
		defer cancel()
	}
	how.quick = fixed(flat)
	res, err := p.prove(ctx, flat, how, opt)
	if err == nil && how.quick && res.undecided() {
		how.quick = false
		res, err = p.prove(ctx, flat, how, opt)
	}
	if u := (*engine.Unsupported)(nil); errors.As(err, &u) {
		return Answer{Diagnostics: append(p.diags, p.unsupported(err))}, nil
	}
	if errors.Is(err, mover.ErrNoSolver) {
		d := verdict.Diagnostic{Severity: verdict.SeverityError, Code: "FP0930", Pos: verdict.Pos{File: in.Name}, Message: err.Error()}
		return Answer{Diagnostics: append(p.diags, d)}, nil
	}
	if err != nil {
		return Answer{}, fmt.Errorf("%s, %s: %w", in.Name, stage, err)
	}
	return Answer{Results: []verdict.Result{res.Result}, Diagnostics: p.diags}, nil
}

// proved is an answer of a proof.
type proved struct{ verdict.Result }

// undecided reports whether checks are open that nobody has refuted.
func (r *proved) undecided() bool {
	return r.Verdict != verdict.Unknown && r.Proof.Open() > 0 && !slices.ContainsFunc(r.Engines, func(e verdict.EngineReport) bool { return e.Verdict == verdict.Unsafe })
}

// prove asks for a proof, and for what it lets follow from SC.
func (p *program) prove(ctx context.Context, flat *ir.Program, how ProveOptions, opt Options) (*proved, error) {
	begin := time.Now()
	out, err := mover.Prove(ctx, flat, p.props, p.moverOptions(how))
	if err != nil {
		return nil, err
	}
	res := &proved{verdict.Result{
		Program: p.input.Name, Question: ValueRobustness, Model: memory.TSO.String(), Engine: mover.Name,
		Verdict: out.Verdict, Reason: out.Reason, Proof: out.Proof, Warnings: out.Warnings,
		Coverage: verdict.Coverage{Exhaustive: out.Verdict != verdict.Unknown},
		Sources:  p.sources(),
	}}
	if !fixed(flat) {
		res.Coverage.Threads = AnyThreads
	}
	res.Stats.Seconds = time.Since(begin).Seconds()
	p.addProofTexts(res.Proof)
	if err := p.underSC(ctx, out, opt, &res.Result); err != nil {
		return nil, fmt.Errorf("search under SC: %w", err)
	}
	p.answerChecks(&res.Result)
	return res, nil
}

// underSC answers the program's own questions under SC, where a proof lets the
// answer count under TSO: those of the program, or of what it was abstracted to. It
// takes a fixed number of threads, and abstractions whose values can be listed.
func (p *program) underSC(ctx context.Context, out *mover.Outcome, opt Options, res *verdict.Result) error {
	if out.Verdict == verdict.Unknown || p.props.Empty() {
		return nil
	}
	if !fixed(out.Program) || engine.InsideSections(out.Program, p.props) != "" {
		return nil
	}
	a := &asked{engine: &explicit.Engine, model: memory.SC, under: memory.SC}
	if memory.Unlisted(out.Program) != nil {
		a.err = memory.ErrUnbounded
	} else {
		p.ask(ctx, a, out.Program, opt)
	}
	report := verdict.EngineReport{Engine: a.engine.Name, Model: memory.SC.String(), Verdict: verdict.Unknown}
	switch {
	case errors.Is(a.err, memory.ErrUnbounded):
		report.Reason = "the values of an input or of an abstracted load cannot be listed"
	case a.err != nil:
		return a.err
	default:
		report.Question, report.Verdict, report.Reason = a.res.Question, a.res.Verdict, a.res.Reason
		report.States, report.Seconds = a.res.Stats.States, a.res.Stats.Seconds
		if report.Verdict == verdict.Safe && !a.res.Coverage.Exhaustive {
			report.Verdict, report.Reason = verdict.Unknown, "no violation within bounds"
		}
	}
	res.Engines = append(res.Engines, report)
	return nil
}

// provable is the flat program with its templates, or what is wrong.
func (p *program) provable(opt Options) (*ir.Program, []verdict.Diagnostic) {
	flat := p.flat(opt)
	if flat == nil {
		return nil, nil
	}
	name := opt.Replicate
	if name == "" {
		name = p.replicated()
	}
	if name != "" && opt.Instances == 0 {
		if _, err := transform.Replicate(p.ir, name, 1); err != nil {
			return nil, []verdict.Diagnostic{{Severity: verdict.SeverityError, Code: "FP0911", Pos: verdict.Pos{File: p.input.Name}, Message: err.Error()}}
		}
		for t := range flat.Threads {
			if th := &flat.Threads[t]; !th.Start && runs(th, name) {
				th.Unbounded = true
			}
		}
	}
	if d, refused := p.numbered(); refused && name != "" {
		return nil, []verdict.Diagnostic{d}
	}
	return flat, nil
}

// moverOptions are what a proof of the program takes.
func (p *program) moverOptions(how ProveOptions) mover.Options {
	opt := mover.Options{NoInference: how.NoInference, NoAbstraction: how.NoAbstraction, Quick: how.quick, Private: p.own}
	switch {
	case how.Arithmetic == "int":
		opt.Arithmetic = mover.Integers
	case how.Arithmetic == "bv" || p.language == "c":
		opt.Arithmetic = mover.BitVectors
	}
	return opt
}

// answerChecks says what became of the program's own checks.
func (p *program) answerChecks(res *verdict.Result) {
	if res.Verdict == verdict.Unknown {
		return
	}
	bySC := ""
	for _, e := range res.Engines {
		if e.Verdict == verdict.Safe {
			bySC = e.Engine
		}
	}
	for i := range res.Proof.Checks {
		if c := &res.Proof.Checks[i]; !c.Proved && bySC != "" {
			c.Proved, c.By, c.State, c.Vague = true, bySC, nil, false
		}
	}
	if n := res.Proof.Open(); n > 0 && res.Reason == "" {
		res.Reason = fmt.Sprintf("%d of %d checks of the program are not proved", n, len(res.Proof.Checks))
	}
	if p.props.Deadlock && len(res.Engines) == 0 {
		res.Warnings = append(res.Warnings, verdict.Warning{
			Code: "FP0914", Message: "deadlock is not part of this answer: it cannot be decided for any number of threads",
		})
	}
}

// addProofTexts gives every instruction of a proof its text.
func (p *program) addProofTexts(proof *verdict.Proof) {
	fill := func(at *verdict.ProofInstruction) {
		if at.Text != "" || at.Pos == nil || p.files[at.Pos.File] == nil {
			return
		}
		file := p.files[at.Pos.File]
		span := file.Span(0, 0)
		span.Line, span.Col, span.EndLine, span.EndCol = at.Pos.Line, at.Pos.Col, at.Pos.EndLine, at.Pos.EndCol
		at.Text = strings.Join(strings.Fields(file.Slice(span)), " ")
	}
	for i := range proof.Stores {
		s := &proof.Stores[i]
		fill(&s.ProofInstruction)
		for j := range s.Blocks {
			fill(&s.Blocks[j].ProofInstruction)
		}
		for j := range s.Loads {
			fill(&s.Loads[j].ProofInstruction)
			for k := range s.Loads[j].Blocks {
				fill(&s.Loads[j].Blocks[k].ProofInstruction)
			}
		}
	}
	for i := range proof.Abstractions {
		fill(&proof.Abstractions[i].ProofInstruction)
	}
	for i := range proof.Checks {
		fill(&proof.Checks[i].ProofInstruction)
	}
}
