package analysis

import "fencepost/internal/ir"

// Dominators and postdominators. Location a dominates b if every path from the entry to b
// passes a; a postdominates b if every path from b to the end of the thread passes a. Both
// are the dominators of a graph, the second one of the graph with all edges reversed and one
// end added. Immediate dominators are computed by iteration in reverse postorder (Cooper,
// Harvey and Kennedy, A Simple, Fast Dominance Algorithm).

// DomTree holds the immediate dominators of an automaton.
type DomTree struct {
	idom  []int32 // by location; -1 where the entry does not lead
	entry int32
}

// Dominators computes the dominators of f.
func Dominators(f *ir.Func) *DomTree {
	if len(f.Locs) == 0 {
		return &DomTree{}
	}
	g := newGraph(len(f.Locs))
	for i := range f.Edges {
		if e := &f.Edges[i]; !e.Op.Terminal() {
			g.add(int32(e.From), int32(e.To))
		}
	}
	return &DomTree{idom: g.dominators(int32(f.Entry)), entry: int32(f.Entry)}
}

// Reachable reports whether the entry leads to l.
func (d *DomTree) Reachable(l ir.Loc) bool { return d.idom[l] >= 0 }

// Dominates reports whether the entry leads to b and every path from the entry to b passes a.
func (d *DomTree) Dominates(a, b ir.Loc) bool {
	at := int32(b)
	if d.idom[at] < 0 {
		return false
	}
	for at != int32(a) && at != d.entry {
		at = d.idom[at]
	}
	return at == int32(a)
}

// Postdominators returns, by location, the nearest other location that every path to the end
// of the thread passes. It is -1 where the paths have only the end in common, and where the
// end cannot be reached.
func Postdominators(f *ir.Func) []ir.Loc {
	end := int32(len(f.Locs))
	g := newGraph(len(f.Locs) + 1)
	for i := range f.Edges {
		if e := &f.Edges[i]; e.Op.Terminal() {
			g.add(end, int32(e.From))
		} else {
			g.add(int32(e.To), int32(e.From))
		}
	}
	for l := range f.Locs {
		if f.Ends(ir.Loc(l)) {
			g.add(end, int32(l))
		}
	}
	idom := g.dominators(end)
	out := make([]ir.Loc, len(f.Locs))
	for l := range out {
		if out[l] = ir.Loc(idom[l]); idom[l] == end {
			out[l] = -1
		}
	}
	return out
}

// graph is a directed graph of numbered nodes.
type graph struct{ succ, pred [][]int32 }

func newGraph(n int) *graph { return &graph{make([][]int32, n), make([][]int32, n)} }

func (g *graph) add(from, to int32) {
	g.succ[from] = append(g.succ[from], to)
	g.pred[to] = append(g.pred[to], from)
}

// dominators returns the immediate dominator of every node that root leads to, -1 for the
// others. The root is its own immediate dominator.
func (g *graph) dominators(root int32) []int32 {
	idom := make([]int32, len(g.succ))
	for i := range idom {
		idom[i] = -1
	}
	post := g.postorder(root)
	number := make([]int32, len(g.succ))
	for i, n := range post {
		number[n] = int32(i)
	}
	// meet returns the nearest common dominator of a and b.
	meet := func(a, b int32) int32 {
		for a != b {
			for number[a] < number[b] {
				a = idom[a]
			}
			for number[b] < number[a] {
				b = idom[b]
			}
		}
		return a
	}
	idom[root] = root
	for changed := true; changed; {
		changed = false
		for i := len(post) - 2; i >= 0; i-- { // the root is last
			n := post[i]
			best := int32(-1)
			for _, from := range g.pred[n] {
				switch {
				case idom[from] < 0:
				case best < 0:
					best = from
				default:
					best = meet(best, from)
				}
			}
			if idom[n] != best {
				idom[n], changed = best, true
			}
		}
	}
	return idom
}

// postorder lists the nodes that root leads to, each after its successors of the search tree.
func (g *graph) postorder(root int32) []int32 {
	type frame struct {
		node int32
		next int
	}
	var order []int32
	seen := make([]bool, len(g.succ))
	seen[root] = true
	for stack := []frame{{node: root}}; len(stack) > 0; {
		top := &stack[len(stack)-1]
		succ := g.succ[top.node]
		if top.next == len(succ) {
			order = append(order, top.node)
			stack = stack[:len(stack)-1]
			continue
		}
		to := succ[top.next]
		top.next++
		if !seen[to] {
			seen[to] = true
			stack = append(stack, frame{node: to})
		}
	}
	return order
}
