package mover_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"fencepost/internal/engine"
	"fencepost/internal/engine/mover"
	"fencepost/internal/frontend/c"
	"fencepost/internal/ir"
	"fencepost/internal/memory"
	"fencepost/internal/proof/encode"
	"fencepost/internal/property"
	"fencepost/internal/source"
	"fencepost/internal/testkit"
	"fencepost/internal/transform"
	"fencepost/query"
	"fencepost/verdict"
)

// parseC reads a program in C as proofs do. private is the objects that each thread has
// of its own.
func parseC(t testing.TB, text string) (flat *ir.Program, props *property.Set, private func(ir.ObjectID) bool) {
	t.Helper()
	unit, diags := c.Parse([]*source.File{source.NewFile("test.c", []byte(text))}, c.Options{COptions: query.COptions{Uninitialised: query.UninitialisedZero}, Invariants: true})
	if diags.HasErrors() {
		t.Fatalf("%v\n%s", diags.All, text)
	}
	flat, err := transform.Run(unit.Program, transform.Options{Unroll: 4}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return flat, unit.Props, func(o ir.ObjectID) bool {
		return int(o) >= len(unit.Program.Objects) || unit.Program.Objects[o].PerThread
	}
}

// replicate makes the threads of a function stand for any number.
func replicate(p *ir.Program, function string) {
	for i := range p.Threads {
		if th := &p.Threads[i]; !th.Start && strings.HasPrefix(th.Name, function) {
			th.Unbounded = true
		}
	}
}

// randomC makes statements of C: two widths, arithmetic that wraps around, operators
// on bits, an array, a mutex, read-modify-writes and fences.
type randomC struct {
	*rand.Rand
	b      strings.Builder
	locked bool
}

func (g *randomC) pick(list ...string) string { return list[g.IntN(len(list))] }

func (g *randomC) lvalue() string { return g.pick("x", "y", "x", "y", "b", "a[r & 1]", "a[1]") }

func (g *randomC) value() string {
	return g.pick("0", "1", "2", "200", "r", "s", "r ^ 1", "r & 1", "s << 1", "~r", "r - s", "(unsigned char)(r + 100)", "s >> 1", "-r")
}

func (g *randomC) statement(depth int) {
	switch k := g.IntN(16); {
	case k < 5:
		fmt.Fprintf(&g.b, "  %s = %s;\n", g.lvalue(), g.value())
	case k < 9:
		fmt.Fprintf(&g.b, "  %s = %s;\n", g.pick("r", "s"), g.lvalue())
	case k < 10:
		g.b.WriteString("  b += 100;\n")
	case k < 11:
		g.b.WriteString("  __sync_synchronize();\n")
	case k < 12:
		fmt.Fprintf(&g.b, "  r = %s;\n", g.pick("__sync_fetch_and_add(&x, 1)", "__sync_fetch_and_or(&y, 2)", "__sync_bool_compare_and_swap(&x, 0, 1)"))
	case k < 13 && depth > 0:
		fmt.Fprintf(&g.b, "  if (%s == %s) {\n", g.pick("r", "s", "x"), g.pick("0", "1", "200"))
		g.statement(depth - 1)
		g.b.WriteString("  }\n")
	case k < 15 && depth > 0 && !g.locked:
		g.locked = true
		g.b.WriteString("  pthread_mutex_lock(&m);\n")
		g.statement(depth - 1)
		g.statement(depth - 1)
		g.b.WriteString("  pthread_mutex_unlock(&m);\n")
		g.locked = false
	default:
		fmt.Fprintf(&g.b, "  %s = %s;\n", g.pick("r", "s"), g.value())
	}
}

// program is main, which starts threads one after the other, with work before, between
// and after, and perhaps joins them. What threads have read they show at the end.
func (g *randomC) program(threads, statements int) string {
	g.b.WriteString("#include <pthread.h>\nint x, y, a[2], out[3];\nunsigned char b;\npthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;\n")
	for t := range threads {
		fmt.Fprintf(&g.b, "void *t%d(void *p) {\n  int r = 0, s = 0;\n", t)
		for range statements {
			if g.IntN(3) == 0 { // a store that a load can overtake
				fmt.Fprintf(&g.b, "  %s = %s;\n  r = %s;\n", g.pick("x", "y"), g.pick("1", "2", "s"), g.pick("x", "y"))
				continue
			}
			g.statement(1)
		}
		fmt.Fprintf(&g.b, "  out[%d] = r * 8 + s;\n  return 0;\n}\n", t)
	}
	g.b.WriteString("int main(void) {\n  pthread_t h[2];\n  int r = 0, s = 0;\n")
	for t := range threads {
		if g.IntN(3) > 0 {
			g.statement(0)
		}
		fmt.Fprintf(&g.b, "  pthread_create(&h[%d], 0, t%d, 0);\n", t, t)
	}
	for t := range threads {
		if g.IntN(3) > 0 {
			fmt.Fprintf(&g.b, "  pthread_join(h[%d], 0);\n", t)
		}
		if g.IntN(3) == 0 {
			g.statement(0)
			g.statement(0)
		}
	}
	g.b.WriteString("  out[2] = r * 8 + s;\n  return 0;\n}\n")
	return g.b.String()
}

// What is proved of C programs is so, to the bit: with the widths of C, spawn, join and
// a mutex.
func TestProofsOfRandomC(t *testing.T) {
	needsSolver(t)
	var proved, abstracted, weak, open, refused int
	for i := range *programs {
		s := *seed + 15 + uint64(i) // so that a few programs differ in what happens to them
		g := &randomC{Rand: rand.New(rand.NewPCG(s, 0xc))}
		text := g.program(1+g.IntN(2), 2+g.IntN(2))
		flat, props, private := parseC(t, text)
		props.Deadlock = false
		out, err := mover.Prove(context.Background(), flat, props, mover.Options{
			Arithmetic: encode.BitVectors, Private: private, NoInference: i%6 != 0, NoAbstraction: i%12 != 0, Quick: true,
		})
		if u := (*engine.Unsupported)(nil); errors.As(err, &u) {
			refused++
			continue
		}
		if err != nil {
			t.Fatalf("seed %d: %v\n%s", s, err, text)
		}
		how := testkit.How{NoReduction: i%2 == 0}
		sc, err1 := testkit.Ask(testkit.Explicit, flat, props, memory.SC, how)
		tso, err2 := testkit.Ask(testkit.Explicit, flat, props, memory.TSO, how)
		if err1 != nil || err2 != nil {
			t.Fatalf("seed %d: %v, %v\n%s", s, err1, err2, text)
		}
		switch d := testkit.Difference(sc, tso); {
		case out.Verdict == verdict.ValueRobust && d != "":
			t.Fatalf("seed %d is proved value-robust, but TSO differs: %s\n%s", s, d, text)
		case out.Verdict == verdict.ValueRobust:
			proved++
		case out.Verdict == verdict.Abstracted:
			abstracted++
			under, err := testkit.Ask(testkit.Explicit, out.Program, props, memory.SC, how)
			if err == nil && !testkit.Subset(tso.Finals, under.Finals) {
				t.Fatalf("seed %d: abstracted, but TSO reaches %q and the abstraction %q\n%s", s, tso.Finals, under.Finals, text)
			}
		case d != "":
			weak++
		default:
			open++
		}
	}
	t.Logf("%d proved, %d abstracted, %d differ under TSO, %d do not and are not proved, %d refused", proved, abstracted, weak, open, refused)
	if proved == 0 || weak == 0 || refused > *programs/10 {
		t.Error("the test tests nothing")
	}
}
