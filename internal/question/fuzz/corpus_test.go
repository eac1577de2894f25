package fuzz_test

import (
	"path/filepath"
	"testing"

	"fencepost/internal/question/fuzz"
	"fencepost/internal/testkit"
	"fencepost/query"
	"fencepost/verdict"
)

// maxRuns bounds the executions of a program of the corpus. Nearly all violations need fewer than 2,000; the one of Lamport's
// fast mutex for three threads needs 75,616.
const maxRuns = 100_000

// safeRuns is the number of executions of a program without a violation. Every violation is replayed, so few suffice.
const safeRuns = 20

// TestCorpus: random schedules find every violation of the corpus under sc, tso and pso, and nothing in programs that are
// safe.
func TestCorpus(t *testing.T) {
	found := 0
	for _, c := range testkit.LoadCorpus(t, filepath.Join(testkit.Root(t), "testdata", "corpus")) {
		for _, model := range []query.Model{query.SC, query.TSO, query.PSO} {
			want, ok := c.Expect[string(model)]
			if !ok {
				continue
			}
			violated := want == "unsafe" || want == testkit.Nonterminating || want == "observed"
			if violated {
				found++
			}
			t.Run(c.Name()+"/"+string(model), func(t *testing.T) {
				t.Parallel()
				opt := query.FuzzOptions{Options: c.Options.Options, Models: query.Models{model}, Deadlock: c.Options.Deadlock, Endless: c.Options.Endless, Runs: safeRuns}
				if violated {
					opt.Runs = maxRuns
				}
				answer, err := fuzz.Run(t.Context(), c.Input, opt)
				if err != nil || answer.HasErrors() {
					t.Fatalf("%v %+v", err, answer.Diagnostics)
				}
				r := &answer.Results[0]
				switch r.Verdict {
				case verdict.Unsafe, verdict.Observed:
					if !violated {
						t.Errorf("%s, and the corpus expects %s: %s", r.Verdict, want, r.Reason)
					}
				case verdict.Unknown:
					if violated {
						t.Errorf("nothing found, and the corpus expects %s: %s", want, r.Reason)
					}
				default:
					t.Errorf("%s is no answer of random schedules", r.Verdict)
				}
			})
		}
	}
	if found < 500 {
		t.Errorf("only %d violations", found)
	}
}
