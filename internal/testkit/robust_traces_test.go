package testkit_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"fencepost/internal/analysis"
	"fencepost/internal/engine"
	"fencepost/internal/engine/robust"
	"fencepost/internal/engine/smc"
	"fencepost/internal/ir"
	"fencepost/internal/ir/irtext"
	"fencepost/internal/memory"
	"fencepost/internal/pipeline"
	"fencepost/internal/property"
	"fencepost/internal/testkit"
	"fencepost/internal/trace"
	"fencepost/verdict"
)

// TestRobustAgainstTraces: the search for attacks and the exploration of all traces agree on random programs,
// under both models, with and without filters. A program that is not robust against TSO is not robust against
// PSO.
func TestRobustAgainstTraces(t *testing.T) {
	want := *programs / 5
	if testing.Short() {
		want = min(want, 20)
	}
	profiles := []testkit.Profile{
		{Name: "plain", Plain: true}, {Name: "mixed", Plain: true, Mixed: true}, {Name: "core"}, {Name: "sync", Sync: true},
		{Name: "spawn", Plain: true, Spawn: true}, {Name: "overlap", Plain: true, Overlap: true}, {Name: "computed", Plain: true, Computed: true},
		{Name: "heap", Heap: true}, {Name: "reuse", Reuse: true}, {Name: "joins", Joins: true, Spawn: true}, {Name: "overlap-sync", Overlap: true, Sync: true},
		{Name: "waits", Sync: true, Waits: true}, {Name: "sections", Sections: true},
	}
	counts := map[string]int{}
	for i := range want {
		seed := *firstSeed + uint64(i)
		p := testkit.Generate(seed, profiles[seed%uint64(len(profiles))])
		for k, list := range p.Threads {
			p.Threads[k] = list[:min(len(list), 4)]
		}
		flat, _ := p.Flat()
		if facts := analysis.NewFacts(flat, nil); slices.ContainsFunc(flat.Threads, func(th ir.Thread) bool { return facts.Cyclic(th.Func) }) {
			continue // it may have infinitely many traces
		}
		broken := false
		for _, model := range []memory.Model{memory.TSO, memory.PSO} {
			cyclic, ok := cyclicTrace(flat, model)
			bare := isRobust(t, flat, model, true)
			if got := isRobust(t, flat, model, false); got != "unknown" && bare != "unknown" && got != bare || ok && got != "unknown" && (got == "no") != cyclic {
				t.Errorf("seed %d, %s: robust %s, without filters %s, a trace with a cycle exists: %v\nreproduce: go test ./internal/testkit -run TestRobustAgainstTraces -fp.programs=5 -fp.seed=%d\n%s",
					seed, model, got, bare, cyclic, seed, irtext.Print(flat))
			} else if broken && got != "no" {
				t.Errorf("seed %d: not robust against TSO, against PSO %s", seed, got)
			} else if ok {
				counts[model.String()+" "+got]++
				broken = got == "no"
			}
		}
	}
	t.Logf("%v", counts)
}

// TestRobustAgainstTracesWaiting: the same for programs in which operations depend on stores of two other threads, or on
// two stores of one. The search is right, or unknown where it found no attack.
func TestRobustAgainstTracesWaiting(t *testing.T) {
	want := *programs / 5
	if testing.Short() {
		want = min(want, 20)
	}
	counts := map[string]int{}
	for i := range want {
		seed := *firstSeed + uint64(i)
		flat, text := testkit.WaitingProgram(seed)
		broken := false
		for _, model := range []memory.Model{memory.TSO, memory.PSO} {
			cyclic, ok := cyclicTrace(flat, model)
			if !ok {
				counts["too large"]++
				continue
			}
			bare, got := isRobust(t, flat, model, true), isRobust(t, flat, model, false)
			if got == "no" != cyclic && got != "unknown" || bare == "no" != cyclic && bare != "unknown" || got == "unknown" && bare == "no" || broken && got != "no" {
				t.Fatalf("seed %d, %s: robust %s, without filters %s, a trace with a cycle exists: %v; not robust against TSO: %v\n%s", seed, model, got, bare, cyclic, broken, text)
			}
			if got == "unknown" {
				got = fmt.Sprintf("unknown, a cycle: %v", cyclic)
			}
			counts[model.String()+" "+got]++
			broken = got == "no"
		}
	}
	t.Logf("%v", counts)
}

// isRobust is yes, no or unknown.
func isRobust(t *testing.T, p *ir.Program, model memory.Model, bare bool) string {
	t.Helper()
	out, err := robust.Run(context.Background(), &engine.Task{Program: p, Props: &property.Set{}, Model: model, NoReduction: bare, Limits: engine.Limits{Workers: 1, Memory: 4 << 20}})
	switch {
	case err != nil:
		t.Fatal(err)
	case len(out.Violations) > 0:
		return "no"
	case out.Unknown != "":
		if !strings.Contains(out.Unknown, "one delaying thread") && !strings.Contains(out.Unknown, "memory limit") {
			t.Error(out.Unknown)
		}
		return "unknown"
	}
	return "yes"
}

// cyclicTrace explores the traces of a program and reports whether one has a cycle; ok is false if that was not
// decided.
func cyclicTrace(p *ir.Program, model memory.Model) (cyclic, ok bool) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	n := 0
	explorer := smc.New(smc.Options{Traces: true, Unfinished: true, Visit: func(w *verdict.Witness) {
		if n++; n > 300 || !cyclic && trace.New(p, w).Cycle() != nil {
			cyclic = cyclic || n <= 300
			cancel()
		}
	}})
	task := &engine.Task{Program: p, Props: &property.Set{}, Model: model, KeepGoing: true, Limits: engine.Limits{Workers: 1}}
	if explorer.Supports(task) != nil || engine.StopsInside(p) { // such executions have no trace
		return false, false
	}
	out, err := explorer.Run(ctx, task)
	return cyclic, err == nil && (cyclic || out.Unknown == "" && out.Coverage.Exhaustive)
}

// TestTwoDelays: where the search for attacks says that one delaying thread may not be enough, the exploration of all
// traces decides; every attack replays, and its cycle runs through the delayed store.
func TestTwoDelays(t *testing.T) {
	counts := map[string]int{}
	for i := range *programs {
		flat, text := testkit.WaitingProgram(*firstSeed + uint64(i))
		task := &engine.Task{Program: flat, Props: &property.Set{}, Model: memory.PSO, KeepGoing: true, Limits: engine.Limits{Workers: 1}}
		search := *task
		search.KeepGoing = false
		out, err := robust.Run(context.Background(), &search)
		if err != nil {
			t.Fatal(err)
		}
		if !pipeline.OneDelayOnly(out) {
			continue
		}
		got, by, err := pipeline.TwoDelays(context.Background(), task, out)
		if err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		cyclic, ok := cyclicTrace(flat, memory.PSO)
		switch {
		case by == nil: // a thread may stop inside a section
			counts["unknown"]++
			if !engine.StopsInside(flat) || !strings.Contains(got.Unknown, "one delaying thread") {
				t.Errorf("unknown: %s\n%s", got.Unknown, text)
			}
		case ok && cyclic != (len(got.Violations) > 0):
			t.Errorf("%d attacks, a trace with a cycle exists: %v\n%s", len(got.Violations), cyclic, text)
		case len(got.Violations) > 0:
			counts["not robust"]++
			if _, err := new(pipeline.Program).With(&property.Set{}).Attack(flat, memory.PSO, &got.Violations[0]); err != nil {
				t.Errorf("%v\n%s", err, text)
			}
		default:
			counts["robust"]++
		}
	}
	t.Logf("%v", counts)
}
