package dual

import (
	"context"
	"math/bits"

	"fencepost/internal/budget"
)

// Pairs. Two states of threads, or a state and a value of a cell, often exclude each other: two threads do not hold
// one lock. As in engine param, the pairs that can be there at once are overapproximated by the least relation that has the
// pairs of the initial state and is closed under transitions whose conditions are pairwise related. A configuration
// with another pair is not reachable.
//
// A transition that reads needs the value in memory if nothing can be pending where it starts: in the normal form such a
// thread reads from memory. Otherwise the value may come from the buffer, and memory may have changed.

// pairs is the relation, as a set for each fact: the states of the threads, then the values of the cells.
type pairs struct {
	states []int // by thread: its first fact
	values []int // by cell: its first fact
	rows   []facts
	kept   facts // room of apply
}

type facts []uint64

func (s facts) has(i int) bool { return s[i>>6]>>(i&63)&1 != 0 }
func (s facts) add(i int)      { s[i>>6] |= 1 << (i & 63) }

// maxFacts bounds the facts, and maxPairWork the work of one round.
const (
	maxFacts = 1 << 13

	maxPairWork = 1 << 22
)

// findPairs computes the relation. It returns nil if it would be too large.
func (m *model) findPairs(ctx context.Context) (*pairs, error) {
	r, count, transitions := &pairs{}, 0, 0
	for _, th := range m.threads {
		r.states = append(r.states, count)
		count += len(th.states)
		transitions += len(th.trans)
	}
	for c := range m.cells() {
		r.values = append(r.values, count)
		count += m.valuesOf(c)
	}
	words := count/64 + 1
	if count > maxFacts || transitions*words > maxPairWork {
		return nil, nil
	}
	r.kept = make(facts, words)
	r.rows = make([]facts, count)
	for i := range r.rows {
		r.rows[i] = make(facts, words)
	}
	var first []int
	for p, th := range m.threads {
		first = append(first, r.states[p]+int(th.init))
		if th.template {
			r.rows[first[p]].add(first[p])
		}
	}
	for c, v := range m.initial {
		first = append(first, r.values[c]+int(v))
	}
	r.join(first)
	for changed := true; changed; {
		changed = false
		if err := budget.Spend(ctx, budget.Microsecond+int64(transitions*words)); err != nil {
			return nil, err
		}
		for p, th := range m.threads {
			for i := range th.trans {
				changed = r.apply(m, p, &th.trans[i]) || changed
			}
		}
	}
	return r, nil
}

// valuesOf returns the number of values of a cell; a gate has two.
func (m *model) valuesOf(c int) int {
	switch n := len(m.sys.Cells); {
	case c < n:
		return len(m.sys.Cells[c].Values)
	case c < m.firstGate():
		return len(m.pools.shared[c-n].threads) + 1
	default:
		return 2
	}
}

// join relates facts to each other.
func (r *pairs) join(list []int) (changed bool) {
	for _, a := range list {
		for _, b := range list {
			if a != b && !r.rows[a].has(b) {
				r.rows[a].add(b)
				changed = true
			}
		}
	}
	return changed
}

// apply adds what follows by a transition of thread p.
func (r *pairs) apply(m *model, p int, tr *trans) (changed bool) {
	th := m.threads[p]
	pre, post := []int{r.states[p] + int(tr.from)}, []int{r.states[p] + int(tr.to)}
	kept := r.kept // facts that the transition leaves alone
	for i := range kept {
		kept[i] = ^uint64(0)
	}
	leaves := func(from, n int) {
		for i := from; i < from+n; i++ {
			kept[i>>6] &^= 1 << (i & 63)
		}
	}
	if !th.template {
		leaves(r.states[p], len(th.states))
	}
	cell := func(c, old, new int32) {
		if old != anything {
			pre = append(pre, r.values[c]+int(old))
		}
		if new != anything {
			post = append(post, r.values[c]+int(new))
			leaves(r.values[c], m.valuesOf(int(c)))
		}
	}
	switch tr.kind {
	case read:
		if !m.opt.SmallSteps && th.waits[tr.from].nothing() {
			cell(tr.cell, tr.value, tr.value)
		}
	case write:
		cell(tr.cell, anything, tr.value)
	case exclusive:
		for _, a := range tr.accesses {
			cell(a.cell, a.old, a.new)
		}
		if tr.other > 0 {
			t := int(tr.other - 1)
			pre, post = append(pre, r.states[t]+int(tr.before)), append(post, r.states[t]+int(tr.after))
			leaves(r.states[t], len(m.threads[t].states))
		}
	}
	for i, a := range pre {
		for _, b := range pre[:i] {
			if !r.rows[a].has(b) {
				return false
			}
		}
		for w := range kept {
			kept[w] &= r.rows[a][w]
		}
	}
	if !r.reached(pre[0]) {
		return false
	}
	changed = r.join(post)
	for _, a := range post {
		for w, set := range kept {
			if set &^= r.rows[a][w]; set == 0 {
				continue
			}
			r.rows[a][w] |= set
			for ; set != 0; set &= set - 1 {
				r.rows[w<<6|bits.TrailingZeros64(set)].add(a)
			}
			changed = true
		}
	}
	return changed
}

// reached reports whether a fact is related to anything: a fact that is not was not met yet.
func (r *pairs) reached(a int) bool {
	for _, w := range r.rows[a] {
		if w != 0 {
			return true
		}
	}
	return false
}

// related reports whether all pairs of a configuration may be there at once.
func (m *model) related(c *config) bool { return m.pairs == nil || m.pairs.allow(m, c) }

// allow reports whether all pairs of a configuration are related.
func (r *pairs) allow(m *model, c *config) bool {
	var room [32]int
	list := room[:0]
	for p, s := range c.at {
		if s == anything {
			continue
		}
		t := p
		if p >= len(m.threads) {
			t = int(c.of[p-len(m.threads)])
		}
		list = append(list, r.states[t]+int(s))
	}
	for x, v := range c.mem {
		if v != anything {
			list = append(list, r.values[x]+int(v))
		}
	}
	for i, a := range list {
		for _, b := range list[:i] {
			if !r.rows[a].has(b) {
				return false
			}
		}
	}
	return true
}
