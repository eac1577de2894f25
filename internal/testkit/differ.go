package testkit

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"fencepost/internal/budget"
	"fencepost/internal/engine"
	"fencepost/internal/engine/explicit"
	"fencepost/internal/ir"
	"fencepost/internal/memory"
	"fencepost/internal/property"
	"fencepost/internal/replay"
	"fencepost/internal/shorten"
)

// Explicit is the engine explicit, for tests of packages that may not import it. Tests
// compare the other engines with it.
var Explicit = &explicit.Engine

// Models has all memory models, strongest first.
var Models = []memory.Model{memory.SC, memory.TSO, memory.PSO}

// Answers has what an engine or the enumerator found in all executions.
type Answers struct {
	Finals   []string
	Checks   []string // class and edge of each check that can fail
	Goals    []int
	Final    bool // the final condition has an example or counterexample
	Deadlock bool
	// Endless says that loops which only wait can go on for ever. NeverEnds, which only the oracle has,
	// says that some state has no execution from it that ends or stops.
	Endless, NeverEnds bool
	InVain             bool // the oracle's: besides, some thread waits in vain
	Fair               bool // the oracle's: some endless execution is weakly fair
	Cut                bool // an engine's: it met a bound
	Race               bool // under c11: there is a data race
	States             int64
}

// ErrTooBig means that a program has too many states for the oracle.
var ErrTooBig = errors.New("too many states for the oracle")

// oracleStates is the number of states after which the oracle gives up.
const oracleStates = 30000

// oracleBuffer is the length of a buffer at which the oracle gives up: where a loop stores for ever, each state is larger
// than the one before.
const oracleBuffer = 128

// Oracle returns the answers of the enumerator of package replay. It fails with ErrTooBig
// if the program has too many states.
func Oracle(p *ir.Program, props *property.Set, m memory.Model) (Answers, error) {
	return OracleUpTo(p, props, m, oracleStates)
}

// OracleUpTo is Oracle for programs of at most so many states.
func OracleUpTo(p *ir.Program, props *property.Set, m memory.Model, states int) (Answers, error) {
	rm, err := replay.ParseModel(m.String())
	if err != nil {
		return Answers{}, err
	}
	out, err := replay.Enumerate(p, props, rm, replay.Limits{States: states, Buffer: oracleBuffer})
	if err != nil {
		return Answers{}, err
	}
	if out.Truncated {
		return Answers{}, ErrTooBig
	}
	a := Answers{Finals: out.Finals, Final: out.Final, Deadlock: out.Deadlock, Endless: out.Endless, NeverEnds: out.NeverEnds, InVain: out.InVain, Fair: out.Fair, States: int64(out.States)}
	for _, v := range out.Violations {
		a.Checks = append(a.Checks, fmt.Sprintf("%s@%d", v.Class, v.Edge))
	}
	for g, reached := range out.Goals {
		if reached {
			a.Goals = append(a.Goals, g)
		}
	}
	slices.Sort(a.Checks)
	return a, nil
}

// How has the options for Ask.
type How struct {
	Buffer      int // bound on buffer entries; 0 for none
	Unroll      int // bound on the rounds of loops, for engines that have one; 0 for none
	Workers     int
	Memory      int64 // memory limit in bytes; 0 for none
	NoReduction bool
	First       bool  // stop at the first violation, and collect no final states
	Work        int64 // how much the engine may do (package budget); 0 for any amount
}

// Ask returns the answers of an engine about all properties. It fails if the engine does
// not finish or a witness does not replay, and with ErrTooBig at the limit of memory or work.
func Ask(e *engine.Engine, p *ir.Program, props *property.Set, m memory.Model, how How) (Answers, error) {
	task := &engine.Task{
		Program: p, Props: props, Model: m, KeepGoing: !how.First, Finals: !how.First, NoReduction: how.NoReduction,
		Limits: engine.Limits{Buffer: how.Buffer, Unroll: how.Unroll, Workers: max(1, how.Workers), Memory: how.Memory},
	}
	ctx, over := limited(how.Work)
	out, err := e.Run(ctx, task)
	if err != nil {
		return Answers{}, err
	}
	if how.Memory > 0 && strings.Contains(out.Unknown, "memory limit") || out.Unknown != "" && over() {
		return Answers{}, ErrTooBig
	}
	if out.Unknown != "" {
		return Answers{}, fmt.Errorf("%s gave up: %s", e.Name, out.Unknown)
	}
	a := Answers{Finals: out.Finals, States: out.Stats.States, Cut: len(out.Coverage.Met()) > 0}
	rm, err := replay.ParseModel(m.String())
	if err != nil {
		return Answers{}, err
	}
	for i := range out.Violations {
		v := &out.Violations[i]
		want := replay.Expect{Class: v.Class, Edge: v.Edge, Goal: v.Goal}
		switch v.Kind {
		case engine.CheckFailed:
			want.Target = replay.TargetCheck
			a.Checks = append(a.Checks, fmt.Sprintf("%s@%d", v.Class, v.Edge))
		case engine.GoalReached:
			want.Target = replay.TargetGoal
			a.Goals = append(a.Goals, v.Goal)
		case engine.FinalViolated:
			want.Target = replay.TargetFinal
			a.Final = true
		case engine.Deadlock:
			want.Target = replay.TargetDeadlock
			a.Deadlock = true
		case engine.DataRace:
			want.Target, want.DataRace = replay.TargetDataRace, [2]int{v.StoreStep, v.LoadStep}
			a.Race = true
		case engine.NonTermination:
			want.Target = replay.TargetEndless
			a.Endless = true
			if v.Witness.Repeats > 0 {
				break
			}
			if v.Witness, err = shorten.AddRounds(p, m, v.Witness); err != nil {
				return Answers{}, err
			}
		}
		if err := replay.Replay(p, props, rm, v.Witness, want); err != nil {
			return Answers{}, fmt.Errorf("witness of %s does not replay: %w", v.Kind, err)
		}
	}
	slices.Sort(a.Checks)
	slices.Sort(a.Goals)
	return a, nil
}

// limited returns a context that ends when as much work has been done, and whether it has; 0 is for any amount.
func limited(work int64) (ctx context.Context, over func() bool) {
	if work == 0 {
		return context.Background(), func() bool { return false }
	}
	b := budget.New()
	b.Grant(work)
	ctx, cancel := context.WithCancel(budget.With(context.Background(), b))
	go func() {
		select {
		case <-b.Used():
			cancel()
		case <-ctx.Done():
		}
	}()
	return ctx, func() bool {
		ended := ctx.Err() != nil
		cancel()
		return ended
	}
}

// Found reports whether the answers have any violation.
func (a Answers) Found() bool {
	return len(a.Checks)+len(a.Goals) > 0 || a.Final || a.Deadlock || a.Endless
}

// Difference returns a text that says how two answers differ, or "" if they are equal.
func Difference(want, got Answers) string {
	switch {
	case !slices.Equal(want.Finals, got.Finals):
		return fmt.Sprintf("final states: want %q, got %q", want.Finals, got.Finals)
	case !slices.Equal(want.Checks, got.Checks):
		return fmt.Sprintf("failing checks: want %v, got %v", want.Checks, got.Checks)
	case !slices.Equal(want.Goals, got.Goals):
		return fmt.Sprintf("goals reached: want %v, got %v", want.Goals, got.Goals)
	case want.Final != got.Final:
		return fmt.Sprintf("final condition decided: want %v, got %v", want.Final, got.Final)
	case want.Deadlock != got.Deadlock:
		return fmt.Sprintf("deadlock: want %v, got %v", want.Deadlock, got.Deadlock)
	}
	return ""
}

// Contradiction returns a text that says why two answers cannot both be right, or "". Each of them may have met a bound:
// it need not have found everything then.
func Contradiction(want, got Answers) string {
	if d := missing(want, got); d != "" && !got.Cut {
		return "no bound is named, but it misses " + d
	}
	if d := missing(got, want); d != "" && !want.Cut {
		return "made up: " + d
	}
	return ""
}

// missing returns a text that names something found in a and not in b, or "".
func missing(a, b Answers) string {
	switch {
	case !Subset(a.Finals, b.Finals):
		return fmt.Sprintf("final states: %q against %q", a.Finals, b.Finals)
	case !Subset(a.Checks, b.Checks):
		return fmt.Sprintf("failing checks: %v against %v", a.Checks, b.Checks)
	case len(a.Goals) > len(b.Goals):
		return fmt.Sprintf("goals: %v against %v", a.Goals, b.Goals)
	case a.Final && !b.Final:
		return "the final condition fails"
	case a.Deadlock && !b.Deadlock:
		return "a deadlock"
	}
	return ""
}

// Subset reports whether every string of a is in b, which is sorted.
func Subset(a, b []string) bool {
	for _, s := range a {
		if _, ok := slices.BinarySearch(b, s); !ok {
			return false
		}
	}
	return true
}
