package rf

import (
	"slices"

	"fencepost/internal/engine"
	"fencepost/internal/ir"
	"fencepost/internal/machine"
	"fencepost/internal/memory"
	"fencepost/verdict"
)

// Robustness against c11: does SC allow every reads-from class that c11 allows? SC is asked about every class at its end.
// If SC refuses a class, the smallest part that SC refuses is taken: every axiom of SC forbids cycles, so
// operations can be taken away one by one as long as a cycle is left.
//
// Two classes may have equal reads and different last writes. So where a final condition, a deadlock or an endless loop
// depends on last writes, SC is asked about the class with these last writes.
//
// A read after which its thread is stuck, in an await, a lock or an assumption, has no effect, and is left out: a later read of the
// same loop decides. What the loop reads for ever are last writes, and these are asked about.

// shorterAmong is how many further classes are looked at for a smaller part that SC refuses.
const shorterAmong = 1000

// robustness is the question whether SC allows all classes.
type robustness struct {
	sc    *order // nil: not asked
	best  *engine.Violation
	size  int   // operations of the best
	after int64 // classes since the first one that SC refuses
}

// robustKey is the key of a class that SC refuses.
const robustKey = "robustness"

// effective returns how many operations of each thread have an effect.
func effective(x *exploration) []int32 {
	out := make([]int32, len(x.g.threads))
	for t := range x.g.threads {
		out[t] = int32(len(x.g.threads[t]))
		o := x.g.last(t)
		if o != nil && (!o.complete() || o.waits || len(o.writes) == 0 && stuck(x, t)) {
			out[t]--
		}
	}
	return out
}

// stuck reports whether thread t has neither ended nor come to an error or a bound.
func stuck(x *exploration, t int) bool {
	switch x.run.m.Threads.Now[t].Stop {
	case machine.Failed, machine.Exited, machine.Bounded:
		return false
	}
	return !x.run.thread(t).Ended()
}

// askSC asks whether SC allows the class, with some last writes.
func askSC(x *exploration, finals []final) {
	rb := &x.robust
	if rb.sc == nil || x.stopped() {
		return
	}
	past := effective(x)
	finals = slices.DeleteFunc(slices.Clone(finals), func(f final) bool { return f.by == initial })
	if rb.best != nil {
		if rb.after++; rb.after > shorterAmong {
			report := *rb.best
			x.out.Violated(robustKey, report)
			return
		}
	}
	if allowedBySC(x, past, finals) {
		return
	}
	if len(finals) == 0 {
		past = smallest(x, past)
	}
	size := 0
	for _, n := range past {
		size += int(n)
	}
	if rb.best != nil && rb.size <= size {
		return
	}
	seq, ok := x.witness(cut{before: noStamp, past: past}, &demand{finals: finals})
	if !ok {
		panic("BUG: a part of a graph is not consistent")
	}
	toEnd(x, slices.Clone(seq))
	w := record(x)
	for _, f := range finals {
		at := x.run.cells.span(f.cell)
		w.Graph.Last = append(w.Graph.Last, verdict.GraphLast{Addr: at.addr, Size: at.size})
	}
	rb.best, rb.size = &engine.Violation{Kind: engine.NotSC, Edge: ir.NoEdge, Witness: w}, size
	if seq, ok := x.witness(cut{}, nil); ok {
		toEnd(x, slices.Clone(seq))
	}
}

// reportNotSC reports the class that SC refuses, if there was one, when the exploration is over.
func reportNotSC(x *exploration) {
	if x.robust.best != nil && !x.out.Met[robustKey] {
		x.out.Violated(robustKey, *x.robust.best)
	}
}

// allowedBySC reports whether SC allows a part of the graph.
func allowedBySC(x *exploration, past []int32, finals []final) bool {
	var d *demand
	if len(finals) > 0 {
		d = &demand{finals: finals}
	}
	x.robust.sc.cells = x.run.cells.count()
	_, ok := x.robust.sc.witness(x.g, cut{before: noStamp, past: past}, d)
	return ok
}

// smallest takes operations away from a part of the graph that SC refuses, as long as SC refuses it.
func smallest(x *exploration, past []int32) []int32 {
	past = slices.Clone(past)
	needed := func(t int) bool { // by another operation that is left
		for u := range past {
			if u != t && past[u] > 0 && x.g.pastOf(u, int(past[u])-1)[t] >= past[t] {
				return true
			}
		}
		return false
	}
	for less := true; less; {
		less = false
		for t := range past {
			for past[t] > 0 && !needed(t) {
				past[t]--
				if allowedBySC(x, past, nil) {
					past[t]++
					break
				}
				less = true
			}
		}
	}
	return past
}

// lastOfBlocked returns the last writes that operations read which wait for ever.
func lastOfBlocked(x *exploration, d *demand) []final {
	out := slices.Clone(d.finals)
	for _, r := range d.last {
		for _, rd := range x.g.op(r).reads {
			if !rd.pool && machine.IsMemory(x.run.cells.address(rd.cell)) {
				out = append(out, final{rd.cell, rd.from})
			}
		}
	}
	return out
}

// newSC returns what answers the questions about SC.
func newSC(x *exploration) *order { return &order{model: memory.SC, work: &x.spent} }
