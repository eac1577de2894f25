package explicit_test

import (
	"testing"

	"fencepost/internal/engine/explicit"
	"fencepost/internal/memory"
	"fencepost/internal/testkit"
)

// TestGoalsFirst: another order of the search changes no answer, and every execution replays, with one
// worker and with several.
func TestGoalsFirst(t *testing.T) {
	found := 0
	for seed := range uint64(200) {
		pr := testkit.Profiles[seed%uint64(len(testkit.Profiles))]
		pr.Goal = pr.Goal || seed%3 == 0
		flat, props := testkit.Generate(seed, pr).Flat()
		for _, m := range []memory.Model{memory.SC, memory.TSO} {
			want, err := testkit.Ask(&explicit.Engine, flat, props, m, testkit.How{})
			if err != nil {
				t.Fatalf("seed %d, %s: %v", seed, m, err)
			}
			for _, workers := range []int{1, 3} {
				got, err := testkit.Ask(&explicit.GoalsFirst, flat, props, m, testkit.How{Workers: workers})
				if err != nil {
					t.Fatalf("seed %d, %s: %v", seed, m, err)
				}
				if d := testkit.Difference(want, got); d != "" {
					t.Fatalf("seed %d, %s: %s", seed, m, d)
				}
			}
			first, err := testkit.Ask(&explicit.GoalsFirst, flat, props, m, testkit.How{First: true})
			if err != nil {
				t.Fatalf("seed %d, %s: %v", seed, m, err)
			}
			if first.Found() != want.Found() {
				t.Fatalf("seed %d, %s: found %v, want %v", seed, m, first.Found(), want.Found())
			}
			if first.Found() {
				found++
			}
		}
	}
	if found < 20 {
		t.Errorf("only %d programs have a violation", found)
	}
}
