package explicit_test

import (
	"context"
	"path/filepath"
	"strings"
	"testing"

	"fencepost"
	"fencepost/internal/engine"
	"fencepost/internal/engine/explicit"
	"fencepost/internal/memory"
	"fencepost/internal/testkit"
	"fencepost/query"
	"fencepost/verdict"
)

// TestParts: states stored in parts give the same answers and counts as states
// stored whole, with one worker and with several.
func TestParts(t *testing.T) {
	programs := uint64(160)
	if testing.Short() {
		programs = 60
	}
	for seed := range programs {
		pr := testkit.Profiles[seed%uint64(len(testkit.Profiles))]
		flat, props := testkit.Generate(seed, pr).Flat()
		for _, m := range testkit.Models {
			var want testkit.Answers
			for i, how := range []struct {
				from, workers int
			}{{1 << 20, 1}, {0, 1}, {0, 3}, {1 << 20, 3}} {
				restore := explicit.InternFrom(how.from)
				got, err := testkit.Ask(&explicit.Engine, flat, props, m, testkit.How{Workers: how.workers})
				restore()
				if err != nil {
					t.Fatalf("seed %d, %s: %v", seed, m, err)
				}
				if i == 0 {
					want = got
				} else if d := testkit.Difference(want, got); d != "" || want.States != got.States {
					t.Fatalf("seed %d, %s, %+v: %s (%d and %d states)", seed, m, how, d, want.States, got.States)
				}
			}
		}
	}
}

// TestSymmetricParts: exchangeable threads are found whether states are stored
// whole or in parts.
func TestSymmetricParts(t *testing.T) {
	for seed := range uint64(60) {
		p := testkit.Generate(seed, testkit.Profile{Plain: true})
		p.Threads = [][]testkit.Stmt{p.Threads[0], p.Threads[0], p.Threads[0]}
		flat, props := p.Flat()
		props.Final = nil
		for _, m := range testkit.Models {
			var states [2]int64
			for i, from := range []int{0, 1 << 20} {
				restore := explicit.InternFrom(from)
				a, err := testkit.Ask(&explicit.Engine, flat, props, m, testkit.How{First: true})
				restore()
				if err != nil {
					t.Fatal(err)
				}
				states[i] = a.States
			}
			if states[0] != states[1] {
				t.Fatalf("seed %d, %s: %d states in parts, %d whole", seed, m, states[0], states[1])
			}
		}
	}
}

// TestSymmetricWarnings: an assertion that runs only in a thread that was exchanged for another one is reached.
func TestSymmetricWarnings(t *testing.T) {
	const text = "var lock, x;\nthread t * 2 { reg free, r; do { free = cas(lock, 0, 1); } while (free == 0); x = 1; r = x; assert r == 1; lock = 0; }\n"
	in := query.Input{Name: "lock.fp", Text: []byte(text)}
	answer, err := fencepost.Check(t.Context(), in, query.CheckOptions{Models: query.AllModels(), Engines: []query.Engine{"explicit"}})
	if err != nil || len(answer.Results) != 3 {
		t.Fatalf("%+v %v", answer, err)
	}
	for _, r := range answer.Results {
		if len(r.Warnings) > 0 {
			t.Errorf("%s: %+v", r.Model, r.Warnings)
		}
	}
}

// TestWorkersOnLargeLevels runs several workers on levels large enough to be
// shared.
func TestWorkersOnLargeLevels(t *testing.T) {
	p := &testkit.Program{Seed: 1}
	for i := range 4 {
		var body []testkit.Stmt
		for j := range 3 {
			body = append(body, testkit.Stmt{Kind: testkit.Rmw, Var: (i + j) % testkit.Vars, Size: 8, RMW: 2, Val: int64(1 + i), Reg: j})
		}
		p.Threads = append(p.Threads, body)
	}
	flat, props := p.Flat()
	var want testkit.Answers
	for i, workers := range []int{1, 2, 4} {
		got, err := testkit.Ask(&explicit.Engine, flat, props, memory.TSO, testkit.How{Workers: workers})
		if err != nil {
			t.Fatal(err)
		}
		if i == 0 {
			want = got
			continue
		}
		if d := testkit.Difference(want, got); d != "" || got.States != want.States {
			t.Errorf("%d workers: %s, %d and %d states", workers, d, want.States, got.States)
		}
	}
}

// TestUnsupported: what the engine cannot do is refused.
func TestUnsupported(t *testing.T) {
	structured, props := testkit.Generate(1, testkit.Profile{}).Build()
	if _, err := explicit.Run(context.Background(), &engine.Task{Program: structured, Props: props, Model: memory.SC}); err == nil {
		t.Error("a structured program is accepted")
	}
	flat, props := testkit.Generate(1, testkit.Profile{}).Flat()
	flat.Threads[0].Unbounded = true
	_, err := explicit.Run(context.Background(), &engine.Task{Program: flat, Props: props, Model: memory.SC})
	if err == nil || !strings.Contains(err.Error(), "any number of threads") {
		t.Errorf("any number of threads: %v", err)
	}
}

// TestCorpusReduction: on the programs of the corpus the reductions change no verdict and
// no final state. Without them a bound of the buffers may be met first: robustness has the reductions, too.
func TestCorpusReduction(t *testing.T) {
	if testing.Short() {
		t.Skip("long")
	}
	for _, c := range testkit.PartOf(t, testkit.LoadCorpus(t, filepath.Join(testkit.Root(t), "testdata", "corpus")), 6) {
		t.Run(strings.TrimSuffix(filepath.Base(c.Path), ".txtar"), func(t *testing.T) {
			t.Parallel()
			for _, finals := range []bool{false, true} {
				with := c.Options
				with.Finals = finals
				without := with
				without.NoReduction = true
				a, err := c.Check(with)
				if err != nil {
					t.Fatal(err)
				}
				b, err := c.Check(without)
				if err != nil {
					t.Fatal(err)
				}
				for i := range a {
					met := b[i].Verdict == verdict.Unknown && len(b[i].Coverage.Bounds) > 0
					if !met && a[i].Verdict != b[i].Verdict || strings.Join(a[i].FinalStates, "\n") != strings.Join(b[i].FinalStates, "\n") {
						t.Errorf("%s: with %s and %d final states, without %s and %d", a[i].Model,
							a[i].Verdict, len(a[i].FinalStates), b[i].Verdict, len(b[i].FinalStates))
					}
				}
			}
		})
	}
}
