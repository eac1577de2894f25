package testkit_test

import (
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"

	"fencepost/internal/budget"
	"fencepost/internal/engine"
	"fencepost/internal/engine/rf"
	"fencepost/internal/engine/smc"
	"fencepost/internal/ir"
	"fencepost/internal/ir/irtext"
	"fencepost/internal/memory"
	"fencepost/internal/property"
	"fencepost/internal/testkit"
)

// TestLoops: where loops are cut off, also inside atomic sections, what smc and rf find exists, and an answer that
// names no bound as reached has everything that the explicit engine finds.
func TestLoops(t *testing.T) {
	var asked, cut, tooBig atomic.Int64
	ask := func(e *engine.Engine, flat *ir.Program, props *property.Set, m memory.Model, want testkit.Answers) string {
		how := testkit.How{Buffer: 5, Unroll: 2, Workers: 1, Work: 15 * budget.Millisecond, Memory: 64 << 20}
		limits := engine.Limits{Buffer: how.Buffer, Unroll: how.Unroll, Workers: how.Workers}
		if e.Supports(&engine.Task{Program: flat, Props: props, Model: m, KeepGoing: true, Finals: true, Limits: limits}) != nil {
			return ""
		}
		got, err := testkit.Ask(e, flat, props, m, how)
		switch {
		case errors.Is(err, testkit.ErrTooBig), err != nil && strings.Contains(err.Error(), "gave up"):
			tooBig.Add(1)
			return ""
		case err != nil:
			return err.Error()
		}
		asked.Add(1)
		if got.Cut {
			cut.Add(1)
		}
		return testkit.Contradiction(want, got)
	}
	inParallel(*programs, func(i int) {
		seed := *firstSeed + uint64(i)
		pr := testkit.Looping[seed%uint64(len(testkit.Looping))]
		problem := func(p *testkit.Program) string {
			flat, props := p.Flat()
			for _, m := range testkit.Models {
				want, err := testkit.Ask(testkit.Explicit, flat, props, m, testkit.How{Buffer: 5, Memory: 2 << 20})
				if errors.Is(err, testkit.ErrTooBig) {
					tooBig.Add(1)
					continue
				}
				if err != nil {
					return fmt.Sprintf("%s: explicit: %v", m, err)
				}
				for _, e := range []*engine.Engine{&smc.Engine, &rf.Engine} {
					if what := ask(e, flat, props, m, want); what != "" {
						return fmt.Sprintf("%s under %s: %s", e.Name, m, what)
					}
				}
			}
			return ""
		}
		p := testkit.Generate(seed, pr)
		if problem(p) == "" {
			return
		}
		small := testkit.Shrink(p, func(q *testkit.Program) bool { return problem(q) != "" })
		flat, props := small.Flat()
		t.Errorf("profile %s, seed %d: %s\ngoals %+v\nreproduce: go test ./internal/testkit -run TestLoops -fp.programs=1 -fp.seed=%d\nshrunk to:\n%s",
			pr.Name, seed, problem(small), props.Goals, seed, irtext.Print(flat))
	})
	t.Logf("%d programs: %d questions answered, %d of them up to a bound; %d too big", *programs, asked.Load(), cut.Load(), tooBig.Load())
}
