package smc_test

import (
	"cmp"
	"errors"
	"flag"
	"fmt"
	"testing"

	"fencepost/internal/engine"
	"fencepost/internal/engine/smc"
	"fencepost/internal/ir/irtext"
	"fencepost/internal/memory"
	"fencepost/internal/property"
	"fencepost/internal/testkit"
	"fencepost/internal/transform"
)

var twins = flag.Int("fp.peers", 40, "random programs with equal threads whose traces are counted, per model")

// TestPeers: no trace is explored twice up to the exchange of equal threads, and none is cut off; exchanging threads makes
// traces of the program, and all of them: the sizes of the orbits add up to the number of traces that performing every
// step in every state finds.
func TestPeers(t *testing.T) {
	for _, m := range testkit.Models {
		t.Run(m.String(), func(t *testing.T) {
			traces, orbits, explored, skipped := 0, 0, 0, 0
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
				if len(groups) == 0 || smc.Engine.Supports(task) != nil || engine.WaitsInside(p) {
					skipped++
					continue
				}
				want, ok := testkit.NewTracker(y).Traces(*histories)
				if !ok {
					skipped++
					continue
				}
				o := testkit.NewOrbits(y, groups, (*testkit.Tracker).Key, want)
				var wrong error
				n, err := smc.ExploreAll(task, smc.Options{Traces: true, Symmetric: true}, func(steps []memory.Step, _ string) {
					if wrong == nil {
						wrong = o.Add(steps)
					}
				})
				if err = cmp.Or(err, wrong); err == nil && (n.Asleep > 0 || o.Sum != len(want)) {
					err = fmt.Errorf("%d executions are cut off; the sizes of %d orbits add up to %d, and there are %d traces", n.Asleep, o.Number, o.Sum, len(want))
				}
				if err != nil {
					t.Fatalf("seed %d, %s: %v\nreproduce: go test ./internal/engine/smc -run TestPeers -fp.peers=1 -fp.seed=%d\n%v\n%s", seed, pr.Name, err, seed, groups, irtext.Print(p))
				}
				traces, orbits, explored = traces+len(want), orbits+o.Number, explored+o.Explored
			}
			t.Logf("%d traces, %d orbits, %d executions explored; %d programs skipped", traces, orbits, explored, skipped)
			if traces > 500 && explored*2 > traces {
				t.Error("symmetry does not even halve the executions")
			}
		})
	}
}

// TestPeersAgree: up to the exchange of equal threads a violation is found where the explicit engine finds one without
// reduction, for one property at a time, and it replays.
func TestPeersAgree(t *testing.T) {
	found, asked, tooBig := 0, 0, 0
	for i := range fewer(*compared / 2) {
		seed := uint64(*firstSeed + i)
		for question := range 3 {
			gen, pr := testkit.EqualThreads(seed)
			flat, props := gen.Flat()
			props.Deadlock = props.Deadlock && question == 1
			if question != 2 || !props.Final.Cond.MentionsMemory() {
				props.Final = nil
			}
			m := testkit.Models[(i+question)%3]
			if smc.Engine.Supports(&engine.Task{Program: flat, Props: props, Model: m}) != nil {
				continue
			}
			want, err := testkit.Ask(testkit.Explicit, flat, props, m, testkit.How{NoReduction: true, First: true, Memory: 2 << 20})
			if errors.Is(err, testkit.ErrTooBig) {
				tooBig++
				continue
			}
			if err != nil {
				t.Fatal(err)
			}
			got, err := testkit.Ask(&smc.Engine, flat, props, m, testkit.How{First: true})
			if err != nil || want.Found() != got.Found() {
				t.Fatalf("seed %d, %s, %s, question %d: found %v, explicit %v, %v\n%s", seed, pr.Name, m, question, got.Found(), want.Found(), err, irtext.Print(flat))
			}
			if asked++; want.Found() {
				found++
			}
		}
	}
	t.Logf("%d questions, %d with a violation, %d too big", asked, found, tooBig)
	if asked > 100 && (found*20 < asked || found*20 > asked*19) {
		t.Error("the programs are all alike")
	}
}
