package param

import (
	"slices"

	"fencepost/internal/ir"
)

// cell is a range of memory that is always accessed as a whole, alone or together with other cells
// (cells.go).
type cell struct {
	name   string
	addr   uint64
	size   int
	mutex  bool
	group  int
	values []int64 // seen so far, as the bytes without a sign
	levels [3]int32
	aims   []int32 // places of delayed stores that write it
	users  []int   // states that must be expanded again when a value or an aim is new
}

// cellAccess is the effect of an action on one cell: it reads old and writes new.
type cellAccess struct {
	cell     int
	old, new int64
	read     bool
	write    bool
}

// move is one atomic action of a thread: its accesses, and the states that it may lead to.
type move struct {
	edge     *ir.Edge
	accesses []cellAccess
	next     []outcome
	leaves   bool // it writes a value outside the domain, and ends there
	partial  bool // a section that has not come to its end
	spawns   int  // 1 + thread started, with args
	args     []int64
}

// mutexSize is the size of a mutex.
const mutexSize = 8

// moves returns the actions from a state other than an attacker's, for the values known so far.
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
				m.next = append(m.next, b.runLocal(n)...)
			}
			if fails {
				m.next = append(m.next, outcome{fails: true})
			}
			out = append(out, m)
		case op.Kind == ir.AtomicBegin:
			out = append(out, b.section(id, l, e)...)
		case op.Kind == ir.Spawn:
			out = append(out, b.spawn(l, e)...)
		case op.Kind == ir.Exit: // the program ends; steps of other threads before it are explored anyway
		default:
			out = append(out, b.access(id, l, e)...)
		}
	}
	return out
}

// access returns the moves of one memory operation outside sections.
func (b *builder) access(id int, l *local, e *ir.Edge) []move {
	var out []move
	b.effects(id, e, l, func(c int) []int64 { return b.cells[c].values }, func(ef effect) {
		m := move{edge: e, accesses: ef.accesses}
		switch {
		case ef.fails:
			m.next = []outcome{{fails: true}}
		case ef.leaves:
			m.leaves = true
		default:
			next := b.at(l, e.To, ef.regs)
			next.held = ef.held
			m.next = b.runLocal(next)
		}
		out = append(out, m)
	})
	return out
}

// effect is the effect of an operation for certain values of its cells.
type effect struct {
	fails    bool // an error of the program
	leaves   bool // the value written is outside the domain: the path is cut off
	accesses []cellAccess
	regs     []int64
	held     []int
}

// maxFound bounds the combinations of values of the cells of one access.
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
			base.accesses = append(base.accesses, cellAccess{cell: c, old: old[i], new: old[i]})
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
	seen := op.Type.Wrap(b.whole(ef.accesses))
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
	for i := range ef.accesses {
		ef.accesses[i].read = true
	}
}

// writes makes an effect write a value, if it is in the domain.
func (b *builder) writes(ef *effect, v int64) {
	parts, ok := b.values(ef.accesses, v)
	ef.leaves = !ok
	for i := range parts {
		ef.accesses[i].new, ef.accesses[i].write = parts[i], true
	}
}

// modify computes a read-modify-write.
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

// mutex locks and unlocks. A mutex is free or held; the state of the thread that holds it says so.
func (b *builder) mutex(e *ir.Edge, l *local, ef effect, give func(effect)) {
	const free, taken = 0, 1
	op := &e.Op
	t := &ef.accesses[0] // a mutex is one cell
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
