package verdict

import "sort"

// Which of the reorderings of a witness explains it?
//
// The accesses of a witness are the nodes of a graph: program order, the order
// in which stores reached memory, and from every read to the stores on either
// side of it. If the graph has no cycle, its accesses can be put in a sequence
// that keeps program order, and the delays were an accident of the search. If it
// has one, some reordered pair lies on it: from the second access of the
// pair a path leads back to the first [AAAJLS15 §3]. That pair is what to show.
//
// Differs from the paper: an atomic section is not one node, and the order that
// locks, joins and signals give is left out, for a witness does not tell these
// from local steps. A missing cycle is therefore no proof of anything;
// Explanation.Cycle is only true where there is one.

// Explanation says what a reader of a witness should look at first.
type Explanation struct {
	Found   bool // some pair was reordered
	Reorder      // the one that matters most
	Cycle   bool // without the reordering the execution would be impossible
	// Signals: a store was in the buffer while its thread did something that other
	// threads can see without memory, so that it may matter without a reordering.
	Signals bool
}

// Explain picks the reordering that matters most.
func (w *Witness) Explain() Explanation {
	pairs := append(w.Delays(), w.Swaps()...)
	g := newAccessGraph(w)
	g.components()
	best, bestScore := Reorder{}, -1
	for _, p := range pairs {
		if score := g.score(p); score > bestScore {
			best, bestScore = p, score
		}
	}
	if bestScore < onCycle {
		// A forwarded load is early, too, and that matters if its value is
		// overwritten in memory before the other store gets there. It is rare, and
		// nobody wants to hear of such a pair otherwise.
		for _, p := range w.pendingAt(func(s Step) bool { return !s.ReadsMemory() }) {
			if score := g.score(p); score >= onCycle && score > bestScore {
				best, bestScore = p, score
			}
		}
	}
	if bestScore < 0 {
		return Explanation{Signals: w.signalsWhileBuffered()}
	}
	return Explanation{Found: true, Reorder: best, Cycle: bestScore >= onCycle}
}

func (w *Witness) signalsWhileBuffered() bool {
	pending := w.Buffers()
	for i, s := range w.Steps {
		visible := s.Kind == StepWake || s.Signals
		if visible && w.hasThread(s) && len(pending[i][s.Thread]) > 0 {
			return true
		}
	}
	return false
}

type accessGraph struct {
	w     *Witness
	succ  [][]int
	pred  [][]int
	comp  []int // strongly connected component of each step
	comps int
}

func newAccessGraph(w *Witness) *accessGraph {
	n := len(w.Steps)
	g := &accessGraph{w: w, succ: make([][]int, n), pred: make([][]int, n), comp: make([]int, n)}
	last := make(map[int]int) // by thread: 1 + its newest step
	for i, s := range w.Steps {
		if s.Kind == StepFlush {
			continue // part of the store that made the entry
		}
		if p := last[s.Thread]; p > 0 {
			g.edge(p-1, i)
		}
		last[s.Thread] = i + 1
	}
	g.memoryEdges()
	return g
}

func (g *accessGraph) edge(from, to int) {
	if from != to {
		g.succ[from] = append(g.succ[from], to)
		g.pred[to] = append(g.pred[to], from)
	}
}

// memoryEdges adds the order of the stores to each byte and of the reads among them.
func (g *accessGraph) memoryEdges() {
	reached := g.w.reached()
	writes := make(map[uint64][]int) // by byte: the steps that wrote it, in memory's order
	for i, s := range g.w.Steps {
		if s.Kind == StepStore || s.Kind == StepRMW && s.Wrote {
			s.eachByte(func(b uint64) { writes[b] = append(writes[b], i) })
		}
	}
	for _, list := range writes {
		sort.SliceStable(list, func(i, j int) bool { return reached[list[i]] < reached[list[j]] })
		for i, from := range list {
			g.edgesToNext(from, list[i+1:], reached)
		}
	}
	for i, s := range g.w.Steps {
		if s.Kind != StepLoad && s.Kind != StepRMW {
			continue
		}
		s.eachByte(func(b uint64) {
			at, from := i, s.ReadsFrom(int(b-s.Addr))
			if from > 0 && from <= i {
				at = reached[from-1] // a forwarded value is overwritten by what follows its store in memory
			}
			list := writes[b]
			next := sort.Search(len(list), func(k int) bool { return reached[list[k]] > at })
			if from == 0 {
				for k := next - 1; k >= 0; k-- {
					if list[k] != i {
						g.edge(list[k], i)
						break
					}
				}
			}
			g.edgesToNext(i, list[next:], reached)
		})
	}
}

// edgesToNext orders step from before the next of the writes that follow it in
// memory: one that got there, or else all that were on the way, in no order.
func (g *accessGraph) edgesToNext(from int, following []int, reached []int) {
	end := len(g.w.Steps)
	for _, to := range following {
		onTheWay := reached[to] == end
		if onTheWay && reached[from] == end && g.w.Steps[from].Kind == StepStore {
			continue
		}
		g.edge(from, to)
		if !onTheWay {
			return
		}
	}
}

func (s Step) eachByte(visit func(uint64)) {
	for b := range uint64(max(1, s.Size)) {
		visit(s.Addr + b)
	}
}

// components finds the strongly connected components (Tarjan), by hand-kept
// stack: witnesses can be long.
func (g *accessGraph) components() {
	n := len(g.succ)
	index, low := make([]int, n), make([]int, n)
	onStack := make([]bool, n)
	type frame struct{ node, next int }
	var stack []int
	count := 0
	for root := range n {
		if index[root] != 0 {
			continue
		}
		frames := []frame{{node: root}}
		for len(frames) > 0 {
			f := &frames[len(frames)-1]
			v := f.node
			if f.next == 0 {
				count++
				index[v], low[v], onStack[v] = count, count, true
				stack = append(stack, v)
			}
			if f.next < len(g.succ[v]) {
				to := g.succ[v][f.next]
				f.next++
				if index[to] == 0 {
					frames = append(frames, frame{node: to})
				} else if onStack[to] {
					low[v] = min(low[v], index[to])
				}
				continue
			}
			if low[v] == index[v] {
				g.comps++
				for done := false; !done; {
					top := stack[len(stack)-1]
					stack = stack[:len(stack)-1]
					onStack[top] = false
					g.comp[top] = g.comps
					done = top == v
				}
			}
			frames = frames[:len(frames)-1]
			if len(frames) > 0 {
				parent := frames[len(frames)-1].node
				low[parent] = min(low[parent], low[v])
			}
		}
	}
}

// onCycle is the least score of a pair that lies on a cycle.
const onCycle = 1

// score ranks a pair: off any cycle 0, on one more, and most where the cycle
// leaves the thread right at the second access and comes back right at the first.
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
