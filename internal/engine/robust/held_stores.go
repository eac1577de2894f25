package robust

import (
	"fencepost/internal/analysis"
	"fencepost/internal/ir"
	"fencepost/internal/memory"
)

// Stores that wait though they need not. Under PSO the attacker delays a store s and the stores that have
// to wait for s; every other store d reaches memory at once, since the action c that closes the cycle
// accesses s all the same. It does so except if what c does depends on values that s and d both
// change:
//
//	b0 = 1; b1 = 1; y = 1 || await y == 1; await w == 0
//
// with b0 and b1 two bytes of w, is not robust, and both stores must wait for that. So the search
// tries such stores d both ways: they reach memory at once, and they wait.
//
// Two kinds of stores are not such a d. One that has all bytes of c shares a byte with every store s
// that c accesses, and waits for s anyhow. And if c always happens and accesses the bytes of both, as
// a compare-exchange does, the delay of s may end at d: c comes after d then, and closes the cycle.

// heldStores returns, by edge id, the stores that the attacker may hold back.
func heldStores(p *ir.Program, model memory.Model) []bool {
	held := make([]bool, p.NextEdge)
	if model != memory.PSO {
		return held
	}
	x := &doubter{p: p, facts: analysis.NewFacts(p, nil)}
	x.eachDependent(func(k int, action []*ir.Edge) {
		if c := action[0]; len(action) == 1 && c.Op.Kind == ir.RMW && c.Op.Cond == nil {
			return
		}
		for t := range p.Threads {
			if t == k {
				continue
			}
			var stores []*ir.Edge
			f := p.ThreadFunc(ir.ThreadID(t))
			for i := range f.Edges {
				if e := &f.Edges[i]; x.changes(e, action) {
					stores = append(stores, e)
				}
			}
			for _, d := range stores {
				_, exact := x.facts.Exact(d)
				alone := len(stores) == 1 && exact // its own next execution has the same bytes
				covers := len(action) == 1 && x.covers(d, action[0])
				held[d.ID] = held[d.ID] || !alone && !covers
			}
		}
	})
	return held
}
