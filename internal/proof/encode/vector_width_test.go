package encode

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"fencepost/internal/ir"
	"fencepost/internal/solver/smt"
)

// randomExpr returns an expression over three registers.
func randomExpr(r *rand.Rand, depth int) *ir.Expr {
	types := []ir.Type{ir.S8, ir.U8, ir.S16, ir.U16, ir.S32, ir.U32, ir.S64, ir.U64}
	if depth == 0 {
		if r.IntN(3) == 0 {
			return ir.Int([]int64{0, 1, -1, 2, 4, 7, 127, 128, 255, 1 << 31, -1 << 31, 1<<32 - 1, 1 << 62, -1 << 63}[r.IntN(14)])
		}
		return ir.R(ir.Reg(r.IntN(len(types))))
	}
	x, y := randomExpr(r, depth-1), randomExpr(r, r.IntN(depth))
	t := types[r.IntN(len(types))]
	switch n := r.IntN(20); n {
	case 0:
		return &ir.Expr{Op: ir.Neg, Type: t, X: x}
	case 1:
		return &ir.Expr{Op: ir.BitNot, Type: t, X: x}
	case 2:
		return &ir.Expr{Op: ir.Cast, Type: t, X: x}
	case 3:
		return &ir.Expr{Op: ir.Ite, Type: t, X: randomExpr(r, depth-1), Y: x, Z: y}
	case 4:
		return &ir.Expr{Op: ir.Not, Type: ir.S64, X: x}
	default:
		ops := []ir.ExprOp{ir.Add, ir.Sub, ir.Mul, ir.Div, ir.Rem, ir.And, ir.Or, ir.Xor, ir.Shl, ir.Shr, ir.Eq, ir.Ne, ir.Lt, ir.Le, ir.Gt, ir.Ge}
		op := ops[r.IntN(len(ops))]
		if op.IsCompare() {
			t = types[6+r.IntN(2)]
		}
		return ir.Binary(op, t, x, y)
	}
}

// TestVectorsMeanWhatTheProgramMeans: the terms of expressions over numbers of all types have the values that programs
// compute, whatever extensions are left out.
func TestVectorsMeanWhatTheProgramMeans(t *testing.T) {
	s, err := smt.Start(context.Background(), smt.Limit{Work: 1_000_000_000, Time: time.Hour})
	if err != nil {
		t.Skipf("notice: %v", err)
	}
	defer s.Close()
	types := []ir.Type{ir.S8, ir.U8, ir.S16, ir.U16, ir.S32, ir.U32, ir.S64, ir.U64}
	var regs, names []smt.Term
	for i, typ := range types {
		name := smt.Constant(fmt.Sprintf("r%d", i), BitVectors.bytes(typ.Size()))
		s.Send(smt.Declare(name))
		names = append(names, name)
		regs = append(regs, BitVectors.extend(name, typ))
	}
	prog := &ir.Program{}
	v := Env{prog: prog, arith: BitVectors, regs: regs}
	r := rand.New(rand.NewPCG(7, 0xb17))
	for i := range 600 {
		e := randomExpr(r, 1+r.IntN(3))
		values := make([]int64, len(types))
		var given []smt.Term
		for k, typ := range types {
			values[k] = typ.Wrap([]int64{0, 1, -1, 5, 127, 128, 1 << 31, int64(r.Uint64())}[r.IntN(8)])
			given = append(given, smt.Equals(names[k], smt.Bits(values[k], int(typ.Bits))))
		}
		want := e.Eval(ir.Env{Regs: values, Prog: prog})
		truth := v.Truth(e)
		if want == 0 {
			truth = smt.Not(truth)
		}
		other := e.Eval(ir.Env{Regs: values, Prog: prog}) ^ 1
		for _, goal := range []smt.Term{smt.Equals(v.Number(e), BitVectors.Num(want)), Equal(v.Number(e), BitVectors.Num(want)), smt.Not(Equal(BitVectors.Num(other), v.Number(e))), truth} {
			if status, _, err := s.Check(append(given, smt.Not(goal)), nil); err != nil || status != smt.Unsat {
				t.Fatalf("program %d: %+v with %v is %d, and %s is %v, %v", i, e, values, want, goal, status, err)
			}
		}
	}
}
