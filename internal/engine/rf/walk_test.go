package rf_test

import (
	"context"
	"flag"
	"testing"

	"fencepost/internal/engine"
	"fencepost/internal/engine/rf"
	"fencepost/internal/ir/irtext"
	"fencepost/internal/memory"
	"fencepost/internal/property"
	"fencepost/internal/replay"
	"fencepost/internal/testkit"
	"fencepost/internal/transform"
	"fencepost/verdict"
)

var walked = flag.Int("fp.walked", 120, "random programs under c11 for walks")

// TestWalks: random executions under c11 are executions by the definition, and enough of them have every class.
func TestWalks(t *testing.T) {
	programs, classes, walks := 0, 0, int64(0)
	for seed := range uint64(*walked) {
		sizes := [][2]int{{2, 4}, {3, 2}, {2, 3}, {3, 3}, {4, 2}}[seed%5]
		r := testkit.WeakC11(seed, sizes[0], sizes[1])
		want, _, ok := r.Classes(300)
		if !ok || len(want) > 30 {
			continue
		}
		p, diags := irtext.Parse("random", []byte(r.Text()))
		if diags.HasErrors() {
			t.Fatalf("seed %d: %v\n%s", seed, diags, r.Text())
		}
		p = transform.C11(p, false)
		seen, runs := map[string]bool{}, int64(64*len(want))
		visit := func(w *verdict.Witness) {
			key := c11Key(p, w)
			if seen[key] {
				return
			}
			seen[key] = true
			if want[key] == nil {
				t.Fatalf("seed %d: class %s is none\n%s", seed, key, r.Text())
			}
			if err := replay.Replay(p, &property.Set{}, replay.C11, w, replay.Expect{Target: replay.TargetExecution}); err != nil {
				t.Fatalf("seed %d: %v\n%s", seed, err, r.Text())
			}
		}
		for ; len(seen) < len(want) && runs < 1<<17; runs *= 4 {
			e := rf.New(rf.Options{Visit: visit, Walk: &rf.Walk{Seed: uint64(runs), Runs: runs, Depth: 4}})
			out, err := e.Run(context.Background(), &engine.Task{Program: p, Props: &property.Set{}, Model: memory.C11, KeepGoing: true, Limits: engine.Limits{Workers: 1}})
			if err != nil || out.Unknown == "" || out.Stats.Executions != runs {
				t.Fatalf("seed %d: %v %q, %d executions, want %d\n%s", seed, err, out.Unknown, out.Stats.Executions, runs, r.Text())
			}
			walks += runs
		}
		if len(seen) < len(want) {
			t.Errorf("seed %d: %d of %d classes\n%s", seed, len(seen), len(want), r.Text())
		}
		programs, classes = programs+1, classes+len(want)
	}
	t.Logf("%d programs, %d classes, %d walks", programs, classes, walks)
	if programs < *walked/3 {
		t.Errorf("only %d programs", programs)
	}
}
