package testkit

import (
	"context"
	"encoding/json"
	"flag"
	"math/rand/v2"
	"path/filepath"
	"reflect"
	"slices"
	"testing"

	"fencepost/internal/engine/rf"
	"fencepost/internal/question/check"
	"fencepost/query"
	"fencepost/verdict"
)

var everyPart = flag.Bool("fp.parts", false, "explore all programs of the corpus in parts under all models, not some")

// TestCorpusInParts: a check that is divided at random points answers as one run does, with the same counts, on
// programs of the corpus that engine rf takes and that are not too large.
func TestCorpusInParts(t *testing.T) {
	compared, divided := 0, 0
	for i, c := range LoadCorpus(t, filepath.Join("..", "..", "testdata", "corpus")) {
		for k, model := range []string{"sc", "tso", "pso"} {
			if (i+k)%6 != 0 && !*everyPart {
				continue
			}
			if c.Options.Robustness || c.Options.Races {
				continue
			}
			opt := c.Options
			opt.Engines, opt.KeepGoing = query.Engines{"rf"}, true
			x, _, err := check.Open(context.Background(), c.Input, opt.Under(query.Model(model)), "test")
			if err != nil {
				t.Fatalf("%s: %v", c.Name(), err)
			}
			if x == nil {
				continue // refused
			}
			found, left, err := x.Explore(context.Background(), [][]byte{x.Root(nil)}, rf.Limit{Graphs: 2000})
			if err != nil {
				t.Fatalf("%s: %v", c.Name(), err)
			}
			if len(left) > 0 || found.Torn && i%4 > 0 {
				continue
			}
			parts, sum := inParts(t, c.Name(), x, rand.New(rand.NewPCG(uint64(i), uint64(k))))
			got, err := x.Answer(context.Background(), *sum, nil, "", 1)
			if err != nil {
				t.Fatalf("%s under %s: %v", c.Name(), model, err)
			}
			want, err := check.Run(context.Background(), c.Input, opt.Under(query.Model(model)))
			if err != nil {
				t.Fatalf("%s under %s: %v", c.Name(), model, err)
			}
			if w, g := comparable1(t, want.Results), comparable1(t, got.Results); !reflect.DeepEqual(w, g) {
				t.Errorf("%s under %s:\none run  %+v\nin parts %+v", c.Name(), model, w, g)
			}
			compared, divided = compared+1, divided+parts
		}
	}
	t.Logf("%d programs in %d parts", compared, divided)
	if compared < 100 {
		t.Errorf("only %d programs were compared", compared)
	}
}

// inParts explores in portions of random length.
func inParts(t *testing.T, name string, x *check.Exploration, rng *rand.Rand) (int, *rf.Found) {
	t.Helper()
	n := 0
	sum, pending := &rf.Found{}, [][]byte{x.Root(nil)}
	for len(pending) > 0 {
		k := rng.IntN(len(pending))
		one := pending[k]
		pending = slices.Delete(pending, k, k+1)
		found, left, err := x.Explore(context.Background(), [][]byte{one}, rf.Limit{Graphs: 1 + rng.Int64N(60)})
		if err != nil {
			t.Fatal(name, err)
		}
		n++
		sum.Add(found)
		if pending = append(pending, left...); sum.Torn {
			pending, sum = [][]byte{x.Root(sum.Cells)}, &rf.Found{}
		} else if sum.Stopped {
			break
		}
	}
	return n, sum
}

// answered has the parts of an answer that do not depend on the order of executions.
type answered struct {
	Verdict  string
	Reasons  []string
	Coverage string
	Stats    verdict.Stats
	Finals   []string
	Warnings []verdict.Warning
	Asked    string
}

func comparable1(t *testing.T, results []verdict.Result) answered {
	t.Helper()
	if len(results) != 1 {
		t.Fatalf("%d results", len(results))
	}
	r := results[0]
	a := answered{Verdict: r.Verdict.String(), Stats: r.Stats, Finals: r.FinalStates, Warnings: r.Warnings}
	if a.Stats.Seconds, a.Stats.Bytes = 0, 0; a.Stats.Fingerprint == "" { // not everything was explored
		a.Stats = verdict.Stats{}
	}
	if len(r.Others) == 0 && r.Verdict != verdict.Unsafe {
		a.Reasons = []string{r.Reason}
	}
	for _, o := range append([]verdict.Violation{{Question: r.Question, Pos: r.Pos}}, r.Others...) {
		text, err := json.Marshal([]any{o.Question, o.Pos})
		if err != nil {
			t.Fatal(err)
		}
		a.Reasons = append(a.Reasons, string(text))
	}
	slices.Sort(a.Reasons)
	for _, part := range []struct {
		from any
		to   *string
	}{{r.Coverage, &a.Coverage}, {r.Asked, &a.Asked}} {
		text, err := json.Marshal(part.from)
		if err != nil {
			t.Fatal(err)
		}
		*part.to = string(text)
	}
	return a
}
