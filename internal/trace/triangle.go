package trace

import (
	"fmt"
	"slices"

	"fencepost/internal/ir"
	"fencepost/verdict"
)

// Triangular races and attacks in a witness. The check does not use the engines that
// find them, so that a wrong answer of an engine is not reported.

// Triangle returns nil if the last step of an SC execution completes a triangular race
// [O10]: one thread runs alone from the store to the load and does not drain its buffer.
// Then a step of another thread, or the atomic section that contains the step, writes
// what the load read. Otherwise the error says what is wrong.
func Triangle(flat *ir.Program, w *verdict.Witness, store, load int) error {
	last := len(w.Steps) - 1
	if store < 0 || store >= load || load >= last {
		return fmt.Errorf("store, load and write are not in order: steps %d, %d, %d", store, load, last)
	}
	ops := opsByEdge(flat)
	thread, other := w.Steps[store].Thread, w.Steps[last].Thread
	if w.Steps[store].Kind != verdict.StepStore || other == thread {
		return fmt.Errorf("step %d is not a store, or step %d belongs to the same thread", store, last)
	}
	for i := store + 1; i <= load; i++ {
		op := ops[ir.EdgeID(w.Steps[i].Edge)]
		if w.Steps[i].Thread != thread || op == nil {
			return fmt.Errorf("step %d does not belong to the thread of the store", i)
		}
		if op.MustDrain() && op.Mutex.Kind != ir.RecursiveMutex {
			return fmt.Errorf("step %d drains the store buffer", i)
		}
	}
	for i := load + 1; i <= last; i++ {
		if w.Steps[i].Thread != other {
			return fmt.Errorf("step %d comes between the load and the write", i)
		}
	}
	var stored []verdict.Access
	for i := store; i < load; i++ {
		if w.Steps[i].Kind == verdict.StepStore {
			stored = append(stored, accesses(&w.Steps[i])...)
		}
	}
	read := notStored(accesses(&w.Steps[load]), stored)
	if len(read) == 0 {
		return fmt.Errorf("the load reads only what its thread has stored since step %d", store)
	}
	if !overlap(accesses(&w.Steps[last]), read, true) {
		return fmt.Errorf("the last step does not write what was read")
	}
	return nil
}

// notStored returns the bytes of read that are not in stored, one access per byte.
func notStored(read, stored []verdict.Access) []verdict.Access {
	var out []verdict.Access
	for _, r := range read {
		for k := range r.Size {
			one := verdict.Access{Addr: r.Addr + uint64(k), Size: 1, Wrote: r.Wrote}
			if !overlap([]verdict.Access{one}, stored, false) {
				out = append(out, one)
			}
		}
	}
	return out
}

// accesses returns the bytes that a step reads and writes.
func accesses(st *verdict.Step) []verdict.Access {
	list := slices.Clone(st.Accesses)
	switch st.Kind {
	case verdict.StepLoad:
		list = append(list, verdict.Access{Addr: st.Addr, Size: st.Size})
	case verdict.StepStore:
		if !st.Free {
			list = append(list, verdict.Access{Addr: st.Addr, Size: st.Size, Wrote: true})
		}
	case verdict.StepRMW:
		list = append(list, verdict.Access{Addr: st.Addr, Size: st.Size, Wrote: st.Wrote})
	}
	return list
}

// overlap reports whether two lists have a byte in common. If writes is set, one of the
// two accesses to the byte must be a write.
func overlap(a, b []verdict.Access, writes bool) bool {
	for _, x := range a {
		for _, y := range b {
			if (x.Addr-y.Addr < uint64(y.Size) || y.Addr-x.Addr < uint64(x.Size)) && (!writes || x.Wrote || y.Wrote) {
				return true
			}
		}
	}
	return false
}

// opsByEdge returns the operations of a program by the ids of their edges.
func opsByEdge(flat *ir.Program) map[ir.EdgeID]*ir.Op {
	ops := map[ir.EdgeID]*ir.Op{}
	for _, f := range flat.Funcs {
		for i := range f.Edges {
			ops[f.Edges[i].ID] = &f.Edges[i].Op
		}
	}
	return ops
}

// Delayed returns the two steps of an attack: a store s, and a later load l of the same
// thread before which the store did not reach memory. If the engine knows the steps, they
// are storeStep and loadStep; otherwise both are 0. With loops there may be several
// candidates. The last load closes the cycle, since the thread does nothing after it. The
// delayed store is the first one that is still in the buffer then.
func Delayed(w *verdict.Witness, store, load ir.EdgeID, storeStep, loadStep int) (s, l int, ok bool) {
	reached := map[int]int{}
	for i := range w.Steps {
		if st := &w.Steps[i]; st.Kind == verdict.StepFlush {
			reached[st.Of] = i
		}
	}
	is := func(s, l int) bool {
		st, ld := &w.Steps[s], &w.Steps[l]
		at, flushed := reached[s]
		if l, arrives := reached[l]; ld.Kind == verdict.StepStore && ld.Buffered && (!arrives || flushed && at < l) {
			return false
		}
		return st.Edge == int(store) && ld.Edge == int(load) && st.Kind == verdict.StepStore && st.Thread == ld.Thread && (at > l || !flushed && st.Buffered)
	}
	if storeStep < loadStep && loadStep < len(w.Steps) {
		return storeStep, loadStep, is(storeStep, loadStep)
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
