package digraph_test

import (
	"math/rand/v2"
	"testing"

	"fencepost/internal/digraph"
)

// TestComponents: two nodes have one component exactly if each reaches the other, and a component has a larger number
// than the components that it reaches, on random graphs.
func TestComponents(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 2000 {
		n := 1 + r.IntN(9)
		arcs := make([][]int, n)
		reaches := make([][]bool, n)
		for v := range n {
			reaches[v] = make([]bool, n)
			reaches[v][v] = true
		}
		for range r.IntN(2 * n) {
			v, to := r.IntN(n), r.IntN(n)
			if r.IntN(5) == 0 {
				arcs[v] = append(arcs[v], digraph.Skip)
				continue
			}
			arcs[v] = append(arcs[v], to)
			reaches[v][to] = true
		}
		for k := range n {
			for v := range n {
				for w := range n {
					reaches[v][w] = reaches[v][w] || reaches[v][k] && reaches[k][w]
				}
			}
		}
		arc := func(v, i int) (int, bool) {
			if i == len(arcs[v]) {
				return 0, false
			}
			return arcs[v][i], true
		}
		of, count := digraph.Components(n, arc)
		for v := range n {
			if of[v] < 0 || int(of[v]) >= count {
				t.Fatalf("%v: node %d has component %d of %d", arcs, v, of[v], count)
			}
			for w := range n {
				if same := of[v] == of[w]; same != (reaches[v][w] && reaches[w][v]) || reaches[v][w] && of[v] < of[w] {
					t.Fatalf("%v: nodes %d and %d have components %d and %d", arcs, v, w, of[v], of[w])
				}
			}
		}
	}
}

// TestSearchFrom: a search reaches what its root reaches, and can be restarted on nodes that no other one reaches.
func TestSearchFrom(t *testing.T) {
	next := []int{1, 0, 3, 3} // 0 <-> 1, 2 -> 3 -> 3
	s := digraph.NewSearch(len(next), func(v, i int) (int, bool) { return next[v], i == 0 })
	s.From(2)
	if s.Count != 2 || s.Component[0] != -1 || s.Component[2] != 1 || s.Component[3] != 0 {
		t.Errorf("from 2: %v", s.Component)
	}
	s.Restart()
	s.Forget(0)
	s.Forget(1)
	s.From(1)
	if s.Count != 1 || s.Component[0] != 0 || s.Component[1] != 0 {
		t.Errorf("from 1 after a restart: %v", s.Component)
	}
}
