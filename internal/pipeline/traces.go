package pipeline

import (
	"context"
	"fmt"
	"maps"

	"fencepost/internal/engine/smc"
	"fencepost/internal/ir"
	"fencepost/internal/memory"
	"fencepost/internal/property"
	"fencepost/internal/replay"
	"fencepost/internal/trace"
	"fencepost/verdict"
)

// Traces explores one execution for every Shasha-Snir trace of a program under a
// model, and hands each to the caller, if each is not nil.
func Traces(ctx context.Context, in Input, model string, opt Options, each func(*verdict.Trace)) (set verdict.TraceSet, diags []verdict.Diagnostic, err error) {
	stage := "front end"
	defer caught(&stage, in, &err)

	p := load(ctx, in, opt)
	if !p.ok() {
		return set, p.diags, nil
	}
	stage = "passes"
	flat := p.flat(opt)
	if flat == nil {
		return set, p.diags, nil
	}
	if d, refused := p.unboundedThreads(flat); refused {
		return set, append(p.diags, d), nil
	}
	if d, refused := p.unlistedInputs(flat, "traces"); refused {
		return set, append(p.diags, d), nil
	}
	m, ok := memory.ParseModel(model)
	if !ok {
		return set, nil, fmt.Errorf("unknown memory model %q", model)
	}
	if d, refused := p.untraced(flat, m, opt); refused {
		return set, append(p.diags, d), nil
	}
	stage = "engine smc under " + model
	if opt.Timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, opt.Timeout)
		defer cancel()
	}
	set = verdict.TraceSet{Program: in.Name, Model: model, Asked: newAsked(askedTraces, opt), Sources: p.sources()}
	task := p.task(flat, m, opt)
	// Only the traces are asked for. A failing check ends its thread.
	task.Props, task.Finals, task.KeepGoing = &property.Set{}, false, true
	how := explored(opt)
	how.Traces = true
	var broken error
	if each != nil {
		task.Limits.Workers = 1 // traces are listed in the same order every time
		how.Visit = func(w *verdict.Witness) {
			t, err := p.traceOf(flat, m, w)
			if err != nil && broken == nil {
				broken = err
			}
			if err != nil || broken != nil {
				return
			}
			set.Count++
			t.Number = int(set.Count)
			if t.Cycle != nil {
				set.Cyclic++
			}
			maps.Copy(set.Sources, p.sources(t.Witness))
			each(t)
		}
	}
	out, err := smc.New(how).Run(ctx, task)
	if err == nil {
		err = broken
	}
	if err != nil {
		return set, nil, fmt.Errorf("%s, %s: %w", in.Name, stage, err)
	}
	set.Count = out.Stats.FinalStates
	if set.Count == 0 && out.Unknown == "" && out.Exits == 0 {
		out.Unknown = "no execution comes to its end"
	}
	mark(&out.Coverage, opt)
	set.Reason, set.Coverage, set.Stats, set.Warnings = out.Unknown, out.Coverage, out.Stats, out.Warnings
	return set, p.diags, nil
}

// untraced refuses programs whose traces are not explored.
func (p *program) untraced(flat *ir.Program, m memory.Model, opt Options) (verdict.Diagnostic, bool) {
	task := p.task(flat, m, opt)
	task.Props = &property.Set{}
	if err := smc.Engine.Supports(task); err != nil {
		return p.unsupported(err), true
	}
	return verdict.Diagnostic{}, false
}

// traceOf replays an execution and makes its trace.
func (p *program) traceOf(flat *ir.Program, m memory.Model, w *verdict.Witness) (*verdict.Trace, error) {
	if err := p.replays(flat, m, w); err != nil {
		return nil, err
	}
	p.addTexts(w)
	tr := trace.New(flat, w)
	out := &verdict.Trace{Nodes: traceNodes(flat, w, tr), Edges: traceEdges(tr.Edges), Witness: w}
	if cycle := tr.Cycle(); cycle != nil {
		out.Cycle = traceEdges(cycle)
	}
	return out, nil
}

// replays runs an execution through the independent interpreter.
func (p *program) replays(flat *ir.Program, m memory.Model, w *verdict.Witness) error {
	rm, err := replay.ParseModel(m.String())
	if err != nil {
		return err
	}
	if err := replay.Replay(flat, &property.Set{}, rm, w, replay.Expect{Claim: replay.ClaimExecution}); err != nil {
		return fmt.Errorf("an execution does not replay: %w", err)
	}
	return nil
}

// cyclicReason is why a program is not robust where traces were asked about.
const cyclicReason = "an execution has a trace with a cycle"

// cyclic is what a search for a trace with a cycle found.
type cyclic struct {
	trace *verdict.Trace
	err   error
}

// robustByTraces answers whether the program has a trace with a cycle under a model
// [AAAJLS15 §1]: it is robust if it has none.
func (p *program) robustByTraces(ctx context.Context, flat *ir.Program, m memory.Model, opt Options) (*verdict.Result, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var found cyclic
	task := p.task(flat, m, opt)
	task.Props, task.Finals, task.KeepGoing = &property.Set{}, false, true
	how := explored(opt)
	how.Traces, how.Unfinished = true, true
	how.Visit = func(w *verdict.Witness) {
		if found.trace != nil || found.err != nil {
			return
		}
		if tr := trace.New(flat, w); tr.Cycle() == nil {
			return
		}
		found.trace, found.err = p.traceOf(flat, m, w)
		cancel()
	}
	out, err := smc.New(how).Run(ctx, task)
	if err == nil {
		err = found.err
	}
	if err != nil {
		return nil, err
	}
	res := &verdict.Result{
		Program: p.input.Name, Question: Robustness, Model: m.String(), Engine: smc.Engine.Name,
		Coverage: out.Coverage, Stats: out.Stats, Warnings: out.Warnings,
		Sources: p.sources(),
	}
	if found.trace != nil {
		res.Sources = p.sources(found.trace.Witness)
	}
	switch {
	case found.trace != nil:
		res.Verdict, res.Reason, res.Trace = verdict.Unsafe, cyclicReason, found.trace
		res.Witness, res.Cause = found.trace.Witness, p.cause(flat, m, found.trace.Witness)
	case out.Unknown != "":
		res.Verdict, res.Reason = verdict.Unknown, out.Unknown
	default:
		holds(res, verdict.Safe, opt)
	}
	return res, nil
}
