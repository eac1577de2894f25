package testkit_test

import (
	"errors"
	"fmt"
	"sync/atomic"
	"testing"

	"fencepost/internal/engine"
	"fencepost/internal/engine/explicit"
	"fencepost/internal/engine/smc"
	"fencepost/internal/ir"
	"fencepost/internal/ir/irtext"
	"fencepost/internal/testkit"
)

// TestMemoryErrors compares the engines with the enumerator on random programs with memory
// errors (WithErrors).
func TestMemoryErrors(t *testing.T) {
	var tooBig, found atomic.Int64
	classes := map[ir.CheckClass]*atomic.Int64{}
	for _, c := range []ir.CheckClass{ir.OutOfBounds, ir.InvalidFree, ir.Destroyed, ir.BadJoin, ir.ReadOnly} {
		classes[c] = new(atomic.Int64)
	}
	n := (*programs + 7) / 8
	inParallel(n, func(i int) {
		seed := *firstSeed + uint64(i)
		flat, props := testkit.Generate(seed, testkit.ErrorProfiles[seed%uint64(len(testkit.ErrorProfiles))]).Flat()
		flat = testkit.WithErrors(flat, seed)
		props.Deadlock = true
		for _, m := range testkit.Models {
			want, err := testkit.Oracle(flat, props, m)
			if errors.Is(err, testkit.ErrTooBig) {
				tooBig.Add(1)
				continue
			}
			if err != nil {
				t.Errorf("seed %d, %s: enumerator: %v", seed, m, err)
				return
			}
			for _, c := range want.Checks {
				found.Add(1)
				for class, n := range classes {
					if len(c) > len(class.String()) && c[:len(class.String())+1] == class.String()+"@" {
						n.Add(1)
					}
				}
			}
			for _, e := range []struct {
				*engine.Engine
				how testkit.How
			}{{&explicit.Engine, testkit.How{}}, {&explicit.Engine, testkit.How{NoReduction: true}}, {&smc.Engine, testkit.How{First: true}}} {
				if err := e.Supports(&engine.Task{Program: flat, Props: props, Model: m}); err != nil {
					continue
				}
				got, err := testkit.Ask(e.Engine, flat, props, m, e.how)
				problem := ""
				switch {
				case err != nil:
					problem = err.Error()
				case e.how.First && want.Found() != got.Found():
					problem = fmt.Sprintf("violation: want %v, got %v", want.Found(), got.Found())
				case !e.how.First:
					problem = testkit.Difference(want, got)
				}
				if problem != "" {
					t.Errorf("seed %d, %s, %s: %s\nreproduce: go test ./internal/testkit -run TestMemoryErrors -fp.programs=1 -fp.seed=%d\n%s", seed, e.Name, m, problem, seed, irtext.Print(flat))
					return
				}
			}
		}
	})
	t.Logf("%d programs, 3 models each: %d violations; %d questions too big for the oracle", n, found.Load(), tooBig.Load())
	for c, hits := range classes {
		if n >= 100 && hits.Load() == 0 {
			t.Errorf("no program has the error %s", c)
		}
	}
}
