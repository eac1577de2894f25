package search

import "bytes"

// Sink collects the successors and findings of a worker.
type Sink struct {
	v           *visited
	parent      ID
	state       []byte
	depth       int
	transitions int64
	work        int64 // since the last check of the limits
	findings    []Finding
	batch       batch
	arrivals    []arrival
	// Rank is that of the states that are added next, if the problem is ranked.
	Rank  int
	fresh []ranked
	known []ranked
	level int // rank of the level
	err   error
}

// arrival is a second path to a state, with fewer sleeping steps.
type arrival struct {
	id    ID
	sleep uint64
}

// Finding is a report of a worker about a state or a step from it.
type Finding struct {
	Key   string // what was found
	State ID     // where; the initial situation if it is noParent
	Depth int    // steps from an initial state
	bytes []byte
}

// before orders findings with the same key: by depth, then by state, so that the choice does not
// depend on the workers.
func (f *Finding) before(g *Finding) bool {
	if f.Depth != g.Depth {
		return f.Depth < g.Depth
	}
	return bytes.Compare(f.bytes, g.bytes) < 0
}

// AtStart reports whether the finding was made before the first state.
func (f Finding) AtStart() bool { return f.State == noParent }

// Count counts work beside that of transitions (package budget).
func (k *Sink) Count(work int64) { k.work += work }

// Add adds a successor. It copies the bytes.
func (k *Sink) Add(next []byte) { k.AddAsleep(next, 0) }

// AddAsleep adds a successor with its sleep set.
func (k *Sink) AddAsleep(next []byte, sleep uint64) {
	k.transitions++
	k.work += transitionCost + byteCost*int64(len(next))
	if len(next) > maxState {
		k.err = ErrTooLarge
		return
	}
	k.collect(next, sleep)
}

// Report adds a finding at the state being expanded. The search keeps one finding per key.
func (k *Sink) Report(key string) {
	k.report(Finding{Key: key, State: k.parent, Depth: k.depth, bytes: k.state})
}

func (k *Sink) report(f Finding) {
	for i := range k.findings {
		if k.findings[i].Key == f.Key {
			if f.before(&k.findings[i]) {
				k.findings[i] = f
			}
			return
		}
	}
	k.findings = append(k.findings, f)
}

// Depth returns the distance of the state being expanded from an initial one, in steps.
func (k *Sink) Depth() int { return k.depth }

// Fail ends the search: a successor could not be computed.
func (k *Sink) Fail(err error) { k.err = err }
