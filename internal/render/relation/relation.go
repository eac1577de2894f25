package relation

import (
	"slices"

	"fencepost/verdict"
)

// The happens-before relation of a witness. Its nodes are the accesses. Program order (po)
// has edges between neighbours only. Accesses of different threads to the same bytes are
// ordered as memory saw them: store order (st), from a store to the read that reads from
// it (src), and from a read to the store that overwrites the value it read (cf)
// [AAAJLS15 §3].
//
// Differs from the paper: as in decisive.go, atomic sections are not one node, and locks,
// joins and signals are left out. The relation of an attack has them.

// Names says by which names relations are drawn. The zero value is herd's.
type Names uint8

// The names.
const (
	HerdNames  Names = iota // rf, co, fr, as herd and the kernel's papers write them
	PaperNames              // src, st, cf, as [BDM13] and our text and JSON write them
)

// Of returns the name of a kind of edge. A src edge is rf, an st edge is co, and a cf edge is fr; po and sy are
// the same. The source of a cf edge may also write, such as a read-modify-write: then the edge is in co as well.
func (n Names) Of(kind string) string {
	if n == PaperNames {
		return kind
	}
	switch kind {
	case "src":
		return "rf"
	case "st":
		return "co"
	case "cf":
		return "fr"
	default:
		return kind
	}
}

// HappensBefore is the happens-before relation of an execution. Cycle is empty if the
// relation has none; it begins with the two accesses that were reordered, and its program
// order edges may skip nodes.
type HappensBefore struct {
	Nodes []verdict.TraceNode
	Edges []verdict.TraceEdge
	Cycle []verdict.TraceEdge
}

// Of returns the relation of an execution: the one that an attack or a cause brings,
// which knows more, or else the one that the steps imply.
func Of(e *verdict.Execution) HappensBefore {
	switch {
	case e.Attack != nil && len(e.Attack.Nodes) > 0:
		return HappensBefore{Nodes: e.Attack.Nodes, Edges: e.Attack.Edges, Cycle: e.Attack.Cycle}
	case e.Cause != nil && len(e.Cause.Nodes) > 0:
		return HappensBefore{Nodes: e.Cause.Nodes, Edges: e.Cause.Edges, Cycle: e.Cause.Cycle}
	default:
		return FromSteps(e.Witness)
	}
}

// OfTrace returns an execution with a trace. Its relation is the one of the trace.
func OfTrace(t *verdict.Trace) verdict.Execution {
	e := verdict.Execution{Name: t.Name(), Verdict: verdict.Observed, Witness: t.Witness}
	if e.Witness == nil {
		e.Witness = &verdict.Witness{}
	}
	if len(t.Cycle) > 0 {
		e.Reason = "not possible under sequential consistency"
	}
	e.Cause = &verdict.Cause{Kind: verdict.CauseBuffered, Nodes: t.Nodes, Edges: t.Edges, Cycle: t.Cycle}
	return e
}

// Delayed returns the step whose store was delayed and the step of the access that overtook
// it, or false if no store was.
func Delayed(e *verdict.Execution) (store, past int, ok bool) {
	switch {
	case e.Attack != nil:
		return e.Attack.StoreStep, e.Attack.LoadStep, true
	case e.Cause != nil:
		return e.Cause.First, e.Cause.Second, e.Cause.Kind == verdict.CauseDelay || e.Cause.Kind == verdict.CauseSwap
	default:
		d := DecisiveOf(e.Witness)
		return d.First, d.Second, d.Found
	}
}

// FromSteps derives the relation from the steps of a witness.
func FromSteps(w *verdict.Witness) HappensBefore {
	if w.Graph != nil {
		return FromGraph(w, nil)
	}
	var o HappensBefore
	node := make([]int, len(w.Steps)) // 1 + index of the node, 0: no access
	last := make([]int, len(w.Threads))
	for i, s := range w.Steps {
		if !hasThread(w, s) || !s.IsAccess() {
			continue
		}
		o.Nodes = append(o.Nodes, verdict.TraceNode{Thread: s.Thread, Text: w.Threads[s.Thread] + " " + accessText(s), Step: i})
		node[i] = len(o.Nodes)
		if p := last[s.Thread]; p > 0 {
			o.Edges = append(o.Edges, verdict.TraceEdge{From: p - 1, To: node[i] - 1, Kind: "po"})
		}
		last[s.Thread] = node[i]
	}
	g := &accessGraph{w: w, succ: make([][]int, len(w.Steps)), pred: make([][]int, len(w.Steps))}
	g.memoryEdges()
	for from, list := range g.succ {
		slices.Sort(list)
		for _, to := range slices.Compact(list) {
			inOrder := w.Steps[from].Thread == w.Steps[to].Thread && from < to
			if node[from] > 0 && node[to] > 0 && !inOrder { // else it is in program order
				o.Edges = append(o.Edges, verdict.TraceEdge{From: node[from] - 1, To: node[to] - 1, Kind: memoryKind(w.Steps[from], w.Steps[to])})
			}
		}
	}
	if e := DecisiveOf(w); e.Cycle {
		o.closeCycle(node[e.First]-1, node[e.Second]-1)
	}
	return o
}

// accessText returns the step's part of a node's name, in the form that attacks use.
func accessText(s verdict.Step) string {
	switch s.Kind {
	case verdict.StepLoad:
		return "ld " + s.Cell()
	case verdict.StepStore:
		return "st " + s.Cell()
	default:
		return "rmw " + s.Cell()
	}
}

// memoryKind names an edge between two accesses to the same bytes.
func memoryKind(from, to verdict.Step) string {
	writes := from.Kind == verdict.StepStore || from.Wrote
	switch {
	case !writes:
		return "cf"
	case to.Kind == verdict.StepStore:
		return "st"
	default:
		return "src"
	}
}

// closeCycle sets the cycle that leads from first to second in program order and back on
// a shortest path.
func (o *HappensBefore) closeCycle(first, second int) {
	succ := make([][]verdict.TraceEdge, len(o.Nodes))
	for _, e := range o.Edges {
		succ[e.From] = append(succ[e.From], e)
	}
	by := make([]*verdict.TraceEdge, len(o.Nodes))
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
	o.Cycle = append(o.Cycle, verdict.TraceEdge{From: first, To: second, Kind: "po"})
	slices.Reverse(o.Cycle)
}
