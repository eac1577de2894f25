package rf_test

import (
	"cmp"
	"flag"
	"fmt"
	"testing"

	"fencepost/internal/engine"
	"fencepost/internal/engine/rf"
	"fencepost/internal/ir/irtext"
	"fencepost/internal/memory"
	"fencepost/internal/property"
	"fencepost/internal/testkit"
	"fencepost/internal/transform"
)

var twins = flag.Int("fp.peers", 40, "random programs with equal threads whose classes are counted, per model")

// TestPeers: no class is explored twice up to the exchange of equal threads; exchanging threads makes classes of the program,
// and all of them: the sizes of the orbits add up to the number of classes that performing every step in every state finds.
func TestPeers(t *testing.T) {
	for _, m := range testkit.Models {
		t.Run(m.String(), func(t *testing.T) {
			classes, orbits, explored, skipped := 0, 0, 0, 0
			for i := range fewer(*twins) {
				seed := uint64(*firstSeed + i)
				gen, pr := testkit.EqualThreads(seed)
				flat, _ := gen.Flat()
				p, _, err := transform.Unroll(flat, &property.Set{}, 2, nil)
				if err != nil {
					t.Fatal(err)
				}
				task := &engine.Task{Program: p, Props: &property.Set{}, Model: m, KeepGoing: true}
				y := memory.New(p, m, memory.Options{})
				groups := task.Peers(y)
				if len(groups) == 0 || rf.Engine.Supports(task) != nil || engine.WaitsInside(p) {
					skipped++
					continue
				}
				want, ok := testkit.NewTracker(y).ReadsFrom(*histories)
				if !ok {
					skipped++
					continue
				}
				o := testkit.NewOrbits(y, groups, (*testkit.Tracker).ReadsFromKey, want)
				var wrong error
				_, err = rf.ExploreAll(task, rf.Options{Traces: true, Symmetric: true}, func(steps []memory.Step) {
					if wrong == nil {
						wrong = o.Add(steps)
					}
				})
				if err = cmp.Or(err, wrong); err == nil && o.Sum != len(want) {
					err = fmt.Errorf("the sizes of %d orbits add up to %d, and there are %d classes", o.Number, o.Sum, len(want))
				}
				if err != nil {
					t.Fatalf("seed %d, %s: %v\nreproduce: go test ./internal/engine/rf -run TestPeers -fp.peers=1 -fp.seed=%d\n%v\n%s", seed, pr.Name, err, seed, groups, irtext.Print(p))
				}
				classes, orbits, explored = classes+len(want), orbits+o.Number, explored+o.Explored
			}
			t.Logf("%d classes, %d orbits, %d explored; %d programs skipped", classes, orbits, explored, skipped)
			if classes > 200 && explored*5 > classes*4 {
				t.Error("symmetry does not even save a fifth of the executions")
			}
		})
	}
}
