package relation

import "fencepost/verdict"

// The decisive reordering of a witness.
//
// The accesses of a witness are the nodes of a graph, with edges for program order, for
// the order in which stores reached memory, and between each read and the stores before
// and after it. If the graph has no cycle, the accesses have a sequence that keeps
// program order, and the delays were an accident of the search. If it has a cycle, some
// reordered pair lies on it: from the second access of the pair a path leads back to the
// first [AAAJLS15 §3]. A reader should see that pair.
//
// Differs from the paper: an atomic section is not one node, and the order that locks,
// joins and signals give is left out, because a witness does not tell them from local
// steps. A missing cycle is therefore no proof; Decisive.Cycle is true only where there
// is a cycle.

// Decisive is the reordering that a reader of a witness should see first.
type Decisive struct {
	Found   bool // some pair was reordered
	Reorder      // the pair that matters most
	Cycle   bool // without the reordering the execution would be impossible
	// Signals: a store was in the buffer while its thread did something that other
	// threads can see without memory, so that it may matter without a reordering.
	Signals bool
}

// DecisiveOf returns the reordering that matters most.
func DecisiveOf(w *verdict.Witness) Decisive {
	pairs := append(Delays(w), Swaps(w)...)
	g := newAccessGraph(w)
	g.components()
	best, bestScore := Reorder{}, -1
	for _, p := range pairs {
		if score := g.score(p); score > bestScore {
			best, bestScore = p, score
		}
	}
	if bestScore < onCycle {
		// A forwarded load is early, too. That matters only in the rare case that its
		// value is overwritten in memory before the other store gets there.
		for _, p := range pendingAt(w, func(s verdict.Step) bool { return !s.ReadsMemory() }) {
			if score := g.score(p); score >= onCycle && score > bestScore {
				best, bestScore = p, score
			}
		}
	}
	if bestScore < 0 {
		return Decisive{Signals: signalsWhileBuffered(w)}
	}
	return Decisive{Found: true, Reorder: best, Cycle: bestScore >= onCycle}
}

func signalsWhileBuffered(w *verdict.Witness) bool {
	found := false
	walkBuffers(w, func(i int, waiting [][]int) {
		s := w.Steps[i]
		visible := s.Kind == verdict.StepWake || s.Signals
		found = found || visible && hasThread(w, s) && len(waiting[s.Thread]) > 0
	})
	return found
}

// onCycle is the lowest score of a pair that lies on a cycle.
const onCycle = 1

// score ranks a pair: 0 if it lies on no cycle, more if it does, and most if the cycle
// leaves the thread at the second access and returns to it at the first.
func (g *accessGraph) score(p Reorder) int {
	if g.comp[p.First] != g.comp[p.Second] {
		return 0
	}
	score := onCycle
	if g.otherThread(p.Second, g.succ[p.Second]) {
		score++
	}
	if g.otherThread(p.First, g.pred[p.First]) {
		score++
	}
	return score
}

// otherThread reports whether one of a node's neighbours on the cycle belongs to
// another thread.
func (g *accessGraph) otherThread(node int, neighbours []int) bool {
	for _, n := range neighbours {
		if g.comp[n] == g.comp[node] && g.w.Steps[n].Thread != g.w.Steps[node].Thread {
			return true
		}
	}
	return false
}
