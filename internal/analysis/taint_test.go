package analysis

import (
	"math/rand"
	"slices"
	"testing"

	"fencepost/internal/ir"
)

// plainTaint computes taint from its definition, edge by edge until nothing changes.
type plainTaint struct {
	f       *ir.Func
	after   []ir.Loc
	regs    [][]bool // by location and register
	decided []bool
}

func newPlainTaint(f *ir.Func) *plainTaint {
	t := &plainTaint{f: f, after: Postdominators(f), regs: make([][]bool, len(f.Locs)), decided: make([]bool, len(f.Locs))}
	for l := range t.regs {
		t.regs[l] = make([]bool, len(f.Regs))
	}
	for old := -1; old != t.size(); {
		old = t.size()
		for i := range f.Edges {
			e := &f.Edges[i]
			if e.Op.Terminal() {
				continue
			}
			bad := e.Op.Kind != ir.Assign && e.Op.Kind != ir.Spawn || t.decided[e.From]
			e.Op.Uses(func(r ir.Reg) { bad = bad || e.Op.Kind == ir.Assign && t.regs[e.From][r] })
			for r := range f.Regs {
				defined := false
				e.Op.Defs(func(d ir.Reg) { defined = defined || int(d) == r })
				if defined && bad || !defined && t.regs[e.From][r] {
					t.regs[e.To][r] = true
				}
			}
		}
		for l := range f.Locs {
			t.decide(ir.Loc(l), t.decided)
		}
	}
	return t
}

// size grows with everything that is tainted.
func (t *plainTaint) size() int {
	n := 0
	for l := range t.regs {
		for _, b := range append(t.regs[l], t.decided[l]) {
			if b {
				n++
			}
		}
	}
	return n
}

// decide adds what a branch decides about, if it depends on something tainted.
func (t *plainTaint) decide(branch ir.Loc, decided []bool) {
	out, depends := t.f.Out(branch), false
	for _, i := range out {
		op := &t.f.Edges[i].Op
		depends = depends || op.Kind != ir.Assume
		op.Uses(func(r ir.Reg) { depends = depends || t.regs[branch][r] })
	}
	if len(out) < 2 || !depends {
		return
	}
	seen := map[ir.Loc]bool{}
	for work := []ir.Loc{branch}; len(work) > 0; work = work[1:] {
		for _, i := range t.f.Out(work[0]) {
			if e := &t.f.Edges[i]; !e.Op.Terminal() && e.To != t.after[branch] && !seen[e.To] {
				seen[e.To] = true
				work = append(work, e.To)
				decided[e.To] = decided[e.To] || e.To != branch
			}
		}
	}
}

// TestTaint compares with the definition on random automata, the loops of each included.
func TestTaint(t *testing.T) {
	for seed := range int64(3000) {
		f := randomTainted(rand.New(rand.NewSource(seed)))
		live := liveness(f, func(ir.Reg) bool { return false })
		got, want := newTaint(f, live, func(*ir.Edge) bool { return false }), newPlainTaint(f)
		for l := range f.Locs {
			for r := range f.Regs {
				if live[l].Has(ir.Reg(r)) && got.regs[l].Has(ir.Reg(r)) != want.regs[l][r] {
					t.Fatalf("seed %d: register %d at %d: %v", seed, r, l, !want.regs[l][r])
				}
			}
		}
		if !slices.Equal(got.decided, want.decided) {
			t.Fatalf("seed %d: decided %v, want %v", seed, got.decided, want.decided)
		}
		all := make([]ir.Loc, len(f.Locs))
		for l := range all {
			all[l] = ir.Loc(l)
		}
		for _, loop := range NewParts(f).Components(all) {
			compareInside(t, f, got, want, loop)
		}
	}
}

func compareInside(t *testing.T, f *ir.Func, got *Taint, want *plainTaint, loop []ir.Loc) {
	t.Helper()
	inside := func(l ir.Loc) bool { return slices.Contains(loop, l) }
	decided := make([]bool, len(f.Locs))
	for _, l := range loop {
		want.decide(l, decided)
	}
	found := got.DecidedInside(loop, inside)
	for _, l := range loop {
		if len(loop) > 1 && found[l] != decided[l] {
			t.Fatalf("loop %v: location %d: %v", loop, l, found[l])
		}
	}
}

// randomTainted makes an automaton that copies, loads and branches.
func randomTainted(rnd *rand.Rand) *ir.Func {
	locs, regs := 3+rnd.Intn(9), 3
	f := &ir.Func{Name: "f", Locs: make([]ir.Location, locs), Regs: make([]ir.Register, regs)}
	reg := func() ir.Reg { return ir.Reg(rnd.Intn(regs)) }
	for i := range locs + rnd.Intn(locs) {
		var op ir.Op
		switch rnd.Intn(8) {
		case 0:
			op = ir.NewOp(ir.Return)
		case 1:
			op = ir.NewOp(ir.Havoc)
			op.Dst, op.Val = reg(), ir.Int(1)
		case 2, 3:
			op = ir.NewOp(ir.Assign)
			op.Dst, op.Val = reg(), ir.R(reg())
		case 4:
			op = ir.NewOp(ir.Assign)
			op.Dst, op.Val = reg(), ir.Int(1)
		case 5:
			op = ir.NewOp(ir.Nop)
		default:
			op = ir.NewOp(ir.Assume)
			op.Val = ir.R(reg())
		}
		from := rnd.Intn(locs)
		to := from + 1
		if to == locs || rnd.Intn(3) == 0 {
			to = rnd.Intn(locs)
		}
		f.Edges = append(f.Edges, ir.Edge{ID: ir.EdgeID(i), From: ir.Loc(from), To: ir.Loc(to), Op: op})
	}
	return f
}
