package reduce_test

import (
	"testing"

	"fencepost/internal/ir"
	"fencepost/internal/memory"
	"fencepost/internal/memory/reduce"
	"fencepost/internal/testkit"
)

// stop returns where a thread executes an operation of a kind for the first time.
func stop(t *testing.T, p *ir.Program, thread int, kind ir.OpKind) ir.Loc {
	t.Helper()
	f := p.ThreadFunc(ir.ThreadID(thread))
	for i := range f.Edges {
		if f.Edges[i].Op.Kind == kind {
			return f.Edges[i].From
		}
	}
	t.Fatalf("thread %d has no %s", thread, kind)
	return 0
}

const (
	shared  = "var x, y;\nthread p { reg r; r = 1; x = 1; fence; sfence; r = y; }\nthread q { reg r; y = 1; r = x; }\n"
	private = "var x, y;\nthread p { reg r; x = 1; r = x; r = y; }\nthread q { y = 1; }\n"
	other   = "var x, y;\nthread p { reg r; either { x = 1; } or { r = 1; } r = x; r = y; }\nthread q { y = 1; }\n"
	loading = "var x, y;\nthread p { reg r; either { r = x; } or { r = 1; } x = 1; r = y; }\nthread q { y = 1; }\n"
	choice  = "var x, y;\nthread p { reg r; loop { r = fetch_add(y, 1); either { x = 1; } or { r = 1; } } }\nthread q { reg r; r = x; }\n"
	fenced  = "var x, y;\nthread p { reg r; either { fence; } or { r = 1; } x = 1; }\nthread q { reg r; y = 1; r = x; }\n"
	sfenced = "var x, y;\nthread p { reg r; either { sfence; } or { r = 1; } x = 1; }\nthread q { reg r; y = 1; r = x; }\n"
	block   = "#include <stdlib.h>\n#include <pthread.h>\nint *b;\nvoid *f(void *p) { *b = 1; return 0; }\n" +
		"int main(void) { pthread_t t; b = malloc(4); pthread_create(&t, 0, f, 0); *b = 2; return 0; }\n"
	rmw = "var x;\nthread p { reg r; r = fetch_add(x, 1); }\nthread q { reg r; r = x; }\n"
)

// TestEagerRules: each rule with a program where it applies and one where it must not.
func TestEagerRules(t *testing.T) {
	reduced := reduce.Options{Reduce: true}
	visible := reduce.Options{Reduce: true, MemoryVisible: true}
	bounded := reduce.Options{Reduce: true, Bounded: true}
	tso, sc, pso := memory.TSO, memory.SC, memory.PSO
	var none memory.Options
	for _, c := range []struct {
		why   string
		text  string
		model memory.Model
		mem   memory.Options
		how   reduce.Options
		kind  ir.OpKind
		want  bool
	}{
		{"a local operation", shared, sc, none, reduce.Options{}, ir.Assign, true},
		{"a local operation, reduced", shared, pso, none, reduced, ir.Assign, true},
		{"nothing else without reduction", shared, tso, none, reduce.Options{}, ir.Store, false},
		{"a fence without reduction", shared, tso, none, reduce.Options{}, ir.Fence, false},

		{"a store that enters the buffer", shared, tso, none, reduced, ir.Store, true},
		{"a store under PSO", shared, pso, none, reduced, ir.Store, true},
		{"a store to memory", shared, sc, none, reduced, ir.Store, false},
		{"a store that a property sees", shared, tso, none, visible, ir.Store, false},
		{"a store to memory that one thread accesses", private, sc, none, reduced, ir.Store, true},
		{"a store into a bounded buffer", shared, tso, none, bounded, ir.Store, true},
		{"a store into a bounded buffer, with another way", choice, tso, none, bounded, ir.Store, false},
		{"a store to a block", block, tso, none, reduced, ir.Store, false},

		{"a fence", shared, tso, none, reduced, ir.Fence, true},
		{"a fence with another way", fenced, tso, none, reduced, ir.Fence, false},
		{"a store-store fence with another way", sfenced, pso, none, reduced, ir.Fence, true},

		{"a load that another thread notices", shared, tso, none, reduced, ir.Load, false},
		{"a load of memory that one thread accesses", private, tso, none, reduced, ir.Load, true},
		{"such a load with another way", loading, tso, none, reduced, ir.Load, false},
		{"such a load where a property sees memory", private, tso, none, visible, ir.Load, false},
		{"a load that bypasses the buffer", private, tso, memory.Options{Private: true}, reduced, ir.Load, true},
		{"a buffered store with another way", other, tso, none, reduced, ir.Store, true},
		{"a store that bypasses the buffer, with another way", other, tso, memory.Options{Private: true}, reduced, ir.Store, false},

		{"a store that bypasses the buffer, attacked", private, tso, memory.Options{Attacks: true}, reduced, ir.Store, true},
		{"a store that an attack may begin at", shared, tso, memory.Options{Attacks: true}, reduced, ir.Store, false},
		{"a fence, attacked", shared, tso, memory.Options{Attacks: true}, reduced, ir.Fence, false},

		{"a read-modify-write", rmw, tso, none, reduced, ir.RMW, false},
	} {
		name := "test.fp"
		if c.text == block {
			name = "test.c"
		}
		p := read(t, name, c.text)
		y := memory.New(p, c.model, c.mem)
		thread := 0
		if c.text == block {
			thread = 1 // main stores to b, which is static
		}
		if got := reduce.NewPlan(y, c.how).Eager(thread, stop(t, p, thread, c.kind)); got != c.want {
			t.Errorf("%s is eager: %v, want %v", c.why, got, c.want)
		}
	}
}

// TestProperties: a thread stops where a property names its location, and after a change of a
// register that a property reads; a step that leads there is interleaved with everything.
func TestProperties(t *testing.T) {
	p := read(t, "test.fp", "var x;\nthread p { reg a, b; x = 1; a = 1; b = 2; x = 2; }\nthread q { reg r; r = x; }\n")
	y := memory.New(p, memory.TSO, memory.Options{Keep: keepAll})
	f := p.ThreadFunc(0)
	var assigns []*ir.Edge
	for i := range f.Edges {
		if f.Edges[i].Op.Kind == ir.Assign {
			assigns = append(assigns, &f.Edges[i])
		}
	}
	if len(assigns) != 2 {
		t.Fatalf("%d assignments", len(assigns))
	}
	first, second := assigns[0], assigns[1]

	plain := reduce.NewPlan(y, reduce.Options{Reduce: true})
	if !plain.Eager(0, f.Entry) || !plain.Eager(0, first.From) || !plain.Eager(0, second.From) {
		t.Error("without properties the thread stops")
	}
	named := reduce.NewPlan(y, reduce.Options{Reduce: true, Visible: func(t ir.ThreadID, l ir.Loc) bool { return t == 0 && l == second.From }})
	if !named.Eager(0, first.From) || named.Eager(0, second.From) || !named.OpenAt(0, second.From) {
		t.Error("the thread does not stop at the location that is named")
	}
	watched := reduce.NewPlan(y, reduce.Options{Reduce: true, Watch: func(t ir.ThreadID, r ir.Reg) bool { return t == 0 && r == first.Op.Dst }})
	if watched.Eager(0, first.From) || !watched.Eager(0, second.From) || !watched.OpenAt(0, first.From) {
		t.Error("the thread does not stop at the change of the register that is watched")
	}
}

// TestCycles: every cycle has a location at which the thread stops and, where steps are reduced,
// one at which everything is interleaved.
func TestCycles(t *testing.T) {
	loops := 0
	for seed := range uint64(60) {
		pr := testkit.Profile{Loops: true, Spins: seed%3 == 0}
		p, _ := testkit.Generate(seed, pr).Flat()
		for _, m := range testkit.Models {
			for _, opt := range []struct {
				mem    memory.Options
				reduce reduce.Options
			}{
				{memory.Options{Buffer: 2}, reduce.Options{}},
				{memory.Options{Buffer: 2}, reduce.Options{Reduce: true, Bounded: true}},
				{memory.Options{Attacks: m == memory.TSO}, reduce.Options{Reduce: m != memory.TSO}},
			} {
				plan := reduce.NewPlan(memory.New(p, m, opt.mem), opt.reduce)
				for th := range p.Threads {
					f := p.ThreadFunc(ir.ThreadID(th))
					if hasCycle(f, func(ir.Loc) bool { return true }) {
						loops++
					}
					if hasCycle(f, func(l ir.Loc) bool { return plan.Eager(th, l) }) {
						t.Errorf("seed %d, %s, thread %d: a cycle of eager locations", seed, m, th)
					}
					if opt.reduce.Reduce && hasCycle(f, func(l ir.Loc) bool { return !plan.OpenAt(th, l) }) {
						t.Errorf("seed %d, %s, thread %d: a cycle without an open location", seed, m, th)
					}
				}
			}
		}
	}
	if loops < 50 {
		t.Errorf("only %d threads have loops", loops)
	}
}

// hasCycle reports whether the locations of a set contain a cycle.
func hasCycle(f *ir.Func, in func(ir.Loc) bool) bool {
	const active, done = 1, 2
	state := make([]int, len(f.Locs))
	var visit func(l ir.Loc) bool
	visit = func(l ir.Loc) bool {
		if !in(l) || state[l] == done {
			return false
		}
		if state[l] == active {
			return true
		}
		state[l] = active
		for _, i := range f.Out(l) {
			if visit(f.Edges[i].To) {
				return true
			}
		}
		state[l] = done
		return false
	}
	for l := range f.Locs {
		if visit(ir.Loc(l)) {
			return true
		}
	}
	return false
}
