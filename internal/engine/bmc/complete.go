package bmc

import (
	"fencepost/internal/engine"
	"fencepost/internal/ir"
	"fencepost/internal/transform"
)

// Complete is the bounds that lose nothing but what unrolling k times loses: as many
// rounds as there are places to stop at, a time for every store, and room for all
// stores in one list.
func Complete(task *engine.Task, k int) (engine.BMCOptions, error) {
	p, _, err := transform.Unroll(task.Program, task.Props, k)
	if err != nil {
		return engine.BMCOptions{}, err
	}
	out := engine.BMCOptions{Unroll: k, Rounds: 1, Clock: 1, Queue: 2}
	for t := range p.Threads {
		f := p.ThreadFunc(ir.ThreadID(t))
		out.Rounds += 2 // its beginning and its end
		for _, l := range topological(f) {
			stops := false
			for _, i := range f.Out(l) {
				op := &f.Edges[i].Op
				stops = stops || !op.Local()
				if waitsInside(&f.Edges[i]) {
					out.Rounds++
				}
				switch op.Kind {
				case ir.Store:
					out.Clock++
					out.Queue++
				case ir.Free:
					out.Clock++
				}
			}
			if stops {
				out.Rounds++
			}
		}
		for _, g := range task.Props.Goals {
			out.Rounds += len(g.At)
		}
	}
	return out, nil
}
