package bmc_test

import (
	"sync/atomic"
	"testing"

	"fencepost/internal/engine"
	"fencepost/internal/testkit"
)

// TestLoops: where loops are cut off, what is found exists, and an answer that names no bound as reached has
// everything that the explicit engine finds.
func TestLoops(t *testing.T) {
	t.Run("rounds", func(t *testing.T) { loops(t, complete(2)) })
	t.Run("order", func(t *testing.T) { loops(t, ordered(2)) })
}

func loops(t *testing.T, e *engine.Engine) {
	var cut atomic.Int64
	withExplicit(t, e, testkit.Looping, testkit.How{Buffer: 6, Memory: 16 << 20}, func(want, got testkit.Answers) string {
		if got.Cut {
			cut.Add(1)
		}
		return testkit.Contradiction(want, got)
	})
	t.Logf("%d up to a bound", cut.Load())
}
