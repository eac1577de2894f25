package analysis

import (
	"math/rand/v2"
	"testing"

	"fencepost/internal/ir"
)

// TestNumbers compares sets of registers with maps.
func TestNumbers(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	for _, n := range []int{1, 64, 65, 128, 1000} {
		var sets [4]Numbers[ir.Reg]
		var want [4]map[ir.Reg]bool
		for i := range sets {
			sets[i], want[i] = NoNumbers[ir.Reg](n), map[ir.Reg]bool{}
		}
		for range 3000 {
			i, r, in := rng.IntN(4), ir.Reg(rng.IntN(n)), rng.IntN(3) > 0
			before := sets[i]
			had := before.Has(r)
			sets[i].Put(r, in)
			if in {
				want[i][r] = true
			} else {
				delete(want[i], r)
			}
			if before.Has(r) != had {
				t.Fatal("adding a register to a set changed another set")
			}
			if rng.IntN(50) == 0 {
				j := rng.IntN(4)
				reported := sets[i].Add(sets[j])
				grown := false
				for r := range want[j] {
					grown = grown || !want[i][r]
					want[i][r] = true
				}
				if grown != reported {
					t.Fatalf("a union that adds registers: %t, reported %t", grown, !grown)
				}
			}
			count, last := 0, ir.Reg(-1)
			sets[i].Each(func(r ir.Reg) {
				if r <= last || !want[i][r] || !sets[i].Has(r) {
					t.Fatalf("register %d after %d, wanted %t", r, last, want[i][r])
				}
				count, last = count+1, r
			})
			if count != len(want[i]) {
				t.Fatalf("%d registers, want %d", count, len(want[i]))
			}
		}
	}
}

// nested returns a function that loads n registers and then adds them up in reverse
// order, as x+(x+(...)) does: n registers are live halfway.
func nested(n int) *ir.Func {
	f := &ir.Func{Name: "f"}
	edge := func(op ir.Op) {
		at := ir.Loc(len(f.Edges))
		f.Edges = append(f.Edges, ir.Edge{ID: ir.EdgeID(at), From: at, To: at + 1, Op: op})
	}
	for r := range n {
		f.Regs = append(f.Regs, ir.Register{Name: "r"})
		op := ir.NewOp(ir.Havoc)
		op.Dst, op.Type, op.Cond = ir.Reg(r), ir.S64, ir.Int(1)
		edge(op)
	}
	for r := n - 2; r >= 0; r-- {
		op := ir.NewOp(ir.Assign)
		op.Dst, op.Val = ir.Reg(r), ir.Binary(ir.Add, ir.S64, ir.R(ir.Reg(r)), ir.R(ir.Reg(r+1)))
		edge(op)
	}
	op := ir.NewOp(ir.Assume)
	op.Val = ir.R(0)
	edge(op)
	f.Locs = make([]ir.Location, len(f.Edges)+1)
	return f
}

// TestLiveShared: the live sets of a nested expression share what they have in
// common: twice the depth needs about twice the memory.
func TestLiveShared(t *testing.T) {
	nodes := func(n int) int {
		seen := map[*numberNode]bool{}
		var visit func(*numberNode)
		visit = func(m *numberNode) {
			if m != nil && !seen[m] {
				seen[m] = true
				visit(m.low)
				visit(m.high)
			}
		}
		live := liveness(nested(n), func(ir.Reg) bool { return false })
		for r := range n {
			if !live[n].Has(ir.Reg(r)) || live[r].Has(ir.Reg(r)) {
				t.Fatalf("register %d: live halfway %t, live before its definition %t", r, live[n].Has(ir.Reg(r)), live[r].Has(ir.Reg(r)))
			}
		}
		for _, set := range live {
			visit(set.root)
		}
		return len(seen)
	}
	small, large := nodes(4000), nodes(8000)
	if float64(large) > 2.5*float64(small) {
		t.Errorf("%d nodes for depth 4000, %d for depth 8000", small, large)
	}
}
