package replay

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"fencepost/internal/ir"
	"fencepost/internal/source"
)

const (
	first       = int64(heapBase)           // the first block of thread 0
	second      = int64(heapBase) + 16 + 16 // its second fresh block, after one of 8 bytes
	firstOfNext = int64(heapBase) + 1<<32   // the first block of thread 1
)

func TestReuse(t *testing.T) {
	p := newProg()
	a := p.thread("a")
	a.alloc("p", 8)
	a.storeAt(ir.S64, a.r("p"), ir.Int(5))
	a.loadAt(ir.S64, "r", a.r("p"))
	a.free(a.r("p"))
	a.alloc("q", 8)
	a.loadAt(ir.S64, "s", a.r("q"))
	q, set := p.build("a.p", "a.r", "a.q", "a.s")
	finals(t, q, set, fmt.Sprintf("%d 5 %d 0; %d 5 %d 5", first, second, first, first), "", "")
}

func TestReuseNeedsSameSizeAndKind(t *testing.T) {
	for _, tc := range []struct {
		size  int64
		stack bool
	}{{16, false}, {8, true}} {
		p := newProg()
		a := p.thread("a")
		a.alloc("p", 8)
		a.free(a.r("p"))
		op := valueOp(ir.Alloc, ir.Int(tc.size))
		op.Dst, op.Block.Stack = a.reg("q"), tc.stack
		a.op(op)
		q, set := p.build("a.q")
		finals(t, q, set, fmt.Sprint(second), "", "")
	}
}

// Another thread can allocate the block only after the free, and so every store before
// it, has reached memory.
func TestReuseByAnother(t *testing.T) {
	p := newProg("x")
	a := p.thread("a")
	a.alloc("p", 8)
	a.store("x", 1)
	a.free(a.r("p"))
	b := p.thread("b")
	b.alloc("q", 8)
	b.load("r", "x")
	q, set := p.build("b.q", "b.r")
	finals(t, q, set, fmt.Sprintf("%d 0; %d 1; %d 1", firstOfNext, firstOfNext, first), "", "")
}

// The thread that freed the block can allocate it again at once, with stores buffered.
func TestReuseDoesNotDrain(t *testing.T) {
	p := newProg("x", "y")
	a := p.thread("a")
	a.store("x", 1)
	a.alloc("p", 8)
	a.free(a.r("p"))
	a.alloc("q", 8)
	a.load("r", "y")
	b := p.thread("b")
	b.store("y", 1)
	b.mfence()
	b.load("s", "x")
	q, set := p.build("a.q", "a.r", "b.s")
	both := func(f string) string {
		return fmt.Sprintf("%d %s; %d %s", first, f, second, f)
	}
	finals(t, q, set, strings.Join([]string{both("0 1"), both("1 0"), both("1 1")}, ";"), both("0 0"), "")
}

// A compare-exchange cannot tell a block from another one at the same address.
func TestABA(t *testing.T) {
	p := newProg("head")
	a := p.thread("a")
	a.alloc("p", 8)
	a.storeAt(ir.S64, p.addr("head"), a.r("p"))
	a.mfence()
	a.cas("w", "head", a.r("p"), ir.Int(0))
	b := p.thread("b")
	op := access(ir.Await, ir.S64, p.addr("head"))
	op.Dst, op.Cond = b.reg("h"), ir.Binary(ir.Ne, ir.S64, ir.SeenValue(), ir.Int(0))
	b.op(op)
	b.free(b.r("h"))
	b.alloc("n", 8)
	b.storeAt(ir.S64, p.addr("head"), b.r("n"))
	q, set := p.build("a.w", "b.n", "head")
	for _, m := range models {
		out := enumerate(t, q, set, m)
		want := []string{
			fmt.Sprintf("1 %d %d", first, first),
			fmt.Sprintf("1 %d %d", firstOfNext, firstOfNext),
			fmt.Sprintf("1 %d 0", first),
			fmt.Sprintf("0 %d %d", firstOfNext, firstOfNext),
		}
		slices.Sort(want)
		if got := short(out.Finals); !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", m, got, want)
		}
		if !out.Deadlock || len(out.Violations) > 0 { // b waits for ever if a resets head first
			t.Errorf("%s: deadlock %t, violations %v", m, out.Deadlock, out.Violations)
		}
	}
}

func TestBadAccess(t *testing.T) {
	for _, tc := range []struct {
		name string
		bad  func(c *code) ir.EdgeID
		want ir.CheckClass
	}{
		{"after free", func(c *code) ir.EdgeID { return c.loadAt(ir.S64, "r", c.r("p")) }, ir.UseAfterFree},
		{"store after free", func(c *code) ir.EdgeID { return c.storeAt(ir.S8, c.r("p"), ir.Int(1)) }, ir.UseAfterFree},
		{"double free", func(c *code) ir.EdgeID { return c.free(c.r("p")) }, ir.DoubleFree},
		{"double free in memory", func(c *code) ir.EdgeID { c.mfence(); return c.free(c.r("p")) }, ir.DoubleFree},
		{"freed in memory", func(c *code) ir.EdgeID { c.mfence(); return c.loadAt(ir.S64, "r", c.r("p")) }, ir.UseAfterFree},
		{"inner free", func(c *code) ir.EdgeID { return c.free(ir.Binary(ir.Add, ir.S64, c.r("q"), ir.Int(4))) }, ir.InvalidFree},
		{"free of a variable", func(c *code) ir.EdgeID { return c.free(c.p.addr("x")) }, ir.InvalidFree},
		{"null", func(c *code) ir.EdgeID { return c.loadAt(ir.S64, "r", ir.Int(8)) }, ir.NullDeref},
		{"null rmw", func(c *code) ir.EdgeID {
			op := access(ir.RMW, ir.S64, ir.Int(0))
			op.RMW, op.Val = ir.Xchg, ir.Int(1)
			return c.op(op)
		}, ir.NullDeref},
		{"past a variable", func(c *code) ir.EdgeID { return c.loadAt(ir.S64, "r", ir.Addr(c.p.objs["x"], 4)) }, ir.OutOfBounds},
		{"past a block", func(c *code) ir.EdgeID {
			return c.loadAt(ir.S64, "r", ir.Binary(ir.Add, ir.S64, c.r("q"), ir.Int(1)))
		}, ir.OutOfBounds},
		{"another object", func(c *code) ir.EdgeID {
			op := access(ir.Load, ir.S64, c.p.addr("x"))
			op.Dst, op.Obj = c.reg("r"), c.p.objs["y"]
			return c.op(op)
		}, ir.OutOfBounds},
		{"assertion", func(c *code) ir.EdgeID { return c.assert(c.r("r")) }, ir.Assertion},
		{"freed mutex", func(c *code) ir.EdgeID {
			op := ir.NewOp(ir.Lock)
			op.Mutex.Kind, op.Addr = ir.NormalMutex, c.r("p")
			return c.op(op)
		}, ir.UseAfterFree},
	} {
		t.Run(tc.name, func(t *testing.T) {
			p := newProg("x", "y")
			a := p.thread("a")
			a.alloc("q", 8)
			a.alloc("p", 8)
			a.free(ir.Int(0))
			a.free(a.r("p"))
			bad := tc.bad(a)
			q, set := p.build()
			outcome(t, q, set, "", []Violation{{tc.want, bad}}, false)
		})
	}
}

// Either b's store is valid when b executes it and reaches memory after a's free, or b
// executes the store after the free.
func TestFreeUnderStore(t *testing.T) {
	p := newProg("g")
	a := p.thread("a")
	a.alloc("p", 8)
	a.storeAt(ir.S64, p.addr("g"), a.r("p"))
	a.mfence()
	a.free(a.r("p"))
	b := p.thread("b")
	op := access(ir.Await, ir.S64, p.addr("g"))
	op.Dst, op.Cond = b.reg("h"), ir.Binary(ir.Ne, ir.S64, ir.SeenValue(), ir.Int(0))
	b.op(op)
	bad := b.storeAt(ir.S64, b.r("h"), ir.Int(1))
	q, set := p.build()
	late := Violation{ir.UseAfterFree, bad}
	flush := Violation{ir.UseAfterFree, ir.NoEdge}
	for m, want := range map[Model][]Violation{SC: {late}, TSO: {flush, late}, PSO: {flush, late}} {
		if out := enumerate(t, q, set, m); !slices.Equal(out.Violations, want) {
			t.Errorf("%s: %v, want %v", m, out.Violations, want)
		}
	}
}

func TestFreeOfBoth(t *testing.T) {
	p := newProg("g")
	a := p.thread("a")
	a.alloc("p", 8)
	a.storeAt(ir.S64, p.addr("g"), a.r("p"))
	a.mfence()
	e := a.free(a.r("p"))
	b := p.thread("b")
	op := access(ir.Await, ir.S64, p.addr("g"))
	op.Dst, op.Cond = b.reg("h"), ir.Binary(ir.Ne, ir.S64, ir.SeenValue(), ir.Int(0))
	b.op(op)
	f := b.free(b.r("h"))
	q, set := p.build()
	late := []Violation{{ir.DoubleFree, e}, {ir.DoubleFree, f}}
	flush := append([]Violation{{ir.DoubleFree, ir.NoEdge}}, late...)
	for m, want := range map[Model][]Violation{SC: late, TSO: flush, PSO: flush} {
		if out := enumerate(t, q, set, m); !slices.Equal(out.Violations, want) {
			t.Errorf("%s: %v, want %v", m, out.Violations, want)
		}
	}
}

func TestCells(t *testing.T) {
	build := func(address *ir.Expr, typ ir.Type) (*prog, ir.EdgeID) {
		p := newProg()
		p.b = ir.NewBuilder("cells", true)
		p.b.Object("v", 8, 8, ir.S64, nil, source.Span{})
		a := p.thread("a")
		id := a.storeAt(typ, address, ir.Int(3))
		a.loadAt(typ, "r", address)
		a.loadAt(ir.S64, "s", ir.Int(8*77))
		return p, id
	}
	for _, e := range []int64{0, 5, -1, ir.CellLimit - 1, -ir.CellLimit + 1} {
		p, _ := build(ir.Int(8*e), ir.S64)
		q, set := p.build("a.r", "a.s")
		finals(t, q, set, "3 0", "", "")
	}
	for _, bad := range []struct {
		addr *ir.Expr
		typ  ir.Type
	}{{ir.Int(4), ir.S64}, {ir.Int(8), ir.S32}, {ir.Int(-8 * ir.CellLimit), ir.S64}, {ir.Addr(0, 8), ir.S64}} {
		p, id := build(bad.addr, bad.typ)
		q, set := p.build()
		outcome(t, q, set, "", []Violation{{ir.BadAddress, id}}, false)
	}
}
