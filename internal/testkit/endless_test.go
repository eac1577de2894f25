package testkit_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"fencepost/internal/budget"
	"fencepost/internal/engine"
	"fencepost/internal/engine/rf"
	"fencepost/internal/engine/smc"
	"fencepost/internal/ir"
	"fencepost/internal/ir/irtext"
	"fencepost/internal/memory"
	"fencepost/internal/pipeline"
	"fencepost/internal/property"
	"fencepost/internal/question/check"
	"fencepost/internal/testkit"
	"fencepost/query"
	"fencepost/verdict"
)

// waitingPrograms has the profiles of programs with loops that may never end. Consecutive seeds use them in turn.
var waitingPrograms = []testkit.Profile{
	{Name: "spins", Spins: true},
	{Name: "rounds", Rounds: true},
	{Name: "spins-sync", Spins: true, Sync: true},
	{Name: "both", Spins: true, Rounds: true},
	{Name: "spins-spawn", Spins: true, Spawn: true},
	{Name: "rounds-spawn", Rounds: true, Spawn: true},
	{Name: "rounds-sync", Rounds: true, Sync: true},
	{Name: "rounds-starts", Rounds: true, Spins: true, Shared: true},
}

// endlessUnroll bounds the rounds of loops for engines that unroll those whose rounds change something.
const endlessUnroll = 3

// endlessOf compares what the engines say about endless loops of a program under a model with the graph of all
// states, if it is not too big: they report them exactly where there is a state from which memory never changes and no
// execution ends. They may report more, for rounds that write and take it back, but only where no execution ends. If
// the graph is too big, they are compared with each other, and what they report with the components that
// explicit finds.
func endlessOf(flat *ir.Program, props *property.Set, m memory.Model, count func(testkit.Answers)) string {
	want, err := testkit.OracleUpTo(flat, props, m, 6000)
	big := errors.Is(err, testkit.ErrTooBig)
	if err != nil && !big {
		return fmt.Sprintf("enumerator: %v", err)
	}
	if big {
		fair := *props
		fair.Fairness, fair.Endless, fair.Deadlock, fair.Checks = property.Random, false, false, false
		all, err := testkit.Ask(testkit.Explicit, flat, &fair, m, testkit.How{Memory: 1 << 20})
		if errors.Is(err, testkit.ErrTooBig) {
			return ""
		}
		if err != nil {
			return fmt.Sprintf("fair: %v", err)
		}
		still, err := testkit.Ask(testkit.Explicit, flat, props, m, testkit.How{NoReduction: true, Memory: 1 << 20})
		if errors.Is(err, testkit.ErrTooBig) {
			return ""
		}
		if err != nil {
			return fmt.Sprintf("explicit without reductions: %v", err)
		}
		want.NeverEnds, want.InVain, want.Endless = all.Endless, all.Endless, still.Endless
	}
	count(want)
	for _, e := range []struct {
		engine *engine.Engine
		how    testkit.How
	}{{testkit.Explicit, testkit.How{}}, {testkit.Explicit, testkit.How{NoReduction: true}}, {&smc.Engine, testkit.How{Unroll: endlessUnroll, Work: 110 * budget.Millisecond}}, {&rf.Engine, testkit.How{Unroll: endlessUnroll, Work: 100 * budget.Millisecond}}} {
		if e.engine.Supports(&engine.Task{Program: flat, Props: props, Model: m}) != nil {
			continue
		}
		got, err := testkit.Ask(e.engine, flat, props, m, e.how)
		switch {
		case errors.Is(err, testkit.ErrTooBig):
		case err != nil && e.engine == &rf.Engine && strings.Contains(err.Error(), "gave up: rf does not take"):
		case err != nil:
			return fmt.Sprintf("%s: %v", e.engine.Name, err)
		case got.Endless && !want.NeverEnds:
			return fmt.Sprintf("%s reports endless loops, but every state has an execution that ends", e.engine.Name)
		case got.Endless && !want.InVain:
			return fmt.Sprintf("%s reports endless loops, but all of them are meant to go on for ever", e.engine.Name)
		case want.Endless && !got.Endless && !got.Cut:
			return fmt.Sprintf("%s misses endless loops (%+v)", e.engine.Name, e.how)
		}
	}
	return ""
}

func TestEndlessAgainstDefinition(t *testing.T) {
	compared, endless := 0, 0
	problem := func(p *testkit.Program) string {
		flat, props := p.Flat()
		props.Goals, props.Final, props.Endless = nil, nil, true
		for _, m := range testkit.Models {
			what := endlessOf(flat, props, m, func(a testkit.Answers) {
				compared++
				if a.Endless {
					endless++
				}
			})
			if what != "" {
				return fmt.Sprintf("%s: %s", m, what)
			}
		}
		return ""
	}
	n := *programs / 2
	for i := range n {
		seed := uint64(*firstSeed) + uint64(i)
		p := testkit.Generate(seed, waitingPrograms[seed%uint64(len(waitingPrograms))])
		if what := problem(p); what != "" {
			small := testkit.Shrink(p, func(q *testkit.Program) bool { return problem(q) != "" })
			flat, _ := small.Flat()
			t.Fatalf("seed %d: %s\nshrunk to:\n%s", seed, problem(small), irtext.Print(flat))
		}
	}
	t.Logf("%d comparisons, %d with endless loops", compared, endless)
	if endless < n/10 {
		t.Errorf("only %d of %d comparisons had endless loops", endless, compared)
	}
}

// fairPrograms has, in addition, programs with loops that may stop at any time.
var fairPrograms = append([]testkit.Profile{{Name: "loops", Loops: true}, {Name: "loops-sync", Loops: true, Sync: true}, {Name: "loops-rounds", Loops: true, Rounds: true}, {Name: "loops-inside", Loops: true, Inside: true}}, waitingPrograms...)

// TestFairAgainstDefinition: explicit finds a fair endless execution exactly where the graph of all states
// has one: under random fairness a state from which no execution ends, under weak fairness a set of states
// in which every condition can be met again and again. So it is where the execution has to be one in which a thread starves.
func TestFairAgainstDefinition(t *testing.T) {
	compared, starves := 0, 0
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
			props.Fairness = property.Weak
			for _, one := range flat.Threads {
				props.Endless, props.Starving = true, one.Name
				want, err := testkit.OracleUpTo(flat, props, m, 600)
				if err != nil {
					return fmt.Sprintf("%s: enumerator: %v", m, err)
				}
				props.Endless = false
				got, err := testkit.Ask(testkit.Explicit, flat, props, m, testkit.How{})
				switch {
				case err != nil:
					return fmt.Sprintf("%s: explicit: %v", m, err)
				case got.Endless != want.Fair:
					return fmt.Sprintf("%s: starvation of %s: want %v, got %v", m, one.Name, want.Fair, got.Endless)
				case want.Fair:
					starves++
				}
			}
			props.Endless, props.Starving = true, ""
		}
		return ""
	}
	n := *programs / 2
	for i := range n {
		seed := uint64(*firstSeed) + uint64(i)
		p := testkit.Generate(seed, fairPrograms[seed%uint64(len(fairPrograms))])
		if what := problem(p); what != "" {
			small := testkit.Shrink(p, func(q *testkit.Program) bool { return problem(q) != "" })
			flat, _ := small.Flat()
			t.Fatalf("seed %d: %s\nshrunk to:\n%s", seed, problem(small), irtext.Print(flat))
		}
	}
	t.Logf("%d comparisons, %d endless under random fairness, %d under weak; %d threads starve", compared, found[property.Random], found[property.Weak], starves)
	if found[property.Random] < n/20 || found[property.Weak] <= found[property.Random] || starves < n/20 {
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
		opt.Endless = query.Endless{Liveness: query.LivenessFair}
		run := pipeline.Open(c.Input)
		if err := run.Read(t.Context(), pipeline.ReadOptions{Options: opt.Options}); err != nil {
			t.Fatal(err)
		}
		flat, err := run.FlattenFixed(opt.Options)
		if err != nil {
			t.Fatal(err)
		}
		props := *run.Props
		pipeline.AskEndless(&opt.Endless, &props)
		for _, m := range testkit.Models {
			want, err := testkit.OracleUpTo(flat, &props, m, 4000)
			if errors.Is(err, testkit.ErrTooBig) {
				continue
			}
			if err != nil {
				t.Fatalf("%s under %s: %v", c.Name(), m, err)
			}
			answer, err := check.Run(t.Context(), c.Input, opt.Under(query.Model(m.String())))
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

// TestSectionStarves: a thread that goes through sections for ever may be inside one whenever a store of another thread
// would have its turn.
func TestSectionStarves(t *testing.T) {
	p, diags := irtext.Parse("sections.ir", []byte(`program sections flat
object y size 8

func t0() {
  L0 -> L1: store [&y] = 1 in y
}

func t1() {
  L0 -> L1: nop
  L1 -> L2: atomicbegin
  L2 -> L3: atomicend
  L3 -> L0: nop
}

thread t0 = t0()
thread t1 = t1()
`))
	if diags.HasErrors() {
		t.Fatalf("%+v", diags.All)
	}
	for name, want := range map[string]bool{"t0": true, "t1": false} {
		props := &property.Set{Fairness: property.Weak, Starving: name}
		got, err := testkit.Ask(testkit.Explicit, p, props, memory.SC, testkit.How{})
		if err != nil || got.Endless != want {
			t.Errorf("starvation of %s: %+v (%v), want %v", name, got, err, want)
		}
	}
}
