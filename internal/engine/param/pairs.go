package param

import (
	"context"
	"math/bits"
)

// Pairs of places that can be marked at the same time. This is an over-approximation. Initially,
// all pairs of marked places can. A transition is possible if all pairs of its input places can be
// marked together. If it is possible, then the following pairs can be marked together, too: two of
// its output places; and one output place with a place that can be marked together with every input
// place, and so keeps its token when the transition fires. This often shows already that two
// threads are never both in a critical section. A marking with a pair that is not in the table is
// not coverable, and the backward search leaves it out.

// maxPaired bounds the size of the table.
const maxPaired = 1 << 14

// pairs is a symmetric table of bits. The diagonal says whether a place can have two tokens.
type pairs struct {
	words  int
	rows   [][]uint64
	single []uint64
}

// can reports whether two places can be marked together. It returns true if there is no table,
// because it would be too large.
func (p *pairs) can(a, b int32) bool { return p == nil || p.rows[a][b/64]>>(b%64)&1 != 0 }

// marks reports whether a place can have a token.
func (p *pairs) marks(a int32) bool { return p == nil || p.single[a/64]>>(a%64)&1 != 0 }

func (p *pairs) set(a, b int32) bool {
	if p.can(a, b) {
		return false
	}
	p.rows[a][b/64] |= 1 << (b % 64)
	p.rows[b][a/64] |= 1 << (a % 64)
	return true
}

// findPairs returns the table, or nil if it would be too large or the context has ended.
func findPairs(ctx context.Context, n *Net) *pairs {
	if len(n.Places) > maxPaired {
		return nil
	}
	words := (len(n.Places) + 63) / 64
	p := &pairs{words: words, rows: make([][]uint64, len(n.Places)), single: make([]uint64, words)}
	for i := range p.rows {
		p.rows[i] = make([]uint64, words)
	}
	var start []int32
	for i := range n.Places {
		if n.Places[i].Init != 0 {
			start = append(start, int32(i))
			p.single[i/64] |= 1 << (i % 64)
		}
		if n.Places[i].Init == Omega || n.Places[i].Init > 1 {
			p.set(int32(i), int32(i))
		}
	}
	for _, a := range start {
		for _, b := range start {
			if a != b {
				p.set(a, b)
			}
		}
	}
	beside := make([]uint64, words)
	for changed := true; changed; {
		changed = false
		for i := range n.Trans {
			if i%256 == 0 && ctx.Err() != nil {
				return nil // a table that is not complete would leave out too much
			}
			if t := &n.Trans[i]; p.enabled(t) && p.fire(t, beside) {
				changed = true
			}
		}
	}
	return p
}

func (p *pairs) enabled(t *Trans) bool {
	for i, a := range t.Pre {
		if !p.marks(a.Place) || a.N > 1 && !p.can(a.Place, a.Place) {
			return false
		}
		for _, b := range t.Pre[i+1:] {
			if !p.can(a.Place, b.Place) {
				return false
			}
		}
	}
	return true
}

// fire adds the pairs that a transition makes possible, and reports whether one is new.
func (p *pairs) fire(t *Trans, beside []uint64) bool {
	changed := false
	// A place that can be marked together with every input place keeps its token.
	for w := range beside {
		beside[w] = ^uint64(0)
		for _, a := range t.Pre {
			beside[w] &= p.rows[a.Place][w]
		}
		if len(t.Pre) == 0 {
			beside[w] = p.single[w]
		}
	}
	for i, a := range t.Post {
		if !p.marks(a.Place) {
			p.single[a.Place/64] |= 1 << (a.Place % 64)
			changed = true
		}
		if a.N > 1 && p.set(a.Place, a.Place) {
			changed = true
		}
		for _, b := range t.Post[i+1:] {
			changed = p.set(a.Place, b.Place) || changed
		}
		row := p.rows[a.Place]
		for w, has := range beside {
			for fresh := has &^ row[w]; fresh != 0; fresh &= fresh - 1 {
				b := int32(w*64 + bits.TrailingZeros64(fresh))
				changed = p.set(a.Place, b) || changed
			}
		}
	}
	return changed
}
