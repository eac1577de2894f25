package dot

import (
	"io"

	"fencepost/internal/render/relation"
	"fencepost/verdict"
)

// Execution prints the happens-before relation of any execution. Relations have the names given.
func Execution(w io.Writer, e *verdict.Execution, names relation.Names) {
	if e.Attack != nil {
		Attack(w, e.Attack, names)
		return
	}
	label := e.Name
	if e.Reason != "" {
		label += ": " + e.Reason
	}
	o := relation.Of(e)
	a := &verdict.Attack{Witness: e.Witness, StoreStep: -1, Nodes: o.Nodes, Edges: o.Edges, Cycle: o.Cycle}
	if store, _, ok := relation.Delayed(e); ok && len(o.Cycle) > 0 {
		a.StoreStep = store
	}
	graph(w, "execution", label, a, names)
}
