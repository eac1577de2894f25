package robust

import (
	"fencepost/internal/analysis"
	"fencepost/internal/ir"
)

// Loads that read their own thread's stores, for the filter forwarded (filter.go). A pair of a store
// s and a load is ruled out if on every way from s to the load the thread's stores, s among them,
// have all bytes of the load. This is a forward analysis of sets of bytes, met by intersection,
// from the end of s on; it does not go past operations that drain.
//
// Under TSO all these stores wait while s does, so the load takes no byte from memory (W5).
//
// Under PSO a store d on the way may have reached memory, and then the load may read its byte there.
// A helper that joins by storing that byte after the load also stores it after d: without the load,
// the attack of s and d closes the same cycle with one delay less. So the verdict is right; but the
// attack of s and the load may be feasible, and where every attack is listed only stores count that
// have to wait for s, because they share a byte with it.

// everyAttack says that all attacks are wanted, and not only whether there is one.
type everyAttack bool

// forwards reports whether the load takes all its bytes from stores of its thread while s waits.
func (fl *filterer) forwards(f *ir.Func, s, l *ir.Edge) bool {
	read, ok := fl.facts.Exact(l)
	if !ok || storing(&l.Op) {
		return false
	}
	all := uint8(1<<(read.Hi-read.Lo) - 1)
	if all&^fl.storedBytes(f, s, read) != 0 {
		return false
	}
	const unreached = 0xff
	have := make([]uint8, len(f.Locs))
	reached := make([]bool, len(f.Locs))
	for i := range have {
		have[i] = unreached
	}
	have[s.To], reached[s.To] = fl.bytesOf(s, s, read), true
	for work := []ir.Loc{s.To}; len(work) > 0; {
		at := work[len(work)-1]
		work = work[:len(work)-1]
		if fl.over(len(f.Out(at))) {
			return false
		}
		for _, i := range f.Out(at) {
			e := &f.Edges[i]
			if e.Op.Terminal() || analysis.Drains(&e.Op) {
				continue
			}
			next := have[e.To] & (have[at] | fl.bytesOf(s, e, read))
			if !reached[e.To] || next != have[e.To] {
				have[e.To], reached[e.To] = next, true
				work = append(work, e.To)
			}
		}
	}
	return have[l.From]&all == all
}

// storedBytes returns the bytes of a range that s or some other store of the thread has.
func (fl *filterer) storedBytes(f *ir.Func, s *ir.Edge, read analysis.Bytes) uint8 {
	var out uint8
	for _, e := range fl.stores[f] {
		out |= fl.bytesOf(s, e, read)
	}
	return out
}

// bytesOf returns the bytes of a range that a store surely has, and that wait while s waits as far as
// that is asked for.
func (fl *filterer) bytesOf(s, e *ir.Edge, read analysis.Bytes) uint8 {
	if e.Op.Kind != ir.Store {
		return 0
	}
	wrote, ok := fl.facts.Exact(e)
	if !ok || !wrote.Overlaps(read) || fl.swaps && bool(fl.all) && e != s && !fl.shares(s, e) {
		return 0
	}
	var out uint8
	for b := max(wrote.Lo, read.Lo); b < min(wrote.Hi, read.Hi); b++ {
		out |= 1 << (b - read.Lo)
	}
	return out
}
