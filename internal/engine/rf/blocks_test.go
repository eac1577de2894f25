package rf_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"fencepost/internal/engine"
	"fencepost/internal/engine/rf"
	"fencepost/internal/ir"
	"fencepost/internal/replay"
	"fencepost/internal/testkit"
)

// TestFreed: programs that allocate and free have a violation exactly if the explicit engine finds one, and
// its execution replays.
func TestFreed(t *testing.T) {
	violated, safe := 0, 0
	profiles := []testkit.Profile{{Name: "heap", Heap: true}, {Name: "reuse", Reuse: true}, {Name: "both", Heap: true, Reuse: true},
		{Name: "inside-heap", Inside: true, Heap: true}, {Name: "inside-reuse", Inside: true, Reuse: true}, {Name: "inside-both", Inside: true, Heap: true, Reuse: true}}
	for i := range fewer(*compared / 2) {
		seed := uint64(*firstSeed + i)
		flat, props := testkit.Generate(seed, profiles[seed%uint64(len(profiles))]).Flat()
		props.Goals = nil
		for _, m := range testkit.Models {
			task := &engine.Task{Program: flat, Props: props, Model: m}
			if rf.Engine.Supports(task) != nil {
				continue
			}
			out, err := rf.Engine.Run(context.Background(), task)
			if err != nil {
				t.Fatalf("seed %d, %s: %v\n%s", seed, m, err, ir.Print(flat))
			}
			if out.Unknown != "" && len(out.Violations) == 0 {
				if !strings.Contains(out.Unknown, "section") {
					t.Errorf("seed %d, %s: %s\n%s", seed, m, out.Unknown, ir.Print(flat))
				}
				continue
			}
			want, err := testkit.Ask(testkit.Explicit, flat, props, m, testkit.How{Memory: 16 << 20})
			if errors.Is(err, testkit.ErrTooBig) {
				continue
			}
			if err != nil {
				t.Fatal(err)
			}
			if len(out.Violations) == 0 {
				safe++
				if want.Found() {
					t.Fatalf("seed %d, %s: rf finds nothing, explicit %+v\n%s", seed, m, want, ir.Print(flat))
				}
				continue
			}
			violated++
			rm, _ := replay.ParseModel(m.String())
			if v := &out.Violations[0]; v.Kind == engine.CheckFailed {
				name := v.Class.String()
				if !slices.ContainsFunc(want.Checks, func(c string) bool { return len(c) >= len(name) && c[:len(name)] == name }) {
					t.Fatalf("seed %d, %s: rf finds %s, explicit %v\n%s", seed, m, name, want.Checks, ir.Print(flat))
				}
				if err := replay.Replay(flat, props, rm, v.Witness, replay.Expect{Target: replay.TargetCheck, Class: v.Class, Edge: v.Edge}); err != nil {
					t.Fatalf("seed %d, %s: %v\n%s", seed, m, err, ir.Print(flat))
				}
			}
		}
	}
	t.Logf("%d with a violation, %d without", violated, safe)
	if violated == 0 || safe == 0 && !testing.Short() {
		t.Errorf("%d with a violation, %d without", violated, safe)
	}
}
