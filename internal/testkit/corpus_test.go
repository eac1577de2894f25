package testkit_test

import (
	"bytes"
	"flag"
	"path/filepath"
	"strings"
	"testing"

	"fencepost/internal/testkit"
	"fencepost/verdict"
)

var update = flag.Bool("update", false, "write the computed answers into the corpus")

func corpus(t *testing.T) []*testkit.Case {
	return testkit.LoadCorpus(t, filepath.Join(testkit.Root(t), "testdata", "corpus"))
}

// TestCorpus: every program of the corpus gets the verdicts its file expects,
// every violation replays (the pipeline fails otherwise), and the computed answers
// are those stored.
func TestCorpus(t *testing.T) {
	cases := corpus(t)
	if len(cases) < 40 {
		t.Errorf("only %d programs", len(cases))
	}
	for _, c := range cases {
		t.Run(strings.TrimSuffix(filepath.Base(c.Path), ".txtar"), func(t *testing.T) {
			t.Parallel()
			results, err := c.Check(c.Options)
			if err != nil {
				t.Fatal(err)
			}
			for _, r := range results {
				if got := r.Verdict.String(); got != c.Expect[r.Model] {
					t.Errorf("%s: want %s, got %s (%s)", r.Model, c.Expect[r.Model], got, r.Reason)
				}
				checkHonest(t, &r)
			}
			all := c.Options
			all.Finals = true
			results, err = c.Check(all)
			if err != nil {
				t.Fatal(err)
			}
			checkOrdered(t, results)
			got := testkit.Summary(results)
			if *update {
				if err := c.Store(got); err != nil {
					t.Fatal(err)
				}
			} else if !bytes.Equal(got, c.Stored()) {
				t.Errorf("answers changed (run with -update if they are right):\nstored:\n%s\ncomputed:\n%s", c.Stored(), got)
			}
		})
	}
}

// checkHonest: an unsafe has a witness, a safe states its coverage, an unknown a
// reason.
func checkHonest(t *testing.T, r *verdict.Result) {
	t.Helper()
	switch r.Verdict {
	case verdict.Unsafe, verdict.Observed:
		if r.Witness == nil {
			t.Errorf("%s: %s without a witness", r.Model, r.Verdict)
		}
	case verdict.Safe, verdict.NotObserved:
		if !r.Coverage.Exhaustive && len(r.Coverage.Bounds) == 0 {
			t.Errorf("%s: %s without coverage", r.Model, r.Verdict)
		}
	case verdict.Unknown:
		if r.Reason == "" {
			t.Errorf("%s: unknown without a reason", r.Model)
		}
	default:
		t.Errorf("%s: no verdict", r.Model)
	}
}

// checkOrdered: a weaker model has every final state of a stronger one.
func checkOrdered(t *testing.T, results []verdict.Result) {
	t.Helper()
	for i := 1; i < len(results); i++ {
		strong, weak := &results[i-1], &results[i]
		if len(weak.Coverage.Bounds) > 0 || len(strong.Coverage.Bounds) > 0 {
			continue // a bounded buffer may miss some
		}
		if !testkit.Subset(strong.FinalStates, weak.FinalStates) {
			t.Errorf("%s has final states that %s lacks", strong.Model, weak.Model)
		}
	}
}

// TestCorpusWorkers: several workers give the verdicts and counts of one.
func TestCorpusWorkers(t *testing.T) {
	for i, c := range corpus(t) {
		if i%4 != 0 {
			continue
		}
		t.Run(strings.TrimSuffix(filepath.Base(c.Path), ".txtar"), func(t *testing.T) {
			t.Parallel()
			one := c.Options
			one.Finals = true
			many := one
			many.Workers = 4
			a, err := c.Check(one)
			if err != nil {
				t.Fatal(err)
			}
			b, err := c.Check(many)
			if err != nil {
				t.Fatal(err)
			}
			for i := range a {
				x, y := a[i], b[i]
				if x.Verdict != y.Verdict || x.Stats.States != y.Stats.States || x.Stats.Transitions != y.Stats.Transitions {
					t.Errorf("%s: one worker %s %d/%d, four %s %d/%d", x.Model,
						x.Verdict, x.Stats.States, x.Stats.Transitions, y.Verdict, y.Stats.States, y.Stats.Transitions)
				}
			}
		})
	}
}
