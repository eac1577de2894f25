package lazy

import (
	"fmt"

	"fencepost/internal/engine"
	"fencepost/internal/ir"
	"fencepost/verdict"
)

// sequence is an answer of the oracle: instructions of one thread from a store to a load
// [BCDM15 §3, §4].
type sequence struct {
	thread ir.ThreadID
	edges  []ir.EdgeID
	from   int // step of the witness at which the store is issued
}

// sequenceOf returns the sequence of a witness [BCDM15 Fig. 5]: the instructions of the thread from
// the first delayed store to the last load that it is delayed past.
func sequenceOf(v *engine.Violation) (sequence, error) {
	w := v.Witness
	reached := map[int]int{}
	for i := range w.Steps {
		if st := &w.Steps[i]; st.Kind == verdict.StepFlush {
			reached[st.Of] = i
		}
	}
	// A store that does not reach memory in the witness, because the witness ends inside a section
	// of another thread, is delayed past every load after it.
	delayed := func(s, l int) bool {
		at, arrives := reached[s]
		return at > l || !arrives && w.Steps[s].Buffered
	}
	for l := len(w.Steps) - 1; l >= 0; l-- {
		if w.Steps[l].Edge != int(v.Load) {
			continue
		}
		for s := range l {
			if st := &w.Steps[s]; st.Edge == int(v.Edge) && st.Thread == w.Steps[l].Thread && delayed(s, l) {
				return between(w, s, l), nil
			}
		}
	}
	return sequence{}, fmt.Errorf("the oracle's witness does not delay the store at edge %d past the load at edge %d", v.Edge, v.Load)
}

func between(w *verdict.Witness, store, load int) sequence {
	s := sequence{thread: ir.ThreadID(w.Steps[store].Thread), from: store}
	for i := store; i <= load; i++ {
		if st := &w.Steps[i]; st.Thread == int(s.thread) && st.Kind != verdict.StepFlush {
			s.edges = append(s.edges, ir.EdgeID(st.Edge))
		}
	}
	return s
}
