package param

import (
	"context"
	"slices"
)

// Coverability by backward search [ACJT96]: the markings from which the bad place can
// be marked are upward closed, so they have finitely many minimal elements. Starting
// from the bad place, predecessors are added until nothing is new, or the initial
// marking is above one of them.
//
// A predecessor that is not coverable is left out: a marking with two tokens in a group, with two
// places that cannot be marked together (pairs.go), or without a solution of the marking equation
// (equation.go). That is sound: a run from the initial marking through such a predecessor would
// cover it.

// marking has the number of tokens of each place with tokens, in order of the places.
type marking []Arc

// below reports whether every place has at most as many tokens as in o.
func (m marking) below(o marking) bool {
	j := 0
	for _, a := range m {
		for j < len(o) && o[j].Place < a.Place {
			j++
		}
		if j == len(o) || o[j].Place != a.Place || o[j].N < a.N {
			return false
		}
	}
	return true
}

// before returns the least marking from which t leads to m or above.
func (m marking) before(t *Trans) marking {
	out := make(marking, 0, len(m)+len(t.Pre))
	i, j, k := 0, 0, 0
	for i < len(m) || k < len(t.Pre) {
		var p int32
		switch {
		case i == len(m):
			p = t.Pre[k].Place
		case k == len(t.Pre):
			p = m[i].Place
		default:
			p = min(m[i].Place, t.Pre[k].Place)
		}
		n := int32(0)
		if i < len(m) && m[i].Place == p {
			n = m[i].N
			i++
		}
		for j < len(t.Post) && t.Post[j].Place < p {
			j++
		}
		if j < len(t.Post) && t.Post[j].Place == p {
			n = max(0, n-t.Post[j].N)
		}
		if k < len(t.Pre) && t.Pre[k].Place == p {
			n += t.Pre[k].N
			k++
		}
		if n > 0 {
			out = append(out, Arc{p, n})
		}
	}
	return out
}

// coverStats has the counts of a backward search.
type coverStats struct {
	Elements int // minimal elements kept at the end
	Tried    int // predecessors computed
	Pruned   int // predecessors left out as not coverable
}

// cover is a backward search.
type cover struct {
	net     *Net
	pairs   *pairs
	byPost  [][]int32 // transitions by the places they give
	list    []marking
	dead    []bool            // subsumed since
	buckets map[int32][]int32 // elements by their last place
	limit   int
	memory  int64 // limit in bytes, 0: none
	bytes   int64 // of the elements
	from    int   // elements before the marking equation is asked
	eq      *equation
	stats   coverStats
}

func newCover(n *Net, p *pairs) *cover {
	c := &cover{net: n, pairs: p, byPost: make([][]int32, len(n.Places)), buckets: map[int32][]int32{}, limit: maxElements, from: equationFrom}
	for i := range n.Trans {
		if p != nil && !p.enabled(&n.Trans[i]) {
			continue // never fires
		}
		for _, a := range n.Trans[i].Post {
			c.byPost[a.Place] = append(c.byPost[a.Place], int32(i))
		}
	}
	return c
}

// maxElements bounds the minimal elements.
const maxElements = 1 << 20

// run searches from a place. It returns an element below the initial marking, or
// nil if the place cannot be marked. complete is false if it was stopped.
func (c *cover) run(ctx context.Context, bad int32) (found marking, complete bool) {
	defer func() { c.eq.close() }()
	asked := false
	first := marking{{bad, 1}}
	if !c.reachable(first) {
		return nil, true
	}
	c.keep(first)
	for next := 0; next < len(c.list); next++ {
		if c.stopped(ctx) {
			return nil, false
		}
		if c.dead[next] {
			continue
		}
		m := c.list[next]
		if c.initial(m) {
			return m, true
		}
		for _, t := range c.givers(m) {
			if c.stats.Tried++; c.stats.Tried%64 == 0 && c.stopped(ctx) {
				return nil, false
			}
			p := m.before(&c.net.Trans[t])
			if !c.reachable(p) {
				c.stats.Pruned++
				continue
			}
			if c.subsumed(p) {
				continue
			}
			if c.initial(p) {
				return p, true
			}
			if !asked && len(c.list) >= c.from {
				asked, c.eq = true, newEquation(ctx, c.net)
			}
			if !c.eq.mayCover(p) {
				c.stats.Pruned++
				continue
			}
			c.keep(p)
		}
	}
	for _, d := range c.dead {
		if !d {
			c.stats.Elements++
		}
	}
	return nil, true
}

// stopped reports whether a limit is reached.
func (c *cover) stopped(ctx context.Context) bool {
	return ctx.Err() != nil || len(c.list) > c.limit || c.memory > 0 && c.bytes > c.memory
}

// givers returns the transitions that give a token of m, each once.
func (c *cover) givers(m marking) []int32 {
	var out []int32
	for _, a := range m {
		out = append(out, c.byPost[a.Place]...)
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// initial reports whether the initial marking is above m.
func (c *cover) initial(m marking) bool {
	for _, a := range m {
		if init := c.net.Places[a.Place].Init; init != Omega && int32(init) < a.N {
			return false
		}
	}
	return true
}

// reachable reports whether m may be coverable.
func (c *cover) reachable(m marking) bool {
	for i, a := range m {
		p := &c.net.Places[a.Place]
		if a.N > 1 && (p.Group != noGroup || !c.pairs.can(a.Place, a.Place)) || !c.pairs.marks(a.Place) {
			return false
		}
		for _, b := range m[i+1:] {
			if p.Group != noGroup && p.Group == c.net.Places[b.Place].Group || !c.pairs.can(a.Place, b.Place) {
				return false
			}
		}
	}
	return true
}

// subsumed reports whether an element is below m.
func (c *cover) subsumed(m marking) bool {
	for _, a := range m {
		for _, i := range c.buckets[a.Place] {
			if !c.dead[i] && c.list[i].below(m) {
				return true
			}
		}
	}
	return false
}

// keep adds an element and drops the elements above it.
func (c *cover) keep(m marking) {
	last := m[len(m)-1].Place
	for i, o := range c.list {
		if !c.dead[i] && len(o) >= len(m) && m.below(o) {
			c.dead[i] = true
		}
	}
	c.bytes += 48 + int64(len(m))*8
	c.list = append(c.list, m)
	c.dead = append(c.dead, false)
	c.buckets[last] = append(c.buckets[last], int32(len(c.list)-1))
}
