package pipeline

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"fencepost/internal/engine"
	"fencepost/internal/engine/mover"
	"fencepost/internal/memory"
	"fencepost/verdict"
)

// ValueRobustness is the question Prove answers.
const ValueRobustness = "value-robustness"

// ProveOptions say what a proof may help itself to.
type ProveOptions struct {
	NoInference   bool // of invariants
	NoAbstraction bool // of loads
}

// Prove tries to prove that a program reaches the same shared states with and
// without store buffers, with any number of threads where it has templates. The
// answer is never Unsafe.
func Prove(ctx context.Context, in Input, how ProveOptions, opt Options) (answer Answer, err error) {
	stage := "front end"
	defer caught(&stage, in, &err)

	p := load(ctx, in, opt)
	if !p.ok() {
		return Answer{Diagnostics: p.diags}, nil
	}
	stage = "passes"
	flat := p.flat(opt)
	if flat == nil {
		return Answer{Diagnostics: p.diags}, nil
	}
	stage = "engine " + mover.Name
	if opt.Timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, opt.Timeout)
		defer cancel()
	}
	begin := time.Now()
	out, err := mover.Prove(ctx, flat, p.props, mover.Options{NoInference: how.NoInference, NoAbstraction: how.NoAbstraction})
	if u := (*engine.Unsupported)(nil); errors.As(err, &u) {
		return Answer{Diagnostics: append(p.diags, p.unsupported(err))}, nil
	}
	if errors.Is(err, mover.ErrNoSolver) {
		d := verdict.Diagnostic{Severity: "error", Code: "FP0930", Pos: verdict.Pos{File: in.Name}, Message: err.Error()}
		return Answer{Diagnostics: append(p.diags, d)}, nil
	}
	if err != nil {
		return Answer{}, fmt.Errorf("%s, %s: %w", in.Name, stage, err)
	}
	res := verdict.Result{
		Program: in.Name, Question: ValueRobustness, Model: memory.TSO.String(), Engine: mover.Name,
		Verdict: out.Verdict, Reason: out.Reason, Proof: out.Proof, Warnings: out.Warnings,
		Coverage: verdict.Coverage{Exhaustive: out.Verdict != verdict.Unknown},
		Sources:  map[string]string{in.Name: string(in.Text)},
	}
	res.Stats.Seconds = time.Since(begin).Seconds()
	p.addProofTexts(res.Proof)
	stage = "search under SC"
	if err := p.underSC(ctx, out, opt, &res); err != nil {
		return Answer{}, fmt.Errorf("%s, %s: %w", in.Name, stage, err)
	}
	return Answer{Results: []verdict.Result{res}, Diagnostics: p.diags}, nil
}

// underSC answers the program's own questions under SC, where a proof lets the
// answer count under TSO: those of the program, or of what it was abstracted to. It
// takes a fixed number of threads, and abstractions whose values can be listed.
func (p *program) underSC(ctx context.Context, out *mover.Outcome, opt Options, res *verdict.Result) error {
	if out.Verdict == verdict.Unknown || p.props.Empty() {
		return nil
	}
	for _, t := range out.Program.Threads {
		if t.Unbounded {
			return nil
		}
	}
	a := &asked{engine: &engines[0], model: memory.SC, under: memory.SC}
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
	}
	res.Engines = append(res.Engines, report)
	return nil
}

// addProofTexts gives every instruction of a proof its text.
func (p *program) addProofTexts(proof *verdict.Proof) {
	fill := func(at *verdict.ProofPlace) {
		if at.Text != "" || at.Pos == nil || at.Pos.File != p.file.Name {
			return
		}
		span := p.file.Span(0, 0)
		span.Line, span.Col, span.EndLine, span.EndCol = at.Pos.Line, at.Pos.Col, at.Pos.EndLine, at.Pos.EndCol
		at.Text = strings.Join(strings.Fields(p.file.Slice(span)), " ")
	}
	for i := range proof.Stores {
		s := &proof.Stores[i]
		fill(&s.ProofPlace)
		for j := range s.Blocks {
			fill(&s.Blocks[j].ProofPlace)
		}
		for j := range s.Loads {
			fill(&s.Loads[j].ProofPlace)
			for k := range s.Loads[j].Blocks {
				fill(&s.Loads[j].Blocks[k].ProofPlace)
			}
		}
	}
	for i := range proof.Abstractions {
		fill(&proof.Abstractions[i].ProofPlace)
	}
}
