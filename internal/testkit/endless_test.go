package testkit_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"fencepost/internal/engine"
	"fencepost/internal/engine/rf"
	"fencepost/internal/engine/smc"
	"fencepost/internal/ir"
	"fencepost/internal/pipeline"
	"fencepost/internal/property"
	"fencepost/internal/question/check"
	"fencepost/internal/testkit"
	"fencepost/verdict"
)

// TestEndlessAgainstDefinition: the engines report loops that no thread can end exactly where the graph of
// all states has a state from which memory never changes and no execution ends. They may report more, for
// rounds that write and take it back, but only where no execution ends.
func TestEndlessAgainstDefinition(t *testing.T) {
	compared, endless := 0, 0
	problem := func(p *testkit.Program) string {
		flat, props := p.Flat()
		props.Goals, props.Final, props.Endless = nil, nil, true
		for _, m := range testkit.Models {
			want, err := testkit.Oracle(flat, props, m)
			if errors.Is(err, testkit.ErrTooBig) {
				return ""
			}
			if err != nil {
				return fmt.Sprintf("%s: enumerator: %v", m, err)
			}
			compared++
			if want.Endless {
				endless++
			}
			for _, e := range []struct {
				engine *engine.Engine
				how    testkit.How
			}{{testkit.Explicit, testkit.How{}}, {testkit.Explicit, testkit.How{NoReduction: true}}, {&smc.Engine, testkit.How{}}, {&rf.Engine, testkit.How{}}} {
				if e.engine.Supports(&engine.Task{Program: flat, Props: props, Model: m}) != nil {
					continue
				}
				got, err := testkit.Ask(e.engine, flat, props, m, e.how)
				switch {
				case err != nil && e.engine == &rf.Engine && strings.Contains(err.Error(), "gave up: rf does not take"):
				case err != nil:
					return fmt.Sprintf("%s: %s: %v", m, e.engine.Name, err)
				case got.Endless && !want.NeverEnds:
					return fmt.Sprintf("%s: %s reports endless loops, but every state has an execution that ends", m, e.engine.Name)
				case want.Endless && !got.Endless:
					return fmt.Sprintf("%s: %s misses endless loops (%+v)", m, e.engine.Name, e.how)
				}
			}
		}
		return ""
	}
	n := *programs / 2
	for i := range n {
		seed := uint64(*firstSeed) + uint64(i)
		p := testkit.Generate(seed, testkit.Profile{Name: "spins", Spins: true, Sync: i%4 == 3, Spawn: i%8 == 1})
		if what := problem(p); what != "" {
			small := testkit.Shrink(p, func(q *testkit.Program) bool { return problem(q) != "" })
			flat, _ := small.Flat()
			t.Fatalf("seed %d: %s\nshrunk to:\n%s", seed, problem(small), ir.Print(flat))
		}
	}
	t.Logf("%d comparisons, %d with endless loops", compared, endless)
	if endless < n/10 {
		t.Errorf("only %d of %d comparisons had endless loops", endless, compared)
	}
}

// TestFairAgainstDefinition: explicit finds a fair endless execution exactly where the graph of all states
// has one: under random fairness a state from which no execution ends, under weak fairness a set of states
// in which every condition can be met again and again.
func TestFairAgainstDefinition(t *testing.T) {
	compared := 0
	found := map[property.Fairness]int{}
	problem := func(p *testkit.Program) string {
		flat, props := p.Flat()
		props.Goals, props.Final, props.Checks, props.Deadlock, props.Endless = nil, nil, false, false, true
		for _, m := range testkit.Models {
			props.Fairness = property.Weak
			want, err := testkit.OracleUpTo(flat, props, m, 600)
			if errors.Is(err, testkit.ErrTooBig) {
				return ""
			}
			if err != nil {
				return fmt.Sprintf("%s: enumerator: %v", m, err)
			}
			if len(want.Checks) > 0 {
				return "" // explicit stops there
			}
			compared++
			props.Endless = false
			for fairness, want := range map[property.Fairness]bool{property.Random: want.NeverEnds, property.Weak: want.Fair} {
				props.Fairness = fairness
				got, err := testkit.Ask(testkit.Explicit, flat, props, m, testkit.How{})
				switch {
				case err != nil:
					return fmt.Sprintf("%s: explicit: %v", m, err)
				case got.Endless != want:
					return fmt.Sprintf("%s: fairness %d: want %v, got %v", m, fairness, want, got.Endless)
				case want:
					found[fairness]++
				}
			}
			props.Endless = true
		}
		return ""
	}
	n := *programs / 2
	for i := range n {
		seed := uint64(*firstSeed) + uint64(i)
		p := testkit.Generate(seed, testkit.Profile{Name: "fair", Spins: i%3 != 0, Loops: i%3 == 0, Sync: i%4 == 3, Spawn: i%8 == 1})
		if what := problem(p); what != "" {
			small := testkit.Shrink(p, func(q *testkit.Program) bool { return problem(q) != "" })
			flat, _ := small.Flat()
			t.Fatalf("seed %d: %s\nshrunk to:\n%s", seed, problem(small), ir.Print(flat))
		}
	}
	t.Logf("%d comparisons, %d endless under random fairness, %d under weak", compared, found[property.Random], found[property.Weak])
	if found[property.Random] < n/20 || found[property.Weak] <= found[property.Random] {
		t.Errorf("too few endless executions")
	}
}

// TestFairSafeEnds: in the graph of all states of a program that is safe when no fair execution may be endless,
// an end can be reached from every state. Programs for which it cannot are not safe.
func TestFairSafeEnds(t *testing.T) {
	safe, endless := 0, 0
	for _, c := range corpus(t) {
		if !strings.HasPrefix(c.Name(), "live-") && !strings.HasPrefix(c.Name(), "lock-") && !strings.HasPrefix(c.Name(), "peterson") {
			continue
		}
		opt := c.Options
		opt.Endless = pipeline.Endless{Liveness: pipeline.LivenessFair}
		run := pipeline.Open(c.Input)
		if err := run.Read(t.Context(), pipeline.ReadOptions{Options: opt.Options}); err != nil {
			t.Fatal(err)
		}
		flat, err := run.FlattenFixed(opt.Options)
		if err != nil {
			t.Fatal(err)
		}
		props := *run.Props
		opt.Endless.Ask(&props)
		for _, m := range testkit.Models {
			want, err := testkit.OracleUpTo(flat, &props, m, 4000)
			if errors.Is(err, testkit.ErrTooBig) {
				continue
			}
			if err != nil {
				t.Fatalf("%s under %s: %v", c.Name(), m, err)
			}
			answer, err := check.Run(t.Context(), c.Input, []string{m.String()}, opt)
			if err != nil || answer.HasErrors() {
				t.Fatalf("%s under %s: %v %+v", c.Name(), m, err, answer.Diagnostics)
			}
			r := &answer.Results[0]
			switch {
			case r.Verdict == verdict.Safe && want.NeverEnds:
				t.Errorf("%s under %s: safe, and a state has no way to an end", c.Name(), m)
			case r.Verdict == verdict.Safe:
				safe++
			case want.NeverEnds:
				endless++
			}
		}
	}
	t.Logf("safe %d times, %d times with a state that has no way to an end", safe, endless)
	if safe < 20 || endless < 20 {
		t.Errorf("too few programs: %d, %d", safe, endless)
	}
}
