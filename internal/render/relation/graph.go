package relation

import (
	"sort"

	"fencepost/internal/digraph"
	"fencepost/verdict"
)

// accessGraph has the steps of a witness as nodes and their order as edges.
type accessGraph struct {
	w    *verdict.Witness
	succ [][]int
	pred [][]int
	comp []int32 // strongly connected component of each step
}

func newAccessGraph(w *verdict.Witness) *accessGraph {
	n := len(w.Steps)
	g := &accessGraph{w: w, succ: make([][]int, n), pred: make([][]int, n)}
	last := make(map[int]int) // by thread: 1 + its newest step
	for i, s := range w.Steps {
		if s.Kind == verdict.StepFlush {
			continue // belongs to the store that made the entry
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
	reached := reachedAt(g.w)
	writes := make(map[uint64][]int) // by byte: the steps that wrote it, in memory's order
	for i, s := range g.w.Steps {
		if s.Kind == verdict.StepStore || s.Kind == verdict.StepRMW && s.Wrote {
			eachByte(s, func(b uint64) { writes[b] = append(writes[b], i) })
		}
	}
	for _, list := range writes {
		sort.SliceStable(list, func(i, j int) bool { return reached[list[i]] < reached[list[j]] })
		for i, from := range list {
			g.edgesToNext(from, list[i+1:], reached)
		}
	}
	for i, s := range g.w.Steps {
		if s.Kind != verdict.StepLoad && s.Kind != verdict.StepRMW {
			continue
		}
		eachByte(s, func(b uint64) {
			at, from := i, s.ReadsFrom(int(b-s.Addr))
			if from > 0 && from <= i {
				at = reached[from-1] // the store after its own store in memory overwrites a forwarded value
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

// edgesToNext orders step from before the next write to memory: the first one that
// reached memory, or, if none did, all those still in buffers, without an order.
func (g *accessGraph) edgesToNext(from int, following []int, reached []int) {
	end := len(g.w.Steps)
	for _, to := range following {
		onTheWay := reached[to] == end
		if onTheWay && reached[from] == end && g.w.Steps[from].Kind == verdict.StepStore {
			continue
		}
		g.edge(from, to)
		if !onTheWay {
			return
		}
	}
}

// eachByte calls visit with the address of every byte that s accesses.
func eachByte(s verdict.Step, visit func(uint64)) {
	for b := range uint64(max(1, s.Size)) {
		visit(s.Addr + b)
	}
}

// components finds the strongly connected components.
func (g *accessGraph) components() {
	g.comp, _ = digraph.Components(len(g.succ), func(v, i int) (int, bool) {
		if i == len(g.succ[v]) {
			return 0, false
		}
		return g.succ[v][i], true
	})
}
