package rf

import "fencepost/internal/engine"

// What an exploration has found.

// outcome is the counts, violations and final states that a worker has found.
type outcome struct {
	engine.Findings
	counts counts
}

// counts of what was explored: classes, by how they end, and more.
type counts struct {
	engine.Ends
	void   int64 // graphs that end with a thread waiting for a mutex that was unlocked later
	graphs int64
	checks int64 // graphs for which a witness was looked for
	depth  int
	sum    Fingerprint // of all classes
}

func newOutcome(keepGoing bool) outcome { return outcome{Findings: engine.NewFindings(keepGoing)} }

// add adds what another worker found.
func (o *outcome) add(other *outcome) {
	c, d := &o.counts, &other.counts
	c.Ends.Add(&d.Ends)
	c.void += d.void
	c.graphs += d.graphs
	c.checks += d.checks
	c.depth = max(c.depth, d.depth)
	c.sum.add(d.sum)
	o.Findings.Add(&other.Findings)
}
