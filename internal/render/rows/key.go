package rows

import (
	"fencepost/internal/render/relation"
	"fencepost/verdict"
)

// keySteps says which steps are always shown: the failure, the delayed store, the access
// that overtook it, the step in which the store reached memory, and the accesses of the
// cycle in happens-before.
func keySteps(e *verdict.Execution) []bool {
	w := e.Witness
	key := make([]bool, len(w.Steps))
	mark := func(i int) {
		if i >= 0 && i < len(key) {
			key[i] = true
		}
	}
	for i := range w.Steps {
		if w.Steps[i].Kind == verdict.StepFail {
			mark(i)
		}
	}
	if store, past, ok := relation.Delayed(e); ok {
		mark(store)
		mark(past)
		for i := range w.Steps {
			if w.Steps[i].Kind == verdict.StepFlush && w.Steps[i].Of == store {
				mark(i)
			}
		}
	}
	if t := e.Triangle; t != nil {
		mark(t.StoreStep)
		mark(t.LoadStep)
		mark(len(w.Steps) - 1)
	}
	if e.Attack == nil && e.Cause == nil {
		return key
	}
	hb := relation.Of(e)
	for _, c := range hb.Cycle {
		if c.From < len(hb.Nodes) {
			mark(hb.Nodes[c.From].Step)
		}
	}
	return key
}

// sharedBytes returns for each byte that the witness accesses whether several threads access it.
func sharedBytes(w *verdict.Witness) map[uint64]bool {
	shared, by := map[uint64]bool{}, map[uint64]int{}
	note := func(thread int, addr uint64, size int) {
		for b := addr; b < addr+uint64(max(1, size)); b++ {
			if first, ok := by[b]; !ok {
				by[b] = thread
			} else if first != thread {
				shared[b] = true
			}
		}
	}
	for i := range w.Steps {
		s := &w.Steps[i]
		if s.IsAccess() {
			note(s.Thread, s.Addr, s.Size)
		}
		for _, a := range s.Accesses {
			note(s.Thread, a.Addr, a.Size)
		}
	}
	return shared
}
