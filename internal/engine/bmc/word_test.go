package bmc

import (
	"math"
	"math/rand/v2"
	"testing"

	"fencepost/internal/analysis"
	"fencepost/internal/ir"
	"fencepost/internal/solver/sat"
)

var types = []ir.Type{ir.S8, ir.S16, ir.S32, ir.S64, ir.U8, ir.U16, ir.U32, ir.U64}

var binaries = []ir.ExprOp{
	ir.Add, ir.Sub, ir.Mul, ir.Div, ir.Rem, ir.And, ir.Or, ir.Xor, ir.Shl, ir.Shr,
	ir.Eq, ir.Ne, ir.Lt, ir.Le, ir.Gt, ir.Ge, ir.LAnd, ir.LOr,
}

// randomNumber likes the edges of types.
func randomNumber(r *rand.Rand) int64 {
	switch r.IntN(4) {
	case 0:
		return int64(r.IntN(9)) - 4
	case 1:
		return []int64{math.MinInt64, math.MaxInt64, math.MinInt32, math.MaxInt32, math.MaxUint32, 127, 128, -128, -129, 255, 256}[r.IntN(11)]
	case 2:
		return int64(r.Uint64()) >> r.IntN(64)
	default:
		return int64(r.Uint64N(300)) - 150
	}
}

func randomExpr(r *rand.Rand, depth int) *ir.Expr {
	t := types[r.IntN(len(types))]
	if depth == 0 || r.IntN(6) == 0 {
		if r.IntN(3) == 0 {
			return ir.Int(randomNumber(r))
		}
		return ir.R(ir.Reg(r.IntN(3)))
	}
	switch r.IntN(8) {
	case 0:
		return ir.Unary([]ir.ExprOp{ir.Neg, ir.BitNot, ir.Not, ir.Cast}[r.IntN(4)], t, randomExpr(r, depth-1))
	case 1:
		return ir.Conditional(randomExpr(r, depth-1), randomExpr(r, depth-1), randomExpr(r, depth-1))
	default:
		return ir.Binary(binaries[r.IntN(len(binaries))], t, randomExpr(r, depth-1), randomExpr(r, depth-1))
	}
}

// TestExpressions: a circuit computes what ir computes, for random expressions over
// registers with random ranges, and the interval of every result holds it.
func TestExpressions(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for range 800 {
		e := randomExpr(r, 3)
		c := newCircuit(func(...sat.Lit) {}, nil)
		s := scope{}
		var ranges [3]analysis.Interval
		var regs []word
		for i := range ranges {
			a, b := randomNumber(r), randomNumber(r)
			ranges[i] = analysis.Between(min(a, b), max(a, b))
			regs = append(regs, c.inputWord(ranges[i]))
		}
		s.regs = tableOf(regs)
		out := c.eval(s, e)
		truth := c.truth(s, e)
		for range 8 {
			values, inputs := make([]int64, 3), map[gate]bool{}
			for i, x := range ranges {
				values[i] = x.Lo + int64(r.Uint64N(max(1, uint64(x.Hi-x.Lo))))
				for b, g := range regs[i].bits {
					if !g.constant() {
						inputs[g] = values[i]>>b&1 == 1
					}
				}
			}
			want := e.Eval(ir.Env{Regs: values})
			memo := map[gate]bool{}
			for g, v := range inputs {
				memo[g>>1] = v
			}
			noModel := func(sat.Lit) bool { panic("no variable has a value here") }
			clear(c.vars)
			got := c.number(noModel, out, memo)
			if got != want {
				t.Fatalf("%v with %v in %v: got %d, want %d", e, values, ranges, got, want)
			}
			if got < out.Lo || got > out.Hi {
				t.Fatalf("%v with %v: %d is not in %v", e, values, got, out.Interval)
			}
			if c.value(noModel, truth, memo) != (want != 0) {
				t.Fatalf("%v with %v: truth is wrong", e, values)
			}
		}
	}
}
