package shorten_test

import (
	"context"
	"flag"
	"slices"
	"strconv"
	"strings"
	"testing"

	"fencepost/internal/engine"
	"fencepost/internal/engine/explicit"
	"fencepost/internal/ir"
	"fencepost/internal/ir/irtext"
	"fencepost/internal/memory"
	"fencepost/internal/property"
	"fencepost/internal/replay"
	"fencepost/internal/shorten"
	"fencepost/internal/testkit"
	"fencepost/verdict"
)

var programs = flag.Int("fp.programs", 150, "random programs")

// measure is how hard a witness is to read: stores that do not go to memory at
// once, changes of thread, steps.
func measure(w *verdict.Witness) [3]int {
	var m [3]int
	last := -1
	for i := range w.Steps {
		st := &w.Steps[i]
		m[2]++
		if st.Kind == verdict.StepFlush || st.Kind == verdict.StepFail && st.Edge < 0 {
			continue
		}
		if last >= 0 && last != st.Thread {
			m[1]++
		}
		last = st.Thread
		if st.Kind == verdict.StepStore && st.Buffered && (i+1 == len(w.Steps) || w.Steps[i+1].Of != i) {
			m[0]++
		}
	}
	return m
}

func less(a, b [3]int) bool {
	for i := range a {
		if a[i] != b[i] {
			return a[i] < b[i]
		}
	}
	return false
}

type found struct {
	kind  engine.ViolationKind
	class ir.CheckClass
	edge  ir.EdgeID
	goal  int
}

func run(t *testing.T, flat *ir.Program, props *property.Set, m memory.Model) (*engine.Task, []engine.Violation, bool) {
	t.Helper()
	task := &engine.Task{Program: flat, Props: props, Model: m, KeepGoing: true, Limits: engine.Limits{Workers: 1, Buffer: 3, Memory: 32 << 20}}
	out, err := explicit.Engine.Run(context.Background(), task)
	if err != nil {
		t.Fatal(err)
	}
	return task, out.Violations, out.Unknown == ""
}

// weakState is a final state that PSO has and SC has not, or "".
func weakState(t *testing.T, flat *ir.Program, props *property.Set) string {
	t.Helper()
	var all [2][]string
	for i, m := range []memory.Model{memory.SC, memory.PSO} {
		a, err := testkit.Ask(&explicit.Engine, flat, props, m, testkit.How{Buffer: 3, Memory: 32 << 20})
		if err != nil {
			return ""
		}
		all[i] = a.Finals
	}
	for _, s := range all[1] {
		if !slices.Contains(all[0], s) {
			return s
		}
	}
	return ""
}

// equals is the condition that the variables have the values of a final state.
func equals(t *testing.T, vars []property.Var, state string) *property.Cond {
	t.Helper()
	cond := ir.Int(1)
	for i, part := range strings.Fields(state) {
		_, text, _ := strings.Cut(part, "=")
		value, err := strconv.ParseInt(text, 10, 64)
		if err != nil {
			t.Fatal(err)
		}
		cond = ir.Binary(ir.And, ir.S64, cond, ir.Binary(ir.Eq, ir.S64, ir.R(ir.Reg(i)), ir.Int(value)))
	}
	return &property.Cond{Vars: vars, Expr: cond, Text: state}
}

var expected = map[engine.ViolationKind]replay.Target{
	engine.CheckFailed: replay.TargetCheck, engine.GoalReached: replay.TargetGoal,
	engine.FinalViolated: replay.TargetFinal, engine.Deadlock: replay.TargetDeadlock,
}

// TestShorten: a shortened witness replays, shows the same violation and is never
// harder to read; it has no waiting store exactly if SC has the violation.
func TestShorten(t *testing.T) {
	seen, shorter, order := 0, 0, 0
	for seed := range uint64(*programs) {
		pr := testkit.Profiles[seed%uint64(len(testkit.Profiles))]
		flat, props := testkit.Generate(seed, pr).Flat()
		props.Deadlock = true
		if state := weakState(t, flat, props); state != "" {
			props.Final = &property.Final{Quantifier: property.Never, Cond: equals(t, props.Observe, state)}
		}
		_, list, complete := run(t, flat, props, memory.SC)
		sc := map[found]bool{}
		for _, v := range list {
			sc[found{v.Kind, v.Class, v.Edge, v.Goal}] = true
		}
		for _, m := range []memory.Model{memory.TSO, memory.PSO} {
			task, list, _ := run(t, flat, props, m)
			model, err := replay.ParseModel(m.String())
			if err != nil {
				t.Fatal(err)
			}
			for i := range list {
				v := &list[i]
				before := measure(v.Witness)
				w := shorten.Witness(context.Background(), task, v)
				after := measure(w)
				seen++
				if err := replay.Replay(flat, props, model, w, replay.Expect{Target: expected[v.Kind], Class: v.Class, Edge: v.Edge, Goal: v.Goal}); err != nil {
					t.Fatalf("profile %s, seed %d, %s: the shortened witness of %v does not replay: %v\n%s", pr.Name, seed, m, v.Kind, err, irtext.Print(flat))
				}
				if less(before, after) {
					t.Errorf("profile %s, seed %d, %s: %v was %v before", pr.Name, seed, m, after, before)
				}
				if less(after, before) {
					shorter++
				}
				under := sc[found{v.Kind, v.Class, v.Edge, v.Goal}]
				if after[0] == 0 {
					order++
				}
				if complete && under != (after[0] == 0) {
					t.Errorf("profile %s, seed %d, %s: %v has %d waiting stores, but under SC it is %v\n%s", pr.Name, seed, m, v.Kind, after[0], under, irtext.Print(flat))
				}
			}
		}
	}
	t.Logf("%d witnesses, %d became shorter, %d need no store buffer", seen, shorter, order)
	if shorter == 0 || order == 0 || order == seen {
		t.Error("the programs do not test what they should")
	}
}
