package clauses

import (
	"maps"
	"slices"

	"fencepost/internal/ir"
)

// Objects and blocks: which accesses are errors. All allocations take new blocks, at addresses that depend on the thread
// and on what it has allocated. Where the rules would let one take a block that was given back, nothing is covered.

const (
	heapBase = 0x2000_4000_0000
	heapUnit = 16 // blocks have sizes that are multiples of this, and as much room between them
)

// block is a block that several threads may reach.
type block struct {
	thread    ir.ThreadID
	on        Lit
	point     int
	addr      word
	size      int64
	stack     bool
	undefined bool
}

// freed is the end of a block.
type freed struct {
	thread ir.ThreadID
	edge   ir.EdgeID
	on     Lit
	point  int
	addr   word
	stack  bool
	found  Lit // which block it is
	ends   []Lit
}

// private is a block that one thread alone can reach. Its contents are like registers.
type private struct {
	size      int64
	alive     Lit
	val, mask []Lit
}

// maxPrivate is the largest size of a block that is kept apart.
const maxPrivate = 1024

// newBlock returns the address of the next new block of a thread.
func (x *encoder) newBlock(t *thread, at *path, op *ir.Op) (addr word, size int64, next word) {
	size, ok := x.eval(op.Val, x.values(at)).known()
	if !ok || size < 0 {
		refuse("blocks of unknown size")
	}
	if op.Block.Lead != 0 {
		refuse("blocks with bytes in front of what the program asked for")
	}
	start := at.next
	if a := op.Block.Align; a > 0 {
		start = x.bitwise(x.add(start, number(a-1), no), number(-a), x.and)
	}
	addr = x.add(start, number(heapBase+int64(t.id)<<32), no)
	room := (max(size, 1)+heapUnit-1)/heapUnit*heapUnit + heapUnit
	return addr, size, x.add(start, number(room), no)
}

func (x *encoder) alloc(t *thread, at *path, e *ir.Edge, on Lit) (*path, Lit) {
	next := at.clone()
	addr, size, after := x.newBlock(t, at, &e.Op)
	next.next = after
	next.set(e.Op.Dst, addr)
	x.blocks = append(x.blocks, &block{
		thread: t.id, on: on, point: t.point(x, on, false), addr: addr, size: size, stack: e.Op.Block.Stack, undefined: e.Op.Block.Undef && x.masks,
	})
	return next, on
}

func (x *encoder) free(t *thread, at *path, e *ir.Edge, on Lit) (*path, Lit) {
	addr := x.eval(e.Op.Addr, x.values(at))
	on2 := x.and(on, x.nonzero(addr))
	x.frees = append(x.frees, &freed{thread: t.id, edge: e.ID, on: on2, point: t.point(x, on, false), addr: addr, stack: e.Op.Block.Stack})
	return at.clone(), on
}

// contains is true if n bytes at an address are among the m bytes at another one.
func (x *encoder) contains(addr word, n int, base word, m int64) Lit {
	if int64(n) > m {
		return no
	}
	return -x.less(false, number(m-int64(n)), x.sub(addr, base))
}

// has is true if a block is there when something happens: an access, or the end of the block.
func (x *encoder) has(b *block, thread ir.ThreadID, seq int) Lit {
	if b.thread == thread {
		if x.points[b.point].seq < seq {
			return b.on
		}
		return no
	}
	// Something that its thread did before came after the allocation.
	out := no
	for q := range x.points {
		if p := &x.points[q]; p.thread == thread && p.seq <= seq && !p.waits {
			out = x.or(out, x.and(p.on, x.before(b.point, q)))
		}
	}
	for _, s := range x.threads[thread].starts {
		out = x.or(out, x.and(s.on, x.before(b.point, s.point)))
	}
	return x.and(b.on, out)
}

// validity says which accesses are errors.
func (x *encoder) validity() {
	for _, f := range x.frees {
		f.found = no
		for _, b := range x.blocks {
			ends := no
			if b.stack == f.stack {
				ends = x.every(f.on, x.equal(f.addr, b.addr), x.has(b, f.thread, x.points[f.point].seq))
			}
			f.ends = append(f.ends, ends)
			f.found = x.or(f.found, ends)
		}
		x.wrong(x.and(f.on, -f.found), f.edge, "a check fails: "+ir.InvalidFree.String())
	}
	x.reuse()
	for _, a := range x.accesses {
		if a.thread != ir.NoThread {
			x.valid(a)
		}
	}
}

// reuse says where a block is given back twice, and where one is allocated that may be one that was given back.
func (x *encoder) reuse() {
	for i, f := range x.frees {
		for _, g := range x.frees[:i] {
			x.wrong(x.every(f.on, g.on, x.equal(f.addr, g.addr)), f.edge, "a check fails: "+ir.DoubleFree.String())
		}
		for k, ends := range f.ends {
			for _, b := range x.blocks {
				if old := x.blocks[k]; b != old && b.size == old.size && b.stack == old.stack {
					x.beyond(x.every(ends, b.on, x.before(f.point, b.point)), f.edge, "a block may be used again")
				}
			}
		}
	}
}

// valid says whether an access is an error.
func (x *encoder) valid(a *access) {
	ok := no
	if a.op.Sync.Marks.Has(ir.Header) {
		refuse("accesses in front of a block")
	}
	for i := range x.p.Objects {
		o := &x.p.Objects[i]
		if a.op.Obj != ir.NoObject && a.op.Obj != ir.ObjectID(i) {
			continue
		}
		in := x.contains(a.addr, a.size, number(int64(o.Addr)), o.Size)
		ok = x.or(ok, in)
		if o.ReadOnly && a.op.Writes() {
			x.wrong(x.and(a.tries, in), a.edge, "a check fails: "+ir.ReadOnly.String())
		}
	}
	if a.op.Obj == ir.NoObject {
		ok = x.or(ok, x.validBlock(a))
		if x.p.Cells {
			ok = x.or(ok, x.isCell(a))
		}
	}
	x.wrong(x.and(a.tries, -ok), a.edge, "a check fails: an access to no object")
	for _, t := range x.threads {
		x.foreign(t, a)
	}
}

// validBlock is true if an access is to a block that is there. It is an error if the block was given back before.
func (x *encoder) validBlock(a *access) Lit {
	out := no
	for k, b := range x.blocks {
		in := x.contains(a.addr, a.size, b.addr, b.size)
		if in == no {
			continue
		}
		out = x.or(out, x.and(in, x.has(b, a.thread, a.seq)))
		for _, f := range x.frees {
			over := x.every(a.tries, in, f.ends[k])
			switch {
			case f.thread == a.thread && a.seq < x.points[f.point].seq:
				continue
			case f.thread == a.thread:
			case a.wrote != no:
				over = x.and(over, -x.before(a.there, f.point))
			default:
				over = x.and(over, -x.before(a.at, f.point))
			}
			x.wrong(over, a.edge, "a check fails: "+ir.UseAfterFree.String())
		}
	}
	return out
}

// isCell is true if an access is to a cell of the papers' memory.
func (x *encoder) isCell(a *access) Lit {
	if a.size != ir.CellUnit {
		return no
	}
	const limit = ir.CellLimit * ir.CellUnit
	return x.every(-a.addr[0], -a.addr[1], -a.addr[2], x.less(true, a.addr, number(limit)), x.less(true, number(-limit), a.addr))
}

// allocPrivate allocates a block that the thread alone can reach, nil if it is none, or not kept apart.
func (x *encoder) allocPrivate(t *thread, at *path, e *ir.Edge, on Lit) *path {
	if !x.opt.Apart || !x.kept[e.ID] {
		return nil
	}
	addr, size, after := x.newBlock(t, at, &e.Op)
	where, ok := addr.known()
	if size > maxPrivate {
		return nil
	}
	if !ok {
		x.beyond(on, e.ID, errApart)
		return nil
	}
	b := &private{size: size, alive: yes, val: make([]Lit, 8*size), mask: make([]Lit, 8*size)}
	for i := range b.val {
		b.val[i], b.mask[i] = no, no
		if e.Op.Block.Undef && x.masks {
			b.mask[i] = yes
		}
	}
	next := at.clone()
	next.next = after
	next.set(e.Op.Dst, addr)
	next.comesFrom(e.Op.Dst, uint64(where))
	next.mine[uint64(where)] = b
	t.apart = append(t.apart, region{uint64(where), size})
	return next
}

// mixed is the origin of a value that depends on addresses of blocks kept apart in another way than as an address of
// one of them.
const mixed = 1

func (s *path) comesFrom(r ir.Reg, block uint64) {
	if r != ir.NoReg {
		s.from[r] = block
	}
}

// origin returns the block kept apart from whose address the value of an expression is computed, by adding numbers that do not
// depend on addresses; 0: it depends on none; or mixed. It makes no difference where such a block lies, if each access is
// to the block from whose address its own was computed.
func (s *path) origin(e *ir.Expr) uint64 {
	if e.Op == ir.RegRef {
		return s.from[e.Reg]
	}
	var of [3]uint64
	for i, x := range []*ir.Expr{e.X, e.Y, e.Z} {
		if x != nil {
			of[i] = s.origin(x)
		}
	}
	switch {
	case of == [3]uint64{}:
		return 0
	case e.Op == ir.Add && of[0] == 0:
		return of[1]
	case (e.Op == ir.Add || e.Op == ir.Sub) && of[1] == 0, e.Op == ir.Cast && e.Type.Bits == 64:
		return of[0]
	case e.Op == ir.Ite && of[0] == 0 && of[1] == of[2]:
		return of[1]
	}
	return mixed
}

// region is where a block lies.
type region struct {
	addr uint64
	size int64
}

// privateAt returns the block of the thread that an operation accesses, and the offset in it.
func (x *encoder) privateAt(at *path, op *ir.Op) (*private, int64) {
	if len(at.mine) == 0 {
		return nil, 0
	}
	v, ok := x.eval(op.Addr, x.values(at)).known()
	if !ok || op.Obj != ir.NoObject {
		return nil, 0
	}
	size, from := int64(op.AccessSize()), at.origin(op.Addr)
	for addr, b := range at.mine {
		if addr != from {
			continue
		}
		if offset := v - int64(addr); offset >= 0 && offset+size <= b.size && (op.Kind != ir.Free || offset == 0) {
			return b, offset
		}
	}
	return nil, 0
}

// accessPrivate does what an operation does to a block that the thread alone can reach.
func (x *encoder) accessPrivate(at *path, e *ir.Edge, on Lit, b *private, offset int64) (*path, Lit) {
	op, next := &e.Op, at.clone()
	x.wrong(x.and(on, -b.alive), e.ID, "a check fails: "+ir.UseAfterFree.String())
	on = x.and(on, b.alive)
	if op.Kind == ir.Load {
		a := &access{op: op, got: number(0), gotMask: number(0)}
		copy(a.got[:8*op.Type.Size()], b.val[8*offset:])
		copy(a.gotMask[:8*op.Type.Size()], b.mask[8*offset:])
		x.setRead(next, op, a, wrap(op.Type, a.got))
		return next, on
	}
	n := &private{size: b.size, alive: b.alive, val: slices.Clone(b.val), mask: slices.Clone(b.mask)}
	if op.Kind == ir.Free {
		if !op.Block.Stack {
			x.wrong(on, e.ID, "a check fails: "+ir.InvalidFree.String())
		}
		n.alive = no
	} else {
		val, mask := x.written(at, op, x.eval(op.Val, x.values(at)))
		copy(n.val[8*offset:8*(offset+int64(op.Type.Size()))], val[:])
		copy(n.mask[8*offset:8*(offset+int64(op.Type.Size()))], mask[:])
	}
	for addr, other := range at.mine {
		if other == b {
			next.mine[addr] = n
		}
	}
	return next, on
}

// joinPrivate puts together the blocks of two paths. A block that is not there is not alive.
func (x *encoder) joinPrivate(on Lit, into, from map[uint64]*private) {
	all := maps.Clone(from)
	maps.Copy(all, into)
	for _, addr := range slices.Sorted(maps.Keys(all)) {
		a, b := from[addr], into[addr]
		if a == b {
			continue
		}
		if a == nil {
			a = &private{size: b.size, alive: no, val: b.val, mask: b.mask}
		}
		if b == nil {
			b = &private{size: a.size, alive: no, val: a.val, mask: a.mask}
		}
		if a.size != b.size {
			refuse("blocks of several sizes at one address")
		}
		n := &private{size: a.size, alive: x.choose(on, a.alive, b.alive), val: make([]Lit, len(a.val)), mask: make([]Lit, len(a.val))}
		for i := range n.val {
			n.val[i], n.mask[i] = x.choose(on, a.val[i], b.val[i]), x.choose(on, a.mask[i], b.mask[i])
		}
		into[addr] = n
	}
}

// foreign says where an access that is not to a block kept apart may be to one.
func (x *encoder) foreign(t *thread, a *access) {
	for _, r := range t.apart {
		for k := range uint64(a.size) { // its byte k lies in the block
			at := number(int64(r.addr - k))
			x.beyond(x.and(a.tries, x.less(false, x.sub(a.addr, at), number(max(r.size, 1)))), a.edge, errApart)
		}
	}
}

const errApart = "an access to a block that another thread alone can reach, or with an unknown address"
