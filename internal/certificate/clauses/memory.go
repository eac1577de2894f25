package clauses

import (
	"math/bits"
	"slices"

	"fencepost/internal/ir"
	"fencepost/internal/replay"
)

// What loads read. An execution puts its points in a total order: a load happens, a store reaches memory, a
// read-modify-write does both at once. A load sees what is in memory then, and all earlier stores of its thread; of
// these it reads the last one in the order.
//
// Points of things that do not happen are in the order, too, and make no difference: they can be put anywhere that
// the order of the others leaves.

// point is a position in the order.
type point struct {
	thread ir.ThreadID
	seq    int  // position in the thread, in an order that all its paths follow
	on     Lit  // it happens
	waits  bool // a store that waits in the buffer: it may come after what follows in its thread
	inside bool // an atomic section
}

// access is an access of memory.
type access struct {
	thread ir.ThreadID
	seq    int
	edge   ir.EdgeID
	op     *ir.Op
	tries  Lit // it happens, if it is no error
	addr   word
	size   int
	// of a read
	read         bool
	at           int // its point
	got, gotMask word
	// of a write
	wrote     Lit // no: it writes nothing
	there     int // the point at which it reaches memory
	val, mask word
}

// barrier is a store-store fence: it lies before the events from seq on.
type barrier struct {
	thread ir.ThreadID
	seq    int
	on     Lit
}

// memory has all that takes part in the order.
type memory struct {
	points   []point
	firsts   map[[2]int]Lit // of two points: the first one comes first
	accesses []*access
	between  []barrier
	sections []int // points at which sections begin
	joins    []joins
	last     int // the point of the end, -1 if nothing is asked about it
}

// next returns the position of the next event.
func (t *thread) next() int {
	t.seq++
	return t.seq
}

// point adds a position in the order.
func (t *thread) point(x *encoder, on Lit, waits bool) int {
	x.points = append(x.points, point{thread: t.id, seq: t.next(), on: on, waits: waits, inside: t.sectioned})
	return len(x.points) - 1
}

// drained says that at p, if on, the buffer is empty.
func (x *encoder) drained(on Lit, p int) {
	for s := range x.points {
		if q := &x.points[s]; q.waits && q.thread == x.points[p].thread && q.seq < x.points[p].seq {
			x.clause(-on, -q.on, x.before(s, p))
		}
	}
}

func (x *encoder) newAccess(t *thread, at *path, e *ir.Edge, on Lit) *access {
	a := &access{
		thread: t.id, edge: e.ID, op: &e.Op, tries: on, addr: x.eval(e.Op.Addr, x.values(at)), size: e.Op.AccessSize(), wrote: no,
		got: number(0), gotMask: number(0), seq: t.next(),
	}
	x.accesses = append(x.accesses, a)
	if at.origin(e.Op.Addr) != 0 {
		x.beyond(on, e.ID, errApart)
	}
	return a
}

// reads says that an access reads at p.
func (x *encoder) reads(a *access, p int) {
	a.read, a.at, a.got = true, p, x.freshWord(8*a.size)
	if x.masks {
		a.gotMask = x.freshWord(8 * a.size)
	}
}

// writes says that an access writes at p, if on.
func (x *encoder) writes(a *access, p int, on Lit, val, mask word) {
	a.there, a.wrote = p, on
	cut := ir.Type{Bits: uint8(8 * a.size)}
	a.val, a.mask = wrap(cut, val), wrap(cut, mask)
}

// before is true if one point comes before another one.
func (x *encoder) before(p, q int) Lit {
	switch {
	case x.always(p, q):
		return yes
	case p == q || x.always(q, p):
		return no
	case p > q:
		return -x.before(q, p)
	}
	v, ok := x.firsts[[2]int{p, q}]
	if !ok {
		v = x.fresh()
		x.firsts[[2]int{p, q}] = v
	}
	return v
}

// always reports whether p comes before q wherever both happen: by the order of their thread, or because there is only
// one step that can start the thread of q.
func (x *encoder) always(p, q int) bool {
	a, b := &x.points[p], &x.points[q]
	if a.thread == ir.NoThread || b.thread == ir.NoThread { // the end
		return p != q && b.thread == ir.NoThread
	}
	if a.thread == b.thread {
		return a.seq < b.seq && (!a.waits || b.waits && x.model == replay.TSO)
	}
	starts := x.threads[b.thread].starts
	return len(starts) == 1 && (starts[0].point == p || x.always(p, starts[0].point))
}

// order says what the order is, and what is read in it.
func (x *encoder) order() {
	for _, t := range x.threads {
		for _, b := range t.starts {
			for q := range x.points {
				if x.points[q].thread == t.id {
					x.clause(-b.on, x.before(b.point, q))
				}
			}
		}
	}
	for _, j := range x.joins {
		for q := range x.points {
			if x.points[q].thread == j.target {
				x.clause(-j.on, -x.points[q].on, x.before(q, j.point))
			}
		}
	}
	if x.model == replay.PSO {
		x.storeOrder()
	}
	x.apart()
	for _, a := range x.accesses {
		if a.read {
			x.readsFrom(a)
		}
	}
	n := len(x.points)
	if n > 600 {
		panic(refusal{ErrTooLarge})
	}
	for i := range n {
		for j := i + 1; j < n; j++ {
			for k := j + 1; k < n; k++ {
				a, b, c := x.before(i, j), x.before(j, k), x.before(i, k)
				x.clause(-a, -b, c)
				x.clause(a, b, -c)
			}
		}
	}
}

// storeOrder says which stores of a thread keep their order under PSO.
func (x *encoder) storeOrder() {
	for p, a := range x.points {
		for q, b := range x.points {
			if !a.waits || !b.waits || a.thread != b.thread || a.seq >= b.seq {
				continue
			}
			for _, f := range x.between {
				if f.thread == a.thread && a.seq < f.seq && f.seq < b.seq {
					x.clause(-f.on, -a.on, -b.on, x.before(p, q))
				}
			}
		}
	}
	for _, a := range x.accesses {
		for _, b := range x.accesses {
			if a.wrote != no && b.wrote != no && a.thread == b.thread && a.seq < b.seq {
				x.clause(-a.wrote, -b.wrote, -x.same(a, b), x.before(a.there, b.there))
			}
		}
	}
}

// apart says that nothing of another thread happens inside an atomic section.
func (x *encoder) apart() {
	for k, p := range x.sections {
		begin := &x.points[p]
		for q := range x.points {
			in := &x.points[q]
			if in.thread != begin.thread || in.seq <= begin.seq || !in.inside {
				continue
			}
			clause := []Lit{-begin.on, -in.on}
			for _, later := range x.sections[k+1:] { // the section of q is the last one that has begun
				if b := &x.points[later]; b.thread == in.thread && begin.seq < b.seq && b.seq < in.seq {
					clause = append(clause, b.on)
				}
			}
			for o := range x.points {
				if x.points[o].thread != begin.thread {
					x.clause(append(slices.Clip(clause), -x.points[o].on, -x.before(p, o), -x.before(o, q))...)
				}
			}
		}
	}
}

// same is true if two accesses are to the same bytes.
func (x *encoder) same(a, b *access) Lit {
	if a.size != b.size {
		return no
	}
	return x.equal(a.addr, b.addr)
}

// overlaps is true if two accesses have some bytes in common, but not all.
func (x *encoder) overlaps(a, b *access) Lit {
	if x.aligned(a, b) {
		return no
	}
	d := x.sub(a.addr, b.addr)
	common := x.or(x.less(false, d, number(int64(b.size))), x.less(false, x.negate(d), number(int64(a.size))))
	return x.and(common, -x.same(a, b))
}

// aligned reports whether the lowest bits of the addresses say that two accesses are to the same bytes or have none in
// common.
func (x *encoder) aligned(a, b *access) bool {
	unit := max(a.size, b.size)
	var low [2]int
	for i, w := range []word{a.addr, b.addr} {
		for k := range bits.Len(uint(unit - 1)) {
			switch w[k] {
			case yes:
				low[i] |= 1 << k
			case no:
			default:
				return false
			}
		}
	}
	if low[0]+a.size > unit || low[1]+b.size > unit { // an access of two units
		return a.size == b.size && low[0] == low[1]
	}
	return a.size == b.size && low[0] == low[1] || low[0]+a.size <= low[1] || low[1]+b.size <= low[0]
}

// readsFrom says what an access reads.
func (x *encoder) readsFrom(a *access) {
	type source struct {
		w           *access
		from, there Lit
	}
	var all []source
	for _, w := range x.accesses {
		if w.wrote == no || w == a || w.thread == a.thread && w.seq > a.seq {
			continue
		}
		x.beyond(x.every(a.tries, w.wrote, x.overlaps(a, w)), a.edge, "accesses of several sizes meet")
		sees := yes // an own store, in memory or in the buffer
		if w.thread != a.thread {
			sees = x.before(w.there, a.at)
		}
		if there := x.every(w.wrote, x.same(a, w), sees); there != no {
			all = append(all, source{w, x.fresh(), there})
		}
	}
	begin := x.fresh()
	some := []Lit{-a.tries, begin}
	val, mask := x.initially(a)
	x.equals(begin, a, val, mask)
	for _, s := range all {
		some = append(some, s.from)
		x.clause(-begin, -s.there)
		x.clause(-s.from, s.there)
		x.equals(s.from, a, s.w.val, s.w.mask)
		for _, other := range all {
			if other.w != s.w {
				x.clause(-s.from, -other.there, -x.before(s.w.there, other.w.there))
			}
		}
	}
	x.clause(some...)
}

// equals says that an access gets a value, if on.
func (x *encoder) equals(on Lit, a *access, val, mask word) {
	for i := range 8 * a.size {
		x.clause(-on, -a.got[i], val[i])
		x.clause(-on, a.got[i], -val[i])
		if x.masks {
			x.clause(-on, -a.gotMask[i], mask[i])
			x.clause(-on, a.gotMask[i], -mask[i])
		}
	}
}

// maxContents bounds the bytes of objects that an access with an unknown address may read.
const maxContents = 4096

// initially returns what is in memory before anything is written.
func (x *encoder) initially(a *access) (val, mask word) {
	val, mask = number(0), number(0)
	content := func(o *ir.Object, addr uint64) (v int64) {
		for k := range uint64(a.size) {
			if at := addr + k - o.Addr; at < uint64(len(o.Init)) {
				v |= int64(o.Init[at]) << (8 * k)
			}
		}
		return v
	}
	known, isKnown := a.addr.known()
	n := 0
	for i := range x.p.Objects {
		o := &x.p.Objects[i]
		if isKnown {
			if uint64(known)-o.Addr < uint64(o.Size) {
				return number(content(o, uint64(known))), mask
			}
			continue
		}
		for k := range o.Init {
			addr := o.Addr + uint64(k)
			v := content(o, addr)
			if is := x.equal(a.addr, number(int64(addr))); v != 0 && is != no {
				val = x.chooseWord(is, number(v), val)
			}
			if n++; n > maxContents {
				panic(refusal{ErrTooLarge})
			}
		}
	}
	for _, b := range x.blocks {
		if b.undefined {
			mask = x.chooseWord(x.and(b.on, x.contains(a.addr, a.size, b.addr, b.size)), number(-1), mask)
		}
	}
	return val, mask
}
