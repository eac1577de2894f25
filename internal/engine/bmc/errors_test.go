package bmc_test

import (
	"errors"
	"sync/atomic"
	"testing"

	"fencepost/internal/engine"
	"fencepost/internal/engine/bmc"
	"fencepost/internal/ir/irtext"
	"fencepost/internal/testkit"
)

// TestErrorsAgainstExplicit: with bounds that exclude no execution the answers agree with the
// explicit engine, on random programs with memory errors added to them. Programs that need more
// than maxRounds rounds are left out with rounds: the solver may take hours for one of them.
func TestErrorsAgainstExplicit(t *testing.T) {
	t.Run("rounds", func(t *testing.T) {
		errorsAgainstExplicit(t, complete(1), func(task *engine.Task) bool {
			opt, err := bmc.Complete(task, 1)
			return err == nil && opt.Rounds > maxRounds
		})
	})
	t.Run("order", func(t *testing.T) {
		errorsAgainstExplicit(t, ordered(1), func(*engine.Task) bool { return false })
	})
}

const maxRounds = 16

func errorsAgainstExplicit(t *testing.T, e *engine.Engine, tooLarge func(*engine.Task) bool) {
	var asked, refused, found, large atomic.Int64
	inParallel((*programs+3)/4, func(i int) {
		seed := *firstSeed + uint64(i)
		flat, props := testkit.Generate(seed, testkit.ErrorProfiles[seed%uint64(len(testkit.ErrorProfiles))]).Flat()
		flat = testkit.WithErrors(flat, seed)
		for _, m := range testkit.Models {
			want, err := testkit.Ask(testkit.Explicit, flat, props, m, testkit.How{Memory: 16 << 20})
			if errors.Is(err, testkit.ErrTooBig) {
				continue
			}
			if err != nil {
				t.Errorf("seed %d, %s: explicit: %v", seed, m, err)
				return
			}
			if tooLarge(&engine.Task{Program: flat, Props: props, Model: m}) {
				large.Add(1)
				continue
			}
			got, err := testkit.Ask(e, flat, props, m, testkit.How{})
			if errors.Is(err, errUnsupported) {
				refused.Add(1)
				return
			}
			problem := ""
			if err != nil {
				problem = err.Error()
			} else {
				problem = testkit.Difference(want, got)
			}
			if problem != "" {
				t.Errorf("seed %d, %s: %s\nreproduce: go test ./internal/engine/bmc -run %s -fp.programs=1 -fp.seed=%d\n%s", seed, m, problem, t.Name(), seed, irtext.Print(flat))
				return
			}
			asked.Add(1)
			if want.Found() {
				found.Add(1)
			}
		}
	})
	t.Logf("%d questions answered, %d with violations; %d with more than %d rounds left out; %d programs refused",
		asked.Load(), found.Load(), large.Load(), maxRounds, refused.Load())
	if asked.Load() == 0 || *programs > 4 && found.Load() == 0 {
		t.Error("the programs tell nothing apart")
	}
	if large.Load() > asked.Load()/2 {
		t.Errorf("%d questions left out, only %d asked", large.Load(), asked.Load())
	}
}
