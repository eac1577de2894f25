package pipeline

import (
	"fmt"
	"slices"
	"strings"

	"fencepost/internal/engine"
	"fencepost/internal/ir"
	"fencepost/internal/memory"
	"fencepost/internal/property"
	"fencepost/internal/replay"
	"fencepost/internal/trace"
	"fencepost/query"
	"fencepost/verdict"
)

// The happens-before relation of an execution, as results have it.

// Trace replays an execution and returns its trace. by is the equivalence that is asked about (TraceSet.By): of reads-from, only program order,
// reads-from and synchronisation are shown. fails has the checks that fail.
func (p *Program) Trace(flat *ir.Program, m memory.Model, w *verdict.Witness, by query.By, fails []string) (*verdict.Trace, error) {
	target := replay.TargetExecution
	if len(fails) > 0 {
		target = replay.TargetPrefix
	}
	if err := ReplayExecution(flat, m, w, target); err != nil {
		return nil, err
	}
	p.AddTexts(w)
	out := DescribeTrace(flat, w, by)
	out.Fails = fails
	return out, nil
}

// DescribeTrace returns the trace of an execution, or as much of it as its class has.
func DescribeTrace(flat *ir.Program, w *verdict.Witness, by query.By) *verdict.Trace {
	tr := trace.New(flat, w)
	edges := tr.Edges
	if by == query.ByReadsFrom {
		edges = slices.DeleteFunc(slices.Clone(edges), func(e trace.Edge) bool { return e.Kind == trace.ST || e.Kind == trace.CF })
	}
	out := &verdict.Trace{Nodes: TraceNodes(flat, w, tr), Edges: TraceEdges(edges), Witness: w}
	if by == query.ByReadsFrom {
		out.By = string(by)
	}
	if cycle := tr.Cycle(); cycle != nil && by != query.ByReadsFrom {
		out.Cycle = TraceEdges(cycle)
	}
	return out
}

// Attack replays the witness of an attack under a model, checks that it is one, and describes it.
func (p *Program) Attack(flat *ir.Program, model memory.Model, v *engine.Violation) (*verdict.Attack, error) {
	w := v.Witness
	against, err := replay.ParseModel(model.String())
	if err != nil {
		return nil, err
	}
	if err := replay.Replay(flat, p.Props, against, w, expectAttack(v)); err != nil {
		return nil, err
	}
	tr := trace.New(flat, w)
	if tr.Cycle() == nil {
		return nil, fmt.Errorf("its happens-before relation has no cycle")
	}
	store, load, ok := trace.Delayed(w, v.Edge, v.Load, v.StoreStep, v.LoadStep)
	if !ok {
		return nil, fmt.Errorf("the store at edge %d is not delayed past the load at edge %d", v.Edge, v.Load)
	}
	cycle := tr.CycleThrough(tr.EventOf(store), tr.EventOf(load))
	if cycle == nil {
		return nil, fmt.Errorf("the load does not happen before the delayed store")
	}
	p.AddTexts(w)
	a := AttackAt(flat, w, store, load)
	a.Nodes, a.Edges, a.Cycle = TraceNodes(flat, w, tr), TraceEdges(tr.Edges), TraceEdges(cycle)
	return a, nil
}

// AttackAt describes an attack by its two steps.
func AttackAt(flat *ir.Program, w *verdict.Witness, store, load int) *verdict.Attack {
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

// expectAttack returns what the witness of an attack shows: an execution, one that ends with a store into
// a block that is gone, or the beginning of an execution whose atomic section has no end.
func expectAttack(v *engine.Violation) replay.Expect {
	switch {
	case v.Class != ir.CheckUnset:
		return replay.Expect{Target: replay.TargetCheck, Class: v.Class, Edge: ir.NoEdge}
	case v.Open:
		return replay.Expect{Target: replay.TargetPrefix}
	default:
		return replay.Expect{Target: replay.TargetExecution}
	}
}

// ReplayTrace replays an execution that is shown for its trace. It ends with empty store buffers, with a store or free
// that fails since its block is gone, or with stores in buffers that cannot reach memory: in a trace these come last.
func ReplayTrace(flat *ir.Program, m replay.Model, w *verdict.Witness) error {
	want := []replay.Expect{{Target: replay.TargetQuiet}}
	if len(w.Steps) > 0 && w.Steps[len(w.Steps)-1].Kind == verdict.StepFail {
		want = []replay.Expect{{Target: replay.TargetCheck, Class: ir.UseAfterFree, Edge: ir.NoEdge}, {Target: replay.TargetCheck, Class: ir.DoubleFree, Edge: ir.NoEdge}}
	}
	var err error
	for _, end := range want {
		if err = replay.Replay(flat, &property.Set{}, m, w, end); err == nil {
			break
		}
	}
	return err
}

// Triangle replays the witness of a triangular race, checks that it is one, and describes it.
func (p *Program) Triangle(flat *ir.Program, v *engine.Violation) (*verdict.Triangle, error) {
	w := v.Witness
	if err := replay.Replay(flat, p.Props, replay.SC, w, replay.Expect{Target: replay.TargetPrefix}); err != nil {
		return nil, err
	}
	if err := trace.Triangle(flat, w, v.StoreStep, v.LoadStep); err != nil {
		return nil, err
	}
	p.AddTexts(w)
	return TriangleAt(flat, w, v.StoreStep, v.LoadStep), nil
}

// TriangleAt describes a triangular race by its steps; the write is the last step.
func TriangleAt(flat *ir.Program, w *verdict.Witness, store, load int) *verdict.Triangle {
	st, ld, wr := &w.Steps[store], &w.Steps[load], &w.Steps[len(w.Steps)-1]
	return &verdict.Triangle{
		Thread: w.Threads[st.Thread], Store: st.Pos, StoreText: storeText(st),
		Load: ld.Pos, LoadText: "then " + loadText(flat, ld),
		Other: w.Threads[wr.Thread], Write: wr.Pos, WriteText: writeText(flat, wr),
		Witness: w, StoreStep: store, LoadStep: load,
	}
}

// TraceEdges converts the edges of a relation.
func TraceEdges(list []trace.Edge) []verdict.TraceEdge {
	out := make([]verdict.TraceEdge, len(list))
	for i, e := range list {
		out[i] = verdict.TraceEdge{From: e.From, To: e.To, Kind: e.Kind.String()}
	}
	return out
}

// TraceNodes names the events of a relation.
func TraceNodes(flat *ir.Program, w *verdict.Witness, tr *trace.Trace) []verdict.TraceNode {
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

// nodePart returns the part of a node's name that comes from a step.
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
