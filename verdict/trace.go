package verdict

// Trace is a Shasha-Snir trace: the events of an execution, and which must come
// before which.
type Trace struct {
	Number int         `json:"number"`
	Nodes  []TraceNode `json:"nodes"`
	Edges  []TraceEdge `json:"edges"`
	// Cycle is a shortest cycle of the relation; none if the trace is one that
	// sequential consistency has, too.
	Cycle []TraceEdge `json:"cycle,omitempty"`
	// Witness is an execution with this trace.
	Witness *Witness `json:"witness,omitempty"`
}

// TraceSet is what is known of all traces of a program under one model.
type TraceSet struct {
	Program string `json:"program"`
	Model   string `json:"model"`
	// Count is the number of complete traces, Cyclic how many of them have a cycle.
	Count  int64 `json:"count"`
	Cyclic int64 `json:"cyclic"`
	// Reason says why there may be more, "" if there are not.
	Reason   string            `json:"reason,omitempty"`
	Coverage Coverage          `json:"coverage"`
	Stats    Stats             `json:"stats"`
	Warnings []Warning         `json:"warnings,omitempty"`
	Traces   []Trace           `json:"traces,omitempty"`
	Asked    *Asked            `json:"asked,omitempty"`
	Sources  map[string]string `json:"sources,omitempty"`
}
