package invariant

import (
	"slices"

	"fencepost/internal/proof/program"
)

// Saved is a copy of the knowledge.
type Saved struct {
	dropped int
	local   map[*program.Class][][]*Condition
	global  []*Condition
	pairs   []*pairFact
	counts  []*count
	locks   []*Lock
	round   int
}

// Save returns a copy of what is known.
func (k *Knowledge) Save() Saved {
	s := Saved{local: map[*program.Class][][]*Condition{}, global: k.global, counts: k.counts, locks: k.Locks, round: k.Round, dropped: len(k.dropped)}
	for c, at := range k.Local {
		s.local[c] = append([][]*Condition(nil), at...)
	}
	s.pairs = copyPairs(k.pairs)
	return s
}

// Restore brings back what was known when a copy was made.
func (k *Knowledge) Restore(s Saved) {
	k.global, k.Failed, k.dropped = s.global, nil, k.dropped[:s.dropped]
	for _, p := range s.global {
		p.Fails, p.state = "", nil
	}
	for c, at := range s.local {
		k.Local[c] = append([][]*Condition(nil), at...)
		for _, list := range at {
			for _, p := range list {
				p.Fails, p.state = "", nil
			}
		}
	}
	k.Locks, k.Round = s.locks, s.round
	k.pairs, k.counts = copyPairs(s.pairs), s.counts
}

// copyPairs returns copies with separations of their own.
func copyPairs(list []*pairFact) []*pairFact {
	out := make([]*pairFact, len(list))
	for i, f := range list {
		g := *f
		g.separations = make([][]bool, len(f.separations))
		for l := range g.separations {
			g.separations[l] = slices.Clone(f.separations[l])
		}
		out[i] = &g
	}
	return out
}
