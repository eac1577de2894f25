package dot

import (
	"fmt"
	"io"

	"fencepost/verdict"
)

// Trace prints a Shasha-Snir trace.
func Trace(w io.Writer, t *verdict.Trace) {
	// A trace is drawn as an attack is, with nothing delayed.
	a := &verdict.Attack{Witness: t.Witness, Nodes: t.Nodes, Edges: t.Edges, Cycle: t.Cycle, StoreStep: -1}
	label := fmt.Sprintf("trace %d", t.Number)
	if t.Cycle != nil {
		label += ", not possible under sequential consistency"
	}
	graph(w, fmt.Sprintf("trace%d", t.Number), label, a)
}
