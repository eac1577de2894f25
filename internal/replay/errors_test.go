package replay

import (
	"testing"

	"fencepost/internal/ir"
)

// A block without bytes has an address, can be freed once, and cannot be accessed.
func TestEmptyBlock(t *testing.T) {
	p := newProg()
	a := p.thread("a")
	a.alloc("p", 0)
	a.alloc("q", 0)
	a.free(a.r("p"))
	a.assert(ir.Binary(ir.Ne, ir.S64, a.r("p"), a.r("q")))
	q, set := p.build()
	outcome(t, q, set, "end", nil, false)

	p = newProg()
	a = p.thread("a")
	a.alloc("p", 0)
	bad := a.loadAt(ir.S8, "r", a.r("p"))
	q, set = p.build()
	outcome(t, q, set, "", []Violation{{ir.OutOfBounds, bad}}, false)
}

// The free of automatic storage does not free blocks of the heap, and vice versa.
func TestFreeNeedsSameKind(t *testing.T) {
	for _, stack := range []bool{false, true} {
		p := newProg()
		a := p.thread("a")
		op := valueOp(ir.Alloc, ir.Int(8))
		op.Dst, op.Block.Stack = a.reg("p"), stack
		a.op(op)
		end := ir.NewOp(ir.Free)
		end.Addr, end.Block.Stack = a.r("p"), !stack
		bad := a.op(end)
		q, set := p.build()
		outcome(t, q, set, "", []Violation{{ir.InvalidFree, bad}}, false)
	}
}

// A thread can be joined once, whichever thread joins it.
func TestJoinTwice(t *testing.T) {
	p := newProg()
	a := p.thread("a")
	w := p.newThread("w", false)
	op := ir.NewOp(ir.Spawn)
	op.Dst, op.Call.Threads = a.reg("h"), []ir.ThreadID{w.thread}
	a.op(op)
	w.op(valueOp(ir.Return, ir.Int(3)))
	a.op(valueOp(ir.Join, a.r("h")))
	bad := a.op(valueOp(ir.Join, a.r("h")))
	q, set := p.build()
	outcome(t, q, set, "", []Violation{{ir.BadJoin, bad}}, false)
}

// A destroyed mutex cannot be used, until it is initialised again.
func TestDestroyedMutex(t *testing.T) {
	for _, kind := range []ir.OpKind{ir.Lock, ir.TryLock, ir.Unlock} {
		for _, typ := range []ir.MutexKind{ir.NormalMutex, ir.RecursiveMutex, ir.ErrorCheckMutex} {
			p := newProg("m")
			a := p.thread("a")
			a.store("m", ir.DestroyedMutex)
			bad := a.mutex(kind, typ, "d", "m")
			q, set := p.build()
			outcome(t, q, set, "", []Violation{{ir.Destroyed, bad}}, false)
		}
	}
	p := newProg("m")
	a := p.thread("a")
	a.store("m", ir.DestroyedMutex)
	a.store("m", 0)
	a.lock("m")
	q, set := p.build("m")
	outcome(t, q, set, "1", nil, false)
}

// If the mutex of a waiting thread is destroyed, the check fails when the thread wakes.
func TestDestroyedWhileWaiting(t *testing.T) {
	p := newProg("m", "c")
	a := p.thread("a")
	a.lock("m")
	wait := a.op(a.condWaitOp("c", "m"))
	b := p.thread("b")
	b.lock("m")
	b.unlock("m")
	b.store("m", ir.DestroyedMutex)
	q, set := p.build()
	for _, m := range models {
		out := enumerate(t, q, set, m)
		found := false
		for _, v := range out.Violations {
			found = found || v == Violation{ir.Destroyed, wait}
		}
		if !found {
			t.Errorf("%s: violations %v", m, out.Violations)
		}
	}
}

// A store or read-modify-write of a read-only object fails, even if it would not write.
func TestReadOnly(t *testing.T) {
	p := newProg("x")
	a := p.thread("a")
	a.load("r", "x")
	bad := a.store("x", 1)
	q, set := p.build()
	q.Objects[0].ReadOnly = true
	outcome(t, q, set, "", []Violation{{ir.ReadOnly, bad}}, false)

	p = newProg("x")
	a = p.thread("a")
	bad = a.cas("w", "x", ir.Int(7), ir.Int(8))
	q, set = p.build()
	q.Objects[0].ReadOnly = true
	outcome(t, q, set, "", []Violation{{ir.ReadOnly, bad}}, false)
}

// After a return of the main thread there is no deadlock. After a ThreadExit of the main
// thread the other threads can be in a deadlock.
func TestDeadlockAfterMain(t *testing.T) {
	for _, end := range []ir.OpKind{ir.Return, ir.ThreadExit} {
		p := newProg("x")
		p.thread("a").await("r", "x", 1)
		m := p.thread("main")
		m.simple(end)
		p.b.Main(m.thread)
		q, set := p.build()
		outcome(t, q, set, "", nil, end == ir.ThreadExit)
	}
}
