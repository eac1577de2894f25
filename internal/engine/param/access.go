package param

import (
	"slices"

	"fencepost/internal/ir"
)

// cell is a piece of memory that is always accessed as a whole, by itself or together
// with others (cells.go).
type cell struct {
	name   string
	addr   uint64
	size   int
	mutex  bool
	group  int
	values []int64 // seen so far, as the bytes without a sign
	levels [3]int32
	aims   []int32 // places of delayed stores that write it
	users  []int   // locals that must be looked at again when a value or an aim is new
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
		m := move{edge: e, touches: ef.touches}
		switch {
		case ef.fails:
			m.next = []outcome{{fails: true}}
		case ef.leaves:
			m.leaves = true
		default:
			next := b.at(l, e.To, ef.regs)
			next.held = ef.held
			m.next = b.settle(next)
		}
		out = append(out, m)
	})
	return out
}

// effect is what an operation does if its cells hold what it finds.
type effect struct {
	fails   bool // an error of the program
	leaves  bool // the value written is outside the domain: the path is cut off
	touches []touch
	regs    []int64
	held    []int
}

// maxFound bounds the values that one access may find in its cells together.
const maxFound = 1 << 16

// effects calls give for every effect of a memory operation, over the values that
// its cells may hold.
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
	cells, ok := b.cellsAt(e, addr, size, mutex)
	if b.err != nil || b.split {
		return
	}
	if o := b.p.FindObject(addr, size); o != ir.NoObject && op.Writes() && b.p.Objects[o].ReadOnly {
		ok = false
	}
	if !ok {
		give(effect{fails: true})
		return
	}
	ways, count := make([][]int64, len(cells)), 1
	for i, c := range cells {
		if users := &b.cells[c].users; id >= 0 && !slices.Contains(*users, id) {
			*users = append(*users, id)
		}
		ways[i] = slices.Clone(values(c))
		if count *= len(ways[i]); count > maxFound {
			b.err = ErrGrows
			return
		}
	}
	eachChoice(ways, func(old []int64) {
		base := effect{regs: slices.Clone(l.regs), held: l.held}
		for i, c := range cells {
			base.touches = append(base.touches, touch{cell: c, old: old[i], new: old[i]})
		}
		if mutex {
			b.mutex(e, l, base, give)
		} else {
			b.plainAccess(e, l, base, give)
		}
	})
}

func (b *builder) plainAccess(e *ir.Edge, l *local, ef effect, give func(effect)) {
	op := &e.Op
	seen := op.Type.Wrap(b.whole(ef.touches))
	set := func(r ir.Reg, v int64) {
		if r != ir.NoReg {
			ef.regs[r] = v
		}
	}
	switch op.Kind {
	case ir.Load:
		ef.reads()
		set(op.Dst, seen)
		give(ef)
	case ir.Await:
		if op.Cond.Eval(b.env(l.regs, seen)) != 0 {
			ef.reads()
			set(op.Dst, seen)
			give(ef)
		}
	case ir.AbstractLoad:
		ef.reads()
		for _, v := range b.choices(e, l.regs, seen) {
			one := ef
			one.regs = slices.Clone(ef.regs)
			one.regs[op.Dst] = v
			give(one)
		}
	case ir.Store:
		b.writes(&ef, op.Val.Eval(b.env(l.regs, 0)))
		give(ef)
	case ir.RMW:
		if op.Cond != nil && op.Cond.Eval(b.env(l.regs, seen)) == 0 {
			return
		}
		ef.reads()
		set(op.Dst, seen)
		set(op.Dst2, 0)
		if v, wrote := b.modify(op, l, seen); wrote {
			b.writes(&ef, v)
			set(op.Dst2, 1)
		}
		give(ef)
	}
}

func (ef *effect) reads() {
	for i := range ef.touches {
		ef.touches[i].read = true
	}
}

// writes makes an effect leave a value, if the domain has it.
func (b *builder) writes(ef *effect, v int64) {
	parts, ok := b.values(ef.touches, v)
	ef.leaves = !ok
	for i := range parts {
		ef.touches[i].new, ef.touches[i].write = parts[i], true
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
	t := &ef.touches[0] // a mutex is one cell
	mine := slices.Contains(l.held, t.cell)
	result := int64(0)
	switch {
	case op.Kind == ir.Unlock && !mine:
		give(effect{fails: true})
		return
	case op.Kind == ir.Unlock:
		if t.old != taken {
			return
		}
		t.new = free
		ef.held = slices.DeleteFunc(slices.Clone(l.held), func(c int) bool { return c == t.cell })
	case t.old == free:
		t.new = taken
		ef.held = append(slices.Clone(l.held), t.cell)
		slices.Sort(ef.held)
	case op.Kind == ir.TryLock:
		result = ir.EBUSY
	default:
		return // blocks
	}
	t.read, t.write = true, result == 0
	if op.Dst != ir.NoReg {
		ef.regs[op.Dst] = result
	}
	if b.value(t.cell, t.new) {
		give(ef)
	}
}
