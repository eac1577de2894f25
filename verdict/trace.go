package verdict

import "fmt"

// Trace is a Shasha-Snir trace: the events of an execution and their happens-before
// relation.
type Trace struct {
	Number int `json:"number"`
	// By is the equivalence whose classes are listed: trace, or reads-from.
	By    string      `json:"by,omitempty"`
	Nodes []TraceNode `json:"nodes"`
	Edges []TraceEdge `json:"edges"`
	// Cycle is a shortest cycle of the relation. It is empty if sequential consistency has
	// the trace, too.
	Cycle []TraceEdge `json:"cycle,omitempty"`
	// Fails has the checks that fail in the execution, in words. Such a check ends its thread, and
	// the others run to their end.
	Fails []string `json:"fails,omitempty"`
	// Blocked says that the execution does not come to its end: a thread stops at an assumption, or waits.
	Blocked bool `json:"blocked,omitempty"`
	// Witness is an execution with this trace.
	Witness *Witness `json:"witness,omitempty"`
}

// Name returns what the trace is called in a list: trace 1, or class 1 if reads-from classes are listed.
func (t *Trace) Name() string {
	if t.By == byReadsFrom {
		return fmt.Sprintf("class %d", t.Number)
	}
	return fmt.Sprintf("trace %d", t.Number)
}

const byReadsFrom = "reads-from"

// TraceSet is the set of traces of a program under one model.
type TraceSet struct {
	Program string `json:"program"`
	Model   string `json:"model"`
	// By is the equivalence whose classes are counted: trace, or reads-from.
	By string `json:"by,omitempty"`
	// Count is the number of complete traces, Cyclic how many of them have a cycle.
	Count  int64 `json:"count"`
	Cyclic int64 `json:"cyclic"`
	// Failing is the number of traces in which a check fails, and Blocked the number of those in
	// which a thread stops at an assumption or an await. Count has neither.
	Failing int64 `json:"failing"`
	Blocked int64 `json:"blocked"`
	// Complete is Count by another name, and Total is Complete and Failing: the number that the option
	// --count prints, and how many traces a list has.
	Complete int64 `json:"complete,omitempty"`
	Total    int64 `json:"total,omitempty"`
	// Orbits is how many complete traces there are up to the exchange of threads that nothing tells apart; 0: not known.
	Orbits int64 `json:"up_to_symmetry,omitempty"`
	// Fingerprint is the sum of the hashes of all reads-from classes, with and without a failing
	// check; empty if it was not computed. BlockedFingerprint is the sum for classes in which a thread stops
	// at an assumption, an await or a wait. docs/engines/rf.md defines both.
	Fingerprint        string `json:"fingerprint,omitempty"`
	BlockedFingerprint string `json:"blocked_fingerprint,omitempty"`
	// Reason says why there may be more traces; "" if there are none.
	Reason   string            `json:"reason,omitempty"`
	Coverage Coverage          `json:"coverage"`
	Stats    Stats             `json:"stats"`
	Warnings []Warning         `json:"warnings,omitempty"`
	Traces   []Trace           `json:"traces,omitempty"`
	Asked    *Asked            `json:"asked,omitempty"`
	Sources  map[string]string `json:"sources,omitempty"`
}
