package ir

import "math"

// Which bytes an operation may touch. The address expression is evaluated over
// intervals. An address known too little is held to the object the operation
// must stay inside, since leaving it is an error that is reported before
// anything is touched. An address that is an object's plus something unknown is
// not: without such an object nothing keeps the access from running into the
// neighbour, and facts must hold for wrong programs too.

// Bytes is a range of addresses; Hi is not part of it. Addresses are signed here,
// so that mem[-1] is the neighbour of mem[0].
type Bytes struct{ Lo, Hi int64 }

// Footprint is what an operation may touch: all memory, or a few ranges.
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
			if x.Lo < y.Hi && y.Lo < x.Hi {
				return true
			}
		}
	}
	return false
}

// Footprint is what an edge of the program may touch. Operations without an
// address touch nothing, except that allocation may reuse what others free and
// so, like free, counts as touching anything.
func (fs *Facts) Footprint(e *Edge) Footprint { return fs.places[e.ID] }

// MayOverlap reports whether two edges may touch a common byte.
func (fs *Facts) MayOverlap(e1, e2 *Edge) bool {
	return fs.places[e1.ID].Overlaps(fs.places[e2.ID])
}

func footprints(p *Program) []Footprint {
	places := make([]Footprint, p.NextEdge)
	for _, f := range p.Funcs {
		for i := range f.Edges {
			e := &f.Edges[i]
			places[e.ID] = footprint(p, &e.Op)
		}
	}
	return places
}

func footprint(p *Program, op *Op) Footprint {
	switch op.Kind {
	case Load, AbstractLoad, Await, Store, RMW:
		return accessed(p, op.Addr, op.Obj, op.Type.Size())
	case Lock, TryLock, Unlock, Signal, Broadcast, Barrier:
		return accessed(p, op.Addr, op.Obj, 0)
	case CondWait:
		a, b := accessed(p, op.Addr, op.Obj, 0), accessed(p, op.Val2, NoObject, 0)
		return Footprint{Anything: a.Anything || b.Anything, Ranges: append(a.Ranges, b.Ranges...)}
	case Alloc, Free:
		return Footprint{Anything: true}
	}
	return Footprint{}
}

// accessed is the footprint of size bytes at an address. Size 0 is for words of
// the thread library, whose size is theirs to know: all of the object.
func accessed(p *Program, addr *Expr, obj ObjectID, size int) Footprint {
	iv, known := rangeOf(p, addr)
	if known && size > 0 && iv.hi <= math.MaxInt64-int64(size) {
		b := Bytes{iv.lo, iv.hi + int64(size)}
		if obj != NoObject {
			o := p.Objects[obj].bytes()
			if in := (Bytes{max(b.Lo, o.Lo), min(b.Hi, o.Hi)}); in.Lo < in.Hi {
				b = in
			}
		}
		return Footprint{Ranges: []Bytes{b}}
	}
	if known && size == 0 && iv.lo == iv.hi && obj == NoObject {
		obj = p.FindObject(uint64(iv.lo), 1)
	}
	return inObject(p, obj)
}

func inObject(p *Program, obj ObjectID) Footprint {
	if obj == NoObject {
		return Footprint{Anything: true}
	}
	return Footprint{Ranges: []Bytes{p.Objects[obj].bytes()}}
}

func (o *Object) bytes() Bytes { return Bytes{int64(o.Addr), int64(o.Addr) + o.Size} }

// interval is a range of values, both ends included.
type interval struct{ lo, hi int64 }

// rangeOf bounds the value of an expression, where that is easy.
func rangeOf(p *Program, e *Expr) (interval, bool) {
	switch {
	case e.Op == Const:
		return interval{e.Value, e.Value}, true
	case e.Op == AddrOf:
		a := int64(p.Objects[e.Obj].Addr) + e.Value
		return interval{a, a}, true
	case e.Op.IsCompare() || e.Op == Not || e.Op == LAnd || e.Op == LOr:
		return interval{0, 1}, true
	case e.Op == Ite:
		y, ok1 := rangeOf(p, e.Y)
		z, ok2 := rangeOf(p, e.Z)
		return interval{min(y.lo, z.lo), max(y.hi, z.hi)}, ok1 && ok2
	case e.Op == Cast:
		x, ok := rangeOf(p, e.X)
		if ok && fits(e.Type, x) {
			return x, true
		}
		return typeRange(e.Type), e.Type.Bits < 64
	case e.Op.IsBinary():
		x, ok1 := rangeOf(p, e.X)
		y, ok2 := rangeOf(p, e.Y)
		iv, ok := combine(e, x, y, ok1, ok2)
		return iv, ok && fits(e.Type, iv)
	}
	return interval{}, false
}

// typeRange is the values of a type narrower than a word.
func typeRange(t Type) interval {
	if t.Signed {
		return interval{-1 << (t.Bits - 1), 1<<(t.Bits-1) - 1}
	}
	return interval{0, 1<<t.Bits - 1}
}

// fits reports whether cutting to the type changes no value of the range.
func fits(t Type, x interval) bool {
	if t.Bits == 64 {
		return true
	}
	r := typeRange(t)
	return r.lo <= x.lo && x.hi <= r.hi
}

// combine bounds a binary operator's result before it is cut to its type.
func combine(e *Expr, x, y interval, okX, okY bool) (interval, bool) {
	switch {
	case e.Op == And && okY && y.lo >= 0:
		return interval{0, y.hi}, true
	case e.Op == And && okX && x.lo >= 0:
		return interval{0, x.hi}, true
	case e.Op == Rem && okY && y.lo == y.hi && y.lo > 0 && (!e.Type.Signed || okX && x.lo >= 0):
		return interval{0, y.lo - 1}, true
	case !okX || !okY:
		return interval{}, false
	}
	switch e.Op {
	case Add:
		lo, ok1 := addInt(x.lo, y.lo)
		hi, ok2 := addInt(x.hi, y.hi)
		return interval{lo, hi}, ok1 && ok2
	case Sub:
		if y.lo == math.MinInt64 {
			return interval{}, false
		}
		lo, ok1 := addInt(x.lo, -y.hi)
		hi, ok2 := addInt(x.hi, -y.lo)
		return interval{lo, hi}, ok1 && ok2
	case Shl:
		if y.lo != y.hi || y.lo < 0 || y.lo >= min(62, int64(e.Type.Bits)) {
			return interval{}, false
		}
		return mulInterval(x, interval{1 << y.lo, 1 << y.lo})
	case Mul:
		return mulInterval(x, y)
	}
	return interval{}, false
}

func mulInterval(x, y interval) (interval, bool) {
	out := interval{math.MaxInt64, math.MinInt64}
	for _, a := range []int64{x.lo, x.hi} {
		for _, b := range []int64{y.lo, y.hi} {
			v, ok := mulInt(a, b)
			if !ok {
				return interval{}, false
			}
			out.lo, out.hi = min(out.lo, v), max(out.hi, v)
		}
	}
	return out, true
}

// addInt adds unless that overflows.
func addInt(a, b int64) (int64, bool) {
	c := a + b
	return c, (c > a) == (b > 0)
}

// mulInt multiplies unless that overflows.
func mulInt(a, b int64) (int64, bool) {
	if a == 0 || b == 0 {
		return 0, true
	}
	if a == math.MinInt64 || b == math.MinInt64 {
		return 0, false
	}
	c := a * b
	return c, c/b == a
}
