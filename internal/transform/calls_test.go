package transform_test

import (
	"fmt"
	"strings"
	"testing"

	"fencepost/internal/ir"
	"fencepost/internal/ir/irtext"
	"fencepost/internal/transform"
)

// TestCallsLeftOut: of a program that is too large with all of its calls, those are inlined that are needed, and small
// ones; the others are bounds. A program that is not too large has all of its calls.
func TestCallsLeftOut(t *testing.T) {
	doubling := func(functions int) *ir.Program {
		var b strings.Builder
		b.WriteString("program doubling structured\nfunc f0() {\n l0 -> l1: nop\n}\n")
		for i := 1; i <= functions; i++ {
			fmt.Fprintf(&b, "func f%d() {\n l0 -> l1: call f%d()\n l0 -> l1: nop\n l1 -> l2: call f%d()\n l1 -> l2: nop\n}\n", i, i-1, i-1)
		}
		fmt.Fprintf(&b, "func main() {\n l0 -> l1: call f%d()\n l0 -> l1: nop\n}\nthread main = main()\n", functions)
		p, diags := irtext.Parse("test.ir", []byte(b.String()))
		if diags.HasErrors() {
			t.Fatal(diags)
		}
		return p
	}
	run := func(p *ir.Program, calls *transform.Calls) (edges int, bounds []ir.EdgeID) {
		flat, err := transform.Run(p, transform.Options{Unroll: 8, Calls: calls}, nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range flat.Funcs {
			for i := range f.Edges {
				if f.Edges[i].Op.Kind == ir.Bound {
					bounds = append(bounds, f.Edges[i].ID)
				}
			}
		}
		return len(flat.ThreadFunc(0).Edges), bounds
	}
	large, calls := doubling(40), &transform.Calls{}
	for round := range 5 {
		edges, bounds := run(large, calls)
		if !calls.Partial() || len(bounds) != 1<<round || edges > 1000 {
			t.Fatalf("round %d: %d edges, %d calls left out", round, edges, len(bounds))
		}
		for _, e := range bounds {
			if !calls.Needs(e) {
				t.Errorf("edge %d stands for no call", e)
			}
		}
	}
	if calls.Needs(ir.NoEdge) {
		t.Error("no edge stands for a call")
	}
	small := &transform.Calls{}
	if _, bounds := run(doubling(11), small); small.Partial() || len(bounds) > 0 {
		t.Errorf("%d calls left out of a small program", len(bounds))
	}
	if _, bounds := run(doubling(11), &transform.Calls{Always: true}); len(bounds) != 1 {
		t.Errorf("%d calls left out, want the one of main", len(bounds))
	}
}

// TestCertainCalls: calls that each execution of a function makes are inlined with it, up to a number of instructions;
// a call on one of two paths, or after one that does not return, is not.
func TestCertainCalls(t *testing.T) {
	work := func(n int) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, " l%d -> l%d: nop\n", i, i+1)
		}
		return b.String()
	}
	for _, c := range []struct {
		name, middle string
		n, bounds    int
	}{
		{"on the only path", " l0 -> l1: call work()\n", 300, 0},
		{"on both paths", " l0 -> l1: nop\n l0 -> l1: nop\n l1 -> l2: call work()\n", 300, 0},
		{"on one of two paths", " l0 -> l1: call work()\n l0 -> l1: nop\n", 300, 1},
		{"beside a path that does not return", " l0 -> l1: call work()\n l0 -> l2: call ends()\n l2 -> l1: nop\n", 300, 0},
		{"too much", " l0 -> l1: call work()\n", 40000, 1},
	} {
		text := "program chain structured\nfunc work() {\n" + work(c.n) + "}\nfunc ends() {\n l0 -> l1: assume 0\n l1 -> l1: nop\n}\nfunc middle() {\n" + c.middle +
			"}\nfunc main() {\n l0 -> l1: call middle()\n}\nthread main = main()\n"
		p, diags := irtext.Parse("test.ir", []byte(text))
		if diags.HasErrors() {
			t.Fatal(c.name, diags)
		}
		flat, err := transform.Run(p, transform.Options{Unroll: 8, Calls: &transform.Calls{Always: true}}, nil)
		if err != nil {
			t.Fatal(c.name, err)
		}
		bounds := 0
		for _, f := range flat.Funcs {
			for i := range f.Edges {
				if f.Edges[i].Op.Kind == ir.Bound {
					bounds++
				}
			}
		}
		if bounds != c.bounds {
			t.Errorf("%s: %d calls left out, want %d", c.name, bounds, c.bounds)
		}
	}
}
