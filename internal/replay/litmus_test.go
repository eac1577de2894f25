package replay

import (
	"fmt"
	"strings"
	"testing"

	"fencepost/internal/ir"
)

// The expected sets of final states are derived by hand from the rules. The comments
// say what each set shows.

func TestStoreBuffering(t *testing.T) { // [AAAJLS15 Fig. 1]
	for _, tc := range []struct {
		name         string
		between      func(c *code)
		sc, tso, pso string
	}{
		{"plain", func(*code) {}, "0 1; 1 0; 1 1", "0 0", ""},
		{"full fence", func(c *code) { c.mfence() }, "0 1; 1 0; 1 1", "", ""},
		{"store-store fence", func(c *code) { c.fence(ir.StoreStoreFence) }, "0 1; 1 0; 1 1", "0 0", ""},
		{"failed cas", func(c *code) { c.cas("w", "z", ir.Int(5), ir.Int(6)) }, "0 1; 1 0; 1 1", "", ""},
		{"empty section", func(c *code) { c.simple(ir.AtomicBegin); c.simple(ir.AtomicEnd) }, "0 1; 1 0; 1 1", "", ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			p := newProg("x", "y", "z")
			a := p.thread("a")
			a.store("x", 1)
			tc.between(a)
			a.load("r", "y")
			b := p.thread("b")
			b.store("y", 1)
			tc.between(b)
			b.load("s", "x")
			q, set := p.build("a.r", "b.s")
			finals(t, q, set, tc.sc, tc.tso, tc.pso)
		})
	}
}

func TestMessagePassing(t *testing.T) { // [AAAJLS15 Fig. 11]
	for _, fenced := range []bool{false, true} {
		p := newProg("x", "y")
		a := p.thread("a")
		a.store("x", 1)
		if fenced {
			a.fence(ir.StoreStoreFence)
			a.fence(ir.StoreStoreFence)
		}
		a.store("y", 1)
		b := p.thread("b")
		b.load("r", "y")
		b.load("s", "x")
		q, set := p.build("b.r", "b.s")
		pso := "1 0"
		if fenced {
			pso = ""
		}
		finals(t, q, set, "0 0; 0 1; 1 1", "", pso)
	}
}

func TestLoadBuffering(t *testing.T) {
	p := newProg("x", "y")
	a := p.thread("a")
	a.load("r", "x")
	a.store("y", 1)
	b := p.thread("b")
	b.load("s", "y")
	b.store("x", 1)
	q, set := p.build("a.r", "b.s")
	finals(t, q, set, "0 0; 0 1; 1 0", "", "")
}

func TestTwoPlusTwoWrites(t *testing.T) {
	p := newProg("x", "y")
	a := p.thread("a")
	a.store("x", 1)
	a.store("y", 2)
	b := p.thread("b")
	b.store("y", 1)
	b.store("x", 2)
	q, set := p.build("x", "y")
	finals(t, q, set, "1 2; 2 1; 2 2", "", "1 1")
}

func TestIRIW(t *testing.T) { // no model lets two readers disagree on the order of writes
	p := newProg("x", "y")
	p.thread("a").store("x", 1)
	p.thread("b").store("y", 1)
	c := p.thread("c")
	c.load("r", "x")
	c.load("s", "y")
	d := p.thread("d")
	d.load("u", "y")
	d.load("v", "x")
	q, set := p.build("c.r", "c.s", "d.u", "d.v")
	var want []string
	for i := range 16 {
		if s := fmt.Sprintf("%d %d %d %d", i>>3&1, i>>2&1, i>>1&1, i&1); s != "1 0 1 0" {
			want = append(want, s)
		}
	}
	finals(t, q, set, strings.Join(want, ";"), "", "")
}

func TestForwarding(t *testing.T) {
	t.Run("fig5", func(t *testing.T) { // [AAAJLS15 Fig. 5]: exactly the paper's three cases
		p := newProg("x")
		a := p.thread("a")
		a.store("x", 1)
		a.load("r", "x")
		p.thread("b").store("x", 2)
		q, set := p.build("a.r", "x")
		finals(t, q, set, "1 1; 1 2; 2 2", "", "")
	})
	t.Run("n6", func(t *testing.T) { // a forwards its store to its load; PSO reorders b's stores
		p := newProg("x", "y")
		a := p.thread("a")
		a.store("x", 1)
		a.load("r", "x")
		a.load("s", "y")
		b := p.thread("b")
		b.store("y", 2)
		b.store("x", 2)
		q, set := p.build("a.r", "a.s", "x")
		finals(t, q, set, "1 2 1; 1 0 2; 1 2 2; 2 2 2", "1 0 1", "2 0 2")
	})
	t.Run("newest", func(t *testing.T) {
		p := newProg("x")
		a := p.thread("a")
		a.store("x", 1)
		a.store("x", 2)
		a.load("r", "x")
		q, set := p.build("a.r", "x")
		finals(t, q, set, "2 2", "", "")
	})
	t.Run("part", func(t *testing.T) { // a byte inside a wider store, with sign
		p := newProg("x")
		a := p.thread("a")
		a.storeAt(ir.U16, p.addr("x"), ir.Int(0x8234))
		a.loadAt(ir.S8, "r", ir.Addr(p.objs["x"], 1))
		a.loadAt(ir.U8, "s", ir.Addr(p.objs["x"], 1))
		a.loadAt(ir.S16, "u", p.addr("x"))
		q, set := p.build("a.r", "a.s", "a.u", "x")
		finals(t, q, set, "-126 130 -32204 33332", "", "")
	})
}

func TestPartialOverlap(t *testing.T) {
	build := func(load ir.Type) (*prog, *code) {
		p := newProg("x", "y")
		a := p.thread("a")
		a.storeAt(ir.U8, p.addr("x"), ir.Int(1))
		a.loadAt(load, "u", p.addr("x"))
		a.load("r", "y")
		b := p.thread("b")
		b.store("y", 1)
		b.mfence()
		b.load("s", "x")
		return p, b
	}
	t.Run("covered forwards", func(t *testing.T) {
		p, _ := build(ir.U8)
		q, set := p.build("a.u", "a.r", "b.s")
		finals(t, q, set, "1 0 1; 1 1 0; 1 1 1", "1 0 0", "")
	})
	t.Run("in part from memory, without waiting", func(t *testing.T) {
		p, _ := build(ir.U16)
		q, set := p.build("a.u", "a.r", "b.s")
		finals(t, q, set, "1 0 1; 1 1 0; 1 1 1", "1 0 0", "")
	})
	t.Run("the memory byte may be another thread's", func(t *testing.T) {
		// b0 = 1; r = w || w = 0x0202: r has b0 forwarded from its thread's store and b1 from
		// the initial value, and that store is the last one in memory.
		p := newProg("w")
		a := p.thread("a")
		a.storeAt(ir.U8, p.addr("w"), ir.Int(1))
		a.loadAt(ir.U16, "r", p.addr("w"))
		p.thread("b").storeAt(ir.U16, p.addr("w"), ir.Int(0x0202))
		q, set := p.build("a.r", "w")
		finals(t, q, set, "1 514; 514 514; 513 513", "1 513", "")
	})
	t.Run("put together from two stores", func(t *testing.T) {
		p := newProg("w", "y")
		a := p.thread("a")
		a.storeAt(ir.U16, p.addr("w"), ir.Int(0x0202))
		a.storeAt(ir.U8, ir.Addr(p.objs["w"], 1), ir.Int(3))
		a.storeAt(ir.U8, ir.Addr(p.objs["w"], 2), ir.Int(4))
		a.loadAt(ir.U32, "u", p.addr("w"))
		a.load("r", "y")
		b := p.thread("b")
		b.store("y", 1)
		b.mfence()
		b.loadAt(ir.U8, "s", p.addr("w"))
		q, set := p.build("a.u", "a.r", "b.s")
		finals(t, q, set, "262914 0 2; 262914 1 0; 262914 1 2", "262914 0 0", "")
	})
	t.Run("pso keeps overlapping stores in order", func(t *testing.T) {
		p := newProg("x")
		a := p.thread("a")
		a.storeAt(ir.U16, p.addr("x"), ir.Int(0x0101))
		a.storeAt(ir.U8, ir.Addr(p.objs["x"], 1), ir.Int(2))
		q, set := p.build("x")
		finals(t, q, set, "513", "", "")
	})
	t.Run("pso swaps neighbours", func(t *testing.T) {
		p := newProg("x")
		a := p.thread("a")
		a.storeAt(ir.U8, p.addr("x"), ir.Int(1))
		a.storeAt(ir.U8, ir.Addr(p.objs["x"], 1), ir.Int(1))
		p.thread("b").load("r", "x")
		q, set := p.build("b.r")
		finals(t, q, set, "0; 1; 257", "", "256")
	})
}

func TestRMW(t *testing.T) {
	t.Run("atomic", func(t *testing.T) {
		p := newProg("x")
		p.thread("a").rmw(ir.FetchAdd, "r", "x", 1)
		p.thread("b").rmw(ir.FetchAdd, "s", "x", 1)
		q, set := p.build("a.r", "b.s", "x")
		finals(t, q, set, "0 1 2; 1 0 2", "", "")
	})
	t.Run("functions", func(t *testing.T) {
		p := newProg()
		p.variable("x", 12)
		a := p.thread("a")
		a.rmw(ir.FetchAnd, "r1", "x", 10)
		a.rmw(ir.FetchOr, "r2", "x", 3)
		a.rmw(ir.FetchXor, "r3", "x", 6)
		a.rmw(ir.Xchg, "r4", "x", 7)
		a.cas("w1", "x", ir.Int(7), ir.Int(9))
		a.cas("w2", "x", ir.Int(7), ir.Int(10))
		q, set := p.build("a.r1", "a.r2", "a.r3", "a.r4", "a.w1", "a.w2", "x")
		finals(t, q, set, "12 8 11 13 1 0 9", "", "")
	})
	t.Run("width", func(t *testing.T) { // the operand of a cas is truncated to the width before it is compared
		p := newProg()
		p.variable("x", 255)
		a := p.thread("a")
		op := access(ir.RMW, ir.S8, p.addr("x"))
		op.RMW, op.Val, op.Val2, op.Dst, op.Dst2 = ir.Cas, ir.Int(255), ir.Int(256+3), a.reg("r"), a.reg("w")
		a.op(op)
		q, set := p.build("a.r", "a.w", "x")
		finals(t, q, set, "-1 1 3", "", "")
	})
	t.Run("blocking", func(t *testing.T) { // b waits until a's store has reached memory
		p := newProg("x", "y")
		a := p.thread("a")
		a.store("y", 5)
		a.store("x", 1)
		b := p.thread("b")
		op := access(ir.RMW, ir.S64, p.addr("x"))
		op.RMW, op.Val, op.Dst = ir.Xchg, ir.Int(2), b.reg("r")
		op.Cond = ir.Binary(ir.Eq, ir.S64, ir.SeenValue(), ir.Int(1))
		b.op(op)
		b.load("s", "y")
		q, set := p.build("b.r", "b.s", "x")
		finals(t, q, set, "1 5 2", "", "1 0 2")
	})
}

func TestSection(t *testing.T) {
	increment := func(p *prog, name string, section bool) {
		c := p.thread(name)
		if section {
			c.simple(ir.AtomicBegin)
		}
		c.load("r", "x")
		c.storeAt(ir.S64, p.addr("x"), ir.Binary(ir.Add, ir.S64, c.r("r"), ir.Int(1)))
		if section {
			c.simple(ir.AtomicEnd)
		}
	}
	for _, section := range []bool{true, false} {
		p := newProg("x")
		increment(p, "a", section)
		increment(p, "b", section)
		q, set := p.build("x")
		if section {
			finals(t, q, set, "2", "", "")
		} else {
			finals(t, q, set, "1; 2", "", "")
		}
	}
	t.Run("writes are seen together", func(t *testing.T) {
		p := newProg("x")
		a := p.thread("a")
		a.simple(ir.AtomicBegin)
		a.store("x", 1)
		a.store("x", 2)
		a.simple(ir.AtomicEnd)
		p.thread("b").load("r", "x")
		q, set := p.build("b.r")
		finals(t, q, set, "0; 2", "", "")
	})
	t.Run("nobody flushes", func(t *testing.T) {
		p := newProg("x")
		a := p.thread("a")
		a.simple(ir.AtomicBegin)
		a.load("r", "x")
		a.load("s", "x")
		a.simple(ir.AtomicEnd)
		p.thread("b").store("x", 1)
		q, set := p.build("a.r", "a.s")
		finals(t, q, set, "0 0; 1 1", "", "")
	})
}
