package robust_test

import (
	"context"
	"flag"
	"testing"

	"fencepost/internal/engine"
	"fencepost/internal/engine/robust"
	"fencepost/internal/ir"
	"fencepost/internal/memory"
	"fencepost/internal/property"
	"fencepost/internal/testkit"
	"fencepost/internal/trace"
	"fencepost/verdict"
)

var programs = flag.Int("fp.programs", 400, "random programs")

// TestDefinition holds the search against the definition on random programs
// without loops: every TSO execution, enumerated without reduction, and whether
// its happens-before relation has a cycle [BDM13 Lemma 1]. A robust program has the
// final states of SC under TSO.
func TestDefinition(t *testing.T) {
	profiles := []testkit.Profile{{Name: "plain", Plain: true}, {Name: "mixed", Plain: true, Mixed: true}, {Name: "plain", Plain: true}, {Name: "core"}}
	robustOnes, broken, skipped := 0, 0, 0
	for seed := range uint64(*programs) {
		p := small(seed, profiles[seed%uint64(len(profiles))])
		flat, props := p.Flat()
		cyclic, ok := cyclicExecution(flat)
		if !ok {
			skipped++
			continue
		}
		got := len(attacks(t, flat, false)) == 0
		if got == cyclic {
			fails := func(q *testkit.Program) bool {
				flat, _ := q.Flat()
				cyclic, ok := cyclicExecution(flat)
				return ok && (len(attacks(t, flat, false)) == 0) == cyclic
			}
			flat, _ := testkit.Shrink(p, fails).Flat()
			t.Fatalf("seed %d: robust %v, but a cyclic execution exists: %v\n%s", seed, got, cyclic, ir.Print(flat))
		}
		if !got {
			broken++
			continue
		}
		robustOnes++
		sc, err := testkit.Ask(testkit.Explicit, flat, props, memory.SC, testkit.How{})
		if err != nil {
			t.Fatal(err)
		}
		tso, err := testkit.Ask(testkit.Explicit, flat, props, memory.TSO, testkit.How{})
		if err != nil {
			t.Fatal(err)
		}
		if d := testkit.Difference(sc, tso); d != "" {
			t.Errorf("seed %d: robust, but %s", seed, d)
		}
	}
	t.Logf("%d robust, %d not, %d too large to enumerate", robustOnes, broken, skipped)
	if robustOnes < *programs/20 || broken < *programs/20 {
		t.Error("the programs are too much alike")
	}
}

// small cuts a random program down to what can be enumerated, and takes out what
// ends the program: robustness looks at threads that merely stop there.
func small(seed uint64, pr testkit.Profile) *testkit.Program {
	p := testkit.Generate(seed, pr)
	p.Threads = p.Threads[:min(3, len(p.Threads))]
	var keep func(list []testkit.Stmt) []testkit.Stmt
	keep = func(list []testkit.Stmt) []testkit.Stmt {
		var out []testkit.Stmt
		for _, s := range list {
			switch s.Kind {
			case testkit.Assert, testkit.Exit, testkit.Spin, testkit.Loop:
				continue
			}
			s.Body, s.Else = keep(s.Body), keep(s.Else)
			out = append(out, s)
		}
		return out
	}
	for i := range p.Threads {
		list := keep(p.Threads[i])
		p.Threads[i] = list[:min(len(list), 6-len(p.Threads))]
	}
	return p
}

// attacks are the feasible ones, each with a witness that the engine has checked
// for a cycle.
func attacks(t *testing.T, p *ir.Program, all bool) []engine.Violation {
	t.Helper()
	out, err := robust.Run(context.Background(), &engine.Task{
		Program: p, Props: &property.Set{}, KeepGoing: all, Limits: engine.Limits{Workers: 1},
	})
	if err != nil {
		t.Fatal(err)
	}
	if out.Unknown != "" {
		t.Fatal(out.Unknown)
	}
	return out.Violations
}

// maxExecutions is how many executions of one program are looked at.
const maxExecutions = 2500

// cyclicExecution reports whether some TSO execution has a cycle; ok is false if
// there are too many to tell.
func cyclicExecution(p *ir.Program) (cyclic, ok bool) {
	y := memory.New(p, memory.TSO, memory.Options{})
	s := y.NewState()
	var path []memory.Step
	left := maxExecutions
	var walk func() bool
	walk = func() bool {
		steps := y.Enabled(s, nil)
		if len(steps) == 0 {
			left--
			return trace.New(p, record(y, path)).Cycle() != nil
		}
		for _, st := range steps {
			if left <= 0 {
				return false
			}
			mark := s.Mark()
			y.Apply(s, st)
			path = append(path, st)
			n, base := len(path), len(s.Trail())
			found := false
			y.Settle(s, int(st.Thread), func() {
				path = append(path[:n], s.Trail()[base:]...)
				found = found || walk()
				path = path[:n]
			})
			path = path[:n-1]
			s.Undo(mark)
			if found {
				return true
			}
		}
		return false
	}
	found := false
	y.SettleAll(s, func() {
		path = append(path[:0], s.Trail()...)
		found = found || walk()
	})
	return found, found || left > 0
}

func record(y *memory.System, path []memory.Step) *verdict.Witness {
	r := engine.NewRecorder(y)
	for _, st := range path {
		r.Step(st)
	}
	return r.Witness()
}
