package analysis

import "math/bits"

// Waiting is a set of things with small numbers, such as locations. The first of them in an order is taken first.
type Waiting[N ~int32] struct {
	order []N
	rank  []int32  // by thing: its number in the order
	set   []uint64 // by rank: whether it waits
	from  int      // no word before it has a bit
}

// NewWaiting returns the empty set of the things in an order.
func NewWaiting[N ~int32](order []N) *Waiting[N] {
	w := &Waiting[N]{order: order, rank: make([]int32, len(order)), set: make([]uint64, (len(order)+63)/64)}
	for i, n := range order {
		w.rank[n] = int32(i)
	}
	return w
}

// Add adds a thing.
func (w *Waiting[N]) Add(n N) {
	word := int(w.rank[n] / 64)
	w.set[word] |= 1 << (w.rank[n] % 64)
	w.from = min(w.from, word)
}

// Next takes the first thing out of the set. It returns false if the set is empty.
func (w *Waiting[N]) Next() (N, bool) {
	for ; w.from < len(w.set); w.from++ {
		if word := w.set[w.from]; word != 0 {
			w.set[w.from] &= word - 1
			return w.order[64*w.from+bits.TrailingZeros64(word)], true
		}
	}
	return 0, false
}
