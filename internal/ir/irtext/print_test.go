package irtext

import (
	"fmt"
	"math"
	"math/rand"
	"reflect"
	"strings"
	"testing"

	"fencepost/internal/diag"
	"fencepost/internal/ir"
	"fencepost/internal/source"
)

// parseText parses a program that has no mistakes.
func parseText(t testing.TB, text string) *ir.Program {
	t.Helper()
	p, diags := Parse("test.ir", []byte(text))
	if diags.HasErrors() {
		t.Fatalf("%s\nin\n%s", listing(diags), text)
	}
	return p
}

func listing(diags *diag.List) string {
	var b strings.Builder
	for _, d := range diags.All {
		fmt.Fprintf(&b, "%d:%d: %s: %s\n", d.Span.Line, d.Span.Col, d.Code, d.Message)
	}
	return b.String()
}

func roundTrip(t *testing.T, p *ir.Program) {
	t.Helper()
	text := Print(p)
	q := parseText(t, text)
	if again := Print(q); again != text {
		t.Fatalf("printed\n%s\nthen\n%s", text, again)
	}
	if !reflect.DeepEqual(p, q) {
		t.Fatalf("parsed program differs from the one printed\n%s", text)
	}
}

func TestRoundTripRandomPrograms(t *testing.T) {
	kinds := map[ir.OpKind]int{}
	for seed := range int64(3000) {
		g := &generator{Rand: rand.New(rand.NewSource(seed))}
		p := g.program()
		roundTrip(t, p)
		for _, f := range p.Funcs {
			for i := range f.Edges {
				kinds[f.Edges[i].Op.Kind]++
			}
		}
	}
	for k := ir.Nop; k <= ir.Bound; k++ {
		if kinds[k] < 50 {
			t.Errorf("%s occurred %d times only", k, kinds[k])
		}
	}
}

func TestRoundTripExtremes(t *testing.T) {
	exprs := []*ir.Expr{
		ir.Int(math.MinInt64), ir.Int(math.MaxInt64), ir.Int(-1),
		ir.Float(ir.F64, 1.5), ir.Float(ir.F64, -1e-300), ir.Float(ir.F64, 1e21), ir.Float(ir.F64, math.Copysign(0, -1)), ir.Float(ir.F64, math.Inf(1)), ir.Float(ir.F64, math.NaN()),
		ir.Float(ir.F32, 0.1), ir.Float(ir.F32, math.MaxFloat32), ir.Float(ir.F32, math.SmallestNonzeroFloat32), ir.Float(ir.F32, math.Inf(-1)),
		{Op: ir.Const, Type: ir.F32, Value: -1},
		{Op: ir.FNeg, Type: ir.F64, X: ir.Float(ir.F64, -1)},
		{Op: ir.FSqrt, Type: ir.F32, X: &ir.Expr{Op: ir.FSqrt, Type: ir.F32, X: ir.R(0)}},
		{Op: ir.FloatToInt, Type: ir.U8, X: &ir.Expr{Op: ir.FloatToFloat, Type: ir.F64, X: &ir.Expr{Op: ir.UintToFloat, Type: ir.F32, X: ir.R(0)}}},
		{Op: ir.FloatToFloat, Type: ir.F32, X: &ir.Expr{Op: ir.IntToFloat, Type: ir.F64, X: ir.R(0)}},
		{Op: ir.FSub, Type: ir.F64, X: ir.R(0), Y: ir.Float(ir.F64, -1)},
		{Op: ir.Neg, Type: ir.S64, X: ir.Int(1)},
		{Op: ir.Neg, Type: ir.S64, X: ir.Int(-1)},
		{Op: ir.Neg, Type: ir.U8, X: ir.Int(math.MinInt64)},
		{Op: ir.Neg, Type: ir.S64, X: &ir.Expr{Op: ir.Neg, Type: ir.S64, X: ir.R(0)}},
		{Op: ir.Cast, Type: ir.U32, X: ir.Int(-5)},
		{Op: ir.Sub, Type: ir.S64, X: ir.R(0), Y: ir.Int(-1)},
		{Op: ir.Mul, Type: ir.U64, X: ir.Addr(0, 8), Y: ir.Addr(0, math.MinInt64)},
		{Op: ir.Add, Type: ir.U64, X: ir.Addr(0, 0), Y: ir.Int(8)},
		{Op: ir.Add, Type: ir.S64, X: ir.Addr(0, 0), Y: ir.Int(8)},
		{Op: ir.And, Type: ir.S64, X: ir.R(0), Y: ir.Addr(0, 0)},
		{Op: ir.LAnd, Type: ir.S64, X: ir.R(0), Y: &ir.Expr{Op: ir.FuncAddr, Type: ir.U64}},
		{Op: ir.Ite, Type: ir.U8, X: &ir.Expr{Op: ir.Ite, Type: ir.S64, X: ir.R(0), Y: ir.Int(1), Z: ir.Int(2)}, Y: &ir.Expr{Op: ir.RegRef, Type: ir.U8}, Z: ir.Int(3)},
		{Op: ir.FuncAddr},
	}
	for _, e := range exprs {
		b := ir.NewBuilder("x", false)
		b.Object("o", 8, 8, ir.S64, nil, source.Span{})
		f := b.Func("f", source.Span{})
		r := f.Reg("r", 0, source.Span{})
		op := ir.NewOp(ir.Assign)
		op.Dst, op.Val = r, e
		f.Edge(f.Loc("", source.Span{}), op, f.Loc("", source.Span{}), source.Span{})
		roundTrip(t, b.Finish())
	}
}

// everything shows each construct as people see it. It is its own printed form.
const everything = `program everything structured
main boss
next 90
object x size 8
object a size 16 init 1 -2
object b size 6 unit 2 addr 0x20000 type u16 init 1 65535 @d.c:1:5-1:6
object c size 3 unit 2 bytes "0102ff"
object d size 8 readonly

func helper(p, q = 3 @d.c:2:1) pointer @d.c:2:1-4:2 {
  0 -> 1: return (p +u32 q)
}

func boss() {
  reg r
  reg s = -9223372036854775808
  reg "load"
  loc start @d.c:5:1
  loc "a b"
  loc end
  entry "a b"
  start -> "a b": nop @d.c:5:1-5:9 ; id 7
  "a b" -> start: r = load.u16 [&b+2] acquire in b
  start -> start: r = aload [&x] when (r <= seen) range -3..9223372036854775807
  start -> start: await [&x] when (seen != 0)
  start -> start: r = await.s8 [(&a + (8 * s))] relaxed in a when (seen >u8 1)
  start -> start: store.u8 [&a+1] = "load" release
  start -> start: r, s = rmw.cas [&x], 0, (1 ? r : s) seq_cst fail relaxed when !(seen == 2)
  start -> start: _, s = rmw.add.u32 [&x], -1
  start -> start: rmw.xchg [&x], 1 acq_rel ; origin 3 pass inline via helper @d.c:9:1, "f g"
  start -> start: fence.full
  start -> start: fence.ss release
  start -> start: r = -(1)
  start -> start: r = havoc when ((r & 1) ==u8 0) range 0..5
  start -> start: assume (r && &&helper)
  start -> start: assert (r == 0), "why \"not\""
  start -> start: assert (s != 0) class division-by-zero
  start -> start: r = call helper((s32)r, ~u8 s)
  start -> start: call [r]()
  start -> start: r = spawn helper(1)
  start -> start: r = join s
  start -> start: r = lock [&x] in x
  start -> start: trylock.recursive [&x]
  start -> start: unlock.errorcheck [&x]
  start -> start: condwait.normal [&a] mutex [&x]
  start -> start: signal [&a]
  start -> start: broadcast [&a]
  start -> start: r = barrier [&a]
  start -> start: r = alloc.stack 16
  start -> start: s = alloc (r * 8)
  start -> start: free [s]
  start -> start: free.stack [r]
  start -> start: atomicbegin
  start -> start: atomicend
  start -> end: bound "unroll", 8
  start -> end: exit
  start -> end: threadexit r
  start -> end: return
}

thread boss = boss()
thread worker = helper(1, -2) spawned template w unbounded @d.c:9:9
`

func TestPrintEverything(t *testing.T) {
	p := parseText(t, everything)
	if got := Print(p); got != everything {
		t.Errorf("got\n%s\nwant\n%s", got, everything)
	}
	for _, err := range ir.Verify(p) {
		// the only thing wrong is that sections begin and end at one location
		if !strings.Contains(err.Error(), "atomic section") {
			t.Error(err)
		}
	}
	var b strings.Builder
	if err := Fprint(&b, p); err != nil || b.String() != everything {
		t.Errorf("Fprint differs from Print: %v", err)
	}
}

func TestPrintFlatSpawnAndCells(t *testing.T) {
	const text = `program p flat
cells
object mem size 80 unit 8 cells
object v size 8

func a() {
  l0 -> l1: r = spawn {u, v}(1)
}

func b(x) {
  "" -> "": nop
}

thread a = a()
thread u = b() spawned
thread v = b() spawned
`
	p := parseText(t, strings.Replace(text, "l0 ->", "reg r\n l0 ->", 1))
	if errs := ir.Verify(p); len(errs) > 0 {
		t.Error(errs)
	}
	roundTrip(t, p)
	if o := p.Objects[0]; !o.Cells || o.Addr != 0 {
		t.Errorf("cell window is %+v", o)
	}
	if p.Objects[1].Addr != ir.CellDataBase {
		t.Errorf("v lies at %#x", p.Objects[1].Addr)
	}
	want := []ir.ThreadID{1, 2}
	if got := p.Funcs[0].Edges[0].Op.Call.Threads; !reflect.DeepEqual(got, want) {
		t.Errorf("threads %v", got)
	}
}

// TestBuilderLayout holds the addresses Parse fills in against the Builder's.
func TestBuilderLayout(t *testing.T) {
	for _, cells := range []bool{false, true} {
		b := ir.NewBuilder("x", cells)
		if cells {
			b.CellWindow(4)
		}
		for i, size := range []int64{8, 1, 17, 40, 3} {
			b.Object(fmt.Sprintf("o%d", i), size, defaultUnit(size), ir.S64, nil, source.Span{})
		}
		p := b.Finish()
		text := Print(p)
		if strings.Contains(text, "addr") {
			t.Errorf("addresses of a builder are printed:\n%s", text)
		}
		roundTrip(t, p)
	}
}

// TestPrintBroken prints programs with ids that point nowhere.
func TestPrintBroken(t *testing.T) {
	op := ir.NewOp(ir.Load)
	op.Dst, op.Obj = 7, 9
	p := &ir.Program{Name: "b", Main: 4, Funcs: []*ir.Func{{Name: "f", Edges: []ir.Edge{{Op: op, From: 3, To: -1}, {Op: ir.NewOp(ir.Store)}}}}, Threads: []ir.Thread{{Func: 8}}}
	text := Print(p)
	for _, want := range []string{`"?3" -> "?-1"`, `"?7" = load`, `in "?9"`, `main "?4"`, `= "?8"()`, "unset"} {
		if !strings.Contains(text, want) {
			t.Errorf("%s is missing from\n%s", want, text)
		}
	}
}
