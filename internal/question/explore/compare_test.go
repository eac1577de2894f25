package explore

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"fencepost/internal/memory"
	"fencepost/internal/pipeline"
	"fencepost/internal/testkit"
	"fencepost/query"
)

// TestCompareStoreBuffering: under SC the last load of store buffering reads another value, and flushes have nothing to do.
func TestCompareStoreBuffering(t *testing.T) {
	in := query.Input{Name: "p.fp", Text: []byte(sb)}
	state, matches, diags, err := Compare(context.Background(), in, query.ExploreOptions{Model: "tso", Run: strings.Fields("0 0 1 1 f0")}, "sc")
	if err != nil || state == nil {
		t.Fatal(diags, err)
	}
	if got := fmt.Sprint(matches); got != "[{true false  } {true false  } {true false  } {true false  1} {true true  }]" {
		t.Error(got)
	}
	const mp = "var data, flag; thread w { data = 1; flag = 1; } thread r { reg f; f = flag; }"
	in.Text = []byte(mp)
	_, matches, _, err = Compare(context.Background(), in, query.ExploreOptions{Model: "pso", Run: strings.Fields("0 0 f0.1 1")}, "tso")
	if err != nil || len(matches) != 4 || matches[2].Possible || matches[2].Reason != "waits: an older store is in front of it" || matches[3].Instead != "0" {
		t.Errorf("%+v %v", matches, err)
	}
	if _, _, _, err := Compare(context.Background(), in, query.ExploreOptions{Model: "tso", Run: []string{"f0"}}, "sc"); err == nil {
		t.Error("a run that is not possible was compared")
	}
}

// TestCompareWeaker: on random walks, every step is possible under the same model and under weaker ones, and reads the
// same value; package replay has the same states under the other model.
func TestCompareWeaker(t *testing.T) {
	profiles := append(slices.Clone(testkit.Profiles), testkit.Rare...)
	models := []memory.Model{memory.SC, memory.TSO, memory.PSO}
	different := 0
	for seed := range uint64(*walks / 2) {
		profile := profiles[seed%uint64(len(profiles))]
		flat, props := testkit.Generate(seed, profile).Flat()
		p := pipeline.Open(query.Input{Name: "p.fp"}).Program.With(props)
		rng := rand.New(rand.NewPCG(seed, 11))
		for k, model := range models {
			w := newWalk(p, flat, model)
			for range 25 {
				s := w.rec.State()
				s.Err = nil
				steps := w.y.Enabled(s, nil)
				if len(steps) == 0 || s.Faulted() {
					break
				}
				w.take(steps[rng.IntN(len(steps))], "?")
			}
			for j, there := range models {
				m := &matcher{from: w, to: newWalk(p, flat, there)}
				for i := range w.rec.Witness().Steps {
					got := m.step(i)
					if j >= k && (!got.Possible || got.Instead != "" || j == k && got.Nothing) {
						t.Fatalf("seed %d (%s): step %d of %s under %s: %+v", seed, profile.Name, i, model, there, got)
					}
					if !got.Possible || got.Instead != "" {
						different++
					}
				}
				if err := m.to.agree(); err != nil {
					t.Fatalf("seed %d (%s) under %s: %v", seed, profile.Name, there, err)
				}
			}
		}
	}
	if different == 0 {
		t.Error("no step was different under a stronger model: the test shows little")
	}
	t.Logf("%d steps are different under a stronger model", different)
}
