package mover_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"fencepost/internal/diag"
	"fencepost/internal/engine/mover"
	"fencepost/internal/frontend/fp"
	"fencepost/internal/frontend/statement"
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
	return parseWith(t, text, 0)
}

// parseWith makes so many threads of each template of any number.
func parseWith(t testing.TB, text string, threads int) (*ir.Program, *property.Set) {
	t.Helper()
	file := source.NewFile("test.fp", []byte(text))
	unit, diags := fp.Parse(file, statement.Options{Threads: threads, Numbered: true, Ghosts: true})
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

// Templates of any number of threads, without and with numbers of their own.
const (
	anyNumber = " * n"
	numbered  = "[i] * n"
)

// dense makes a small program in which most stores can be overtaken: few
// variables, few values, many loads after stores, registers that flow back and index
// arrays. Templates are of any number of threads.
func dense(r *rand.Rand, threads, statements int, template string) string {
	var b strings.Builder
	b.WriteString("var x, y, z, w, a[3];\n")
	lvalues := []string{"x", "y", "x", "y", "x", "y", "z", "a[r0]", "a[1]"}
	switch template {
	case anyNumber:
		lvalues = []string{"x", "y"}
	case numbered:
		lvalues = []string{"x", "y", "mem[i]", "mem[i]", "mem[1 - i]", "mem[r0]"}
	}
	lvalue := func() string { return lvalues[r.IntN(len(lvalues))] }
	access := func() string {
		switch r.IntN(3) {
		case 0:
			return fmt.Sprintf("%s = %d;", lvalue(), r.IntN(3))
		case 1:
			return fmt.Sprintf("%s = r%d;", lvalue(), r.IntN(2))
		}
		return fmt.Sprintf("r%d = %s;", r.IntN(2), lvalue())
	}
	for t := range threads {
		fmt.Fprintf(&b, "thread t%d%s {\n  reg r0, r1;\n", t, template)
		for range statements {
			kind := r.IntN(20)
			if template != "" {
				kind = r.IntN(15) // states are many: only what matters most
			}
			switch k := kind; {
			case k < 7:
				fmt.Fprintf(&b, "  %s = %d;\n", lvalue(), r.IntN(3))
			case k < 13:
				fmt.Fprintf(&b, "  r%d = %s;\n", r.IntN(2), lvalue())
			case k < 15:
				fmt.Fprintf(&b, "  %s = r%d;\n", lvalue(), r.IntN(2))
			case k < 16:
				fmt.Fprintf(&b, "  r%d = cas(%s, %d, %d);\n", r.IntN(2), lvalue(), r.IntN(2), r.IntN(3))
			case k < 17:
				fmt.Fprintf(&b, "  atomic { %s %s }\n", access(), access())
			case k < 18:
				fmt.Fprintf(&b, "  if (r%d == %d) { %s }\n", r.IntN(2), r.IntN(2), access())
			case k < 19:
				fmt.Fprintf(&b, "  havoc(r1, r1 == %s || r1 == 0);\n", lvalue())
			default:
				fmt.Fprintf(&b, "  await %s != %d;\n", lvalue(), r.IntN(3))
			}
		}
		if template != "" { // what was read must show in memory
			fmt.Fprintf(&b, "  fetch_add(w, (r0 * 8 + r1) * %d);\n", 1+63*t)
		}
		b.WriteString("}\n")
	}
	return b.String()
}

func TestProofsOfDensePrograms(t *testing.T) {
	needsSolver(t)
	var proved, weak, both int
	for i := range 2 * *programs {
		s := *seed + 10 + uint64(i) // so that few programs are of each kind
		r := rand.New(rand.NewPCG(s, 0xde5e))
		text := dense(r, 2+r.IntN(4)/3, 3+r.IntN(2), "")
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

// What is proved for any number of threads holds for two of each.
func TestProofsOfTemplates(t *testing.T) {
	needsSolver(t)
	var proved, weak int
	for i := range *programs {
		s := *seed + uint64(i)
		r := rand.New(rand.NewPCG(s, 0x7e39))
		template := anyNumber
		if i%2 == 1 {
			template = numbered
		}
		text := dense(r, 2, 2+r.IntN(3)/2, template)
		flat, props := parse(t, text)
		out, err := mover.Prove(context.Background(), flat, props, mover.Options{NoAbstraction: true})
		if err != nil {
			t.Fatalf("seed %d: %v\n%s", s, err, text)
		}
		two, props := parseWith(t, text, 2)
		props.Observe = slices.DeleteFunc(props.Observe, func(v property.Var) bool { return !v.IsMemory() })
		sc, err1 := testkit.Ask(testkit.Explicit, two, props, memory.SC, testkit.How{})
		tso, err2 := testkit.Ask(testkit.Explicit, two, props, memory.TSO, testkit.How{})
		if err1 != nil || err2 != nil {
			t.Fatalf("seed %d: %v, %v\n%s", s, err1, err2, text)
		}
		d := testkit.Difference(sc, tso)
		switch {
		case out.Verdict == verdict.ValueRobust && d != "":
			t.Fatalf("seed %d is proved value-robust, but two threads of each differ under TSO: %s\n%s", s, d, text)
		case out.Verdict == verdict.ValueRobust:
			proved++
		case d != "":
			weak++
		}
	}
	t.Logf("%d proved, %d differ under TSO with two threads of each", proved, weak)
	if proved == 0 || weak == 0 {
		t.Error("the test tests nothing")
	}
}
