package transform_test

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"fencepost/internal/analysis"
	"fencepost/internal/engine"
	"fencepost/internal/engine/explicit"
	"fencepost/internal/ir"
	"fencepost/internal/ir/irtext"
	"fencepost/internal/memory"
	"fencepost/internal/property"
	"fencepost/internal/source"
	"fencepost/internal/testkit"
	"fencepost/internal/transform"
)

func unroll(t *testing.T, p *ir.Program, props *property.Set, k int) (*ir.Program, *property.Set) {
	t.Helper()
	before := irtext.Print(p)
	out, outProps, err := transform.Unroll(p, props, k, nil)
	if err != nil {
		t.Fatal(err)
	}
	if irtext.Print(p) != before {
		t.Error("the pass changed its argument")
	}
	fs := analysis.NewFacts(out, nil)
	for f := range out.Funcs {
		if fs.Cyclic(ir.FuncID(f)) {
			t.Fatalf("a cycle is left\n%s", irtext.Print(out))
		}
	}
	ids := map[ir.EdgeID]bool{}
	for i, f := range out.Funcs {
		for l := range p.Funcs[i].Locs {
			if f.Locs[l] != p.Funcs[i].Locs[l] {
				t.Fatalf("location %d is %v, was %v", l, f.Locs[l], p.Funcs[i].Locs[l])
			}
		}
		for j := range f.Edges {
			e := &f.Edges[j]
			if ids[e.ID] {
				t.Fatalf("two edges have the id %d", e.ID)
			}
			ids[e.ID] = true
			if j < len(p.Funcs[i].Edges) && e.ID != p.Funcs[i].Edges[j].ID {
				t.Fatalf("edge %d became %d", p.Funcs[i].Edges[j].ID, e.ID)
			}
			if _, _, ok := p.EdgeByID(e.Origin); !ok {
				t.Fatalf("edge %d comes from edge %d, which does not exist", e.ID, e.Origin)
			}
		}
	}
	return out, outProps
}

// edgesOf returns the number of edges with a kind of operation in the first function.
func edgesOf(p *ir.Program, kind ir.OpKind) int {
	n := 0
	for i := range p.Funcs[0].Edges {
		if p.Funcs[0].Edges[i].Op.Kind == kind {
			n++
		}
	}
	return n
}

func TestUnrollCounts(t *testing.T) {
	tests := []struct {
		name, body string
		k          int
		stores     int    // copies of stores in the automaton
		bounds     int    // edges that cut off executions
		finals     string // final values of n, the number of stores that ran
	}{
		{"straight line", "a -> b: store [&x] = 1\n b -> c: n = n + 1", 3, 1, 0, "[n=1]"},
		{"self loop", "a -> a: n = n + 1\n a -> b: nop", 2, 0, 1, "[n=0 n=1 n=2]"},
		{"until", "a -> b: n = n + 1\n b -> c: store [&x] = n\n c -> a: nop\n c -> d: nop", 2, 3, 1, "[n=1 n=2 n=3]"},
		{"while", "a -> b: nop\n b -> c: store [&x] = n\n c -> a: n = n + 1\n a -> d: nop", 2, 3, 1, "[n=0 n=1 n=2]"},
		{"one after the other", "a -> b: nop\n b -> b: n = n + 1\n b -> c: nop\n c -> c: n = n + 10\n c -> d: nop", 1, 0, 2, "[n=0 n=1 n=10 n=11]"},
		{"nested", "a -> b: nop\n b -> c: store [&x] = n\n c -> b: n = n + 1\n c -> a: n = n + 10\n c -> d: nop", 1, 4, 2,
			"[n=0 n=1 n=10 n=11 n=12]"},
		{"two ways back", "a -> b: store [&x] = 1\n b -> a: n = n + 1\n b -> a: n = n + 10\n b -> c: nop", 2, 3, 2, "[n=0 n=1 n=10 n=11 n=2 n=20]"},
		{"two entries", "s -> a: nop\n s -> b: nop\n a -> b: n = n + 1\n b -> a: n = n + 10\n a -> e: nop\n b -> e: nop", 1, 0, 1, "[n=0 n=1 n=10 n=11 n=12]"},
		{"never taken too often", "a -> b: store [&x] = 1\n b -> c: n = n + 1\n c -> a: assume n < 2\n c -> d: assume n >= 2", 1, 2, 1, "[n=2]"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p := flatten(t, "program p structured\nobject x\nfunc f() {\n reg n\n "+tt.body+"\n}\nthread t = f()\n", 8)
			out, _ := unroll(t, p, &property.Set{}, tt.k)
			if got := edgesOf(out, ir.Store); got != tt.stores {
				t.Errorf("%d stores, want %d\n%s", got, tt.stores, irtext.Print(out))
			}
			if got := edgesOf(out, ir.Bound); got != tt.bounds {
				t.Errorf("%d bounds, want %d\n%s", got, tt.bounds, irtext.Print(out))
			}
			if tt.bounds == 0 && out != p {
				t.Error("a program without loops does not come back as it is")
			}
			props := &property.Set{Observe: []property.Var{{Name: "n", Thread: 0, Reg: 0}}}
			got, err := testkit.Ask(&explicit.Engine, out, props, memory.SC, testkit.How{})
			if err != nil || fmt.Sprint(got.Finals) != tt.finals {
				t.Errorf("final states %v (%v), want %s\n%s", got.Finals, err, tt.finals, irtext.Print(out))
			}
		})
	}
}

// TestUnrollCoverage: the bound is reported if it cut off an execution, and only then. A loop whose number of rounds
// constants decide meets none.
func TestUnrollCoverage(t *testing.T) {
	const head = "program p structured\nobject r size 4 init %d\nfunc f() {\n  reg n, k\n"
	const loop = "  a -> b: n = n + 1\n  b -> a: assume n < k\n  b -> c: assume n >= k\n}\nthread t = f()\n"
	for _, tt := range []struct {
		rounds, k int
		constant  bool
	}{{3, 2, false}, {4, 2, false}, {3, 8, false}, {3, 2, true}, {4, 2, true}, {30, 2, true}, {3, 8, true}} {
		limit := "  s -> a: k = load.s32 [&r]\n"
		if tt.constant {
			limit = fmt.Sprintf("  s -> a: k = %d\n", tt.rounds)
		}
		p := flatten(t, fmt.Sprintf(head, tt.rounds)+limit+loop, 8)
		for i := range p.Funcs[0].Edges {
			p.Funcs[0].Edges[i].Pos = source.Span{Pos: source.Pos{File: "f", Line: i + 1, Col: 1}}
		}
		out, props := unroll(t, p, &property.Set{}, tt.k)
		o, err := explicit.Engine.Run(context.Background(), &engine.Task{Program: out, Props: props, Model: memory.TSO})
		if err != nil {
			t.Fatal(err)
		}
		if hit := tt.rounds > tt.k+1 && !tt.constant; o.Coverage.Exhaustive == hit {
			t.Errorf("%d rounds, %d allowed: coverage %+v", tt.rounds, tt.k, o.Coverage)
		} else if hit {
			b := o.Coverage.Bounds[0]
			if b.Name != "unroll" || b.Value != tt.k || !b.Hit || b.Pos == nil || b.Pos.Line != 3 {
				t.Errorf("bound %+v", b)
			}
		}
	}
}

// TestUnrollGoals: a goal in a loop is reached in a later round.
func TestUnrollGoals(t *testing.T) {
	p := flatten(t, `
program p structured
func f() {
  reg n
  a -> b: n = n + 1
  b -> a: nop
}
thread t = f()
`, 8)
	three := &property.Cond{Vars: []property.Var{{Name: "n", Thread: 0, Reg: 0}}, Expr: ir.Binary(ir.Eq, ir.S64, ir.R(0), ir.Int(3))}
	asked := &property.Set{Goals: []property.Goal{{At: []property.At{{Thread: 0, Locs: []ir.Loc{1}}}, With: three}}}
	for k := 1; k <= 2; k++ {
		out, props := unroll(t, p, asked, k)
		got, err := testkit.Ask(&explicit.Engine, out, props, memory.SC, testkit.How{})
		if err != nil {
			t.Fatal(err)
		}
		if reached := len(got.Goals) == 1; reached != (k >= 2) {
			t.Errorf("unrolled %d times: goal reached: %v", k, reached)
		}
	}
	if len(asked.Goals[0].At[0].Locs) != 1 {
		t.Error("the pass changed the properties it was given")
	}
}

func TestUnrollTooLarge(t *testing.T) {
	p := flatten(t, `
program p structured
func f() {
  a -> b: nop
  b -> c: nop
  c -> c: nop
  c -> b: nop
  b -> a: nop
}
thread t = f()
`, 8)
	if _, _, err := transform.Unroll(p, &property.Set{}, 1_000_000, nil); err == nil {
		t.Error("a program of 10^18 instructions is not refused")
	}
}

// TestUnrollRandom: more rounds give more final states, and only states that the program with loops has.
func TestUnrollRandom(t *testing.T) {
	whole := 0
	for seed := range uint64(200) {
		prog := testkit.Generate(seed, testkit.Profile{Loops: true, Goal: true})
		src, props := prog.Build()
		p, err := transform.Run(src, transform.Options{Unroll: 8, Observed: true}, nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range []memory.Model{memory.SC, memory.TSO} {
			how := testkit.How{Buffer: 4, Memory: 1 << 20}
			all, err := testkit.Ask(&explicit.Engine, p, props, m, how)
			if err == testkit.ErrTooBig {
				continue
			}
			if err != nil {
				t.Fatalf("seed %d: %v", seed, err)
			}
			var before testkit.Answers
			for k := 1; k <= 3; k++ {
				out, outProps := unroll(t, p, props, k)
				got, err := testkit.Ask(&explicit.Engine, out, outProps, m, testkit.How{Memory: 1 << 20})
				if err == testkit.ErrTooBig {
					break
				}
				if err != nil {
					t.Fatalf("seed %d, %d rounds: %v\n%s", seed, k, err, irtext.Print(out))
				}
				if !testkit.Subset(before.Finals, got.Finals) {
					t.Fatalf("seed %d: %d rounds lose something: %v, before %v", seed, k, got.Finals, before.Finals)
				}
				// The buffers of the program with loops are bounded: only SC is exact there.
				if m == memory.SC && !testkit.Subset(got.Finals, all.Finals) {
					t.Fatalf("seed %d, %d rounds: final states %v, the loops themselves have %v\n%s", seed, k, got.Finals, all.Finals, irtext.Print(out))
				}
				for _, g := range got.Goals {
					if m == memory.SC && !slices.Contains(all.Goals, g) {
						t.Fatalf("seed %d, %d rounds: goal %d reached", seed, k, g)
					}
				}
				if k == 3 && slices.Equal(got.Finals, all.Finals) {
					whole++
				}
				before = got
			}
		}
	}
	if whole < 100 {
		t.Errorf("three rounds give all final states of %d programs only: the test shows little", whole)
	}
}
