package analysis

import "math/bits"

// Numbers is a set of small numbers, such as the registers of a function. Sets are persistent search trees that share
// what they have in common: an assignment copies nothing, and a change copies the way to one leaf.
type Numbers[N number] struct {
	height int // of the tree: 64<<height numbers fit
	root   *numberNode
}

type number interface{ ~int | ~int32 }

// numberNode is a tree of numbers. A leaf, at height 0, holds 64 of them in bits; nil is the empty tree of any height.
type numberNode struct {
	bits      uint64
	low, high *numberNode
}

// NoNumbers returns the empty set of numbers below n.
func NoNumbers[N number](n int) Numbers[N] {
	s := Numbers[N]{}
	for 64<<s.height < n {
		s.height++
	}
	return s
}

// Has reports whether a number is in the set.
func (s Numbers[N]) Has(i N) bool {
	n := s.root
	for h := s.height; n != nil && h > 0; h-- {
		if i>>(5+h)&1 == 0 {
			n = n.low
		} else {
			n = n.high
		}
	}
	return n != nil && n.bits>>(i%64)&1 != 0
}

// Put adds a number or removes it.
func (s *Numbers[N]) Put(i N, in bool) {
	if s.Has(i) != in {
		s.root = s.root.flip(int(i), s.height)
	}
}

// Add adds another set and reports whether that changed anything.
func (s *Numbers[N]) Add(t Numbers[N]) bool {
	before := s.root
	s.root = union(before, t.root)
	return s.root != before
}

// Keep removes what is not in another set.
func (s *Numbers[N]) Keep(t Numbers[N]) { s.root = intersection(s.root, t.root) }

// Each calls f with the numbers of the set, in order.
func (s Numbers[N]) Each(f func(N)) { s.root.each(0, s.height, func(i int) { f(N(i)) }) }

// flip returns the tree with i added if it was absent, removed if it was present.
func (n *numberNode) flip(i, height int) *numberNode {
	var next numberNode
	if n != nil {
		next = *n
	}
	switch {
	case height == 0:
		next.bits ^= 1 << (i % 64)
	case i>>(5+height)&1 == 0:
		next.low = next.low.flip(i, height-1)
	default:
		next.high = next.high.flip(i, height-1)
	}
	if next == (numberNode{}) {
		return nil
	}
	return &next
}

// union returns a itself if b adds nothing.
func union(a, b *numberNode) *numberNode {
	switch {
	case a == b || b == nil:
		return a
	case a == nil:
		return b
	}
	next := numberNode{a.bits | b.bits, union(a.low, b.low), union(a.high, b.high)}
	switch next {
	case *a:
		return a
	case *b:
		return b
	}
	return &next
}

// intersection returns a itself if b has all of it.
func intersection(a, b *numberNode) *numberNode {
	switch {
	case a == b || a == nil:
		return a
	case b == nil:
		return nil
	}
	next := numberNode{a.bits & b.bits, intersection(a.low, b.low), intersection(a.high, b.high)}
	switch next {
	case *a:
		return a
	case *b:
		return b
	case numberNode{}:
		return nil
	}
	return &next
}

func (n *numberNode) each(first, height int, f func(int)) {
	if n == nil {
		return
	}
	for w := n.bits; w != 0; w &= w - 1 {
		f(first + bits.TrailingZeros64(w))
	}
	if height > 0 {
		n.low.each(first, height-1, f)
		n.high.each(first+32<<height, height-1, f)
	}
}
