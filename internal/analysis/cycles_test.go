package analysis

import (
	"fmt"
	"math/rand"
	"strings"
	"testing"

	"fencepost/internal/ir"
	"fencepost/internal/ir/irtext"
)

func TestLocalLocs(t *testing.T) {
	p, fs := factsOf(t, `
object x
func f {
  reg a
  l0 -> l1: a = 1
  l1 -> l1: assume a
  l1 -> l2: assume !a
  l2 -> l3: a = 2
  l2 -> l3: a = load [&x]
  l3 -> l4: nop
  l4 -> l3: assume a
  l4 -> l2: assume a
  l4 -> end: return
}
thread f
`, nil)
	var local, heads []string
	for l, loc := range p.Funcs[0].Locs {
		if fs.LocalLoc(0, ir.Loc(l)) {
			local = append(local, loc.Name)
		}
		if fs.LocalCycleHead(0, ir.Loc(l)) {
			heads = append(heads, loc.Name)
		}
	}
	if got := strings.Join(local, " "); got != "l0 l1 l3 l4" {
		t.Errorf("local locations %s", got)
	}
	if got := strings.Join(heads, " "); got != "l1 l3" {
		t.Errorf("cycle heads %s", got)
	}
}

// TestLocalCycleHeadsCut removes the heads from random automata and expects no cycle to be
// left.
func TestLocalCycleHeadsCut(t *testing.T) {
	for seed := range int64(300) {
		rnd := rand.New(rand.NewSource(seed))
		f := &ir.Func{Name: "f"}
		for i := range 8 {
			f.Locs = append(f.Locs, ir.Location{Name: fmt.Sprint("l", i)})
		}
		for i := range 14 {
			kinds := []ir.OpKind{ir.Nop, ir.Nop, ir.Nop, ir.Nop, ir.Fence}
			f.Edges = append(f.Edges, ir.Edge{ID: ir.EdgeID(i), From: ir.Loc(rnd.Intn(8)), To: ir.Loc(rnd.Intn(8)), Op: ir.NewOp(kinds[rnd.Intn(5)])})
		}
		p := &ir.Program{Name: "p", Form: ir.Flat, Main: ir.NoThread, Funcs: []*ir.Func{f}, NextEdge: 14}
		p.Seal()
		fs := NewFacts(p, nil)
		// reach[a][b]: a way of at least one edge through locations that are local and no heads
		var reach [8][8]bool
		for i := range f.Edges {
			e := &f.Edges[i]
			if fs.LocalLoc(0, e.From) && !fs.LocalCycleHead(0, e.From) {
				reach[e.From][e.To] = true
			}
		}
		for k := range 8 {
			for a := range 8 {
				for b := range 8 {
					reach[a][b] = reach[a][b] || reach[a][k] && reach[k][b]
				}
			}
		}
		for a := range 8 {
			if reach[a][a] {
				t.Fatalf("seed %d: a cycle through l%d has no head\n%s", seed, a, irtext.Print(p))
			}
		}
	}
}

func TestCyclic(t *testing.T) {
	tests := []struct {
		body           string
		cyclic, stores bool
	}{
		{"a -> b: nop\n b -> c: store [&x] = 1", false, false},
		{"a -> a: nop\n a -> b: store [&x] = 1", true, false},
		{"a -> b: store [&x] = 1\n b -> c: nop\n c -> a: nop", true, true},
		{"a -> b: free [&x]\n b -> a: nop", true, true},
		{"a -> b: nop\n u -> u: store [&x] = 1", false, false},
		{"a -> b: nop\n b -> a: bound \"k\"", false, false},
		{"a -> b: nop\n b -> a: nop\n b -> c: store [&x] = 1\n c -> d: nop\n d -> c: nop", true, false},
	}
	for _, tt := range tests {
		_, fs := factsOf(t, "object x\nfunc f {\n "+tt.body+"\n}\nthread f\n", nil)
		if fs.Cyclic(0) != tt.cyclic || fs.CyclicStores(0) != tt.stores {
			t.Errorf("%s: cyclic %v, stores %v", tt.body, fs.Cyclic(0), fs.CyclicStores(0))
		}
	}
}

// TestCutCycles removes the cut from random automata and expects no cycle to be left, and
// locations to be avoided where others suffice.
func TestCutCycles(t *testing.T) {
	for seed := range int64(300) {
		f := randomFunc(rand.New(rand.NewSource(seed)), false)
		avoid := make([]bool, dominatorLocs)
		for l := range avoid {
			avoid[l] = seed%3 == 0 && l%2 == 0
		}
		removed := make([]bool, dominatorLocs)
		for _, l := range CutCycles(f, avoid) {
			removed[l] = true
		}
		comp := Components(f, removed)
		for i := range f.Edges {
			if e := &f.Edges[i]; !removed[e.From] && !removed[e.To] && OnCycle(e, comp) {
				t.Fatalf("seed %d: edge %d is still on a cycle", seed, i)
			}
		}
	}
	p := parse(t, "func f {\n a -> b: nop\n b -> a: nop\n}\nthread f\n")
	if cut := CutCycles(p.Funcs[0], []bool{true, false}); len(cut) != 1 || cut[0] != 1 {
		t.Errorf("cut %v, want the location that is not to be avoided", cut)
	}
}
