package param_test

import (
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"fencepost/internal/engine"
	"fencepost/internal/engine/param"
	"fencepost/internal/frontend/fp"
	"fencepost/internal/frontend/statement"
	"fencepost/internal/memory"
	"fencepost/internal/question/check"
	question "fencepost/internal/question/param"
	"fencepost/internal/question/robust"
	"fencepost/internal/solver/smt"
	"fencepost/internal/source"
	"fencepost/internal/transform"
	"fencepost/query"
	"fencepost/verdict"
)

var programs = flag.Int("fp.programs", 60, "random template programs")

// generator writes random templates: a handful of statements over three variables
// and three values. With parts, x is two bytes that are also accessed one by one.
type generator struct {
	r     *rand.Rand
	left  int
	parts bool
}

func (g *generator) pick(list ...string) string { return list[g.r.IntN(len(list))] }
func (g *generator) reg() string                { return g.pick("a", "b") }
func (g *generator) k() string                  { return g.pick("0", "1", "1", "2") }

func (g *generator) v() string {
	if g.parts {
		return g.pick("x", "x", "x.byte[0]", "x.byte[1]", "y")
	}
	return g.pick("x", "y", "z")
}

// k2 is a value other than 0, sometimes in both bytes.
func (g *generator) k2() string {
	if g.parts {
		return g.pick("1", "2", "0x0101")
	}
	return g.pick("1", "2")
}

func (g *generator) stmts(b *strings.Builder, indent string, section bool) {
	for n := 1 + g.r.IntN(3); n > 0 && g.left > 0; n-- {
		g.left--
		switch k := g.r.IntN(16); {
		case k >= 13:
			fmt.Fprintf(b, "%s%s = %s;\n%s%s = %s;\n", indent, g.v(), g.k2(), indent, g.reg(), g.v())
		case k < 4:
			fmt.Fprintf(b, "%s%s = %s;\n", indent, g.v(), g.pick(g.k(), g.reg()))
		case k < 8:
			fmt.Fprintf(b, "%s%s = %s;\n", indent, g.reg(), g.v())
		case k == 8 && !section:
			fmt.Fprintf(b, "%sfence;\n", indent)
		case k == 9:
			fmt.Fprintf(b, "%s%s = cas(%s, %s, %s);\n", indent, g.reg(), g.v(), g.k(), g.k())
		case k == 10:
			fmt.Fprintf(b, "%sif (%s == %s) {\n", indent, g.reg(), g.k())
			g.stmts(b, indent+"  ", section)
			fmt.Fprintf(b, "%s}\n", indent)
		case k == 11 && !section:
			fmt.Fprintf(b, "%satomic {\n", indent)
			g.stmts(b, indent+"  ", true)
			fmt.Fprintf(b, "%s}\n", indent)
		case k == 12 && !section:
			fmt.Fprintf(b, "%sassert %s != %s;\n", indent, g.reg(), g.pick("1", "2"))
		}
	}
}

// program is one template, and sometimes a fixed thread beside it.
func program(seed uint64) string {
	g := &generator{r: rand.New(rand.NewPCG(seed, 7)), parts: seed%3 == 2}
	var b strings.Builder
	if g.parts {
		b.WriteString("var half x;\nvar y;\n")
	} else {
		b.WriteString("var x, y, z;\n")
	}
	b.WriteString("thread w * n {\n  reg a, b;\n")
	g.left = 3 + g.r.IntN(4)
	loop := g.r.IntN(4) == 0
	if loop {
		b.WriteString("  loop {\n")
	}
	for g.left > 0 {
		g.stmts(&b, "  ", false)
	}
	if loop {
		b.WriteString("  }\n")
	}
	b.WriteString("}\n")
	if g.r.IntN(2) == 0 {
		b.WriteString("thread m {\n  reg a, b;\n")
		g.left = 2 + g.r.IntN(3)
		for g.left > 0 {
			g.stmts(&b, "  ", false)
		}
		b.WriteString("}\n")
	}
	return b.String()
}

// decide asks engine param alone.
func decide(t *testing.T, text string, q param.Question) *param.Answer {
	t.Helper()
	unit, diags := fp.Parse(source.NewFile("random.fp", []byte(text)), statement.Options{})
	if diags.HasErrors() {
		t.Fatalf("%v\n%s", diags.All, text)
	}
	flat, err := transform.Run(unit.Program, transform.Options{Unroll: 8}, nil)
	if err != nil {
		t.Fatal(err)
	}
	a, err := param.Decide(context.Background(), &engine.Task{Program: flat, Props: unit.Props, Model: memory.SC}, q, nil)
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	return a
}

// TestInstances holds the answer for any number of threads against the engines for
// fixed numbers: a safe must be safe for 1, 2 and 3 instances, and a violation is
// found by them, in the smallest instance that has one.
func TestInstances(t *testing.T) {
	ctx := context.Background()
	count := map[string]int{}
	for seed := range uint64(*programs) {
		in := query.Input{Name: "random.fp", Text: []byte(program(seed))}
		for _, q := range []string{"robust", "check"} {
			if q == "check" && !strings.Contains(string(in.Text), "assert") {
				continue
			}
			var all query.Answer
			var err error
			ask := func(opt query.Options) (query.Answer, error) {
				return robust.Run(ctx, in, query.RobustOptions{Options: opt})
			}
			if q == "robust" {
				all, err = question.Robust(ctx, in, query.RobustOptions{Options: query.Defaults()})
			} else {
				all, err = question.Check(ctx, in, query.CheckOptions{Options: query.Defaults()}.Under(query.SC))
				ask = func(opt query.Options) (query.Answer, error) {
					return check.Run(ctx, in, query.CheckOptions{Options: opt}.Under("sc"))
				}
			}
			if err != nil {
				t.Fatalf("seed %d, %s: %v\n%s", seed, q, err, in.Text)
			}
			if all.HasErrors() {
				t.Fatalf("seed %d, %s: %+v\n%s", seed, q, all.Diagnostics, in.Text)
			}
			r := &all.Results[0]
			asked := param.Robust
			if q == "check" {
				asked = param.Safety
			}
			alone := decide(t, string(in.Text), asked)
			if alone.Unknown != "" || alone.Possible != (r.Verdict == verdict.Unsafe) {
				t.Fatalf("seed %d, %s: engine param alone says %+v, together they say %s\n%s", seed, q, alone, r.Verdict, in.Text)
			}
			if alone.Possible && alone.Enough < r.Instance {
				t.Fatalf("seed %d, %s: %d instances are said to be enough, but the smallest violation is in %d\n%s", seed, q, alone.Enough, r.Instance, in.Text)
			}
			count[q+" "+r.Verdict.String()]++
			if strings.Contains(string(in.Text), "byte") {
				count["parts, "+q+" "+r.Verdict.String()]++
			}
			for n := 1; n <= 3; n++ {
				opt := query.Options{Threads: n}
				one, err := ask(opt)
				if err != nil {
					t.Fatal(err)
				}
				unsafe := one.Results[0].Verdict == verdict.Unsafe
				switch {
				case unsafe && r.Verdict == verdict.Safe:
					t.Fatalf("seed %d: %s for any number of threads, but not for %d\n%s", seed, q, n, in.Text)
				case unsafe && r.Verdict == verdict.Unsafe && n < r.Instance:
					t.Fatalf("seed %d: the instance of %d is not the smallest: %d\n%s", seed, r.Instance, n, in.Text)
				}
				if unsafe {
					break
				}
			}
		}
	}
	t.Logf("%v", count)
	for _, k := range []string{"robust safe", "robust unsafe", "check safe", "check unsafe", "parts, robust safe", "parts, robust unsafe"} {
		if count[k] == 0 {
			t.Errorf("no program is %s", k)
		}
	}
}

// TestEquation: with the marking equation asked from the start, the answers are the
// same.
func TestEquation(t *testing.T) {
	if !smt.Available() {
		t.Skip("no SMT solver is installed")
	}
	pruned, both := 0, 0
	for seed := range uint64(*programs / 3) {
		text := program(seed)
		for _, q := range []param.Question{param.Robust, param.Safety} {
			unit, diags := fp.Parse(source.NewFile("random.fp", []byte(text)), statement.Options{})
			if diags.HasErrors() {
				t.Fatal(diags.All)
			}
			flat, err := transform.Run(unit.Program, transform.Options{Unroll: 8}, nil)
			if err != nil {
				t.Fatal(err)
			}
			task := &engine.Task{Program: flat, Props: unit.Props, Model: memory.SC}
			with, ok, n := param.CoverFrom(t, task, q, 0)
			without, ok2, _ := param.CoverFrom(t, task, q, 1<<30)
			pruned += n
			if !ok || !ok2 {
				continue
			}
			both++
			if with != without {
				t.Fatalf("seed %d: with the equation %v, without %v\n%s", seed, with, without, text)
			}
		}
	}
	t.Logf("%d questions, %d markings left out by the equation", both, pruned)
	if both < 10 {
		t.Error("too few questions were small enough")
	}
}
