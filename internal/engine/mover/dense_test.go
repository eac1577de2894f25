package mover_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"fencepost/internal/diag"
	"fencepost/internal/engine/mover"
	"fencepost/internal/frontend/automaton"
	"fencepost/internal/ir"
	"fencepost/internal/memory"
	"fencepost/internal/property"
	"fencepost/internal/source"
	"fencepost/internal/testkit"
	"fencepost/internal/transform"
	"fencepost/verdict"
)

// parse reads a program in .fp.
func parse(t testing.TB, text string) (*ir.Program, *property.Set) {
	t.Helper()
	file := source.NewFile("test.fp", []byte(text))
	unit, diags := automaton.Parse(file, automaton.Options{})
	if diags.HasErrors() {
		for _, d := range diags.All {
			t.Log(d.Message, diag.Excerpt(file, d))
		}
		t.Fatalf("the program has errors:\n%s", text)
	}
	flat, err := transform.Run(unit.Program, transform.Options{Unroll: 2}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return flat, unit.Props
}

// dense makes a small program in which most stores can be overtaken: few
// variables, few values, many loads after stores, and registers that flow back.
func dense(r *rand.Rand) string {
	var b strings.Builder
	b.WriteString("var x, y, z;\n")
	places := []string{"x", "y", "x", "y", "x", "y", "z"}
	place := func() string { return places[r.IntN(len(places))] }
	access := func() string {
		switch r.IntN(3) {
		case 0:
			return fmt.Sprintf("%s = %d;", place(), r.IntN(3))
		case 1:
			return fmt.Sprintf("%s = r%d;", place(), r.IntN(2))
		}
		return fmt.Sprintf("r%d = %s;", r.IntN(2), place())
	}
	for t := range 2 + r.IntN(4)/3 {
		fmt.Fprintf(&b, "thread t%d {\n  reg r0, r1;\n", t)
		for range 3 + r.IntN(2) {
			switch k := r.IntN(20); {
			case k < 7:
				fmt.Fprintf(&b, "  %s = %d;\n", place(), r.IntN(3))
			case k < 13:
				fmt.Fprintf(&b, "  r%d = %s;\n", r.IntN(2), place())
			case k < 15:
				fmt.Fprintf(&b, "  %s = r%d;\n", place(), r.IntN(2))
			case k < 16:
				fmt.Fprintf(&b, "  r%d = cas(%s, %d, %d);\n", r.IntN(2), place(), r.IntN(2), r.IntN(3))
			case k < 17:
				fmt.Fprintf(&b, "  atomic { %s %s }\n", access(), access())
			case k < 18:
				fmt.Fprintf(&b, "  if (r%d == %d) { %s }\n", r.IntN(2), r.IntN(2), access())
			case k < 19:
				fmt.Fprintf(&b, "  havoc(r%d, r%d == %s || r%d == 0);\n", 0, 0, place(), 0)
			default:
				fmt.Fprintf(&b, "  await %s != %d;\n", place(), r.IntN(3))
			}
		}
		b.WriteString("}\n")
	}
	return b.String()
}

func TestProofsOfDensePrograms(t *testing.T) {
	needsSolver(t)
	var proved, weak, both int
	for i := range 4 * *programs {
		s := *seed + uint64(i)
		text := dense(rand.New(rand.NewPCG(s, 0xde5e)))
		flat, props := parse(t, text)
		cond := &property.Cond{Vars: props.Observe, Expr: ir.R(0)}
		asked := *props
		if i%2 == 0 {
			asked.Final = &property.Final{Quantifier: property.Exists, Cond: cond}
		} else {
			asked.Observe = nil
			for _, v := range props.Observe {
				if v.IsMemory() {
					asked.Observe = append(asked.Observe, v)
				}
			}
		}
		// Abstraction is slow on programs that cannot be proved, and has a test of its own.
		out, err := mover.Prove(context.Background(), flat, &asked, mover.Options{NoInference: i%4 == 0, NoAbstraction: true})
		if err != nil {
			t.Fatalf("seed %d: %v\n%s", s, err, text)
		}
		how := testkit.How{NoReduction: true}
		sc, err1 := testkit.Ask(testkit.Explicit, flat, &asked, memory.SC, how)
		tso, err2 := testkit.Ask(testkit.Explicit, flat, &asked, memory.TSO, how)
		if err1 != nil || err2 != nil {
			t.Fatalf("seed %d: %v, %v\n%s", s, err1, err2, text)
		}
		d := testkit.Difference(sc, tso)
		switch {
		case out.Verdict == verdict.ValueRobust && d != "":
			t.Fatalf("seed %d is proved value-robust, but TSO differs: %s\n%s", s, d, text)
		case out.Verdict == verdict.ValueRobust:
			proved++
		case d != "":
			weak++
		default:
			both++
		}
	}
	t.Logf("%d proved, %d differ under TSO, %d do not and are not proved", proved, weak, both)
	if proved == 0 || weak == 0 {
		t.Error("the test tests nothing")
	}
}
