package pipeline

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"

	"fencepost/internal/engine"
	"fencepost/internal/ir"
	"fencepost/internal/memory"
	"fencepost/internal/replay"
	"fencepost/internal/trace"
	"fencepost/verdict"
)

// Robustness is the question Robust answers.
const Robustness = verdict.Robustness

// Robust answers whether every TSO execution of the program has the happens-before
// relation of an SC execution [BDM13]. The program's own questions play no part. With
// KeepGoing it finds every attack, else one.
func Robust(ctx context.Context, in Input, opt Options) (answer Answer, err error) {
	stage := "front end"
	defer caught(&stage, in, &err)
	defer func() { remember(&answer, askedRobust, opt) }()

	p := load(ctx, in, opt)
	if !p.ok() {
		return Answer{Diagnostics: p.diags}, nil
	}
	stage = "passes"
	flat := p.flat(opt)
	if flat == nil {
		return Answer{Diagnostics: p.diags}, nil
	}
	if d, refused := p.unboundedThreads(flat); refused {
		return Answer{Diagnostics: append(p.diags, d)}, nil
	}
	eng := robustEngine(opt)
	stage = "engine " + eng.Name
	task := robustTask(p, flat, opt)
	if err := eng.Supports(task); err != nil {
		return Answer{Diagnostics: append(p.diags, p.unsupported(err))}, nil
	}
	if opt.Timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, opt.Timeout)
		defer cancel()
	}
	if decide := p.criterion(opt.Criterion); decide != nil {
		stage = "criterion " + opt.Criterion
		res, err := decide(ctx, flat, opt)
		if err != nil {
			return Answer{}, fmt.Errorf("%s, %s: %w", in.Name, stage, err)
		}
		p.restrict(res, opt)
		p.carrySources(res)
		return Answer{Results: []verdict.Result{*res}, Diagnostics: p.diags}, nil
	}
	out, err := eng.Run(ctx, task)
	if err != nil {
		return Answer{}, fmt.Errorf("%s, %s: %w", in.Name, stage, err)
	}
	if !opt.KeepGoing && len(out.Violations) > 1 { // of one level of the search
		out.Violations = out.Violations[:1]
	}
	res := &verdict.Result{
		Program: in.Name, Question: Robustness, Model: memory.TSO.String(), Engine: eng.Name,
		Coverage: out.Coverage, Stats: out.Stats, Warnings: out.Warnings,
		Sources: p.sources(violationWitnesses(out)...),
	}
	for i := range out.Violations {
		a, err := p.attack(flat, &out.Violations[i])
		if err != nil {
			return Answer{}, fmt.Errorf("%s, %s: the witness of an attack does not hold: %w", in.Name, stage, err)
		}
		res.Attacks = append(res.Attacks, *a)
	}
	concludeRobust(res, out, opt)
	p.restrict(res, opt)
	return Answer{Results: []verdict.Result{*res}, Diagnostics: p.diags}, nil
}

// unsupported says that the engine does not take the program.
func (p *program) unsupported(err error) verdict.Diagnostic {
	d := verdict.Diagnostic{Severity: verdict.SeverityError, Code: "FP0907", Pos: verdict.Pos{File: p.input.Name}, Message: err.Error()}
	if u := (*engine.Unsupported)(nil); errors.As(err, &u) && u.Pos != nil {
		d.Pos, d.Message, d.Excerpt = *u.Pos, u.What, p.excerpt(*u.Pos)
		if u.Code != "" {
			d.Code = u.Code
		}
		if u.Advice != "" {
			d.Notes = []string{u.Advice}
		}
	}
	return d
}

func robustTask(p *program, flat *ir.Program, opt Options) *engine.Task {
	task := &engine.Task{
		Program: flat, Props: p.props, Model: memory.TSO, KeepGoing: opt.KeepGoing, NoReduction: opt.NoReduction,
		Limits: engine.Limits{Memory: opt.Memory, Workers: opt.Workers},
	}
	if task.Limits.Workers <= 0 {
		task.Limits.Workers = runtime.GOMAXPROCS(0)
	}
	if opt.Progress != nil {
		task.Progress = func(g engine.Progress) {
			opt.Progress(Progress{Model: memory.TSO.String(), States: g.States, Waiting: g.Waiting, Depth: g.Depth, Elapsed: g.Elapsed})
		}
	}
	return task
}

func concludeRobust(res *verdict.Result, out *engine.Outcome, opt Options) {
	switch {
	case len(res.Attacks) > 0:
		first := &res.Attacks[0]
		res.Verdict, res.Reason, res.Pos = verdict.Unsafe, first.String(), first.Store
		if opt.KeepGoing && out.Unknown != "" {
			res.Warnings = append(res.Warnings, verdict.Warning{
				Code: "FP0908", Message: "there may be further attacks: " + out.Unknown,
			})
		}
	case out.Unknown != "":
		res.Verdict, res.Reason = verdict.Unknown, out.Unknown
	default:
		holds(res, verdict.Safe, opt)
	}
}

// attack replays the witness of an attack, holds it against what is claimed, and
// describes it.
func (p *program) attack(flat *ir.Program, v *engine.Violation) (*verdict.Attack, error) {
	w := v.Witness
	if err := replay.Replay(flat, p.props, replay.TSO, w, attackClaim(v)); err != nil {
		return nil, err
	}
	tr := trace.New(flat, w)
	if tr.Cycle() == nil {
		return nil, fmt.Errorf("its happens-before relation has no cycle")
	}
	store, load, ok := delayed(v)
	if !ok {
		return nil, fmt.Errorf("the store at edge %d is not delayed past the load at edge %d", v.Edge, v.Load)
	}
	cycle := tr.Through(tr.EventOf(store), tr.EventOf(load))
	if cycle == nil {
		return nil, fmt.Errorf("the load does not happen before the delayed store")
	}
	p.addTexts(w)
	a := attackAt(flat, w, store, load)
	a.Nodes, a.Edges, a.Cycle = traceNodes(flat, w, tr), traceEdges(tr.Edges), traceEdges(cycle)
	return a, nil
}

// attackAt describes an attack by its two steps.
func attackAt(flat *ir.Program, w *verdict.Witness, store, load int) *verdict.Attack {
	st, ld := &w.Steps[store], &w.Steps[load]
	action := ""
	if ld.Kind != verdict.StepLoad {
		action = actionText(flat, ld)
	}
	return &verdict.Attack{
		Thread: w.Threads[st.Thread],
		Store:  st.Pos, StoreText: storeText(st), Free: st.Free,
		Load: ld.Pos, LoadText: ld.Cell(), Action: action,
		Witness: w, StoreStep: store, LoadStep: load,
	}
}

// attackClaim is what the witness of an attack is said to show: an execution, one
// that ends with a store into a block that is gone, or the beginning of one whose
// section has no end.
func attackClaim(v *engine.Violation) replay.Expect {
	switch {
	case v.Class != ir.CheckUnset:
		return replay.Expect{Claim: replay.ClaimCheck, Class: v.Class, Edge: ir.NoEdge}
	case v.Open:
		return replay.Expect{Claim: replay.ClaimBeginning}
	default:
		return replay.Expect{Claim: replay.ClaimExecution}
	}
}

// delayed finds the steps of an attack: a load, and a store of its thread that
// was issued before and reached memory after it, if at all. If the engine does not say
// which, with loops there may be several candidates; the cycle closes behind the last
// load, after which the thread does nothing, and the first store still on the way is
// the one that was delayed.
func delayed(v *engine.Violation) (storeStep, loadStep int, ok bool) {
	w := v.Witness
	reached := map[int]int{}
	for i := range w.Steps {
		if st := &w.Steps[i]; st.Kind == verdict.StepFlush {
			reached[st.Of] = i
		}
	}
	is := func(s, l int) bool {
		st, ld := &w.Steps[s], &w.Steps[l]
		at, flushed := reached[s]
		return st.Edge == int(v.Edge) && ld.Edge == int(v.Load) && st.Kind == verdict.StepStore && st.Thread == ld.Thread && (at > l || !flushed && st.Buffered)
	}
	if s, l := v.StoreStep, v.LoadStep; s < l && l < len(w.Steps) {
		return s, l, is(s, l)
	}
	for l := len(w.Steps) - 1; l >= 0; l-- {
		for s := range l {
			if is(s, l) {
				return s, l, true
			}
		}
	}
	return 0, 0, false
}

func traceEdges(list []trace.Edge) []verdict.TraceEdge {
	out := make([]verdict.TraceEdge, len(list))
	for i, e := range list {
		out[i] = verdict.TraceEdge{From: e.From, To: e.To, Kind: e.Kind.String()}
	}
	return out
}

func traceNodes(flat *ir.Program, w *verdict.Witness, tr *trace.Trace) []verdict.TraceNode {
	kinds := map[int]ir.OpKind{}
	for _, f := range flat.Funcs {
		for i := range f.Edges {
			kinds[int(f.Edges[i].ID)] = f.Edges[i].Op.Kind
		}
	}
	out := make([]verdict.TraceNode, len(tr.Events))
	for i, e := range tr.Events {
		var parts []string
		for _, s := range e.Steps {
			part := nodePart(w, &w.Steps[s], kinds)
			if part != "" && !slices.Contains(parts, part) {
				parts = append(parts, part)
			}
		}
		text := strings.Join(parts, ", ")
		if kinds[w.Steps[e.Steps[0]].Edge] == ir.AtomicBegin {
			text = "atomic{" + text + "}"
		}
		out[i] = verdict.TraceNode{Thread: e.Thread, Text: w.Threads[e.Thread] + " " + text, Step: e.Steps[0]}
	}
	return out
}

// nodePart is what a step adds to the name of its node.
func nodePart(w *verdict.Witness, st *verdict.Step, kinds map[int]ir.OpKind) string {
	switch st.Kind {
	case verdict.StepLoad:
		return "ld " + st.Cell()
	case verdict.StepStore:
		if st.Free {
			return "free " + st.Cell()
		}
		return "st " + st.Cell()
	case verdict.StepWake:
		return "wake"
	case verdict.StepRMW:
		return "rmw " + st.Cell()
	case verdict.StepFlush:
		return ""
	}
	switch k := kinds[st.Edge]; {
	case (k == ir.Spawn || k == ir.Join) && st.Other > 0:
		return fmt.Sprintf("%s %s", k, w.Threads[st.Other-1])
	case k == ir.CondWait, k == ir.Signal, k == ir.Broadcast, k == ir.Barrier, k == ir.Alloc:
		return k.String()
	default:
		return ""
	}
}
