package program

import (
	"fencepost/internal/ir"
)

// Recursive and error-checking mutexes. What such a mutex does depends on whether the thread holds it,
// and how often. No other thread changes that while it is held: a mutex is unlocked by its holder only.
// So the depth at a location follows from the thread's own path, and if all paths to each location agree
// on it, every operation is one of a normal mutex or none at all. The outer lock and unlock act as on
// a normal mutex. The inner ones of a recursive mutex change nothing that another thread sees, and do
// not drain. What finds out that an operation fails (ir.MutexTest) holds always or never where the thread's own
// path decides it; the rest of it asks whether the mutex is held. Programs in which two paths disagree are
// refused.
//
// An error-checking mutex has the operations of a normal one, beside such tests.

// depth is how often a thread holds a mutex: depth times, or, if test is a register, depth times where
// that register is 0 and not at all where it is not. The zero value is unset.
type depth struct {
	known bool
	times int
	test  ir.Reg
}

// kindsOf replaces the operations of mutexes that are not of the normal kind.
type kindsOf struct {
	p     *ir.Program
	addr  int64
	kind  ir.MutexKind
	early func(*ir.Func, ir.Loc) bool // no thread has been started yet
}

// PlainMutexes makes all mutexes of the program normal ones.
func PlainMutexes(p *ir.Program) error {
	kinds := map[int64]ir.MutexKind{}
	var order []int64
	for _, f := range p.Funcs {
		for i := range f.Edges {
			e := &f.Edges[i]
			if !UsesMutex(&e.Op) && !TestsMutex(&e.Op) || e.Op.Mutex.Kind != ir.RecursiveMutex && e.Op.Mutex.Kind != ir.ErrorCheckMutex {
				continue
			}
			addr, fixed := ConstantAddress(p, e.Op.Addr)
			if !fixed {
				return Refuse(e, "a mutex that is recursive or checks for errors, and whose address is computed, is not covered")
			}
			if kinds[addr] == 0 {
				kinds[addr] = e.Op.Mutex.Kind
				order = append(order, addr)
			}
		}
	}
	early := beforeSpawns(p)
	for _, addr := range order {
		k := &kindsOf{p: p, addr: addr, kind: kinds[addr], early: early}
		if err := k.replace(); err != nil {
			return err
		}
	}
	return nil
}

// beforeSpawns returns which locations of a function no execution reaches after a thread was started. If several
// threads run from the beginning there are none.
func beforeSpawns(p *ir.Program) func(*ir.Func, ir.Loc) bool {
	main := ir.NoThread
	for t := range p.Threads {
		if th := &p.Threads[t]; th.Start {
			if main != ir.NoThread || th.Unbounded {
				return func(*ir.Func, ir.Loc) bool { return false }
			}
			main = ir.ThreadID(t)
		}
	}
	if main == ir.NoThread {
		return func(*ir.Func, ir.Loc) bool { return false }
	}
	f := p.ThreadFunc(main)
	after := make([]bool, len(f.Locs))
	for i := range f.Edges {
		if e := &f.Edges[i]; e.Op.Kind == ir.Spawn {
			for l, yes := range Reachable(f, e.To) {
				after[l] = after[l] || yes
			}
		}
	}
	return func(g *ir.Func, l ir.Loc) bool { return g == f && !after[l] }
}

// replace makes the mutex a normal one.
func (k *kindsOf) replace() error {
	if err := k.onlyLocked(); err != nil {
		return err
	}
	for _, f := range k.p.Funcs {
		at, err := k.depths(f)
		if err != nil {
			return err
		}
		n := len(f.Edges) // rewrite adds edges
		for i := range n {
			if k.mine(&f.Edges[i].Op) {
				k.rewrite(f, i, at[f.Edges[i].From])
			}
		}
	}
	k.p.Seal()
	return nil
}

// mine reports whether an operation locks, unlocks or tests the mutex.
func (k *kindsOf) mine(op *ir.Op) bool {
	if !UsesMutex(op) && !TestsMutex(op) {
		return false
	}
	addr, fixed := ConstantAddress(k.p, op.Addr)
	return fixed && addr == k.addr
}

// onlyLocked refuses programs in which the word of the mutex is written by other instructions, unless it is
// initialised before threads are started, or locked as a mutex of another kind.
func (k *kindsOf) onlyLocked() error {
	home := k.p.FindObject(uint64(k.addr), ir.CellUnit)
	for _, f := range k.p.Funcs {
		for i := range f.Edges {
			e := &f.Edges[i]
			op := &e.Op
			addr := op.Addr
			if op.Kind == ir.CondWait {
				addr = op.Val2
			} else if !op.Writes() && !UsesMutex(op) && !TestsMutex(op) && op.Kind != ir.Free {
				continue
			}
			to, fixed := ConstantAddress(k.p, addr)
			switch {
			case !fixed && op.Kind != ir.CondWait && op.Obj != ir.NoObject && op.Obj != home:
			case fixed && (to+int64(AccessSize(op)) <= k.addr || k.addr+ir.CellUnit <= to):
			case k.mine(op) && (op.Mutex.Kind == k.kind || UsesMutex(op) && k.kind == ir.ErrorCheckMutex && op.Mutex.Kind == ir.NormalMutex), op.Kind == ir.CondWait && fixed && to == k.addr:
			case UsesMutex(op), TestsMutex(op):
				return Refuse(e, "a mutex whose kind is not known is not covered")
			case k.initialises(f, e, to) && fixed:
			default:
				return Refuse(e, "the word of a mutex that is recursive or checks for errors may be written here, which is not covered")
			}
		}
	}
	return nil
}

// initialises reports whether an edge makes the mutex free, before threads are started.
func (k *kindsOf) initialises(f *ir.Func, e *ir.Edge, to int64) bool {
	if e.Op.Kind != ir.Store || to != k.addr || e.Op.Type.Size() != ir.CellUnit || !k.early(f, e.From) {
		return false
	}
	v, ok := e.Op.Val.IsConst()
	return ok && v == 0
}

// depths returns how often a thread holds the mutex at each of its locations.
func (k *kindsOf) depths(f *ir.Func) ([]depth, error) {
	at := make([]depth, len(f.Locs))
	at[f.Entry] = depth{known: true, test: ir.NoReg}
	tried := TriedEdges(f)
	for work := []ir.Loc{f.Entry}; len(work) > 0; {
		l := work[len(work)-1]
		work = work[:len(work)-1]
		for _, i := range f.Out(l) {
			e := &f.Edges[i]
			next, possible, fine := k.after(&e.Op, at[l])
			if t, ok := tried[e.ID]; ok && k.mine(t.Test) && at[l].times == 0 && at[l].test == ir.NoReg {
				next.times, next.test = 1, t.Result
			}
			switch {
			case !fine || possible && at[e.To].known && at[e.To] != next:
				return nil, Refuse(e, "how often this thread holds a mutex that is recursive or checks for errors depends on the path here, which is not covered")
			case possible && !at[e.To].known:
				at[e.To] = next
				work = append(work, e.To)
			}
		}
	}
	return at, nil
}

// after returns the depth after an operation, and whether the operation is possible. It returns false if the depth
// is not known.
func (k *kindsOf) after(op *ir.Op, d depth) (next depth, possible, fine bool) {
	next = d
	switch wait := op.Kind == ir.CondWait && k.waitsWith(op); {
	case op.Kind == ir.Assume && d.test != ir.NoReg:
		yes, no := k.allows(op.Val, d.test)
		switch {
		case !yes && !no:
			return d, false, true
		case !no:
			next.test = ir.NoReg
		case !yes:
			next = depth{known: true, test: ir.NoReg}
		}
		return next, true, true
	case k.mine(op) && d.test != ir.NoReg, wait && (d.test != ir.NoReg || d.times != 1):
		return d, true, false
	case k.mine(op):
		return k.locked(op, d)
	}
	fine = true
	op.Defs(func(r ir.Reg) { fine = fine && r != d.test })
	return next, true, fine
}

// waitsWith reports whether a wait for a condition gives up the mutex.
func (k *kindsOf) waitsWith(op *ir.Op) bool {
	addr, fixed := ConstantAddress(k.p, op.Val2)
	return fixed && addr == k.addr
}

// locked returns the depth after an operation on the mutex.
func (k *kindsOf) locked(op *ir.Op, d depth) (next depth, possible, fine bool) {
	next = d
	again := k.kind == ir.RecursiveMutex
	switch {
	case TestsMutex(op):
		holds, certain := k.found(op, d)
		return d, holds || !certain, true
	case op.Kind == ir.Lock && d.times > 0 && op.Mutex.Kind == ir.NormalMutex: // waits for itself
		return d, false, true
	case op.Kind == ir.Unlock && d.times > 0:
		next.times--
	case op.Kind == ir.Unlock: // an error, after which nothing has changed
	case d.times > 0 && !again: // likewise
	case d.times > 0 || op.Kind == ir.Lock:
		next.times++
	case op.Dst == ir.NoReg:
		return d, true, false
	default:
		next.times, next.test = 1, op.Dst
	}
	return next, true, true
}

// found reports whether a test of the mutex holds at a depth, as far as that is certain.
func (k *kindsOf) found(op *ir.Op, d depth) (holds, certain bool) {
	switch op.Mutex.Test {
	case ir.MutexMine, ir.MutexUnlocks:
		return d.times > 0, true
	case ir.MutexNotMine:
		return d.times == 0, true
	}
	return d.times > 0 && k.kind != ir.RecursiveMutex, d.times > 0
}

// allows reports whether a condition can hold with the result 0 of a trylock, and with EBUSY. It may hold if it reads
// other registers.
func (k *kindsOf) allows(cond *ir.Expr, r ir.Reg) (yes, no bool) {
	if !OnlyReads(cond, r) {
		return true, true
	}
	with := func(v int64) bool {
		fixed := cond.Map(func(x *ir.Expr) *ir.Expr {
			if x.Op == ir.RegRef {
				return ir.Int(v)
			}
			return x
		})
		return fixed.Eval(ir.Env{Prog: k.p}) != 0
	}
	return with(0), with(ir.EBUSY)
}

// rewrite replaces an operation on the mutex at a known depth.
func (k *kindsOf) rewrite(f *ir.Func, i int, d depth) {
	e := &f.Edges[i]
	op := &e.Op
	alone := op.Mutex.Kind == ir.NormalMutex // what fails is beside it
	op.Mutex.Kind = ir.NormalMutex
	if TestsMutex(op) {
		holds, certain := k.found(op, d)
		switch {
		case certain && holds:
			e.Op, e.Pass = ir.NewOp(ir.Nop), passName
		case certain:
			e.Op, e.Pass = ir.NewOp(ir.Assume), passName
			e.Op.Val = ir.Int(0)
		}
		return
	}
	switch {
	case alone && op.Kind == ir.Lock && d.times > 0:
		e.Op, e.Pass = ir.NewOp(ir.Assume), passName
		e.Op.Val = ir.Int(0)
	case alone:
	case k.kind == ir.RecursiveMutex && (op.Kind == ir.Unlock && d.times > 1 || op.Kind != ir.Unlock && d.times > 0):
		onlyResult(e, 0)
	case k.kind == ir.ErrorCheckMutex && op.Kind == ir.Unlock && d.times == 0:
		k.fail(f, i, ir.EPERM)
	case k.kind == ir.ErrorCheckMutex && op.Kind == ir.Lock && d.times > 0:
		k.fail(f, i, ir.EDEADLK)
	case k.kind == ir.ErrorCheckMutex && op.Kind == ir.TryLock && d.times > 0:
		k.fail(f, i, ir.EBUSY)
	}
}

// onlyResult replaces an operation by one that only sets its result.
func onlyResult(e *ir.Edge, v int64) {
	set := ir.NewOp(ir.Nop)
	if dst := e.Op.Dst; dst != ir.NoReg {
		set = ir.NewOp(ir.Assign)
		set.Dst, set.Val = dst, ir.Int(v)
	}
	e.Op, e.Pass = set, passName
}

// fail replaces an operation inside an atomic section by one that returns an error.
func (k *kindsOf) fail(f *ir.Func, i int, errno int64) {
	after := insertAfter(k.p, f, i, f.Edges[i].Op)
	onlyResult(&f.Edges[after], errno)
	fence := ir.NewOp(ir.Fence)
	fence.Fence = ir.FullFence
	f.Edges[i].Op, f.Edges[i].Pass = fence, passName
}

// insertAfter adds an edge with an operation after edge i, and returns its number.
func insertAfter(p *ir.Program, f *ir.Func, i int, op ir.Op) int {
	next := f.Edges[i]
	mid := ir.Loc(len(f.Locs))
	f.Locs = append(f.Locs, ir.Location{Name: f.Locs[next.From].Name + "'", Pos: next.Pos})
	next.From, next.Op, next.ID, next.Pass = mid, op, p.NextEdge, passName
	p.NextEdge++
	f.Edges[i].To = mid
	f.Edges = append(f.Edges, next)
	return len(f.Edges) - 1
}
