package testkit_test

import (
	"errors"
	"flag"
	"fmt"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"

	"fencepost/internal/engine/explicit"
	"fencepost/internal/ir/irtext"
	"fencepost/internal/memory"
	"fencepost/internal/testkit"
)

var (
	programs  = flag.Int("fp.programs", 200, "random programs per model")
	firstSeed = flag.Uint64("fp.seed", 1, "seed of the first random program")
	scaleAll  = flag.Bool("fp.scaling", false, "count the executions of every member of the families in C")
)

// TestExplicitAgainstEnumerator compares the explicit engine with the enumerator of
// package replay on random programs: they find the same final states, failing checks and
// deadlocks under every model, every witness replays, and weaker models have more
// behaviours. The enumerator gets calls that may fail as single operations, and decides
// itself whether they drain.
func TestExplicitAgainstEnumerator(t *testing.T) {
	var tooBig, states atomic.Int64
	inParallel(*programs, func(i int) {
		seed := *firstSeed + uint64(i)
		profiles := append(slices.Clone(testkit.Profiles), testkit.Rare[len(testkit.Rare)-1]) // the last one is about calls that fail
		pr := profiles[seed%uint64(len(profiles))]
		p := testkit.Generate(seed, pr)
		problem, n, skipped := compare(p)
		states.Add(n)
		tooBig.Add(skipped)
		if problem == "" {
			return
		}
		small := testkit.Shrink(p, func(q *testkit.Program) bool { s, _, _ := compare(q); return s != "" })
		problem, _, _ = compare(small)
		flat, _ := small.Flat()
		t.Errorf("profile %s, seed %d: %s\nreproduce: go test ./internal/testkit -run TestExplicitAgainstEnumerator -fp.programs=1 -fp.seed=%d\nshrunk to:\n%s",
			pr.Name, seed, problem, seed, irtext.Print(flat))
	})
	t.Logf("%d programs, 3 models each: %d states enumerated; %d questions too big for the oracle", *programs, states.Load(), tooBig.Load())
	if tooBig.Load()*10 > int64(*programs)*3 {
		t.Errorf("the oracle gave up on more than a tenth of the questions")
	}
}

// compare asks the engine and the enumerator about one program under all models. It
// returns the first problem, or "".
func compare(p *testkit.Program) (problem string, states, tooBig int64) {
	flat, props := p.Flat()
	whole := p.Unsplit()
	var prev testkit.Answers
	for i, m := range testkit.Models {
		got, err := testkit.Ask(&explicit.Engine, flat, props, m, testkit.How{})
		if err != nil {
			return fmt.Sprintf("%s: %v", m, err), states, tooBig
		}
		if i > 0 && !testkit.Subset(prev.Finals, got.Finals) {
			return fmt.Sprintf("%s loses final states of the stronger model", m), states, tooBig
		}
		if i > 0 && !testkit.Subset(prev.Checks, got.Checks) {
			return fmt.Sprintf("%s loses failing checks of the stronger model", m), states, tooBig
		}
		prev = got
		want, err := testkit.Oracle(whole, props, m)
		if errors.Is(err, testkit.ErrTooBig) {
			tooBig++
			continue
		}
		if err != nil {
			return fmt.Sprintf("%s: enumerator: %v", m, err), states, tooBig
		}
		states += want.States
		if d := testkit.Difference(want, got); d != "" {
			return fmt.Sprintf("%s: %s", m, d), states, tooBig
		}
	}
	return "", states, tooBig
}

// TestReduction: partial-order and symmetry reduction do not change the answers, on all
// profiles and on programs with loops, whose buffers are bounded.
func TestReduction(t *testing.T) {
	profiles := append([]testkit.Profile{
		{Name: "loops", Loops: true}, {Name: "loops-goal", Loops: true, Goal: true}, {Name: "loops-mixed", Loops: true, Mixed: true}, {Name: "loops-overlap", Loops: true, Overlap: true},
	}, testkit.Profiles...)
	var with, without, tooBig atomic.Int64
	inParallel(*programs, func(i int) {
		seed := *firstSeed + uint64(i)
		pr := profiles[seed%uint64(len(profiles))]
		problem := func(p *testkit.Program) string {
			flat, props := p.Flat()
			for _, m := range testkit.Models {
				plain, err := testkit.Ask(&explicit.Engine, flat, props, m, testkit.How{Buffer: 2, NoReduction: true, Memory: 16 << 20})
				if errors.Is(err, testkit.ErrTooBig) {
					tooBig.Add(1)
					return ""
				}
				if err != nil {
					return fmt.Sprintf("%s without: %v", m, err)
				}
				reduced, err := testkit.Ask(&explicit.Engine, flat, props, m, testkit.How{Buffer: 2})
				if err != nil {
					return fmt.Sprintf("%s with: %v", m, err)
				}
				if d := testkit.Difference(plain, reduced); d != "" {
					return fmt.Sprintf("%s: without against with: %s", m, d)
				}
				with.Add(reduced.States)
				without.Add(plain.States)
			}
			return ""
		}
		p := testkit.Generate(seed, pr)
		if what := problem(p); what != "" {
			small := testkit.Shrink(p, func(q *testkit.Program) bool { return problem(q) != "" })
			flat, props := small.Flat()
			t.Errorf("profile %s, seed %d: %s\ngoals %+v\nreproduce: go test ./internal/testkit -run TestReduction -fp.programs=1 -fp.seed=%d\nshrunk to:\n%s",
				pr.Name, seed, problem(small), props.Goals, seed, irtext.Print(flat))
		}
	})
	t.Logf("%d programs, 3 models each: %d states with reduction, %d without; %d programs too big", *programs, with.Load(), without.Load(), tooBig.Load())
	if with.Load() >= without.Load() {
		t.Error("the reduction reduces nothing")
	}
	if tooBig.Load()*10 > int64(*programs) {
		t.Error("more than a tenth of the programs were too big")
	}
}

// TestSymmetry: symmetry reduction does not change the verdicts about programs with several
// copies of a thread, for one property at a time.
func TestSymmetry(t *testing.T) {
	profiles := []testkit.Profile{{Name: "core"}, {Name: "loops", Loops: true}, {Name: "mixed", Mixed: true}, {Name: "overlap", Overlap: true}}
	var with, without, asked, tooBig atomic.Int64
	inParallel(*programs/5, func(i int) {
		seed := *firstSeed + uint64(i)
		p := testkit.Generate(seed, profiles[seed%uint64(len(profiles))])
		p.Threads = p.Threads[:min(2, len(p.Threads))]
		for range 1 + seed%2 {
			p.Threads = append(p.Threads, p.Threads[0])
		}
		for question := range 3 {
			problem := func(p *testkit.Program) string {
				flat, props := p.Flat()
				props.Deadlock = props.Deadlock && question == 1
				if question != 2 || !props.Final.Cond.MentionsMemory() {
					props.Final = nil
				}
				for _, m := range testkit.Models {
					asked.Add(1)
					plain, err := testkit.Ask(&explicit.Engine, flat, props, m, testkit.How{Buffer: 2, NoReduction: true, First: true, Memory: 2 << 20})
					if errors.Is(err, testkit.ErrTooBig) {
						tooBig.Add(1)
						return ""
					}
					if err != nil {
						return fmt.Sprintf("%s without: %v", m, err)
					}
					reduced, err := testkit.Ask(&explicit.Engine, flat, props, m, testkit.How{Buffer: 2, First: true})
					if err != nil {
						return fmt.Sprintf("%s with: %v", m, err)
					}
					if plain.Found() != reduced.Found() {
						return fmt.Sprintf("%s: found %v without, %v with", m, plain.Found(), reduced.Found())
					}
					if !plain.Found() {
						with.Add(reduced.States)
						without.Add(plain.States)
					}
				}
				return ""
			}
			if what := problem(p); what != "" {
				small := testkit.Shrink(p, func(q *testkit.Program) bool { return problem(q) != "" })
				flat, _ := small.Flat()
				t.Errorf("seed %d: %s\nreproduce: go test ./internal/testkit -run TestSymmetry -fp.programs=1 -fp.seed=%d\nshrunk to:\n%s",
					seed, problem(small), seed, irtext.Print(flat))
			}
		}
	})
	t.Logf("%d programs, %d questions: %d states with, %d without; %d questions too big", *programs/5, asked.Load(), with.Load(), without.Load(), tooBig.Load())
	if tooBig.Load()*5 > asked.Load() {
		t.Error("more than a fifth of the questions were too big")
	}
	if with.Load()*2 >= without.Load() {
		t.Error("the reductions do not even halve the states")
	}
}

// TestFencedProgramsAreSC: with a full fence after every store, the weak models have the
// behaviours of SC.
func TestFencedProgramsAreSC(t *testing.T) {
	inParallel(*programs/4, func(i int) {
		seed := *firstSeed + uint64(i)
		p := testkit.Generate(seed, testkit.Profile{Name: "fenced", FenceAll: true, Mixed: i%2 == 0, Overlap: i%5 == 0})
		flat, props := p.Flat()
		sc, err := testkit.Ask(&explicit.Engine, flat, props, memory.SC, testkit.How{})
		if err != nil {
			t.Errorf("seed %d: sc: %v", seed, err)
			return
		}
		for _, m := range []memory.Model{memory.TSO, memory.PSO} {
			weak, err := testkit.Ask(&explicit.Engine, flat, props, m, testkit.How{})
			if err != nil {
				t.Errorf("seed %d: %s: %v", seed, m, err)
				return
			}
			sc.States, weak.States = 0, 0
			if d := testkit.Difference(sc, weak); d != "" {
				t.Errorf("seed %d: sc against %s: %s\n%s", seed, m, d, irtext.Print(flat))
			}
		}
	})
}

// TestWeakModelsAreWeaker: the random programs show differences between the models, so
// that the comparisons above can fail.
func TestWeakModelsAreWeaker(t *testing.T) {
	var tso, pso atomic.Int64
	inParallel(200, func(i int) {
		flat, props := testkit.Generate(uint64(i), testkit.Profile{Plain: true}).Flat()
		var finals [3]int
		for j, m := range testkit.Models {
			a, err := testkit.Ask(&explicit.Engine, flat, props, m, testkit.How{})
			if err != nil {
				t.Errorf("seed %d: %v", i, err)
				return
			}
			finals[j] = len(a.Finals)
		}
		if finals[1] > finals[0] {
			tso.Add(1)
		}
		if finals[2] > finals[1] {
			pso.Add(1)
		}
	})
	if tso.Load() < 10 || pso.Load() < 10 {
		t.Errorf("of 200 programs only %d show TSO and %d PSO", tso.Load(), pso.Load())
	}
}

// inParallel runs f for 0..n-1 on all cores.
func inParallel(n int, f func(i int)) {
	var next atomic.Int64
	var wg sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for {
				i := int(next.Add(1)) - 1
				if i >= n {
					return
				}
				f(i)
			}
		}()
	}
	wg.Wait()
}
