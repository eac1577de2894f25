package relation

import "fencepost/verdict"

func overlap(a, b verdict.Step) bool {
	return a.Addr < b.Addr+uint64(max(1, b.Size)) && b.Addr < a.Addr+uint64(max(1, a.Size))
}

// Reorder is a pair of accesses of one thread that other threads see against program
// order. The first access is a store. If the second is a load, the store was still
// buffered when the load got its value; if it is a store, it reached memory first (PSO).
type Reorder struct {
	First, Second int // indices of steps
}

// reachedAt returns for each step the index of the step at which its store reached memory,
// or len(w.Steps) if it never did. Steps that store nothing have zero.
func reachedAt(w *verdict.Witness) []int {
	at := make([]int, len(w.Steps))
	for i, s := range w.Steps {
		switch {
		case s.Kind == verdict.StepStore && s.Buffered:
			at[i] = len(w.Steps)
		case s.Kind == verdict.StepStore, s.Kind == verdict.StepRMW && s.Wrote:
			at[i] = i
		case s.Kind == verdict.StepFlush && s.Of >= 0 && s.Of < i:
			at[s.Of] = i
		}
	}
	return at
}

// Delays returns every pair of a store and a later load of its thread that read at least
// one byte from memory while the store was in the buffer, in the order of the loads.
func Delays(w *verdict.Witness) []Reorder {
	return pendingAt(w, func(s verdict.Step) bool { return s.ReadsMemory() })
}

// Reorders returns every reordered pair: delays of stores past loads, forwarded loads
// included, and swaps of stores.
func Reorders(w *verdict.Witness) []Reorder {
	return append(pendingAt(w, func(verdict.Step) bool { return true }), Swaps(w)...)
}

// pendingAt pairs each chosen load with the stores in its thread's buffer. A load that read
// nothing from memory is not paired with stores that it overlaps.
func pendingAt(w *verdict.Witness, chosen func(verdict.Step) bool) []Reorder {
	var all []Reorder
	walkBuffers(w, func(i int, waiting [][]int) {
		s := w.Steps[i]
		if s.Kind != verdict.StepLoad || !hasThread(w, s) || !chosen(s) {
			return
		}
		for _, store := range waiting[s.Thread] {
			if s.ReadsMemory() || !overlap(w.Steps[store], s) {
				all = append(all, Reorder{First: store, Second: i})
			}
		}
	})
	return all
}

// Swaps returns every pair of stores of one thread that reached memory against program
// order, in the order in which the later stores reached it.
func Swaps(w *verdict.Witness) []Reorder {
	var all []Reorder
	walkBuffers(w, func(i int, waiting [][]int) {
		s := w.Steps[i]
		if s.Kind != verdict.StepFlush || !hasThread(w, s) {
			return
		}
		for _, store := range waiting[s.Thread] {
			if store >= s.Of {
				break // oldest first
			}
			all = append(all, Reorder{First: store, Second: s.Of})
		}
	})
	return all
}
