package smc

import "fencepost/internal/engine"

// What an exploration has found.

// outcome is the counts, violations and final states that a worker has found.
type outcome struct {
	engine.Findings
	counts counts
	err    error
	others int64 // bytes that other workers used
}

// counts of what was explored: executions, by how they end, and more.
type counts struct {
	engine.Ends
	asleep int64 // executions cut off by a sleep set
	events int64
	depth  int
}

func newOutcome(task *job) outcome { return outcome{Findings: engine.NewFindings(task.KeepGoing)} }

// fail stops the exploration with an error.
func (o *outcome) fail(err error) {
	if o.err == nil {
		o.err = err
	}
	o.Stopped = true
}

// add adds what another worker found.
func (o *outcome) add(other *outcome) {
	c, d := &o.counts, &other.counts
	c.Ends.Add(&d.Ends)
	c.asleep += d.asleep
	c.events += d.events
	c.depth = max(c.depth, d.depth)
	if o.err == nil {
		o.err = other.err
	}
	o.Findings.Add(&other.Findings)
}
