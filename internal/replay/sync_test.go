package replay

import (
	"slices"
	"strings"
	"testing"

	"fencepost/internal/ir"
	"fencepost/internal/property"
	"fencepost/verdict"
)

// outcome checks final states, violations and deadlock. They are the same in every model.
func outcome(t *testing.T, p *ir.Program, set *property.Set, finals string, violations []Violation, deadlock bool) {
	t.Helper()
	for _, m := range models {
		out := enumerate(t, p, set, m)
		if got := strings.Join(short(out.Finals), "; "); got != finals {
			t.Errorf("%s: final states %q, want %q", m, got, finals)
		}
		if !slices.Equal(out.Violations, violations) {
			t.Errorf("%s: violations %v, want %v", m, out.Violations, violations)
		}
		if out.Deadlock != deadlock {
			t.Errorf("%s: deadlock %t, want %t", m, out.Deadlock, deadlock)
		}
	}
}

func TestMutex(t *testing.T) {
	t.Run("protects", func(t *testing.T) {
		p := newProg("x", "m")
		for _, name := range []string{"a", "b"} {
			c := p.thread(name)
			c.lock("m")
			c.load("r", "x")
			c.storeAt(ir.S64, p.addr("x"), ir.Binary(ir.Add, ir.S64, c.r("r"), ir.Int(1)))
			c.unlock("m")
		}
		q, set := p.build("x", "m")
		finals(t, q, set, "2 0", "", "")
	})
	t.Run("trylock", func(t *testing.T) { // if b is first, it keeps the mutex
		p := newProg("m")
		a := p.thread("a")
		a.lock("m")
		a.unlock("m")
		p.thread("b").mutex(ir.TryLock, ir.NormalMutex, "d", "m")
		q, set := p.build("b.d", "m")
		outcome(t, q, set, "0 2; 16 0", nil, true)
	})
	t.Run("errorcheck", func(t *testing.T) {
		p := newProg("m")
		a := p.thread("a")
		a.mutex(ir.Lock, ir.ErrorCheckMutex, "d1", "m")
		a.mutex(ir.Lock, ir.ErrorCheckMutex, "d2", "m")
		a.mutex(ir.TryLock, ir.ErrorCheckMutex, "d3", "m")
		a.mutex(ir.Unlock, ir.ErrorCheckMutex, "d4", "m")
		a.mutex(ir.Unlock, ir.ErrorCheckMutex, "d5", "m")
		q, set := p.build("a.d1", "a.d2", "a.d3", "a.d4", "a.d5", "m")
		finals(t, q, set, "0 35 16 0 1 0", "", "")
	})
	t.Run("normal locked twice", func(t *testing.T) {
		p := newProg("m")
		a := p.thread("a")
		a.lock("m")
		a.lock("m")
		q, set := p.build()
		outcome(t, q, set, "", nil, true)
	})
	t.Run("unlock of another's", func(t *testing.T) {
		p := newProg("m")
		p.thread("a").lock("m")
		bad := p.thread("b").unlock("m")
		q, set := p.build()
		outcome(t, q, set, "", []Violation{{ir.BadUnlock, bad}}, false)
	})
	t.Run("opposite orders", func(t *testing.T) {
		p := newProg("m", "n")
		for _, order := range [][]string{{"m", "n"}, {"n", "m"}} {
			c := p.thread("t" + order[0])
			c.lock(order[0])
			c.lock(order[1])
			c.unlock(order[1])
			c.unlock(order[0])
		}
		q, set := p.build("m", "n")
		outcome(t, q, set, "0 0", nil, true)
	})
}

func TestRecursiveMutex(t *testing.T) {
	// The inner lock and unlock do not drain the buffer, so all outcomes of store
	// buffering remain. With the lock of another mutex instead, the weak outcome is gone.
	for _, inner := range []string{"m", "n"} {
		p := newProg("x", "y", "m", "n")
		a := p.thread("a")
		a.mutex(ir.Lock, ir.RecursiveMutex, "d", "m")
		a.store("x", 1)
		a.mutex(ir.Lock, ir.RecursiveMutex, "d", inner)
		a.mutex(ir.Unlock, ir.RecursiveMutex, "d", inner)
		a.load("r", "y")
		a.mutex(ir.Unlock, ir.RecursiveMutex, "d", "m")
		b := p.thread("b")
		b.store("y", 1)
		b.mfence()
		b.load("s", "x")
		q, set := p.build("a.r", "b.s", "m", "n")
		tso := ""
		if inner == "m" {
			tso = "0 0 0 0"
		}
		finals(t, q, set, "0 1 0 0; 1 0 0 0; 1 1 0 0", tso, "")
	}
	t.Run("word", func(t *testing.T) {
		p := newProg("m")
		a := p.thread("a")
		a.mutex(ir.Lock, ir.RecursiveMutex, "d", "m")
		a.mutex(ir.TryLock, ir.RecursiveMutex, "e", "m")
		a.load("w", "m")
		a.mutex(ir.Unlock, ir.RecursiveMutex, "f", "m")
		a.load("v", "m")
		q, set := p.build("a.d", "a.e", "a.f", "a.w", "a.v", "m")
		finals(t, q, set, "0 0 0 4294967297 1 1", "", "")
	})
}

func TestCondition(t *testing.T) {
	t.Run("lost signal", func(t *testing.T) { // r = 0 needs a wake-up before b runs
		p := newProg("x", "c", "m")
		a := p.thread("a")
		a.lock("m")
		a.op(a.condWaitOp("c", "m"))
		a.load("r", "x")
		a.unlock("m")
		b := p.thread("b")
		b.lock("m")
		b.store("x", 1)
		b.at8(ir.Signal, "", "c")
		b.unlock("m")
		q, set := p.build("a.r", "m")
		outcome(t, q, set, "0 0; 1 0", nil, true)
	})
	t.Run("loop", func(t *testing.T) { // the usual loop around the wait loses no signal
		p := newProg("x", "c", "m")
		a := p.thread("a")
		a.lock("m")
		head := a.at
		a.load("r", "x")
		exit := a.loc()
		a.edge(valueOp(ir.Assume, a.r("r")), exit)
		a.assume(ir.Unary(ir.Not, ir.S64, a.r("r")))
		a.edge(a.condWaitOp("c", "m"), head)
		a.at = exit
		a.unlock("m")
		b := p.thread("b")
		b.lock("m")
		b.store("x", 1)
		b.at8(ir.Signal, "", "c")
		b.unlock("m")
		q, set := p.build("a.r", "m")
		outcome(t, q, set, "1 0", nil, false)
	})
	for _, kind := range []ir.OpKind{ir.Signal, ir.Broadcast} {
		t.Run(kind.String()+" of two", func(t *testing.T) { // one signal leaves one waiting
			p := newProg("n", "c", "m")
			for _, name := range []string{"a", "b"} {
				w := p.thread(name)
				w.lock("m")
				w.rmw(ir.FetchAdd, "r", "n", 1)
				w.op(w.condWaitOp("c", "m"))
				w.unlock("m")
			}
			s := p.thread("s")
			s.await("v", "n", 2)
			s.lock("m")
			s.at8(kind, "", "c")
			s.unlock("m")
			q, set := p.build("n", "m")
			outcome(t, q, set, "2 0", nil, kind == ir.Signal)
		})
	}
	t.Run("two ways to wait", func(t *testing.T) { // a thread continues from the edge at which it began to wait
		p := newProg("c", "d", "m")
		a := p.thread("a")
		a.lock("m")
		there := a.at
		for i, cond := range []string{"c", "d"} {
			a.at = there
			a.op(a.condWaitOp(cond, "m"))
			op := valueOp(ir.Assign, ir.Int(int64(i+1)))
			op.Dst = a.reg("way")
			a.op(op)
		}
		q, set := p.build("a.way", "m")
		outcome(t, q, set, "1 1; 2 1", nil, true)
	})
	t.Run("without the mutex", func(t *testing.T) {
		p := newProg("c", "m")
		a := p.thread("a")
		bad := a.op(a.condWaitOp("c", "m"))
		q, set := p.build()
		outcome(t, q, set, "", []Violation{{ir.BadWait, bad}}, false)
	})
}

func TestBarrier(t *testing.T) {
	build := func(count byte) (*prog, ir.EdgeID, ir.EdgeID) {
		p := newProg("x", "y")
		p.variable("b", count)
		a := p.thread("a")
		a.store("x", 1)
		e := a.at8(ir.Barrier, "d", "b")
		a.load("r", "y")
		b := p.thread("b")
		b.store("y", 1)
		f := b.at8(ir.Barrier, "d", "b")
		b.load("s", "x")
		return p, e, f
	}
	p, _, _ := build(2)
	q, set := p.build("a.r", "b.s", "a.d", "b.d")
	finals(t, q, set, "1 1 0 1; 1 1 1 0", "", "")
	p, _, _ = build(3)
	q, set = p.build()
	outcome(t, q, set, "", nil, true)
	p, e, f := build(0)
	q, set = p.build()
	outcome(t, q, set, "", []Violation{{ir.BadWait, e}, {ir.BadWait, f}}, false)
	p, _, _ = build(1)
	q, set = p.build("a.d", "b.d")
	finals(t, q, set, "1 1", "", "")
}

func TestSpawnJoin(t *testing.T) {
	main := func(p *prog, spawns int) (*code, *code) {
		a := p.thread("main")
		w := p.newThread("w", false, "arg")
		a.store("x", 1)
		for range spawns {
			op := ir.NewOp(ir.Spawn)
			op.Dst, op.Call.Threads, op.Call.Args = a.reg("h"), []ir.ThreadID{w.thread}, []*ir.Expr{ir.Int(7)}
			a.op(op)
		}
		w.load("s", "x")
		w.store("x", 2)
		w.op(valueOp(ir.Return, ir.Binary(ir.Add, ir.S64, w.r("arg"), ir.Int(1))))
		return a, w
	}
	join := func(c *code, handle *ir.Expr) ir.EdgeID {
		op := valueOp(ir.Join, handle)
		op.Dst = c.reg("v")
		return c.op(op)
	}
	t.Run("both ways drain", func(t *testing.T) {
		p := newProg("x")
		a, _ := main(p, 1)
		join(a, a.r("h"))
		a.load("r", "x")
		q, set := p.build("main.h", "w.s", "main.v", "main.r")
		finals(t, q, set, "1 1 8 2", "", "")
	})
	t.Run("without join", func(t *testing.T) {
		p := newProg("x")
		a, _ := main(p, 1)
		a.load("r", "x")
		q, set := p.build("main.r", "x")
		finals(t, q, set, "1 2; 2 2", "", "")
	})
	t.Run("no thread left", func(t *testing.T) {
		p := newProg("x")
		main(p, 2)
		q, set := p.build()
		outcome(t, q, set, "", nil, false)
	})
	t.Run("bad handle", func(t *testing.T) {
		for _, handle := range []int64{1, -1, 2} {
			p := newProg("x")
			a, _ := main(p, 0)
			bad := join(a, ir.Int(handle))
			q, set := p.build()
			outcome(t, q, set, "", []Violation{{ir.BadJoin, bad}}, false)
		}
	})
	t.Run("itself", func(t *testing.T) {
		p := newProg("x")
		a, _ := main(p, 0)
		join(a, ir.Int(0))
		q, set := p.build()
		outcome(t, q, set, "", nil, true)
	})
}

func TestDeadlock(t *testing.T) {
	build := func(stuck func(c *code), mainEnds bool) (*ir.Program, *property.Set) {
		p := newProg("x")
		stuck(p.thread("a"))
		m := p.thread("main")
		m.simple(ir.Nop)
		if mainEnds {
			p.b.Main(m.thread)
		}
		return p.build()
	}
	never := func(c *code) { c.await("r", "x", 1) }
	q, set := build(never, false)
	outcome(t, q, set, "", nil, true)
	q, set = build(never, true)
	outcome(t, q, set, "", nil, false)
	q, set = build(func(c *code) { c.assume(ir.Int(0)) }, false)
	outcome(t, q, set, "", nil, false)
	q, set = build(func(c *code) { c.simple(ir.Bound) }, false)
	outcome(t, q, set, "", nil, false)
	q, set = build(func(c *code) { // one edge waits, the other continues
		c.edge(valueOp(ir.Assume, ir.Int(1)), c.loc())
		never(c)
	}, false)
	outcome(t, q, set, "end", nil, false)
}

// TestSectionOfAnother checks which transitions a thread has while another thread is
// inside an atomic section.
func TestSectionOfAnother(t *testing.T) {
	for _, tc := range []struct {
		name string
		op   func(c *code)
		want map[Model]bool
	}{
		{"local", func(c *code) { c.simple(ir.Nop) }, map[Model]bool{SC: true, TSO: true, PSO: true}},
		{"store", func(c *code) { c.store("z", 1) }, map[Model]bool{TSO: true, PSO: true}},
		{"forwarded load", func(c *code) { c.load("r", "x") }, map[Model]bool{TSO: true, PSO: true}},
		{"memory load", func(c *code) { c.load("r", "y") }, nil},
		{"store-store fence", func(c *code) { c.fence(ir.StoreStoreFence) }, map[Model]bool{SC: true, TSO: true, PSO: true}},
		{"rmw", func(c *code) { c.rmw(ir.Xchg, "r", "x", 1) }, nil},
		{"lock", func(c *code) { c.lock("m") }, nil},
		{"signal", func(c *code) { c.at8(ir.Signal, "", "m") }, nil},
		{"alloc", func(c *code) { c.alloc("p", 8) }, nil},
		{"free", func(c *code) { c.free(ir.Int(0)) }, nil},
		{"section", func(c *code) { c.simple(ir.AtomicBegin) }, nil},
		{"end", func(c *code) { c.simple(ir.AtomicEnd) }, nil},
	} {
		for _, model := range models {
			p := newProg("x", "y", "z", "m")
			b := p.thread("b")
			b.store("x", 1)
			tc.op(b)
			p.thread("holder").simple(ir.AtomicBegin)
			q, _ := p.build()
			m, err := newMachine(q, model)
			if err != nil {
				t.Fatal(err)
			}
			s := initial(q)
			for _, thread := range []int{0, 1} {
				next, err := m.successorsOf(s, thread, 0)
				if err != nil || len(next) != 1 {
					t.Fatalf("%v, %v", next, err)
				}
				s = next[0].next
			}
			next, err := m.successorsOf(s, 0, 0)
			if err != nil {
				t.Fatal(err)
			}
			if got := len(next) > 0; got != tc.want[model] {
				t.Errorf("%s, %s: enabled %t, want %t", tc.name, model, got, tc.want[model])
			}
			for _, tr := range next {
				if tr.kind == verdict.StepFlush {
					t.Errorf("%s, %s: flush inside the section of another", tc.name, model)
				}
			}
		}
	}
}
