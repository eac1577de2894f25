package rf_test

import (
	"errors"
	"flag"
	"fmt"
	"math"
	"testing"

	"fencepost/internal/engine"
	"fencepost/internal/engine/rf"
	"fencepost/internal/ir"
	"fencepost/internal/ir/irtext"
	"fencepost/internal/memory"
	"fencepost/internal/property"
	"fencepost/internal/testkit"
	"fencepost/internal/transform"
)

var programs = flag.Int("fp.traces", 60, "random programs whose classes are counted, per model")
var histories = flag.Int("fp.histories", 6000, "programs with more partial traces are not counted")
var firstSeed = flag.Int("fp.seed", 0, "first seed")

// classes explores a program and compares the classes with want.
func classes(p *ir.Program, m memory.Model, want map[string]bool) (rf.Explored, error) {
	task := &engine.Task{Program: p, Props: &property.Set{}, Model: m, KeepGoing: true}
	if err := rf.Engine.Supports(task); err != nil {
		return rf.Explored{}, err
	}
	y := memory.New(p, m, memory.Options{})
	found := map[string]int{}
	n, err := rf.ExploreAll(task, rf.Options{Traces: true}, func(steps []memory.Step) {
		r := testkit.NewTracker(y)
		r.Run(steps)
		if r.Final() {
			found[r.ReadsFromKey()]++
		}
	})
	if err != nil {
		return n, err
	}
	twice, missing, wrong := 0, 0, 0
	for k, times := range found {
		if times > 1 {
			twice++
		}
		if !want[k] {
			wrong++
		}
	}
	for k := range want {
		if found[k] == 0 {
			missing++
		}
	}
	if twice+missing+wrong > 0 || n.Complete != int64(len(want)) {
		return n, fmt.Errorf("explored %d, classes %d, %d explored twice, %d missing, %d wrong", n.Complete, len(want), twice, missing, wrong)
	}
	if math.Abs(n.Part-1) > 1e-6 {
		return n, fmt.Errorf("the parts of the exploration add up to %g", n.Part)
	}
	return n, nil
}

// fewer is how many programs there are with the race detector, where they are slow.
func fewer(n int) int {
	if testing.Short() {
		return max(1, n/20)
	}
	return n
}

// profiles are the kinds of random programs whose classes are counted.
var profiles = append([]testkit.Profile{{Name: "core"}, {Name: "plain", Plain: true}, {Name: "mixed", Mixed: true}, {Name: "spawn", Spawn: true},
	{Name: "sync", Sync: true}, {Name: "waits", Sync: true, Waits: true}, {Name: "overlap", Overlap: true}, {Name: "overlap-plain", Overlap: true, Plain: true}, {Name: "heap", Heap: true}}, testkit.Rare...)

// TestRefused: no graph that the clocks refuse has an execution. A search that knows nothing of clocks is asked about each.
func TestRefused(t *testing.T) {
	var all rf.Doubted
	for i := range fewer(*programs) {
		seed := *firstSeed + i
		pr := profiles[seed%len(profiles)]
		p, _ := testkit.Generate(uint64(seed), pr).Flat()
		flat, _, err := transform.Unroll(p, &property.Set{}, 2, nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range testkit.Models {
			task := &engine.Task{Program: flat, Props: &property.Set{}, Model: m, KeepGoing: true}
			if rf.Engine.Supports(task) != nil {
				continue
			}
			d, err := rf.Doubt(task)
			if un := (*engine.Unsupported)(nil); err != nil && !errors.As(err, &un) {
				t.Fatal(err)
			}
			if d.Wrong > 0 {
				t.Fatalf("seed %d, %s, %s: %d of %d graphs that are refused have an execution\n%s", seed, pr.Name, m, d.Wrong, d.Refused, irtext.Print(flat))
			}
			all.Refused += d.Refused
		}
	}
	if t.Logf("%d graphs were refused", all.Refused); all.Refused == 0 {
		t.Error("no graph was refused")
	}
}

// TestClasses: exactly the classes that brute force finds, each once.
func TestClasses(t *testing.T) {
	for _, m := range testkit.Models {
		t.Run(m.String(), func(t *testing.T) {
			total, checks, refused := 0, int64(0), 0
			for i, left := *firstSeed, fewer(*programs); left > 0 && !t.Failed(); i++ {
				pr := profiles[i%len(profiles)]
				p, _ := testkit.Generate(uint64(i), pr).Flat()
				flat, _, err := transform.Unroll(p, &property.Set{}, 2, nil)
				if err != nil {
					t.Fatal(err)
				}
				want, ok := testkit.NewTracker(memory.New(flat, m, memory.Options{})).ReadsFrom(*histories)
				if !ok {
					continue
				}
				n, err := classes(flat, m, want)
				if un := (*engine.Unsupported)(nil); errors.As(err, &un) {
					refused++
					continue
				}
				left--
				if err != nil {
					t.Errorf("seed %d, %s, %s: %v\n%s", i, pr.Name, m, err, irtext.Print(flat))
				}
				total += len(want)
				checks += n.Checks
			}
			t.Logf("%d classes, %.1f checks per class, %d programs refused", total, float64(checks)/float64(max(1, total)), refused)
		})
	}
}
