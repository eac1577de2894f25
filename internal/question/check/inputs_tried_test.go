package check

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"fencepost/internal/ir"
	"fencepost/internal/ir/irtext"
	"fencepost/internal/source"
)

// TestTriedInputs: every value of an input makes a thread decide as one of the values does that are tried.
func TestTriedInputs(t *testing.T) {
	const programs, samples = 400, 300
	all := 0
	for seed := range uint64(programs) {
		r := rand.New(rand.NewPCG(seed, 52))
		lo, hi := inputRange(r)
		p, conds := comparingThread(r, lo, hi)
		tried := triedInputs(p)
		seen := map[string]bool{}
		open := false
		for _, e := range tried.Funcs[0].Edges {
			switch e.Op.Kind {
			case ir.Havoc:
				seen[decisions(conds, e.Op.Range.Lo)] = true
			case ir.Unsupported:
				open = true
			}
		}
		if open {
			continue
		}
		all++
		near := []int64{lo, hi, 0, math.MinInt32, math.MaxInt32, math.MaxUint32}
		for _, c := range conds {
			near = append(near, c.Y.Value, ir.S32.Wrap(c.Y.Value), ir.U32.Wrap(c.Y.Value))
		}
		for range samples {
			v := near[r.IntN(len(near))] + r.Int64N(7) - 3
			if r.IntN(3) == 0 {
				v = lo + int64(r.Uint64N(uint64(hi)-uint64(lo)))
			}
			if v >= lo && v <= hi && !seen[decisions(conds, v)] {
				t.Fatalf("seed %d: no value is tried that decides as %d does, in %d..%d: %s", seed, v, lo, hi, irtext.Print(p))
			}
		}
	}
	if all < programs/2 {
		t.Errorf("only %d of %d programs have classes of values", all, programs)
	}
}

// inputRange returns the range of a type.
func inputRange(r *rand.Rand) (lo, hi int64) {
	switch r.IntN(3) {
	case 0:
		return math.MinInt32, math.MaxInt32
	case 1:
		return 0, math.MaxUint32
	default:
		return math.MinInt64, math.MaxInt64
	}
}

// comparingThread returns a thread that reads an input, copies it, and compares the copy, which has been cast.
func comparingThread(r *rand.Rand, lo, hi int64) (*ir.Program, []*ir.Expr) {
	b := ir.NewBuilder("t", false)
	f := b.Func("main", source.Span{})
	input, copied := f.Reg("input", 0, source.Span{}), f.Reg("copy", 0, source.Span{})
	at := f.Loc("l0", source.Span{})
	step := func(op ir.Op) {
		next := f.Loc(fmt.Sprintf("l%d", len(f.F.Locs)), source.Span{})
		f.Edge(at, op, next, source.Span{})
		at = next
	}
	in := ir.NewOp(ir.Havoc)
	in.Dst, in.Range = input, ir.Range{Bounded: true, Lo: lo, Hi: hi}
	step(in)
	types := []ir.Type{ir.S32, ir.U32, ir.S64, ir.U64}
	wide := lo < math.MinInt32 || hi > math.MaxUint32
	if wide && r.IntN(4) > 0 {
		types = types[2:]
	}
	cp := ir.NewOp(ir.Assign)
	cp.Dst, cp.Val = copied, ir.R(input)
	step(cp)
	var conds []*ir.Expr
	for range 1 + r.IntN(3) {
		typ := types[r.IntN(len(types))]
		c := []int64{0, -1, 5, -6, math.MaxInt32, math.MinInt32, 4_000_000_000, math.MaxUint32}[r.IntN(8)] + r.Int64N(3) - 1
		cond := ir.Binary(ir.Eq+ir.ExprOp(r.IntN(6)), typ, ir.Unary(ir.Cast, typ, ir.R(input)), ir.Int(typ.Wrap(c)))
		conds = append(conds, cond)
		yes := ir.NewOp(ir.Assume)
		yes.Val = ir.Binary(cond.Op, typ, ir.Unary(ir.Cast, typ, ir.R(copied)), cond.Y)
		step(yes)
	}
	b.Thread(ir.Thread{Name: "main", Func: f.ID, Start: true})
	return b.Finish(), conds
}

// decisions returns which of the conditions hold for a value of register 0.
func decisions(conds []*ir.Expr, v int64) string {
	out := ""
	for _, c := range conds {
		out += fmt.Sprint(c.Eval(ir.Env{Regs: []int64{v, v}}), " ")
	}
	return out
}
