package verdict

// Cause is why a violation is possible: which store was delayed past what, in the
// witness it belongs to, and what would have prevented it.
type Cause struct {
	Kind CauseKind `json:"kind"`
	// Thread, First and Second are the reordered pair: steps of the witness, the
	// first a store, the second a load or a store. Only for CauseDelay and CauseSwap.
	Thread string `json:"thread,omitempty"`
	First  int    `json:"first,omitempty"`
	Second int    `json:"second,omitempty"`
	// Words explain it, a sentence each.
	Words []string `json:"words"`
	// Nodes and Edges are the happens-before relation of the execution, and Cycle is
	// what sequential consistency forbids in it; it begins with the reordered pair.
	// Only where there is a cycle.
	Nodes []TraceNode `json:"nodes,omitempty"`
	Edges []TraceEdge `json:"edges,omitempty"`
	Cycle []TraceEdge `json:"cycle,omitempty"`
	// Fence is the one fence that makes this execution impossible.
	Fence *FenceHint `json:"fence,omitempty"`
}

// FenceHint is a fence between two accesses of a thread.
type FenceHint struct {
	Kind   string `json:"kind"` // full, store-store
	After  *Pos   `json:"after,omitempty"`
	Before *Pos   `json:"before,omitempty"`
}

// CauseKind says what lies behind a violation. The zero value is unset.
type CauseKind string

// The kinds.
const (
	// CauseOrder: the order of the threads' steps alone. No store waits in a buffer
	// in the witness, so sequential consistency allows it, and no fence helps.
	CauseOrder CauseKind = "order"
	// CauseDelay: a store was in the buffer while a later load of its thread read.
	CauseDelay CauseKind = "delay"
	// CauseSwap: a later store of the thread reached memory before it (PSO).
	CauseSwap CauseKind = "swap"
	// CauseBuffered: stores were in buffers, and no pair of accesses explains it.
	CauseBuffered CauseKind = "buffered"
)
