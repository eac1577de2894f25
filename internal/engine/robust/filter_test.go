package robust

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"fencepost/internal/analysis"
	"fencepost/internal/ir/irtext"
	"fencepost/internal/memory"
)

// TestConflictsOfLoads: loads are not compared with each other, so that a long
// expression with a few stores beside it takes linear time.
func TestConflictsOfLoads(t *testing.T) {
	compared := func(loads int) int {
		var b strings.Builder
		b.WriteString("program loads flat\nobject x size 8\nfunc p() {\n  reg r\n  l0 -> l1: store [&x] = 1\n")
		for i := range loads {
			fmt.Fprintf(&b, "  l%d -> l%d: r = load [&x]\n", i+1, i+2)
		}
		b.WriteString("}\nthread p = p()\n")
		p, diags := irtext.Parse("loads.ir", []byte(b.String()))
		if p == nil {
			t.Fatal(diags)
		}
		fl := &filterer{ctx: context.Background(), p: p, facts: analysis.NewFacts(p, nil)}
		fl.findAccesses()
		store := p.Funcs[0].Edges[0].ID
		if got := len(fl.conflict[store]); got != loads+1 {
			t.Errorf("the store conflicts with %d edges, want itself and the %d loads", got, loads)
		}
		return fl.compared
	}
	if small, large := compared(500), compared(1000); large > 2*small {
		t.Errorf("%d comparisons for 500 loads, %d for 1000", small, large)
	}
}

// TestForwarded: pairs whose load takes all bytes from stores of its thread are ruled out.
func TestForwarded(t *testing.T) {
	for _, c := range []struct {
		name             string
		tso, pso, psoAll int64 // pairs that are left
		body             string
	}{
		{"a store on the way", 0, 1, 2, "a -> b: store [&x] = 1; b -> d: store [&y] = 1; d -> e: r = load [&y]"},
		{"a store on one of two ways", 1, 2, 2, "a -> b: store [&x] = 1; b -> d: store [&y] = 1; b -> d: nop; d -> e: r = load [&y]"},
		{"a counter without end", 0, 2, 3, "a -> b: store [&x] = r; b -> d: store [&y] = r; d -> e: r = load [&y]; e -> a: r = (r + 1)"},
		{"two bytes of two stores", 1, 4, 6, "a -> b: store [&x] = 1; b -> d: store.u8 [&y] = 1; d -> e: store.u8 [(&y + 1)] = 1; e -> f: r = load.u16 [&y]"},
		{"a computed address", 2, 3, 3, "a -> b: store [&x] = 1; b -> d: store [(&y + (r * 8))] = 1; d -> e: r = load [&y]"},
		{"a store that waits", 0, 0, 0, "a -> b: store.u16 [&y] = 1; b -> d: store.u16 [(&y + 1)] = 1; d -> e: r = load.u16 [(&y + 1)]"},
	} {
		text := "program p flat\nobject x size 8\nobject y size 16\nfunc p() {\n reg r\n " + strings.ReplaceAll(c.body, "; ", "\n ") +
			"\n}\nfunc q() {\n reg r\n a -> b: store [&y] = 2\n b -> d: r = load [&x]\n d -> e: fence.full\n e -> f: store [&x] = 2\n f -> g: fence.full\n g -> h: r = load [&y]\n}\nthread p = p()\nthread q = q()\n"
		p, diags := irtext.Parse("test.ir", []byte(text))
		if diags.HasErrors() {
			t.Fatal(c.name, diags.All)
		}
		left := func(model memory.Model, all everyAttack) int64 {
			pl := newPlan(context.Background(), p, model, filterKinds{fenced: true, forwarded: true}, all)
			n := int64(0)
			for _, row := range pl.threads[0].allow {
				for _, kept := range row {
					if kept {
						n++
					}
				}
			}
			return n
		}
		if tso, tsoAll, pso, psoAll := left(memory.TSO, false), left(memory.TSO, true), left(memory.PSO, false), left(memory.PSO, true); tso != c.tso || tsoAll != c.tso || pso != c.pso || psoAll != c.psoAll {
			t.Errorf("%s: %d and %d pairs under TSO, %d and %d under PSO", c.name, tso, tsoAll, pso, psoAll)
		}
	}
}
