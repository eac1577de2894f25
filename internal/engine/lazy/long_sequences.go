package lazy

import (
	"fencepost/internal/engine"
	"fencepost/internal/ir"
	"fencepost/internal/memory"
	"fencepost/verdict"
)

// Longer sequences. A witness of robustness is as short as possible, and its sequence has few
// stores. A goal may need many stores in the buffer at once, such as those of two rounds of a loop.
// In practical mode an extension along any sequence is sound. So if the witnesses have no new
// sequences, sequences with more rounds of loops are tried: from the store on the thread runs
// alone, and takes the load of the attack only when it would otherwise be in the same state for the
// fourth time.

const (
	maxLong  = 4000 // instructions of a sequence
	maxSame  = 3    // how often the thread may be in the same state
	maxTries = 40000
)

// longVariant finds a longer sequence from the store to the load of a witness.
func longVariant(p *ir.Program, v *engine.Violation, s sequence) (sequence, bool) {
	w := &runner{y: memory.New(p, memory.TSO, memory.Options{Attacks: true}), t: int(s.thread), load: v.Load, seen: map[string]int{}}
	w.s = w.y.NewState()
	w.s.Record = true
	for i := range s.from {
		st := &v.Witness.Steps[i]
		if st.Kind != verdict.StepFlush && !w.step(st.Thread, ir.EdgeID(st.Edge), st.Choice) {
			return sequence{}, false
		}
	}
	w.s.Attack(w.t)
	store := &v.Witness.Steps[s.from]
	if !w.step(w.t, ir.EdgeID(store.Edge), store.Choice) {
		return sequence{}, false
	}
	w.edges = []ir.EdgeID{ir.EdgeID(store.Edge)}
	if !w.run() || len(w.edges) <= len(s.edges) {
		return sequence{}, false
	}
	return sequence{thread: s.thread, edges: w.edges}, true
}

// runner runs one thread.
type runner struct {
	y     *memory.System
	s     *memory.State
	t     int
	load  ir.EdgeID
	seen  map[string]int
	edges []ir.EdgeID
	tries int
}

// step takes a step along an edge.
func (w *runner) step(t int, edge ir.EdgeID, choice int64) bool {
	for _, st := range w.y.EnabledEdges(w.s, t, nil) {
		if w.y.EdgeOf(w.s, st).ID == edge && st.Choice == choice {
			w.y.Apply(w.s, st)
			_, failed := w.s.Fault()
			return !failed && !w.s.Over()
		}
	}
	return false
}

// run continues to the load, depth first, other edges before it. Every step is tried once.
func (w *runner) run() bool {
	w.tries++
	if w.tries > maxTries || len(w.edges) > maxLong {
		return false
	}
	key := string(w.y.Codec().EncodeThread(w.s, w.t, nil))
	if w.seen[key] >= maxSame {
		return false
	}
	w.seen[key]++
	steps := w.y.EnabledEdges(w.s, w.t, nil)
	for _, last := range []bool{false, true} {
		for _, st := range steps {
			e := w.y.EdgeOf(w.s, st)
			if (e.ID == w.load) != last || e.Op.MustDrain() {
				continue
			}
			mark := w.s.Mark()
			w.y.Apply(w.s, st)
			_, failed := w.s.Fault()
			w.edges = append(w.edges, e.ID)
			if !failed && !w.s.Over() && (last && !w.s.Event.AllForwarded() || !last && w.run()) {
				return true
			}
			w.edges = w.edges[:len(w.edges)-1]
			w.s.Undo(mark)
		}
	}
	return false
}
