package verdict

// Trace is a Shasha-Snir trace: the events of an execution and their happens-before
// relation.
type Trace struct {
	Number int         `json:"number"`
	Nodes  []TraceNode `json:"nodes"`
	Edges  []TraceEdge `json:"edges"`
	// Cycle is a shortest cycle of the relation. It is empty if sequential consistency has
	// the trace, too.
	Cycle []TraceEdge `json:"cycle,omitempty"`
	// Witness is an execution with this trace.
	Witness *Witness `json:"witness,omitempty"`
}

// TraceSet is the set of traces of a program under one model.
type TraceSet struct {
	Program string `json:"program"`
	Model   string `json:"model"`
	// Count is the number of complete traces, Cyclic how many of them have a cycle.
	Count  int64 `json:"count"`
	Cyclic int64 `json:"cyclic"`
	// Reason says why there may be more traces; "" if there are none.
	Reason   string            `json:"reason,omitempty"`
	Coverage Coverage          `json:"coverage"`
	Stats    Stats             `json:"stats"`
	Warnings []Warning         `json:"warnings,omitempty"`
	Traces   []Trace           `json:"traces,omitempty"`
	Asked    *Asked            `json:"asked,omitempty"`
	Sources  map[string]string `json:"sources,omitempty"`
}
