package ir

import (
	"fmt"
	"math"
	"math/rand"
	"reflect"
	"strings"
	"testing"

	"fencepost/internal/diag"
	"fencepost/internal/source"
)

// parseText parses a program that has no mistakes.
func parseText(t testing.TB, text string) *Program {
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

func roundTrip(t *testing.T, p *Program) {
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
	kinds := map[OpKind]int{}
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
	for k := Nop; k <= Bound; k++ {
		if kinds[k] < 50 {
			t.Errorf("%s occurred %d times only", k, kinds[k])
		}
	}
}

func TestRoundTripExtremes(t *testing.T) {
	exprs := []*Expr{
		Int(math.MinInt64), Int(math.MaxInt64), Int(-1),
		Float(F64, 1.5), Float(F64, -1e-300), Float(F64, 1e21), Float(F64, math.Copysign(0, -1)), Float(F64, math.Inf(1)), Float(F64, math.NaN()),
		Float(F32, 0.1), Float(F32, math.MaxFloat32), Float(F32, math.SmallestNonzeroFloat32), Float(F32, math.Inf(-1)),
		{Op: Const, Type: F32, Value: -1},
		{Op: FNeg, Type: F64, X: Float(F64, -1)},
		{Op: FSqrt, Type: F32, X: &Expr{Op: FSqrt, Type: F32, X: R(0)}},
		{Op: FloatToInt, Type: U8, X: &Expr{Op: FloatToFloat, Type: F64, X: &Expr{Op: UintToFloat, Type: F32, X: R(0)}}},
		{Op: FloatToFloat, Type: F32, X: &Expr{Op: IntToFloat, Type: F64, X: R(0)}},
		{Op: FSub, Type: F64, X: R(0), Y: Float(F64, -1)},
		{Op: Neg, Type: S64, X: Int(1)},
		{Op: Neg, Type: S64, X: Int(-1)},
		{Op: Neg, Type: U8, X: Int(math.MinInt64)},
		{Op: Neg, Type: S64, X: &Expr{Op: Neg, Type: S64, X: R(0)}},
		{Op: Cast, Type: U32, X: Int(-5)},
		{Op: Sub, Type: S64, X: R(0), Y: Int(-1)},
		{Op: Mul, Type: U64, X: Addr(0, 8), Y: Addr(0, math.MinInt64)},
		{Op: Add, Type: U64, X: Addr(0, 0), Y: Int(8)},
		{Op: Add, Type: S64, X: Addr(0, 0), Y: Int(8)},
		{Op: And, Type: S64, X: R(0), Y: Addr(0, 0)},
		{Op: LAnd, Type: S64, X: R(0), Y: &Expr{Op: FuncAddr, Type: U64}},
		{Op: Ite, Type: U8, X: &Expr{Op: Ite, Type: S64, X: R(0), Y: Int(1), Z: Int(2)}, Y: &Expr{Op: RegRef, Type: U8}, Z: Int(3)},
		{Op: FuncAddr},
	}
	for _, e := range exprs {
		b := NewBuilder("x", false)
		b.Object("o", 8, 8, S64, nil, source.Span{})
		f := b.Func("f", source.Span{})
		r := f.Reg("r", 0, source.Span{})
		op := NewOp(Assign)
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
	for _, err := range Verify(p) {
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
	if errs := Verify(p); len(errs) > 0 {
		t.Error(errs)
	}
	roundTrip(t, p)
	if o := p.Objects[0]; !o.Cells || o.Addr != 0 {
		t.Errorf("cell window is %+v", o)
	}
	if p.Objects[1].Addr != cellDataBase {
		t.Errorf("v lies at %#x", p.Objects[1].Addr)
	}
	want := []ThreadID{1, 2}
	if got := p.Funcs[0].Edges[0].Op.Call.Threads; !reflect.DeepEqual(got, want) {
		t.Errorf("threads %v", got)
	}
}

// TestBuilderLayout holds the addresses Parse fills in against the Builder's.
func TestBuilderLayout(t *testing.T) {
	for _, cells := range []bool{false, true} {
		b := NewBuilder("x", cells)
		if cells {
			b.CellWindow(4)
		}
		for i, size := range []int64{8, 1, 17, 40, 3} {
			b.Object(fmt.Sprintf("o%d", i), size, defaultUnit(size), S64, nil, source.Span{})
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
	op := NewOp(Load)
	op.Dst, op.Obj = 7, 9
	p := &Program{Name: "b", Main: 4, Funcs: []*Func{{Name: "f", Edges: []Edge{{Op: op, From: 3, To: -1}, {Op: NewOp(Store)}}}}, Threads: []Thread{{Func: 8}}}
	text := Print(p)
	for _, want := range []string{`"?3" -> "?-1"`, `"?7" = load`, `in "?9"`, `main "?4"`, `= "?8"()`, "unset"} {
		if !strings.Contains(text, want) {
			t.Errorf("%s is missing from\n%s", want, text)
		}
	}
}
