package verdict

// Cause says why a violation is possible: which store was delayed past which access in
// the witness, and which fence prevents that.
type Cause struct {
	Kind CauseKind `json:"kind"`
	// Thread, First and Second are the reordered pair: steps of the witness, the
	// first a store, the second a load or a store. Only for CauseDelay and CauseSwap.
	Thread string `json:"thread,omitempty"`
	First  int    `json:"first,omitempty"`
	Second int    `json:"second,omitempty"`
	// Words give the cause in sentences.
	Words []string `json:"words"`
	// Nodes and Edges are the happens-before relation of the execution. Cycle is a cycle
	// in it, which sequential consistency forbids; it begins with the reordered pair.
	// All three are empty if there is no cycle; under c11 only Cycle is.
	Nodes []TraceNode `json:"nodes,omitempty"`
	Edges []TraceEdge `json:"edges,omitempty"`
	Cycle []TraceEdge `json:"cycle,omitempty"`
	// Fence is one fence that prevents this execution.
	Fence *FenceHint `json:"fence,omitempty"`
}

// FenceHint is a fence between two accesses of a thread.
type FenceHint struct {
	Kind   string `json:"kind"` // full, store-store
	After  *Pos   `json:"after,omitempty"`
	Before *Pos   `json:"before,omitempty"`
}

// CauseKind says what makes a violation possible. The zero value is unset.
type CauseKind string

// The kinds.
const (
	// CauseOrder: the order of the threads' steps alone. No store of the witness waits in
	// a buffer, so sequential consistency allows the execution, and no fence prevents it.
	CauseOrder CauseKind = "order"
	// CauseDelay: a store was in the buffer while a later load of its thread read.
	CauseDelay CauseKind = "delay"
	// CauseSwap: a later store of the thread reached memory before an earlier one (PSO).
	CauseSwap CauseKind = "swap"
	// CauseBuffered: stores were in buffers, but no reordered pair lies on a cycle.
	CauseBuffered CauseKind = "buffered"
)
