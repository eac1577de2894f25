//go:build !fencepost_small

package pipeline

import (
	"fencepost/internal/engine"
	"fencepost/internal/engine/fuzz"
	"fencepost/internal/ir"
	"fencepost/internal/memory"
	"fencepost/internal/property"
	"fencepost/internal/transform"
)

// Programs that are too large with all of their calls (transform/calls.go): random executions show which calls are
// made, of the program with the calls that earlier ones have shown. They are the same whenever it is read, whatever is
// asked: the checker of certificates and verify need the same program.

const (
	callRuns    = 100  // executions of a program in which they have found no call for long
	moreRuns    = 1000 // executions that must find none in the end
	callsBuffer = 16   // entries of a buffer
	// manyEdges is the number of instructions at which no more calls are looked for.
	manyEdges = 1 << 18
)

// inlineMade runs the passes, with the calls that random executions make if the program is too large with all of them.
// Inputs with too many values have no random executions: such a program is refused if it is too large.
func inlineMade(p *ir.Program, opt transform.Options) (*ir.Program, error) {
	if opt.Calls == nil {
		opt.Calls = &transform.Calls{}
	}
	flat, err := transform.Run(p, opt, nil)
	if err != nil || !opt.Calls.Partial() {
		return flat, err
	}
	inlined := opt
	inlined.Inlined = true
	for grown := true; grown; {
		if flat, err = transform.Run(p, inlined, nil); err != nil {
			return nil, err
		}
		if engine.TriesInputs("", flat) != nil {
			opt.Calls = nil
			return transform.Run(p, opt, nil)
		}
		if grown, err = showCalls(flat, opt); err != nil {
			return nil, err
		}
	}
	return transform.Run(p, opt, nil)
}

// showCalls runs a program until an execution makes a call that is left out, and reports whether one does.
func showCalls(flat *ir.Program, opt transform.Options) (found bool, err error) {
	edges := 0
	for _, f := range flat.Funcs {
		edges += len(f.Edges)
	}
	if edges > manyEdges {
		return false, nil
	}
	for _, try := range []struct {
		model memory.Model
		runs  int
	}{{memory.SC, callRuns}, {memory.SC, moreRuns}, {memory.TSO, moreRuns}} {
		task := &engine.Task{Program: flat, Props: &property.Set{}, Model: try.model, Limits: engine.Limits{Buffer: callsBuffer}}
		met, err := fuzz.Bounds(task, try.runs, opt.Stop)
		if err != nil {
			return false, err
		}
		for _, e := range met {
			found = opt.Calls.Needs(e) || found
		}
		if found {
			return true, nil
		}
	}
	return false, nil
}
