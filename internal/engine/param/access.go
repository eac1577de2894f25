package param

import (
	"slices"

	"fencepost/internal/ir"
)

// cell is a piece of memory that is always accessed as a whole.
type cell struct {
	name   string
	addr   uint64
	size   int
	mutex  bool
	group  int
	values []int64 // seen so far, as the bytes without a sign
	levels [3]int32
	users  []int // locals that must be looked at again when a value is new
}

// touch is what an action does to one cell: it finds old and leaves new.
type touch struct {
	cell     int
	old, new int64
	read     bool
	write    bool
}

// move is one indivisible action of a thread: what it touches, and the states it
// may settle in.
type move struct {
	edge    *ir.Edge
	touches []touch
	next    []outcome
	leaves  bool // it writes a value outside the domain, and ends there
	partial bool // a section that has not come to its end
	spawns  int  // 1 + thread started, with args
	args    []int64
}

// mutexSize is the size of the word a mutex is.
const mutexSize = 8

// raw is the bytes of a value of some size.
func raw(v int64, size int) int64 {
	if size >= 8 {
		return v
	}
	return v & (1<<(8*size) - 1)
}

// cellAt finds the cell of an access. ok is false if the access is invalid: the
// program makes an error there.
func (b *builder) cellAt(e *ir.Edge, addr uint64, size int, mutex bool) (c int, ok bool) {
	key := [2]uint64{addr, uint64(size)}
	if c, ok := b.cellIndex[key]; ok {
		if b.cells[c].mutex != mutex {
			b.refuse(e, "access to the word of a mutex")
		}
		return c, true
	}
	if !b.valid(e, addr, size) {
		return 0, false
	}
	for _, o := range b.cells {
		if addr < o.addr+uint64(o.size) && o.addr < addr+uint64(size) {
			b.refuse(e, "access to parts of what is accessed as a whole elsewhere (%s)", o.name)
			return 0, false
		}
	}
	n := &cell{name: b.p.LocationName(addr, size), addr: addr, size: size, mutex: mutex, group: b.net.group()}
	b.cells = append(b.cells, n)
	c = len(b.cells) - 1
	b.cellIndex[key] = c
	start := b.initial(addr, size)
	b.value(c, start)
	b.net.Places[b.valuePlace(c, start)].Init = 1
	if b.robust {
		g := b.net.group()
		for l, word := range [...]string{"untouched", "loaded", "stored"} {
			n.levels[l] = b.net.place("level "+n.name+" "+word, g)
		}
		b.net.Places[n.levels[untouched]].Init = 1
	}
	return c, true
}

// valid reports whether an address may be accessed.
func (b *builder) valid(e *ir.Edge, addr uint64, size int) bool {
	if o := e.Op.Obj; o != ir.NoObject {
		obj := &b.p.Objects[o]
		return addr-obj.Addr <= uint64(obj.Size) && uint64(size) <= uint64(obj.Size)-(addr-obj.Addr)
	}
	if b.p.FindObject(addr, size) != ir.NoObject {
		return true
	}
	const limit = ir.CellLimit * ir.CellUnit
	return b.p.Cells && addr%ir.CellUnit == 0 && int64(addr) < limit && int64(addr) > -limit
}

// initial is what memory holds at first.
func (b *builder) initial(addr uint64, size int) int64 {
	id := b.p.FindObject(addr, size)
	if id == ir.NoObject {
		return 0
	}
	o := &b.p.Objects[id]
	var v uint64
	for i := size - 1; i >= 0; i-- {
		at := addr - o.Addr + uint64(i)
		var x byte
		if at < uint64(len(o.Init)) {
			x = o.Init[at]
		}
		v = v<<8 | uint64(x)
	}
	return int64(v)
}

// value notes that a cell may hold a value, and reports whether it may.
func (b *builder) value(c int, v int64) bool {
	n := b.cells[c]
	if slices.Contains(n.values, v) {
		return true
	}
	signed := ir.Type{Bits: uint8(8 * n.size), Signed: true}.Wrap(v)
	if b.domain != nil && (signed < b.domain.Lo || signed > b.domain.Hi) && len(n.values) > 0 {
		return false
	}
	if b.domain == nil && len(n.values) >= maxValues {
		b.diverges(n)
		return false
	}
	n.values = append(n.values, v)
	for _, l := range n.users {
		b.again(l)
	}
	return true
}

// moves lists the actions from a state other than an attacker's, for the values
// known so far.
func (b *builder) moves(id int, l *local) []move {
	f := b.p.ThreadFunc(ir.ThreadID(l.thread))
	var out []move
	for _, i := range f.Out(l.loc) {
		e := &f.Edges[i]
		switch op := &e.Op; {
		case op.Local() || op.Kind == ir.Fence:
			next, fails := b.localStep(l, e)
			m := move{edge: e}
			for _, n := range next {
				m.next = append(m.next, b.settle(n)...)
			}
			if fails {
				m.next = append(m.next, outcome{fails: true})
			}
			out = append(out, m)
		case op.Kind == ir.AtomicBegin:
			out = append(out, b.section(id, l, e)...)
		case op.Kind == ir.Spawn:
			out = append(out, b.spawn(l, e)...)
		case op.Kind == ir.Exit: // the program ends; what others do before is looked at anyway
		default:
			out = append(out, b.access(id, l, e)...)
		}
	}
	return out
}

// access is one memory operation on its own.
func (b *builder) access(id int, l *local, e *ir.Edge) []move {
	var out []move
	b.effects(id, e, l, func(c int) []int64 { return b.cells[c].values }, func(ef effect) {
		m := move{edge: e}
		switch {
		case ef.fails:
			m.next = []outcome{{fails: true}}
		case ef.leaves:
			m.leaves = true
			m.touches = []touch{{cell: ef.cell, old: ef.old, new: ef.old, read: ef.read}}
		default:
			m.touches = []touch{{cell: ef.cell, old: ef.old, new: ef.new, read: ef.read, write: ef.write}}
			next := b.at(l, e.To, ef.regs)
			next.held = ef.held
			m.next = b.settle(next)
		}
		out = append(out, m)
	})
	return out
}

// effect is what an operation does if its cell holds old.
type effect struct {
	fails       bool // an error of the program
	leaves      bool // the value written is outside the domain: the path is cut off
	cell        int
	old, new    int64
	read, write bool
	regs        []int64
	held        []int
}

// effects calls give for every effect of a memory operation, over the values that
// its cell may hold.
func (b *builder) effects(id int, e *ir.Edge, l *local, values func(c int) []int64, give func(effect)) {
	op := &e.Op
	size, mutex := op.Type.Size(), false
	switch op.Kind {
	case ir.Load, ir.Await, ir.AbstractLoad, ir.Store, ir.RMW:
	case ir.Lock, ir.TryLock, ir.Unlock:
		if op.Mutex != ir.NormalMutex {
			b.refuse(e, "a mutex that is not of the normal kind")
			return
		}
		size, mutex = mutexSize, true
	default:
		b.refuse(e, "%s", op.Kind)
		return
	}
	addr := uint64(op.Addr.Eval(b.env(l.regs, 0)))
	c, ok := b.cellAt(e, addr, size, mutex)
	if b.err != nil {
		return
	}
	if o := b.p.FindObject(addr, size); o != ir.NoObject && op.Writes() && b.p.Objects[o].ReadOnly {
		ok = false
	}
	if !ok {
		give(effect{fails: true})
		return
	}
	if users := &b.cells[c].users; id >= 0 && !slices.Contains(*users, id) {
		*users = append(*users, id)
	}
	for _, old := range slices.Clone(values(c)) {
		base := effect{cell: c, old: old, new: old, regs: slices.Clone(l.regs), held: l.held}
		if mutex {
			b.mutex(e, l, base, give)
		} else {
			b.plainAccess(e, l, base, give)
		}
	}
}

func (b *builder) plainAccess(e *ir.Edge, l *local, ef effect, give func(effect)) {
	op := &e.Op
	seen := op.Type.Wrap(ef.old)
	set := func(r ir.Reg, v int64) {
		if r != ir.NoReg {
			ef.regs[r] = v
		}
	}
	size := b.cells[ef.cell].size
	switch op.Kind {
	case ir.Load:
		ef.read = true
		set(op.Dst, seen)
		give(ef)
	case ir.Await:
		if op.Cond.Eval(b.env(l.regs, seen)) != 0 {
			ef.read = true
			set(op.Dst, seen)
			give(ef)
		}
	case ir.AbstractLoad:
		ef.read = true
		for _, v := range b.choices(e, l.regs, seen) {
			one := ef
			one.regs = slices.Clone(ef.regs)
			one.regs[op.Dst] = v
			give(one)
		}
	case ir.Store:
		ef.write, ef.new = true, raw(op.Val.Eval(b.env(l.regs, 0)), size)
		ef.leaves = !b.value(ef.cell, ef.new)
		give(ef)
	case ir.RMW:
		if op.Cond != nil && op.Cond.Eval(b.env(l.regs, seen)) == 0 {
			return
		}
		ef.read = true
		var wrote bool
		ef.new, wrote = b.modify(op, l, seen)
		ef.new = raw(ef.new, size)
		ef.write = wrote
		if !wrote {
			ef.new = ef.old
		}
		set(op.Dst, seen)
		set(op.Dst2, 0)
		if wrote {
			set(op.Dst2, 1)
		}
		ef.leaves = !b.value(ef.cell, ef.new)
		give(ef)
	}
}

// modify is the function of a read-modify-write.
func (b *builder) modify(op *ir.Op, l *local, old int64) (value int64, wrote bool) {
	env := b.env(l.regs, 0)
	val := op.Val.Eval(env)
	switch op.RMW {
	case ir.Xchg:
		return val, true
	case ir.FetchAdd:
		return old + val, true
	case ir.FetchAnd:
		return old & val, true
	case ir.FetchOr:
		return old | val, true
	case ir.FetchXor:
		return old ^ val, true
	case ir.Cas:
		return op.Val2.Eval(env), op.Type.Wrap(val) == old
	}
	panic("BUG: unknown read-modify-write")
}

// mutex locks and unlocks. A mutex is free or held; who holds it is part of the
// holder's own state.
func (b *builder) mutex(e *ir.Edge, l *local, ef effect, give func(effect)) {
	const free, taken = 0, 1
	op := &e.Op
	mine := slices.Contains(l.held, ef.cell)
	result := int64(0)
	switch {
	case op.Kind == ir.Unlock && !mine:
		give(effect{fails: true})
		return
	case op.Kind == ir.Unlock:
		if ef.old != taken {
			return
		}
		ef.new = free
		ef.held = slices.DeleteFunc(slices.Clone(l.held), func(c int) bool { return c == ef.cell })
	case ef.old == free:
		ef.new = taken
		ef.held = append(slices.Clone(l.held), ef.cell)
		slices.Sort(ef.held)
	case op.Kind == ir.TryLock:
		result = ir.EBUSY
	default:
		return // blocks
	}
	ef.read, ef.write = true, result == 0
	if op.Dst != ir.NoReg {
		ef.regs[op.Dst] = result
	}
	if b.value(ef.cell, ef.new) {
		give(ef)
	}
}
