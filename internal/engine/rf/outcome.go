package rf

import (
	"unsafe"

	"fencepost/internal/engine"
)

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

// progress says how much of the exploration is done.
type progress struct {
	width    float64 // what part of the whole exploration the graph is expected to be
	explored float64 // what part has been explored
}

// skip notes that the present branch is explored, or need not be.
func (x *explorer) skip() { x.explored += x.width }

// keep counts the memory of witnesses and of copies of graphs that the recursion holds.
func (x *explorer) keep(nodes, ops int) {
	x.kept += int64(nodes)*int64(unsafe.Sizeof(node{})) + int64(ops)*int64(unsafe.Sizeof(op{}))
	x.most = max(x.most, x.kept)
}
