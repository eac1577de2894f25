//go:build !fencepost_small

package pipeline_test

import (
	"path/filepath"
	"strings"
	"testing"

	"fencepost/internal/engine"
	"fencepost/internal/engine/explicit"
	"fencepost/internal/ir"
	"fencepost/internal/memory"
	"fencepost/internal/pipeline"
	"fencepost/internal/testkit"
	"fencepost/query"
)

// TestCallsMade: a program in which only the calls are inlined that random executions make has the same violations and
// ends as with all calls inlined, unless executions meet a call that is left out, which the answer then says.
func TestCallsMade(t *testing.T) {
	var compared, smaller, met int
	for _, c := range testkit.LoadCorpus(t, filepath.Join(testkit.Root(t), "testdata", "corpus")) {
		if !strings.HasSuffix(c.Input.Name, ".c") || !testkit.InPart(t, c.Name(), 6) {
			continue
		}
		run := pipeline.Open(c.Input)
		if err := run.Read(t.Context(), pipeline.ReadOptions{Options: c.Options.Options}); err != nil {
			t.Errorf("%s: %v", c.Name(), err)
			continue
		}
		if run.Props.Fairness != 0 {
			continue
		}
		opt := query.Defaults()
		opt.Timeout, opt.Memory = 0, 0
		whole, err := run.Flatten(opt)
		if err != nil {
			continue // recursion without end, or too many threads
		}
		made, err := pipeline.FlattenMade(run.Program, 1)
		if err != nil {
			t.Errorf("%s: %v", c.Name(), err)
			continue
		}
		for _, model := range []memory.Model{memory.SC, memory.TSO} {
			all, ok := explore(t, run.Program, whole, model)
			if !ok {
				continue
			}
			some, ok := explore(t, run.Program, made, model)
			switch left := inlining(some); {
			case !ok:
				t.Errorf("%s under %s: %d states with all calls, %s with some", c.Name(), model, all.Stats.States, some.Unknown)
			case len(some.Violations) > 0 && len(all.Violations) == 0, !left && len(some.Violations) != len(all.Violations):
				t.Errorf("%s under %s: %d violations, want %d", c.Name(), model, len(some.Violations), len(all.Violations))
			case left:
				met++
				t.Logf("%s under %s: a call is left out", c.Name(), model)
			case len(all.Violations) == 0 && (some.Ended() != all.Ended() || len(some.Coverage.Bounds) != len(all.Coverage.Bounds)):
				t.Errorf("%s under %s: ends %v, bounds %v; want %v, %v", c.Name(), model, some.Ended(), some.Coverage.Bounds, all.Ended(), all.Coverage.Bounds)
			default:
				compared++
				if edges(made) < edges(whole) {
					smaller++
				}
			}
		}
	}
	t.Logf("%d answers equal, %d of them of smaller programs; %d came to a call that was left out", compared, smaller, met)
	if compared < 10 || smaller == 0 || met > compared/10 {
		t.Error("too little was compared")
	}
}

func explore(t *testing.T, p *pipeline.Program, flat *ir.Program, model memory.Model) (*engine.Outcome, bool) {
	t.Helper()
	out, err := explicit.Engine.Run(t.Context(), &engine.Task{
		Program: flat, Props: p.Props, Model: model, Limits: engine.Limits{States: 20000, Buffer: 4, Workers: 1},
	})
	if err != nil {
		t.Fatal(err)
	}
	return out, out.Unknown == ""
}

// inlining reports whether executions have met a call that is left out.
func inlining(out *engine.Outcome) bool {
	for _, b := range out.Coverage.Bounds {
		if b.Name == "inlining" {
			return true
		}
	}
	return false
}

func edges(p *ir.Program) (n int) {
	for _, f := range p.Funcs {
		n += len(f.Edges)
	}
	return n
}
