package explicit_test

import (
	"testing"

	"fencepost/internal/engine/explicit"
	"fencepost/internal/testkit"
)

// TestManyThreads: a thread that has no bit in sleep sets never sleeps, and the answers stay the same. The
// threads of random programs come after many that do nothing.
func TestManyThreads(t *testing.T) {
	programs := uint64(90)
	if testing.Short() {
		programs = 30
	}
	for seed := range programs {
		p := testkit.Generate(seed, testkit.Profile{Plain: true})
		p.Threads = append(make([][]testkit.Stmt, []int{15, 30, 31, 32}[seed%4]), p.Threads...)
		flat, props := p.Flat()
		for _, m := range testkit.Models {
			want, err := testkit.Ask(&explicit.Engine, flat, props, m, testkit.How{NoReduction: true})
			if err != nil {
				t.Fatalf("seed %d, %s: %v", seed, m, err)
			}
			got, err := testkit.Ask(&explicit.Engine, flat, props, m, testkit.How{})
			if err != nil {
				t.Fatalf("seed %d, %s: %v", seed, m, err)
			}
			if d := testkit.Difference(want, got); d != "" {
				t.Fatalf("seed %d, %s: %s", seed, m, d)
			}
		}
	}
}
