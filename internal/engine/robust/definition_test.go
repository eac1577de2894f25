package robust_test

import (
	"context"
	"flag"
	"fmt"
	"slices"
	"strings"
	"testing"

	"fencepost/internal/engine"
	"fencepost/internal/engine/robust"
	"fencepost/internal/ir"
	"fencepost/internal/ir/irtext"
	"fencepost/internal/memory"
	"fencepost/internal/memory/reduce"
	"fencepost/internal/property"
	"fencepost/internal/replay"
	"fencepost/internal/testkit"
	"fencepost/internal/trace"
	"fencepost/verdict"
)

var (
	programs  = flag.Int("fp.programs", 60, "random programs whose executions are enumerated")
	firstSeed = flag.Uint64("fp.seed", 1, "seed of the first random program")
)

// definitionProfiles rotate through the seeds.
var definitionProfiles = []testkit.Profile{
	{Name: "plain", Plain: true},
	{Name: "mixed", Plain: true, Mixed: true},
	{Name: "core"},
	{Name: "sync", Sync: true},
	{Name: "plain", Plain: true},
	{Name: "heap", Heap: true},
	{Name: "spawn", Plain: true, Spawn: true},
	{Name: "mixed", Mixed: true},
	{Name: "overlap", Plain: true, Overlap: true},
	{Name: "overlap-all", Overlap: true},
	{Name: "overlap-sync", Overlap: true, Sync: true},
}

// TestDefinition holds the search against the definition on random programs
// without loops: every execution of the model, enumerated without reduction, and whether
// its happens-before relation has a cycle [BDM13 Lemma 1]. With and without filters,
// with one worker and two, the answer is the same, and so are the attacks; every attack's witness replays. A robust
// program has the final states of SC under the model. A program that is not robust against TSO is
// not robust against PSO. Programs with too many executions do not count.
func TestDefinition(t *testing.T) {
	for _, model := range []memory.Model{memory.TSO, memory.PSO} {
		t.Run(model.String(), func(t *testing.T) { testDefinition(t, model) })
	}
}

func testDefinition(t *testing.T, model memory.Model) {
	want := *programs
	if testing.Short() {
		want = min(want, 40)
	}
	if model == memory.PSO && want < 100 {
		want /= 2
	}
	robustOnes, broken, skipped := map[string]int{}, map[string]int{}, 0
	for seed, n := *firstSeed, 0; n < want; seed++ {
		profile := definitionProfiles[seed%uint64(len(definitionProfiles))]
		p := small(seed, profile, model)
		wrong, ok := disagreement(t, p, model)
		if !ok {
			skipped++
			continue
		}
		n++
		if wrong != "" {
			less := testkit.Shrink(p, func(q *testkit.Program) bool {
				wrong, ok := disagreement(t, q, model)
				return ok && wrong != ""
			})
			flat, _ := less.Flat()
			wrong, _ := disagreement(t, less, model)
			t.Fatalf("profile %s, seed %d: %s\nreproduce: go test ./internal/engine/robust -run TestDefinition/%s -fp.programs=1 -fp.seed=%d\nshrunk to:\n%s",
				profile.Name, seed, wrong, model, seed, irtext.Print(flat))
		}
		flat, _ := p.Flat()
		if len(attacks(t, flat, model, false)) == 0 {
			robustOnes[profile.Name]++
		} else {
			broken[profile.Name]++
		}
	}
	t.Logf("%d programs enumerated: robust %v, not %v; %d more were too large", want, robustOnes, broken, skipped)
	if want < 100 { // too few to say
		return
	}
	for _, pr := range definitionProfiles {
		if robustOnes[pr.Name] == 0 || broken[pr.Name] == 0 {
			t.Errorf("programs of profile %s are all alike", pr.Name)
		}
	}
}

// disagreement is how the engine and the definition differ on a program; ok is
// false if there are too many executions to tell.
func disagreement(t *testing.T, p *testkit.Program, model memory.Model) (wrong string, ok bool) {
	flat, props := p.Flat()
	cyclic, ok := cyclicExecution(flat, model)
	if !ok {
		return "", false
	}
	all := -1 // how many attacks there are
	for _, how := range []engine.Task{
		{Limits: engine.Limits{Workers: 1}}, {NoReduction: true, Limits: engine.Limits{Workers: 1}},
		{KeepGoing: true, Limits: engine.Limits{Workers: 2}}, {KeepGoing: true, NoReduction: true, Limits: engine.Limits{Workers: 1}},
	} {
		how.Program, how.Props, how.Model = flat, &property.Set{}, model
		out, err := robust.Run(context.Background(), &how)
		switch {
		case err != nil:
			return err.Error(), true
		case strings.Contains(out.Unknown, "one delaying thread"):
			if cyclic {
				return "", true // honest, and nothing to compare
			}
			continue
		case out.Unknown != "":
			return out.Unknown, true
		case (len(out.Violations) > 0) != cyclic:
			return fmt.Sprintf("%d attacks (all %v, filters %v), but a cyclic execution exists: %v", len(out.Violations), how.KeepGoing, !how.NoReduction, cyclic), true
		}
		if how.KeepGoing && all >= 0 && all != len(out.Violations) {
			return fmt.Sprintf("%d attacks with filters, %d without", all, len(out.Violations)), true
		} else if how.KeepGoing {
			all = len(out.Violations)
		}
		for i := range out.Violations {
			if err := replays(flat, model, &out.Violations[i]); err != nil {
				return err.Error(), true
			}
		}
	}
	if model == memory.TSO {
		if wrong := triangleFreeOnly(flat, !cyclic); wrong != "" {
			return wrong, true
		}
	} else if len(attacks(t, flat, memory.TSO, false)) > 0 && !cyclic {
		return "robust, but not robust against TSO", true
	}
	if !cyclic {
		return unequalFinals(flat, props, model), true
	}
	return "", true
}

// doubtful is the count of races of a program in which no SC execution shows them.
const doubtful = -3

// raceFreeOnly says how triangular-race freedom is wrong: it implies robustness,
// and does not depend on filters.
func triangleFreeOnly(flat *ir.Program, isRobust bool) string {
	triangles := func(filters bool) int {
		out, err := robust.TRF.Run(context.Background(), &engine.Task{
			Program: flat, Props: &property.Set{}, NoReduction: !filters, KeepGoing: true, Limits: engine.Limits{Workers: 1},
		})
		switch {
		case err == nil && strings.Contains(out.Unknown, "no SC execution shows"):
			return doubtful
		case err != nil || out.Unknown != "":
			return -1
		}
		for i := range out.Violations {
			if replay.Replay(flat, &property.Set{}, replay.SC, out.Violations[i].Witness, replay.Expect{Target: replay.TargetPrefix}) != nil {
				return -2
			}
		}
		return len(out.Violations)
	}
	with, without := triangles(true), triangles(false)
	if with == doubtful || without == doubtful {
		return "" // says nothing
	}
	if with < 0 || with != without || with == 0 && !isRobust {
		return fmt.Sprintf("%d triangular races, %d without filters, robust %v", with, without, isRobust)
	}
	return ""
}

// replays follows the witness of an attack.
func replays(p *ir.Program, model memory.Model, v *engine.Violation) error {
	want := replay.Expect{Target: replay.TargetExecution}
	switch {
	case v.Class != ir.CheckUnset:
		want = replay.Expect{Target: replay.TargetCheck, Class: v.Class, Edge: ir.NoEdge}
	case v.Open:
		want.Target = replay.TargetPrefix
	}
	against, err := replay.ParseModel(model.String())
	if err != nil {
		return err
	}
	if err := replay.Replay(p, &property.Set{}, against, v.Witness, want); err != nil {
		return err
	}
	tr := trace.New(p, v.Witness)
	if tr.CycleThrough(tr.EventOf(v.StoreStep), tr.EventOf(v.LoadStep)) == nil {
		return fmt.Errorf("the cycle does not run through the store and the load")
	}
	return nil
}

// unequalFinals is how the final states under SC and a model differ, or "".
func unequalFinals(flat *ir.Program, props *property.Set, model memory.Model) string {
	finals := func(m memory.Model) []string {
		a, err := testkit.Ask(testkit.Explicit, flat, &property.Set{Observe: props.Observe}, m, testkit.How{})
		if err != nil {
			return []string{err.Error()}
		}
		return a.Finals
	}
	sc, weak := finals(memory.SC), finals(model)
	if strings.Join(sc, "\n") != strings.Join(weak, "\n") {
		return fmt.Sprintf("robust, but final states %q under SC, %q under %s", sc, weak, model)
	}
	return ""
}

// small cuts a random program down to what can be enumerated. Every other one is
// given a store and a load around which attacks are likely, or, under PSO, two stores and two loads.
func small(seed uint64, pr testkit.Profile, model memory.Model) *testkit.Program {
	p := testkit.Generate(seed, pr)
	crossed := seed/uint64(len(definitionProfiles))%2 == 0
	p.Threads = p.Threads[:min(3, len(p.Threads))]
	var keep func(list []testkit.Stmt) []testkit.Stmt
	keep = func(list []testkit.Stmt) []testkit.Stmt {
		var out []testkit.Stmt
		for _, s := range list {
			switch s.Kind {
			case testkit.Spin, testkit.Loop:
				continue
			}
			s.Body, s.Else = keep(s.Body), keep(s.Else)
			if s.Kind == testkit.Atomic && seed%4 == 1 { // a section that may not come to its end
				s.Body = append(s.Body, testkit.Stmt{Kind: testkit.Assume, Reg: s.Reg, Val: s.Val})
			}
			out = append(out, s)
		}
		return out
	}
	for i := range p.Threads {
		list := keep(p.Threads[i])
		p.Threads[i] = list[:min(len(list), 6-len(p.Threads))]
		if crossed {
			put := cross
			if model == memory.PSO && seed%5 != 0 {
				put = pass
			}
			p.Threads[i] = put(seed, i, p.Threads[i], 6-len(p.Threads))
		}
	}
	return p
}

// cross makes one statement of a thread a store to a variable and a later one a
// load of another: thread i stores what thread i+1 loads.
func cross(seed uint64, i int, list []testkit.Stmt, most int) []testkit.Stmt {
	store := testkit.Stmt{Kind: testkit.Store, Var: i % 2, Size: 8, Val: 1}
	load := testkit.Stmt{Kind: testkit.Load, Var: (i + 1) % 2, Size: 8, Reg: 2}
	return insert(seed, list, store, load, most)
}

// pass makes two statements of a thread pass a message, or receive it.
func pass(seed uint64, i int, list []testkit.Stmt, most int) []testkit.Stmt {
	if i%2 == 0 {
		return insert(seed, list, testkit.Stmt{Kind: testkit.Store, Var: 0, Size: 8, Val: 1}, testkit.Stmt{Kind: testkit.Store, Var: 1, Size: 8, Val: 1}, most)
	}
	return insert(seed, list, testkit.Stmt{Kind: testkit.Load, Var: 1, Size: 8, Reg: 1}, testkit.Stmt{Kind: testkit.Load, Var: 0, Size: 8, Reg: 2}, most)
}

// insert puts two statements into a list, the second not far from the first.
func insert(seed uint64, list []testkit.Stmt, first, second testkit.Stmt, most int) []testkit.Stmt {
	at := int(seed*0x9e3779b97f4a7c15>>40) % (len(list) + 1)
	out := append([]testkit.Stmt{}, list[:at]...)
	out = append(out, first)
	if len(list) > at && seed%3 != 0 { // something between the two
		out = append(out, list[at], second)
		out = append(out, list[at+1:]...)
	} else {
		out = append(out, second)
		out = append(out, list[at:]...)
	}
	return out[:min(len(out), max(most, at+2))]
}

// attacks are the feasible ones, each with a witness that the engine has checked
// for a cycle.
func attacks(t *testing.T, p *ir.Program, model memory.Model, all bool) []engine.Violation {
	t.Helper()
	out, err := robust.Run(context.Background(), &engine.Task{
		Program: p, Props: &property.Set{}, Model: model, KeepGoing: all, Limits: engine.Limits{Workers: 1},
	})
	if err != nil {
		t.Fatal(err)
	}
	if out.Unknown != "" && !strings.Contains(out.Unknown, "one delaying thread") {
		t.Fatal(out.Unknown)
	}
	return out.Violations
}

// maxExecutions is how many executions of one program are looked at.
const maxExecutions = 2500

// cyclicExecution reports whether some execution of the model has a cycle; ok is false if
// there are too many to tell. A step that fails a check or exits stops its thread,
// and the others go on.
func cyclicExecution(p *ir.Program, model memory.Model) (cyclic, ok bool) {
	return cyclicAmong(p, model, maxExecutions)
}

// cyclicAmong does so for at most so many executions.
func cyclicAmong(p *ir.Program, model memory.Model, most int) (cyclic, ok bool) {
	y := memory.New(p, model, memory.Options{})
	eager := reduce.NewRunner(reduce.NewPlan(y, reduce.Options{}))
	s := y.NewState()
	s.Record = true
	var path []memory.Step
	left := most
	var walk func() bool
	walk = func() bool {
		leaf := true
		for _, st := range y.Enabled(s, nil) {
			if left <= 0 {
				return false
			}
			mark := s.Mark()
			y.Apply(s, st)
			if _, failed := s.Fault(); failed || s.Over() {
				s.Undo(mark)
				continue
			}
			leaf = false
			path = append(path, st)
			n, base := len(path), len(eager.Trail())
			found := false
			eager.Run(s, int(st.Thread), func() {
				if _, failed := s.Fault(); failed {
					return
				}
				path = append(path[:n], eager.Trail()[base:]...)
				found = found || walk()
				path = path[:n]
			})
			path = path[:n-1]
			s.Undo(mark)
			if found {
				return true
			}
		}
		if !leaf {
			return false
		}
		left--
		return alwaysCyclic(p, record(y, path))
	}
	found := false
	eager.RunAll(s, func() {
		if _, failed := s.Fault(); failed {
			return
		}
		path = append(path[:0], eager.Trail()...)
		found = found || walk()
	})
	return found, found || left > 0
}

// alwaysCyclic reports whether the trace of an execution has a cycle. Stores that wait when another thread stands in a
// section without end never reach memory. In the trace they come last, and since the execution does not say which of two
// threads comes first, there must be a cycle whichever does.
func alwaysCyclic(p *ir.Program, w *verdict.Witness) bool {
	waiting := make([][]int, len(w.Threads))
	for i := range w.Steps {
		switch st := &w.Steps[i]; {
		case st.Kind == verdict.StepStore && st.Buffered:
			waiting[st.Thread] = append(waiting[st.Thread], i)
		case st.Kind == verdict.StepFlush:
			waiting[st.Thread] = slices.DeleteFunc(waiting[st.Thread], func(store int) bool { return store == st.Of })
		}
	}
	var threads []int
	for t := range waiting {
		if len(waiting[t]) > 0 {
			threads = append(threads, t)
		}
	}
	if len(threads) < 2 {
		return trace.New(p, w).Cycle() != nil
	}
	var try func(w verdict.Witness, left []int) bool
	try = func(w verdict.Witness, left []int) bool {
		if len(left) == 0 {
			return trace.New(p, &w).Cycle() != nil
		}
		for _, t := range left {
			next := w
			next.Steps = slices.Clone(w.Steps)
			for _, store := range waiting[t] {
				st := w.Steps[store]
				st.Kind, st.Of, st.Edge, st.Buffered = verdict.StepFlush, store, -1, false
				next.Steps = append(next.Steps, st)
			}
			if !try(next, slices.DeleteFunc(slices.Clone(left), func(u int) bool { return u == t })) {
				return false
			}
		}
		return true
	}
	return try(*w, threads)
}

func record(y *memory.System, path []memory.Step) *verdict.Witness {
	r := engine.NewRecorder(y)
	for _, st := range path {
		r.Step(st)
	}
	return r.Witness()
}
