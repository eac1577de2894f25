package rf

import (
	"fencepost/internal/engine"
)

// What an exploration has found.

// outcome is the counts, violations and final states that a worker has found.
type outcome struct {
	keepGoing bool // after a violation
	counts    counts
	met       map[string]bool // keys of violations
	keys      []string        // of result.Violations
	finals    map[string]bool
	result    *engine.Outcome
	stopped   bool // the exploration is over before everything has been explored
}

// counts of what was explored.
type counts struct {
	complete int64 // classes in which all threads finished
	blocked  int64 // classes that end with a thread at an assumption or a refused await
	bounded  int64 // classes that end at a bound
	waits    int64 // classes that end with a thread waiting
	failed   int64 // classes with a failed check
	exits    int64 // classes in which exit was called
	void     int64 // graphs that end with a thread waiting for a mutex that was unlocked later
	graphs   int64
	checks   int64 // graphs for which a witness was looked for
	depth    int
}

func newOutcome(keepGoing bool) outcome {
	return outcome{keepGoing: keepGoing, met: map[string]bool{}, finals: map[string]bool{}, result: &engine.Outcome{}}
}

// classes returns how many classes have been explored.
func (c *counts) classes() int64 {
	return c.complete + c.blocked + c.bounded + c.waits + c.failed + c.exits
}

// violated adds a violation.
func (o *outcome) violated(key string, v engine.Violation) {
	o.met[key] = true
	o.keys = append(o.keys, key)
	o.result.Violations = append(o.result.Violations, v)
	o.stopped = o.stopped || !o.keepGoing
}

// unknown stops the exploration without an answer.
func (o *outcome) unknown(why string) {
	o.stopped = true
	o.result.Unknown = why
}

// add adds the counts of another worker.
func (c *counts) add(d *counts) {
	c.complete += d.complete
	c.blocked += d.blocked
	c.bounded += d.bounded
	c.waits += d.waits
	c.failed += d.failed
	c.exits += d.exits
	c.void += d.void
	c.graphs += d.graphs
	c.checks += d.checks
	c.depth = max(c.depth, d.depth)
}

// add adds what another worker found.
func (o *outcome) add(other *outcome) {
	o.counts.add(&other.counts)
	o.stopped = o.stopped || other.stopped
	if o.result.Unknown == "" {
		o.result.Unknown = other.result.Unknown
	}
	for i := range other.result.Violations {
		if !o.met[other.keys[i]] {
			o.violated(other.keys[i], other.result.Violations[i])
		}
	}
	if !o.keepGoing && len(o.result.Violations) > 1 {
		o.result.Violations = o.result.Violations[:1]
	}
	for f := range other.finals {
		o.finals[f] = true
	}
}
