package smc_test

import (
	"flag"
	"testing"

	"fencepost/internal/engine"
	"fencepost/internal/engine/smc"
	"fencepost/internal/ir"
	"fencepost/internal/memory"
	"fencepost/internal/property"
	"fencepost/internal/testkit"
	"fencepost/internal/transform"
)

var programs = flag.Int("fp.traces", 150, "random programs whose traces are counted, per model")
var histories = flag.Int("fp.histories", 6000, "programs with more partial traces are not counted")
var firstSeed = flag.Int("fp.seed", 0, "first seed")

// keys explores a program and gives the keys of its executions.
func keys(p *ir.Program, m memory.Model, source bool) (all map[string]int, n smc.Explored, err error) {
	task := &engine.Task{Program: p, Props: &property.Set{}, Model: m, KeepGoing: true, Traces: true, Source: source}
	y := memory.New(p, m, memory.Options{})
	all = map[string]int{}
	n, err = smc.ExploreAll(task, func(steps []memory.Step, extra string) {
		r := newTracker(y)
		r.run(steps)
		all[r.key()+extra]++
	})
	return all, n, err
}

func runSeed(t *testing.T, seed uint64, pr testkit.Profile, m memory.Model) (int, bool) {
	p, _ := testkit.Generate(seed, pr).Flat()
	flat, _, err := transform.Unroll(p, &property.Set{}, 2)
	if err != nil {
		t.Fatal(err)
	}
	y := memory.New(flat, m, memory.Options{})
	want, ok := traces(y, *histories)
	if !ok {
		return 0, false
	}
	got, n, err := keys(flat, m, false)
	if err != nil {
		t.Fatalf("seed %d, %s, %s: %v", seed, pr.Name, m, err)
	}
	twice := 0
	for _, k := range got {
		if k > 1 {
			twice++
		}
	}
	if n.Asleep > 0 || twice > 0 || n.Complete != int64(len(want)) {
		t.Errorf("seed %d, %s, %s: explored %d, traces %d, %d cut off by sleep sets, %d explored twice\n%s",
			seed, pr.Name, m, n.Complete, len(want), n.Asleep, twice, ir.Print(flat))
	}
	return len(want), true
}

// fewer is how many programs there are with the race detector, where they are slow.
func fewer(n int) int {
	if testing.Short() {
		return n / 20
	}
	return n
}

// TestOptimal: as many executions as there are traces, none twice, none cut off.
func TestOptimal(t *testing.T) {
	for _, m := range []memory.Model{memory.SC, memory.TSO, memory.PSO} {
		t.Run(m.String(), func(t *testing.T) {
			total, skipped := 0, 0
			for i := range fewer(*programs) {
				pr := []testkit.Profile{{Name: "core"}, {Name: "plain", Plain: true}, {Name: "mixed", Mixed: true}, {Name: "spawn", Spawn: true},
					{Name: "sync", Sync: true}, {Name: "waits", Sync: true, Waits: true}}[(*firstSeed+i)%6]
				n, ok := runSeed(t, uint64(*firstSeed+i), pr, m)
				total += n
				if !ok {
					skipped++
				}
				if t.Failed() {
					return
				}
			}
			t.Logf("%d traces, %d programs skipped", total, skipped)
		})
	}
}

// TestLookingAtAFreeMutex: an unlock that is only an error comes before or after a lock of
// another thread, although it lets nothing go that the lock waits for.
func TestLookingAtAFreeMutex(t *testing.T) {
	p, diags := ir.Parse("mutex.ir", []byte(`program mutex flat
object m size 8
func a() {
  L0 -> L1: lock [&m]
  L1 -> L2: unlock [&m]
}
func b() {
  L0 -> L1: lock.errorcheck [&m]
  L1 -> L2: unlock.errorcheck [&m]
  L2 -> L3: unlock.errorcheck [&m]
}
thread a = a()
thread b = b()
`))
	if diags.HasErrors() {
		t.Fatal(diags.All)
	}
	for _, m := range testkit.Models {
		want, _ := traces(memory.New(p, m, memory.Options{}), *histories)
		got, n, err := keys(p, m, false)
		if err != nil || len(got) != len(want) || n.Complete != 4 || len(want) != 4 {
			t.Errorf("%s: explored %d, traces %d, want 4 (%v)", m, n.Complete, len(want), err)
		}
	}
}
