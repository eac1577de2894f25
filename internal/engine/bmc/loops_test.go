package bmc_test

import (
	"errors"
	"fmt"
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
	var asked, cut, refused, tooBig atomic.Int64
	onPrograms(t, testkit.Looping, func(p *testkit.Program) string {
		flat, props := p.Flat()
		for _, m := range testkit.Models {
			want, err := testkit.Ask(testkit.Explicit, flat, props, m, testkit.How{Buffer: 6, Memory: 16 << 20})
			if errors.Is(err, testkit.ErrTooBig) {
				tooBig.Add(1)
				continue
			}
			if err != nil {
				return fmt.Sprintf("%s: explicit: %v", m, err)
			}
			got, err := testkit.Ask(e, flat, props, m, testkit.How{})
			if errors.Is(err, errUnsupported) {
				refused.Add(1)
				return ""
			}
			if err != nil {
				return fmt.Sprintf("%s: %v", m, err)
			}
			asked.Add(1)
			if got.Cut {
				cut.Add(1)
			}
			if d := testkit.Missing(want, got); d != "" && !got.Cut {
				return fmt.Sprintf("%s: no bound is named, but it misses %s", m, d)
			}
			if d := testkit.Missing(got, want); d != "" && !want.Cut {
				return fmt.Sprintf("%s: made up: %s", m, d)
			}
		}
		return ""
	})
	t.Logf("%d programs: %d questions answered, %d of them up to a bound; %d programs refused, %d questions too large for the explicit search",
		*programs, asked.Load(), cut.Load(), refused.Load(), tooBig.Load())
}
