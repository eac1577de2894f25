package analysis

import (
	"cmp"
	"math"
	"slices"
	"sort"

	"fencepost/internal/ir"
)

// Footprints: which bytes an operation may access. The address expression is evaluated over
// intervals. Where the interval is too wide, the footprint is the object that the operation
// must stay inside: leaving that object is an error that is reported before any byte is
// accessed. An address that is computed from an object's address without such a bound may be
// anywhere, since facts must hold for wrong programs too.

// Bytes is a range of addresses; Hi does not belong to it. Addresses are signed here, so
// that mem[-1] is the neighbour of mem[0].
type Bytes struct{ Lo, Hi int64 }

// Overlaps reports whether the ranges have a byte in common.
func (a Bytes) Overlaps(b Bytes) bool { return a.Lo < b.Hi && b.Lo < a.Hi }

// Contains reports whether all bytes of b belong to a.
func (a Bytes) Contains(b Bytes) bool { return a.Lo <= b.Lo && b.Hi <= a.Hi }

// Overlap reports whether n bytes at address a and m bytes at address b have a byte in
// common.
func Overlap(a, n, b, m uint64) bool { return a-b < m || b-a < n }

// Covers reports whether n bytes at address a contain m bytes at address b.
func Covers(a, n, b, m uint64) bool { return m <= n && b-a <= n-m }

// Footprint is the memory that an operation may access: all of it, or some ranges.
type Footprint struct {
	Anything bool
	Ranges   []Bytes
}

// Overlaps reports whether two footprints may have a byte in common.
func (a Footprint) Overlaps(b Footprint) bool {
	if a.Anything {
		return b.Anything || len(b.Ranges) > 0
	}
	if b.Anything {
		return len(a.Ranges) > 0
	}
	for _, x := range a.Ranges {
		for _, y := range b.Ranges {
			if x.Overlaps(y) {
				return true
			}
		}
	}
	return false
}

// Disjoint returns the same memory with ranges that do not overlap, in order.
func (a Footprint) Disjoint() Footprint {
	sorted := slices.SortedFunc(slices.Values(a.Ranges), func(x, y Bytes) int { return cmp.Compare(x.Lo, y.Lo) })
	out := Footprint{Anything: a.Anything}
	for _, r := range sorted {
		if n := len(out.Ranges); n > 0 && r.Lo <= out.Ranges[n-1].Hi {
			out.Ranges[n-1].Hi = max(out.Ranges[n-1].Hi, r.Hi)
		} else {
			out.Ranges = append(out.Ranges, r)
		}
	}
	return out
}

// OverlapsDisjoint is Overlaps for a large footprint that Disjoint returned.
func (a Footprint) OverlapsDisjoint(large Footprint) bool {
	if a.Anything || large.Anything {
		return a.Overlaps(large)
	}
	for _, x := range a.Ranges {
		i := sort.Search(len(large.Ranges), func(i int) bool { return large.Ranges[i].Hi > x.Lo })
		if i < len(large.Ranges) && large.Ranges[i].Overlaps(x) {
			return true
		}
	}
	return false
}

// Footprint returns the memory that an edge of the program may access. It is empty for
// operations without an address. Allocation can reuse memory that other threads free;
// allocation and free therefore may access anything.
func (fs *Facts) Footprint(e *ir.Edge) Footprint { return fs.footprints[e.ID] }

// MayOverlap reports whether two edges may access a common byte.
func (fs *Facts) MayOverlap(e1, e2 *ir.Edge) bool {
	return fs.footprints[e1.ID].Overlaps(fs.footprints[e2.ID])
}

// Exact returns the bytes of an access that has the same ones in every execution. It returns
// false for other operations, and for accesses whose address varies or is not known.
func (fs *Facts) Exact(e *ir.Edge) (Bytes, bool) {
	foot := fs.footprints[e.ID]
	if !e.Op.Accesses() || foot.Anything || len(foot.Ranges) != 1 || foot.Ranges[0].Hi-foot.Ranges[0].Lo != int64(e.Op.Type.Size()) {
		return Bytes{}, false
	}
	return foot.Ranges[0], true
}

// Footprints returns the footprints of all edges of a program, by their ids.
func Footprints(p *ir.Program) []Footprint {
	all := make([]Footprint, p.NextEdge)
	for _, f := range p.Funcs {
		for i := range f.Edges {
			e := &f.Edges[i]
			all[e.ID] = FootprintOf(p, &e.Op)
		}
	}
	return all
}

// FootprintOf returns the memory that an operation may access.
func FootprintOf(p *ir.Program, op *ir.Op) Footprint {
	switch op.Kind {
	case ir.Load, ir.AbstractLoad, ir.Await, ir.Store, ir.RMW:
		return accessed(p, op.Addr, op.Obj, op.Type.Size())
	case ir.Lock, ir.TryLock, ir.Unlock, ir.Signal, ir.Broadcast, ir.Barrier:
		return accessed(p, op.Addr, op.Obj, 0)
	case ir.CondWait:
		a, b := accessed(p, op.Addr, op.Obj, 0), accessed(p, op.Val2, ir.NoObject, 0)
		return Footprint{Anything: a.Anything || b.Anything, Ranges: append(a.Ranges, b.Ranges...)}
	case ir.Alloc, ir.Free:
		return Footprint{Anything: true}
	}
	return Footprint{}
}

// accessed returns the footprint of size bytes at an address. Size 0 stands for a word of the
// thread library, whose size only the library knows: the footprint is the whole object.
func accessed(p *ir.Program, addr *ir.Expr, obj ir.ObjectID, size int) Footprint {
	at, known := RangeOf(p, addr)
	if known && size > 0 && at.Hi <= math.MaxInt64-int64(size) {
		b := Bytes{at.Lo, at.Hi + int64(size)}
		if obj != ir.NoObject {
			o := objectBytes(p, obj)
			if in := (Bytes{max(b.Lo, o.Lo), min(b.Hi, o.Hi)}); in.Lo < in.Hi {
				b = in
			}
		}
		return Footprint{Ranges: []Bytes{b}}
	}
	if known && size == 0 && at.IsSingle() && obj == ir.NoObject {
		obj = p.FindObject(uint64(at.Lo), 1)
	}
	if obj == ir.NoObject {
		return Footprint{Anything: true}
	}
	return Footprint{Ranges: []Bytes{objectBytes(p, obj)}}
}

func objectBytes(p *ir.Program, id ir.ObjectID) Bytes {
	o := &p.Objects[id]
	return Bytes{int64(o.Addr), int64(o.Addr) + o.Size}
}
