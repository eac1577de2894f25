package analysis

import (
	"math"
	"math/rand"
	"testing"

	"fencepost/internal/ir"
	"fencepost/internal/ir/irtext"
)

// expressions makes random expressions over two registers and one object.
type expressions struct{ *rand.Rand }

var allTypes = []ir.Type{ir.S8, ir.S16, ir.S32, ir.S64, ir.U8, ir.U16, ir.U32, ir.U64}

func (g expressions) word() int64 {
	switch g.Intn(4) {
	case 0:
		extremes := []int64{math.MinInt64, math.MaxInt64, -1, 0, 1, math.MinInt64 + 1, math.MaxUint32, math.MinInt32}
		return extremes[g.Intn(len(extremes))]
	case 1:
		return int64(g.Uint64())
	default:
		return int64(g.Intn(20) - 10)
	}
}

func (g expressions) typ() ir.Type {
	if g.Intn(2) == 0 {
		return ir.S64
	}
	return allTypes[g.Intn(len(allTypes))]
}

func (g expressions) expr(depth int) *ir.Expr {
	if depth == 0 || g.Intn(5) == 0 {
		switch g.Intn(5) {
		case 0:
			return ir.R(ir.Reg(g.Intn(2)))
		case 1:
			return ir.SeenValue()
		case 2:
			return ir.Addr(0, g.word())
		default:
			return ir.Int(g.word())
		}
	}
	x := func() *ir.Expr { return g.expr(depth - 1) }
	op, typ := ir.ExprOp(int(ir.Neg)+g.Intn(int(ir.Ite-ir.Neg)+1)), g.typ()
	if op.IsFloat() && op != ir.FloatToInt {
		typ = ir.F64
	}
	switch {
	case op.IsUnary():
		return &ir.Expr{Op: op, Type: typ, X: x()}
	case op.IsBinary():
		return &ir.Expr{Op: op, Type: typ, X: x(), Y: x()}
	default:
		return &ir.Expr{Op: ir.Ite, Type: g.typ(), X: x(), Y: x(), Z: x()}
	}
}

// TestRangeOf evaluates random expressions and checks that the value lies in the range.
func TestRangeOf(t *testing.T) {
	known := 0
	g := expressions{rand.New(rand.NewSource(1))}
	p := &ir.Program{Objects: []ir.Object{{Addr: 0x10000, Size: 8}}, Funcs: []*ir.Func{{}}}
	for i := range 60_000 {
		e := g.expr(3)
		iv, ok := RangeOf(p, e)
		if !ok || iv.IsSingle() && e.Op == ir.Const {
			continue
		}
		known++
		for range 5 {
			v := e.Eval(ir.Env{Regs: []int64{g.word(), g.word()}, Seen: g.word(), Prog: p})
			if v < iv.Lo || v > iv.Hi {
				t.Fatalf("expression %d: %s is %d, not in %v", i, irtext.FormatExpr(p, nil, e), v, iv)
			}
		}
	}
	if known < 3000 {
		t.Errorf("only %d ranges were found", known)
	}
}

// TestRangeIn does so with registers whose values are in intervals.
func TestRangeIn(t *testing.T) {
	better := 0
	g := expressions{rand.New(rand.NewSource(2))}
	p := &ir.Program{Objects: []ir.Object{{Addr: 0x10000, Size: 8}}, Funcs: []*ir.Func{{}}}
	for i := range 60_000 {
		e := g.expr(3)
		regs := map[ir.Reg]Interval{0: Between(-g.Int63n(20), g.Int63n(200))}
		if i%2 == 0 {
			regs[1] = Single(g.word())
		}
		iv, ok := RangeIn(regs, e)
		if !ok {
			continue
		}
		if _, ok := RangeOf(p, e); !ok {
			better++
		}
		for range 5 {
			env := ir.Env{Regs: []int64{regs[0].Lo + g.Int63n(regs[0].Hi-regs[0].Lo+1), g.word()}, Seen: g.word(), Prog: p}
			if r, ok := regs[1]; ok {
				env.Regs[1] = r.Lo
			}
			if v := e.Eval(env); v < iv.Lo || v > iv.Hi {
				t.Fatalf("expression %d: %s is %d, not in %v; registers in %v", i, irtext.FormatExpr(p, nil, e), v, iv, regs)
			}
		}
	}
	if better < 1000 {
		t.Errorf("intervals of registers helped only %d times", better)
	}
	if _, ok := RangeIn(nil, ir.Addr(0, 0)); ok {
		t.Error("RangeIn knows the address of an object")
	}
}

// TestIntervalArithmetic compares interval arithmetic with arithmetic on numbers of the
// intervals, and expects overflow to be reported exactly.
func TestIntervalArithmetic(t *testing.T) {
	ends := []int64{math.MinInt64, math.MinInt64 + 1, math.MinInt64 / 2, -3, -1, 0, 1, 2, math.MaxInt64 / 2, math.MaxInt64 - 1, math.MaxInt64}
	var all []Interval
	for _, lo := range ends {
		for _, hi := range ends {
			if lo <= hi {
				all = append(all, Interval{lo, hi})
			}
		}
	}
	type operation struct {
		name  string
		apply func(x, y Interval) (Interval, bool)
		exact func(a, b int64) (int64, bool)
	}
	add := func(a, b int64) (int64, bool) {
		c := a + b
		return c, (a < 0) != (b < 0) || (c < 0) == (a < 0)
	}
	mul := func(a, b int64) (int64, bool) {
		if a == 0 || b == 0 {
			return 0, true
		}
		c := a * b
		return c, c/a == b && c/b == a && (c < 0) == ((a < 0) != (b < 0))
	}
	for _, op := range []operation{{"add", Interval.Add, add}, {"mul", Interval.Mul, mul}} {
		for _, x := range all {
			for _, y := range all {
				got, ok := op.apply(x, y)
				fits := true
				for _, a := range []int64{x.Lo, x.Hi} {
					for _, b := range []int64{y.Lo, y.Hi} {
						c, exact := op.exact(a, b)
						fits = fits && exact
						if ok && (c < got.Lo || c > got.Hi) {
							t.Errorf("%v %s %v: %d is not in %v", x, op.name, y, c, got)
						}
					}
				}
				if op.name == "mul" && ok != fits || ok && !fits {
					t.Errorf("%v %s %v: fits 64 bits %v, want %v", x, op.name, y, ok, fits)
				}
			}
		}
	}
	if x, ok := (Interval{math.MinInt64, 0}).Neg(); ok {
		t.Errorf("the negation of the least number is %v", x)
	}
	if x, ok := (Interval{-2, 5}).Neg(); !ok || x != (Interval{-5, 2}) {
		t.Errorf("-[-2, 5] is %v", x)
	}
	if x, ok := (Interval{1, 2}).Sub(Interval{10, 20}); !ok || x != (Interval{-19, -8}) {
		t.Errorf("[1, 2] - [10, 20] is %v", x)
	}
}
