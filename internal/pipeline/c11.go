package pipeline

import (
	"fmt"
	"slices"
	"strings"

	"fencepost/internal/engine"
	"fencepost/internal/ir"
	"fencepost/internal/memory"
	"fencepost/internal/render/relation"
	"fencepost/internal/replay"
	"fencepost/internal/transform"
	"fencepost/verdict"
)

// Programs and words under C11's own model.

// ForC11 returns a flat program as the model c11 takes it. It refuses languages that have no memory orders.
func ForC11(p *Program, flat *ir.Program) (*ir.Program, error) {
	if !memory.HasC11 {
		return nil, p.Refuse(p.Unsupported(&engine.Unsupported{What: "this part of fencepost does not have the model c11"}))
	}
	if p.Orders == OrdersNone {
		return nil, p.Refuse(verdict.Diagnostic{
			Code: "FP0939", Message: "the model c11 is about the memory orders of C11, which this language does not have",
			Notes: []string{"C, litmus tests in C and .fp have them; ask about instructions of processors and about papers' automata under sc, tso or pso"},
		})
	}
	return transform.C11(flat, p.Orders == OrdersRelaxed), nil
}

// causeC11 says which stores the loads of an execution miss, with the relation of its graph.
func causeC11(flat *ir.Program, w *verdict.Witness) *verdict.Cause {
	c := &verdict.Cause{Kind: verdict.CauseOrder, Words: staleWords(flat, w)}
	if w.Graph == nil {
		return c
	}
	sync, err := replay.Synchronised(flat, w)
	if err != nil { // it was replayed before
		panic("BUG: " + err.Error())
	}
	all := relation.FromGraph(w, sync)
	c.Nodes, c.Edges, c.Cycle = all.Nodes, all.Edges, all.Cycle
	return c
}

// dataRaceOn begins the reason of a data race.
const dataRaceOn = "data race on "

// dataRaceWords returns a data race as a sentence.
func dataRaceWords(v *engine.Violation) string {
	w := v.Witness
	a, b := &w.Steps[v.StoreStep], &w.Steps[v.LoadStep]
	return fmt.Sprintf(dataRaceOn+"%s: %s of %s (%s) and %s of %s are not ordered: neither happens before the other",
		b.Location, accessNoun(a), w.Threads[a.Thread], PositionText(a), accessNoun(b), w.Threads[b.Thread])
}

func accessNoun(st *verdict.Step) string {
	if st.Free {
		return "the free"
	}
	switch st.Kind {
	case verdict.StepExec:
		return "the allocation"
	case verdict.StepLoad:
		return "the load"
	case verdict.StepStore:
		return "the store"
	}
	return "the read-modify-write"
}

// staleWords says of each read, also in a note of its step, that reads an older value than the last one before it in the steps which write it
// misses, and why it may.
func staleWords(flat *ir.Program, w *verdict.Witness) []string {
	if w.Graph == nil {
		return nil
	}
	var out []string
	for _, r := range w.Graph.Reads {
		i := slices.IndexFunc(w.Graph.Orders, func(o verdict.GraphOrder) bool { return o.Addr == r.Addr && o.Size == r.Size })
		if i < 0 {
			continue
		}
		missed := -1
		for _, s := range w.Graph.Orders[i].Writes[slices.Index(w.Graph.Orders[i].Writes, r.From)+1:] {
			if s < r.Step {
				missed = max(missed, s)
			}
		}
		if missed < 0 {
			continue
		}
		load, store := &w.Steps[r.Step], &w.Steps[missed]
		if load.Note == "" && load.Kind != verdict.StepFail {
			load.Note = fmt.Sprintf("an older value: step %d wrote a newer one", missed+1)
		}
		value := "the initial value"
		if r.From >= 0 {
			value = fmt.Sprintf("what %s wrote (%s)", w.Threads[w.Steps[r.From].Thread], PositionText(&w.Steps[r.From]))
		}
		out = append(out, fmt.Sprintf("%s (%s) reads %s from %s and misses %s of %s (%s): nothing orders that store before this load. %s",
			accessOf(load, w), PositionText(load), value, load.Location, accessNoun(store), w.Threads[store.Thread], PositionText(store), orderHint(flat, w, missed, r.Step)))
	}
	for _, o := range w.Graph.Orders {
		if !slices.IsSorted(o.Writes) {
			var order []string
			for _, s := range o.Writes {
				order = append(order, fmt.Sprintf("%s (%s)", w.Threads[w.Steps[s].Thread], PositionText(&w.Steps[s])))
			}
			out = append(out, fmt.Sprintf("The stores to %s take effect in another order than the steps show: first that of %s.",
				w.Steps[o.Writes[0]].Location, strings.Join(order, ", then that of ")))
		}
	}
	if len(out) == 0 {
		return []string{"Every load reads the last store before it: the order of the steps alone leads here, without a weak memory model."}
	}
	return out
}

func accessOf(st *verdict.Step, w *verdict.Witness) string {
	return fmt.Sprintf("%s of %s", capital(accessNoun(st)), w.Threads[st.Thread])
}

func capital(s string) string { return string(s[0]-'a'+'A') + s[1:] }

// orderHint says which order is missing between a store and a load that does not see it. Where the thread of the load has read
// something that the other thread wrote after the store, the two accesses that pass this message do not synchronise; otherwise
// there is no message.
func orderHint(flat *ir.Program, w *verdict.Witness, store, load int) string {
	from, to := w.Steps[store].Thread, w.Steps[load].Thread
	for k := len(w.Graph.Reads) - 1; k >= 0; k-- {
		r := &w.Graph.Reads[k]
		if r.From < store || r.From < 0 || r.Step >= load || w.Steps[r.Step].Thread != to || w.Steps[r.From].Thread != from {
			continue
		}
		sent, got := opOf(flat, &w.Steps[r.From]), opOf(flat, &w.Steps[r.Step])
		release := sent != nil && !releases(sent) && !fenced(flat, w, from, store, r.From, ir.Release)
		acquire := got != nil && !acquires(got) && !fenced(flat, w, to, r.Step, load, ir.Acquire)
		at := w.Steps[r.From].Location
		writes := fmt.Sprintf("The store to %s (%s) is %s", at, PositionText(&w.Steps[r.From]), orderName(sent))
		reads := fmt.Sprintf("he load of %s (%s) is %s", at, PositionText(&w.Steps[r.Step]), orderName(got))
		switch {
		case release && acquire:
			return fmt.Sprintf("%s, and t%s: release and acquire there order them (stlr and ldar on Arm).", writes, reads)
		case release:
			return writes + ": release there orders them (stlr on Arm)."
		case acquire:
			return "T" + reads + ": acquire there orders them (ldar on Arm)."
		}
	}
	return fmt.Sprintf("The store is %s, the load is %s, and %s has read nothing that %s wrote after its store.",
		orderName(opOf(flat, &w.Steps[store])), orderName(opOf(flat, &w.Steps[load])), w.Threads[to], w.Threads[from])
}

// opOf returns the operation of a step, or nil if the step belongs to a call of the library.
func opOf(flat *ir.Program, st *verdict.Step) *ir.Op {
	if _, e, ok := flat.EdgeByID(ir.EdgeID(st.Edge)); ok && e.Op.Accesses() && e.Op.Sync.Kind == ir.SyncUnset {
		return &e.Op
	}
	return nil
}

func orderName(op *ir.Op) string {
	switch {
	case op == nil:
		return "part of a library call"
	case op.Sync.Order == ir.Plain:
		return "not atomic"
	}
	return op.Sync.Order.String()
}

func releases(op *ir.Op) bool {
	return op.Sync.Order == ir.Release || op.Sync.Order == ir.AcqRel || op.Sync.Order == ir.SeqCst
}

func acquires(op *ir.Op) bool {
	return op.Sync.Order == ir.Acquire || op.Sync.Order == ir.Consume || op.Sync.Order == ir.AcqRel || op.Sync.Order == ir.SeqCst
}

// fenced reports whether a thread has a fence between two steps that releases, or acquires.
func fenced(flat *ir.Program, w *verdict.Witness, thread, after, before int, how ir.Order) bool {
	for i := after + 1; i < before; i++ {
		if st := &w.Steps[i]; st.Thread == thread && st.Kind == verdict.StepFence {
			if _, e, ok := flat.EdgeByID(ir.EdgeID(st.Edge)); ok && (how == ir.Release && releases(&e.Op) || how == ir.Acquire && acquires(&e.Op)) {
				return true
			}
		}
	}
	return false
}

// notCovered is the warning that executions with load buffering are not covered.
const notCovered = "the answer does not cover load buffering: RC11 lets no relaxed load read what depends on a later store of its thread, " +
	"and Armv8 and POWER processors do, where a relaxed load is followed by a relaxed store in several threads"

// WarnLoadBuffering says in an answer that is not unsafe that load buffering is not covered, where the program has it.
func WarnLoadBuffering(res *verdict.Result, flat *ir.Program) {
	if res.Verdict != verdict.Unsafe && LoadBuffering(flat) {
		res.Warnings = append(res.Warnings, verdict.Warning{Code: "FP0940", Message: notCovered})
	}
}
