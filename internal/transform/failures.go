package transform

import (
	"fmt"
	"slices"

	"fencepost/internal/ir"
)

// Operations on mutexes that may fail. A call that takes and releases nothing is a load of the
// mutex and drains nothing (docs/models.md), so whether the call drains depends on what the load
// sees. Here each result gets an edge of its own, and every edge of the flat form either drains or
// does not:
//
//   - a trylock is a lock, which waits until the mutex is free, beside a load that waits until
//     it is held by another thread;
//   - the lock of an error-checking mutex is a lock, beside a load that waits until the thread
//     itself holds the mutex;
//   - the unlock of an error-checking mutex is a load that finds the thread's own mark, and then
//     an unlock, beside a load that finds anything else.
//
// The conditions of the two edges exclude each other, and one of them always holds: the thread
// does not wait for others longer than until its own stores have reached memory. A load takes the
// thread's own stores to the mutex from its buffer, as after an initialisation; only the other
// edge waits for them. Nothing but the thread itself takes its mark away, so that the load before
// an unlock makes no difference to others.
//
// Inside an atomic section the buffer is empty, and the operations stay as they are.

// Failures is the name of the pass.
const Failures = "failures"

func failures(p *ir.Program, _ Options) (*ir.Program, error) { return SplitFailures(p), nil }

// SplitFailures is the pass.
func SplitFailures(p *ir.Program) *ir.Program {
	out := *p
	out.Funcs = slices.Clone(p.Funcs)
	changed := false
	for t := range p.Threads {
		id := p.Threads[t].Func
		f := p.Funcs[id]
		if f != out.Funcs[id] || !mayFail(f) {
			continue
		}
		inside, err := ir.SectionLocs(f)
		if err != nil {
			panic("BUG: " + err.Error())
		}
		w := &splitting{p: &out, f: f.Copy(), self: int64(t)}
		w.f.Locs = slices.Clone(f.Locs)
		for i := range f.Edges {
			if !inside[f.Edges[i].From] && fallible(&f.Edges[i].Op) {
				w.split(i)
				changed = true
			}
		}
		out.Funcs[id] = w.f
	}
	if !changed {
		return p
	}
	out.Seal()
	return &out
}

// fallible reports whether the result of an operation on a mutex says whether it took or released
// it.
func fallible(op *ir.Op) bool {
	switch op.Kind {
	case ir.TryLock:
		return true
	case ir.Lock, ir.Unlock:
		return op.Mutex.Kind == ir.ErrorCheckMutex
	}
	return false
}

func mayFail(f *ir.Func) bool {
	for i := range f.Edges {
		if fallible(&f.Edges[i].Op) {
			return true
		}
	}
	return false
}

// splitting gives every result of the operations of one thread an edge of its own.
type splitting struct {
	p    *ir.Program
	f    *ir.Func
	self int64
}

// split replaces edge i. The edge that takes or releases the mutex keeps its id.
func (w *splitting) split(i int) {
	e := w.f.Edges[i]
	op := &w.f.Edges[i].Op
	switch op.Kind {
	case ir.TryLock:
		op.Kind = ir.Lock
		w.fails(&e, ir.MutexBusy, ir.EBUSY)
	case ir.Lock:
		w.fails(&e, ir.MutexMine, ir.EDEADLK)
	case ir.Unlock:
		mid := w.loc(&e)
		w.edge(&e, e.From, w.test(&e.Op, ir.MutexUnlocks), mid)
		w.f.Edges[i].From = mid
		w.fails(&e, ir.MutexNotMine, ir.EPERM)
	}
	if op = &w.f.Edges[i].Op; op.Mutex.Kind == ir.ErrorCheckMutex {
		op.Mutex.Kind = ir.NormalMutex
	}
}

// fails adds the way on which the operation of an edge fails.
func (w *splitting) fails(e *ir.Edge, test ir.MutexTest, errno int64) {
	if e.Op.Dst == ir.NoReg {
		w.edge(e, e.From, w.test(&e.Op, test), e.To)
		return
	}
	mid := w.loc(e)
	w.edge(e, e.From, w.test(&e.Op, test), mid)
	set := ir.NewOp(ir.Assign)
	set.Dst, set.Val = e.Op.Dst, ir.Int(errno)
	w.edge(e, mid, set, e.To)
}

func (w *splitting) loc(e *ir.Edge) ir.Loc {
	w.f.Locs = append(w.f.Locs, ir.Location{Name: fmt.Sprintf("%s:%d", Failures, len(w.f.Locs)), Pos: e.Pos})
	return ir.Loc(len(w.f.Locs) - 1)
}

func (w *splitting) edge(e *ir.Edge, from ir.Loc, op ir.Op, to ir.Loc) {
	w.f.Edges = append(w.f.Edges, ir.Edge{
		ID: w.p.NextEdge, Origin: e.Origin, From: from, To: to, Op: op, Pos: e.Pos, Pass: Failures, Stack: e.Stack,
	})
	w.p.NextEdge++
}

// test is the load that finds out about the mutex of an operation. It belongs to a library call:
// it synchronises with nothing.
func (w *splitting) test(op *ir.Op, test ir.MutexTest) ir.Op {
	load := ir.NewOp(ir.Await)
	load.Addr, load.Obj, load.Type, load.Sync.Order, load.Sync.Kind = op.Addr, op.Obj, ir.S64, ir.Relaxed, ir.SyncInspect
	load.Mutex.Kind, load.Mutex.Test = op.Mutex.Kind, test
	seen := ir.SeenValue()
	usable := ir.Binary(ir.Ne, ir.S64, seen, ir.Int(ir.DestroyedMutex))
	mine := ir.Binary(ir.Eq, ir.S64, ir.Unary(ir.Cast, ir.U32, seen), ir.Int(w.self+1)) // the low half is the owner plus one
	switch test {
	case ir.MutexUnlocks:
		load.Cond = ir.Binary(ir.LOr, ir.S64, mine, ir.Negate(usable))
	case ir.MutexMine:
		load.Cond = mine
	case ir.MutexNotMine:
		load.Cond = ir.Binary(ir.LAnd, ir.S64, usable, ir.Negate(mine))
	default:
		load.Cond = ir.Binary(ir.LAnd, ir.S64, usable, ir.Binary(ir.Ne, ir.S64, seen, ir.Int(0)))
		if op.Mutex.Kind == ir.RecursiveMutex {
			load.Cond = ir.Binary(ir.LAnd, ir.S64, load.Cond, ir.Negate(mine))
		}
	}
	return load
}
