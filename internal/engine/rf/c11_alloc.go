package rf

import (
	"slices"

	"fencepost/internal/engine"
	"fencepost/internal/ir"
	"fencepost/verdict"
)

// Allocations under c11: the allocation of a block of the heap counts as a write of the whole block, so an access that it does
// not happen before is a data race. It comes before the access by porf, since the address comes from there. It may be a local step.

// findUnorderedAlloc reports an access to a block of the heap that the allocation of the block does not happen before. The machine
// is at the end of the class.
func findUnorderedAlloc(x *exploration, m *graphs) {
	var w *verdict.Witness
	for e := range m.in.Events {
		ev := &m.in.Events[e]
		if len(ev.Cells) == 0 || orderedWithAll(x, m, int32(e)) {
			continue
		}
		block, ok := x.run.m.State.BlockAt(x.run.cells.address(ev.Cells[0]), 1)
		if !ok || !slices.ContainsFunc(x.run.ran, isNode(m.ops[e])) {
			continue
		}
		if w == nil {
			w = record(x)
		}
		if i := allocOf(x, w, block, x.run.stepOf(m.ops[e])); i >= 0 && w.Steps[i].Thread != int(ev.Thread) && !stepBefore(x, m, i, w.Steps[i].Thread, int32(e)) {
			reportUnorderedAlloc(x, m.ops[e], block)
			return
		}
	}
}

// orderedWithAll reports whether all operations that come before that of an event by porf happen before the event.
func orderedWithAll(x *exploration, m *graphs, e int32) bool {
	for t, n := range x.g.pastOf(m.ops[e].t(), int(m.ops[e].index)) {
		if n > 0 && t != m.ops[e].t() && !m.solver.HappensBefore(m.ends[t][n-1], e) {
			return false
		}
	}
	return true
}

// allocOf returns the last step before another one that allocates a block of the heap, or -1.
func allocOf(x *exploration, w *verdict.Witness, block uint64, before int) int {
	for i := before - 1; i >= 0; i-- {
		st := &w.Steps[i]
		if st.Kind != verdict.StepExec || len(st.Accesses) != 1 || st.Accesses[0].Addr != block {
			continue
		}
		if _, e, ok := x.run.m.Sys.Prog.EdgeByID(ir.EdgeID(st.Edge)); ok && e.Op.Kind == ir.Alloc {
			if e.Op.Block.Stack {
				return -1
			}
			return i
		}
	}
	return -1
}

// stepBefore reports whether step i of a thread happens before an event of another thread: the operation of the step does,
// or the next one of the thread.
func stepBefore(x *exploration, m *graphs, i, thread int, e int32) bool {
	for k := range x.run.ran {
		if n := &x.run.ran[k]; int(n.node.thread) == thread && n.steps >= i {
			return m.solver.HappensBefore(m.first[thread][n.node.index], e)
		}
	}
	return false
}

func isNode(r ref) func(ran) bool {
	return func(n ran) bool { return n.node.thread == r.thread-1 && n.node.index == r.index }
}

// stepOf returns the first step of an operation that was run.
func (rn *runner) stepOf(r ref) int { return rn.ran[slices.IndexFunc(rn.ran, isNode(r))].steps }

// reportUnorderedAlloc reports the race of an operation with the allocation of its block.
func reportUnorderedAlloc(x *exploration, access ref, block uint64) {
	toPart(x, x.g.pastOf(access.t(), int(access.index)))
	second := x.run.stepOf(access)
	w := record(x)
	x.out.Violated(dataRaceKey, engine.Violation{
		Kind: engine.DataRace, Edge: ir.NoEdge, Witness: w.Until(second), StoreStep: allocOf(x, w, block, second), LoadStep: second,
	})
	if seq, ok := x.witness(cut{}, nil); ok {
		toEnd(x, slices.Clone(seq))
	}
}
