package lts

import (
	"slices"

	"fencepost/internal/ir"
)

// Cell is a range of memory that is always accessed as a whole, alone or together with other cells
// (cells.go).
type Cell struct {
	Name   string
	Addr   uint64
	Size   int
	Mutex  bool
	Values []int64 // seen so far, the initial one first, as the bytes without a sign
	users  []int   // states with an access to it
}

// CellAccess is the effect of an action on one cell: it reads Old and writes New.
type CellAccess struct {
	Cell     int
	Old, New int64
	Read     bool
	Write    bool
}

// Move is one atomic action of a thread: its accesses, and the states that it may lead to.
type Move struct {
	Edge     *ir.Edge
	Accesses []CellAccess
	Next     []Outcome // with the edges of the action at the beginning of their paths
	Leaves   bool      // it writes a value outside the domain, and ends there
	Partial  bool      // a section that has not come to its end
	Joins    bool      // it waits for the end of the thread with a handle
	Handle   int64
	Spawns   int  // 1 + thread started, with Args
	Turn     int  // how many threads of the spawn were started before
	Exceeds  bool // all threads of a spawn were started
	Args     []int64
}

// mutexSize is the size of a mutex.
const mutexSize = 8

// Moves returns the actions from a state, for the values known so far. The user is called again when
// there are more values.
func (y *System) Moves(user int, s *State) []Move {
	f := y.Prog.ThreadFunc(ir.ThreadID(s.Thread))
	var out []Move
	for _, i := range f.Out(s.Loc) {
		out = append(out, y.MovesOf(user, s, &f.Edges[i])...)
	}
	return out
}

// MovesOf returns the actions of one edge.
func (y *System) MovesOf(user int, s *State, e *ir.Edge) []Move {
	switch op := &e.Op; {
	case op.Local() || op.Kind == ir.Fence:
		m := Move{Edge: e}
		for _, n := range y.Step(s, e, nil) {
			if n.Fails {
				m.Next = append(m.Next, n)
			} else {
				m.Next = append(m.Next, y.Run(n.State, n.Path)...)
			}
		}
		return []Move{m}
	case op.Kind == ir.AtomicBegin:
		return y.section(user, s, e)
	case op.Kind == ir.Spawn:
		return y.spawn(s, e)
	case op.Kind == ir.Join && y.opt.Joins:
		return y.join(s, e)
	case op.Kind == ir.Exit: // the program ends; steps of other threads before it are explored anyway
		return nil
	}
	return y.access(user, s, e)
}

// spawn returns the moves of a spawn: one for each thread that it can start, as far as a counter or nothing says so.
func (y *System) spawn(s *State, e *ir.Edge) []Move {
	first, n := 0, len(e.Op.Call.Threads)
	counter := -1
	if y.opt.Counter != nil {
		counter = y.opt.Counter(e)
	} else if n != 1 {
		y.Refuse(e, "a thread that is started more than once")
		return nil
	}
	if counter >= 0 {
		if counter < len(s.Started) {
			first = s.Started[counter]
		}
		if first == n {
			return []Move{{Edge: e, Exceeds: true}}
		}
		n = first + 1
	}
	var args []int64
	for _, a := range e.Op.Call.Args {
		args = append(args, a.Eval(y.Env(s.Regs, 0)))
	}
	var out []Move
	for turn := first; turn < n; turn++ {
		t := e.Op.Call.Threads[turn]
		regs := slices.Clone(s.Regs)
		if e.Op.Dst != ir.NoReg {
			regs[e.Op.Dst] = int64(t)
		}
		next := y.At(s, e.To, regs)
		if counter >= 0 {
			next.Started = append(slices.Clone(next.Started), make([]int, max(0, counter+1-len(next.Started)))...)
			next.Started[counter] = turn + 1
		}
		out = append(out, Move{Edge: e, Spawns: int(t) + 1, Turn: turn, Args: args, Next: y.Run(next, []Taken{{Edge: e}})})
	}
	return out
}

// join returns the move of a join. Whether the other thread has ended is for the caller.
func (y *System) join(s *State, e *ir.Edge) []Move {
	if e.Op.Dst != ir.NoReg {
		y.Refuse(e, "a join that takes the result of the thread")
		return nil
	}
	handle := e.Op.Val.Eval(y.Env(s.Regs, 0))
	return []Move{{Edge: e, Joins: true, Handle: handle, Next: y.Run(y.At(s, e.To, slices.Clone(s.Regs)), []Taken{{Edge: e}})}}
}

// access returns the moves of one memory operation outside sections.
func (y *System) access(user int, s *State, e *ir.Edge) []Move {
	var out []Move
	y.Effects(user, e, s, func(c int) []int64 { return y.Cells[c].Values }, func(ef Effect) {
		m := Move{Edge: e, Accesses: ef.Accesses}
		path := []Taken{{e, ef.Choice}}
		switch {
		case ef.Fails:
			m.Next = []Outcome{{Fails: true, Path: path}}
		case ef.Leaves:
			m.Leaves = true
		default:
			next := y.At(s, e.To, ef.Regs)
			next.Held = ef.Held
			m.Next = y.Run(next, path)
		}
		out = append(out, m)
	})
	return out
}

// Effect is the effect of an operation for certain values of its cells.
type Effect struct {
	Fails    bool // an error of the program
	Leaves   bool // the value written is outside the domain: the path is cut off
	Accesses []CellAccess
	Regs     []int64
	Held     []int
	Choice   int64
}

// maxFound bounds the combinations of values of the cells of one access.
const maxFound = 1 << 16

// Effects calls give for every effect of a memory operation, over the values that its cells may hold.
func (y *System) Effects(user int, e *ir.Edge, s *State, values func(c int) []int64, give func(Effect)) {
	op := &e.Op
	size, mutex := op.Type.Size(), false
	switch {
	case op.Accesses() && op.Mutex.Test == ir.MutexUntested:
	case op.Kind == ir.Lock, op.Kind == ir.TryLock, op.Kind == ir.Unlock, op.Kind == ir.Await:
		if op.Mutex.Kind != ir.NormalMutex {
			y.Refuse(e, "a mutex that is not of the normal kind")
			return
		}
		size, mutex = mutexSize, true
	default:
		y.Refuse(e, "%s", op.Kind)
		return
	}
	addr := uint64(op.Addr.Eval(y.Env(s.Regs, 0)))
	cells, ok := y.cellsAt(e, addr, size, mutex)
	if y.Err != nil || y.Split {
		return
	}
	if o := y.Prog.FindObject(addr, size); o != ir.NoObject && op.Writes() && y.Prog.Objects[o].ReadOnly {
		ok = false
	}
	if !ok {
		give(Effect{Fails: true})
		return
	}
	ways, count := make([][]int64, len(cells)), 1
	for i, c := range cells {
		if users := &y.Cells[c].users; user >= 0 && !slices.Contains(*users, user) {
			*users = append(*users, user)
		}
		ways[i] = slices.Clone(values(c))
		if count *= len(ways[i]); count > maxFound {
			y.Err = errGrows
			return
		}
	}
	EachChoice(ways, func(old []int64) {
		base := Effect{Regs: slices.Clone(s.Regs), Held: s.Held}
		for i, c := range cells {
			base.Accesses = append(base.Accesses, CellAccess{Cell: c, Old: old[i], New: old[i]})
		}
		if mutex {
			y.mutex(e, s, base, give)
		} else {
			y.plainAccess(e, s, base, give)
		}
	})
}

func (y *System) plainAccess(e *ir.Edge, s *State, ef Effect, give func(Effect)) {
	op := &e.Op
	seen := op.Type.Wrap(y.whole(ef.Accesses))
	set := func(r ir.Reg, v int64) {
		if r != ir.NoReg {
			ef.Regs[r] = v
		}
	}
	switch op.Kind {
	case ir.Load:
		ef.reads()
		set(op.Dst, seen)
		give(ef)
	case ir.Await:
		if op.Cond.Eval(y.Env(s.Regs, seen)) != 0 {
			ef.reads()
			set(op.Dst, seen)
			give(ef)
		}
	case ir.AbstractLoad:
		ef.reads()
		for _, v := range y.choices(e, s.Regs, seen) {
			one := ef
			one.Regs = slices.Clone(ef.Regs)
			one.Regs[op.Dst], one.Choice = v, v
			give(one)
		}
	case ir.Store:
		y.writes(&ef, op.Val.Eval(y.Env(s.Regs, 0)))
		give(ef)
	case ir.RMW:
		if op.Cond != nil && op.Cond.Eval(y.Env(s.Regs, seen)) == 0 {
			return
		}
		ef.reads()
		set(op.Dst, seen)
		set(op.Dst2, 0)
		if v, wrote := y.modify(op, s, seen); wrote {
			y.writes(&ef, v)
			set(op.Dst2, 1)
		}
		give(ef)
	}
}

func (ef *Effect) reads() {
	for i := range ef.Accesses {
		ef.Accesses[i].Read = true
	}
}

// writes makes an effect write a value, if it is in the domain.
func (y *System) writes(ef *Effect, v int64) {
	parts, ok := y.values(ef.Accesses, v)
	ef.Leaves = !ok
	for i := range parts {
		ef.Accesses[i].New, ef.Accesses[i].Write = parts[i], true
	}
}

// modify computes a read-modify-write.
func (y *System) modify(op *ir.Op, s *State, old int64) (value int64, wrote bool) {
	env := y.Env(s.Regs, 0)
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

// mutex locks and unlocks, or finds a mutex held. A mutex is free or held; the state of the thread that holds it says so.
func (y *System) mutex(e *ir.Edge, s *State, ef Effect, give func(Effect)) {
	const free, taken = 0, 1
	op := &e.Op
	t := &ef.Accesses[0] // a mutex is one cell
	mine := slices.Contains(s.Held, t.Cell)
	result := int64(0)
	switch {
	case op.Kind == ir.Await: // for a trylock that fails
		if t.Old == taken {
			t.Read = true
			give(ef)
		}
		return
	case op.Kind == ir.Unlock && !mine:
		give(Effect{Fails: true})
		return
	case op.Kind == ir.Unlock:
		if t.Old != taken {
			return
		}
		t.New = free
		ef.Held = slices.DeleteFunc(slices.Clone(s.Held), func(c int) bool { return c == t.Cell })
	case t.Old == free:
		t.New = taken
		ef.Held = append(slices.Clone(s.Held), t.Cell)
		slices.Sort(ef.Held)
	case op.Kind == ir.TryLock:
		result = ir.EBUSY
	default:
		return // blocks
	}
	t.Read, t.Write = true, result == 0
	if op.Dst != ir.NoReg {
		ef.Regs[op.Dst] = result
	}
	if y.value(t.Cell, t.New) {
		give(ef)
	}
}
