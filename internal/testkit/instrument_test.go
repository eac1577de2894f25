package testkit_test

import (
	"context"
	"fmt"
	"sort"
	"strings"
	"testing"

	"fencepost/internal/engine"
	"fencepost/internal/engine/robust"
	"fencepost/internal/ir"
	"fencepost/internal/memory"
	"fencepost/internal/pipeline"
	"fencepost/internal/property"
	"fencepost/internal/replay"
	"fencepost/internal/testkit"
	"fencepost/internal/trace"
)

// feasible is the feasible attacks as an engine finds them, each once, after a
// check of its execution: it replays under TSO and has a cycle.
func feasible(e engine.Engine, p *ir.Program) (string, int64, error) {
	out, err := e.Run(context.Background(), &engine.Task{
		Program: p, Props: &property.Set{}, Model: memory.TSO, KeepGoing: true, Limits: engine.Limits{Workers: 1},
	})
	if err != nil {
		return "", 0, err
	}
	if out.Unknown != "" {
		return "", 0, fmt.Errorf("%s: unknown: %s", e.Name, out.Unknown)
	}
	seen := map[string]bool{}
	for _, v := range out.Violations {
		seen[fmt.Sprintf("%d past %d", v.Edge, v.Load)] = true
		if err := replay.Replay(p, &property.Set{}, replay.TSO, v.Witness, replay.Expect{Claim: replay.ClaimExecution}); err != nil {
			return "", 0, fmt.Errorf("%s: %w", e.Name, err)
		}
		if trace.New(p, v.Witness).Cycle() == nil {
			return "", 0, fmt.Errorf("%s: no cycle", e.Name)
		}
	}
	var list []string
	for a := range seen {
		list = append(list, a)
	}
	sort.Strings(list)
	return strings.Join(list, ", "), out.Stats.States, nil
}

// difference is what the two ways to robustness disagree about, "" if nothing; ok
// is false if the program is beyond them.
func methodsDiffer(p *ir.Program) (diff string, broken, ok bool) {
	task := &engine.Task{Program: p}
	if robust.Engine.Supports(task) != nil || pipeline.Instrument.Supports(task) != nil {
		return "", false, false
	}
	one, _, err := feasible(robust.Engine, p)
	if err != nil {
		return err.Error(), false, true
	}
	many, _, err := feasible(pipeline.Instrument, p)
	switch {
	case err != nil:
		return err.Error(), false, true
	case one != many:
		return fmt.Sprintf("one search: %s; instrumentation: %s", one, many), one != "", true
	}
	return "", one != "", true
}

// TestInstrumentationAgrees: one search finds the attacks that the instrumented
// programs find, on random programs of all kinds, loops included.
func TestInstrumentationAgrees(t *testing.T) {
	profiles := []testkit.Profile{
		{Name: "plain", Plain: true}, {Name: "mixed", Plain: true, Mixed: true}, {Name: "core"}, {Name: "plain", Plain: true},
		{Name: "loops", Plain: true, Loops: true}, {Name: "sync", Sync: true}, {Name: "spawn", Spawn: true}, {Name: "mixed", Mixed: true},
	}
	asked, broken := map[string]int{}, map[string]int{}
	for i := range *programs {
		s := *firstSeed + uint64(i)
		pr := profiles[s%uint64(len(profiles))]
		p := testkit.Generate(s, pr)
		flat, _ := p.Flat()
		diff, is, ok := methodsDiffer(flat)
		if !ok {
			continue
		}
		asked[pr.Name]++
		if is {
			broken[pr.Name]++
		}
		if diff != "" {
			small := testkit.Shrink(p, func(q *testkit.Program) bool {
				flat, _ := q.Flat()
				d, _, ok := methodsDiffer(flat)
				return ok && d != ""
			})
			flat, _ := small.Flat()
			d, _, _ := methodsDiffer(flat)
			t.Fatalf("seed %d, %s: %s\n%s", s, pr.Name, d, ir.Print(flat))
		}
	}
	t.Logf("asked %v, of which not robust %v", asked, broken)
}
