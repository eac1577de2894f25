package clauses

import (
	"math/rand/v2"
	"testing"

	"fencepost/internal/ir"
)

// model gives values to gates by following the clauses: the inputs are chosen, and each gate has the value that its clauses leave.
type model struct {
	c     *circuit
	value map[Lit]bool
}

// solve finds the values of all gates by unit propagation.
func (m *model) solve(t *testing.T) {
	for changed := true; changed; {
		changed = false
		for _, clause := range m.c.all {
			left, holds := Lit(0), false
			n := 0
			for _, l := range clause {
				v, known := m.value[max(l, -l)]
				holds = holds || known && v == (l > 0)
				if !known {
					left, n = l, n+1
				}
			}
			if holds || n > 1 {
				continue
			}
			if n == 0 {
				t.Fatalf("clause %v is false", clause)
			}
			m.value[max(left, -left)], changed = left > 0, true
		}
	}
}

func (m *model) number(t *testing.T, w word) (v int64) {
	for i, l := range w {
		b, known := m.value[max(l, -l)]
		if !known {
			t.Fatalf("bit %d has no value", i)
		}
		if b == (l > 0) {
			v |= 1 << i
		}
	}
	return v
}

// Every operator of integers has the value that package ir defines, for numbers that are known and for others.
func TestOperators(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 62))
	types := []ir.Type{ir.S8, ir.U8, ir.S16, ir.U16, ir.S32, ir.U32, ir.S64, ir.U64}
	special := []int64{0, 1, -1, 2, 3, 7, 8, 127, 128, -128, 255, 1 << 31, -1 << 31, 1<<31 - 1, -1 << 63, 1<<63 - 1}
	pick := func(ty ir.Type) int64 {
		if rng.IntN(2) == 0 {
			return ty.Wrap(special[rng.IntN(len(special))])
		}
		return ty.Wrap(int64(rng.Uint64()) >> rng.IntN(64))
	}
	ops := []ir.ExprOp{ir.Neg, ir.BitNot, ir.Not, ir.Cast}
	for op := ir.Add; op <= ir.LOr; op++ {
		ops = append(ops, op)
	}
	for _, op := range ops {
		for _, ty := range types {
			for range 2 {
				x, y := pick(ty), pick(ty)
				if rng.IntN(4) == 0 { // also numbers that are not of the type
					x, y = pick(ir.S64), pick(ir.S64)
				}
				c := newCircuit(func() error { return nil })
				m := &model{c, map[Lit]bool{}}
				in := values{regs: []word{m.input(x, rng), m.input(y, rng)}}
				e := &ir.Expr{Op: op, Type: ty, X: ir.R(0)}
				if op.IsBinary() {
					e.Y = ir.R(1)
				}
				got := c.eval(e, in)
				m.solve(t)
				want := e.Eval(ir.Env{Regs: []int64{x, y}})
				if v := m.number(t, got); v != want {
					t.Fatalf("%s.%s of %d and %d is %d, want %d", op, ty, x, y, v, want)
				}
			}
		}
	}
}

// input returns a number whose bits are known, or inputs, or copies of one input from some bit on.
func (m *model) input(v int64, rng *rand.Rand) word {
	if rng.IntN(4) == 0 {
		return number(v)
	}
	w := m.c.freshWord(64)
	if rng.IntN(2) == 0 {
		top := 63
		for top > 0 && v>>(top-1)&1 == v>>63&1 {
			top--
		}
		for i := top; i < 64; i++ {
			w[i] = w[top]
		}
	}
	for i, l := range w {
		m.value[l] = v>>i&1 == 1
	}
	return w
}
