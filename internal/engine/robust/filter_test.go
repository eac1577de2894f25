package robust

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"fencepost/internal/analysis"
	"fencepost/internal/ir"
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
		p, diags := ir.Parse("loads.ir", []byte(b.String()))
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
