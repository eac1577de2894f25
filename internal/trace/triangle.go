package trace

import (
	"fmt"
	"slices"

	"fencepost/internal/ir"
	"fencepost/verdict"
)

// Triangular races and attacks, found again in a witness. The engines that find them are not involved,
// so an engine that is wrong about one does not get its answer shown.

// Triangle checks that the last step of an SC execution closes a triangular race [O10]: one thread
// runs alone from the store to the load and does not drain its buffer, and then another thread's step,
// or the atomic section that the step is in, writes what the load read.
func Triangle(flat *ir.Program, w *verdict.Witness, store, load int) error {
	last := len(w.Steps) - 1
	if store < 0 || store >= load || load >= last {
		return fmt.Errorf("store, load and write are not in order: steps %d, %d, %d", store, load, last)
	}
	ops := opsByEdge(flat)
	thread, other := w.Steps[store].Thread, w.Steps[last].Thread
	if w.Steps[store].Kind != verdict.StepStore || other == thread {
		return fmt.Errorf("step %d is no store, or step %d no other thread's", store, last)
	}
	for i := store + 1; i <= load; i++ {
		op := ops[ir.EdgeID(w.Steps[i].Edge)]
		if w.Steps[i].Thread != thread || op == nil {
			return fmt.Errorf("step %d is not one of the thread that stores", i)
		}
		if op.MustDrain() && op.Mutex != ir.RecursiveMutex {
			return fmt.Errorf("step %d drains", i)
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
		return fmt.Errorf("the load reads only what its own thread has stored since step %d", store)
	}
	if !overlap(accesses(&w.Steps[last]), read, true) {
		return fmt.Errorf("the last step does not write what was read")
	}
	return nil
}

// notStored returns, byte by byte, what was read and not stored by the same thread.
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

// accesses returns what a step reads and writes.
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

// overlap reports whether two lists have a byte in common; with writes, a byte that one of them
// writes.
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

// opsByEdge returns the operations by their edges.
func opsByEdge(flat *ir.Program) map[ir.EdgeID]*ir.Op {
	ops := map[ir.EdgeID]*ir.Op{}
	for _, f := range flat.Funcs {
		for i := range f.Edges {
			ops[f.Edges[i].ID] = &f.Edges[i].Op
		}
	}
	return ops
}

// Delayed finds the steps of an attack: a load, and a store of its thread that was issued before the
// load and reached memory after it, if at all. The engine may say which steps these are: storeStep and
// loadStep, else both 0. With loops there may be several candidates. The cycle closes after the last
// load, after which the thread does nothing, and the first store that is still in the buffer then is
// the delayed one.
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
