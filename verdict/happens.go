package verdict

import "slices"

// The happens-before relation of a witness. Nodes are the accesses; program order
// (po) is drawn between neighbours, and accesses of different threads to the same
// bytes are ordered as memory saw them: stores one after the other (st), a
// read after the store it reads from (src) and before the store that overwrites
// what it read (cf) [AAAJLS15 §3].
//
// Differs from the paper: as for Explain, sections are not one node, and locks,
// joins and signals are left out. Attacks bring a relation that has them.

// Order is the happens-before relation of an execution. Cycle, if there is one,
// begins with the two accesses that were reordered; its program order edges may
// skip nodes.
type Order struct {
	Nodes []TraceNode
	Edges []TraceEdge
	Cycle []TraceEdge
}

// HappensBefore derives the relation from the steps.
func (w *Witness) HappensBefore() Order {
	var o Order
	node := make([]int, len(w.Steps)) // 1 + index of the node, 0: no access
	last := make([]int, len(w.Threads))
	for i, s := range w.Steps {
		if !w.hasThread(s) || !s.accesses() {
			continue
		}
		o.Nodes = append(o.Nodes, TraceNode{Thread: s.Thread, Text: w.Threads[s.Thread] + " " + s.access(), Step: i})
		node[i] = len(o.Nodes)
		if p := last[s.Thread]; p > 0 {
			o.Edges = append(o.Edges, TraceEdge{From: p - 1, To: node[i] - 1, Kind: "po"})
		}
		last[s.Thread] = node[i]
	}
	g := &accessGraph{w: w, succ: make([][]int, len(w.Steps)), pred: make([][]int, len(w.Steps))}
	g.memoryEdges()
	for from, list := range g.succ {
		slices.Sort(list)
		for _, to := range slices.Compact(list) {
			inOrder := w.Steps[from].Thread == w.Steps[to].Thread && from < to
			if node[from] > 0 && node[to] > 0 && !inOrder { // program order says it already
				o.Edges = append(o.Edges, TraceEdge{From: node[from] - 1, To: node[to] - 1, Kind: memoryKind(w.Steps[from], w.Steps[to])})
			}
		}
	}
	if e := w.Explain(); e.Cycle {
		o.closeCycle(node[e.First]-1, node[e.Second]-1)
	}
	return o
}

func (s Step) accesses() bool {
	return s.Kind == StepLoad || s.Kind == StepStore || s.Kind == StepRMW
}

// access is the step's part of a node's name, as attacks have it.
func (s Step) access() string {
	switch s.Kind {
	case StepLoad:
		return "ld " + s.Cell()
	case StepStore:
		return "st " + s.Cell()
	default:
		return "rmw " + s.Cell()
	}
}

// memoryKind names an edge between two accesses to the same bytes.
func memoryKind(from, to Step) string {
	writes := from.Kind == StepStore || from.Wrote
	switch {
	case !writes:
		return "cf"
	case to.Kind == StepStore:
		return "st"
	default:
		return "src"
	}
}

// closeCycle puts together the cycle that leads from first to second by program
// order and back on a shortest way.
func (o *Order) closeCycle(first, second int) {
	succ := make([][]TraceEdge, len(o.Nodes))
	for _, e := range o.Edges {
		succ[e.From] = append(succ[e.From], e)
	}
	by := make([]*TraceEdge, len(o.Nodes))
	queue := []int{second}
	for len(queue) > 0 && by[first] == nil {
		n := queue[0]
		queue = queue[1:]
		for i := range succ[n] {
			if e := &succ[n][i]; e.To != second && by[e.To] == nil {
				by[e.To] = e
				queue = append(queue, e.To)
			}
		}
	}
	if by[first] == nil {
		return
	}
	for at := first; at != second; at = by[at].From {
		o.Cycle = append(o.Cycle, *by[at])
	}
	o.Cycle = append(o.Cycle, TraceEdge{From: first, To: second, Kind: "po"})
	slices.Reverse(o.Cycle)
}
