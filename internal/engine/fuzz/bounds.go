package fuzz

import (
	"errors"

	"fencepost/internal/engine"
	"fencepost/internal/ir"
	"fencepost/internal/memory"
)

// depthOfBounds is the number of changes of priority in an execution that looks for bounds.
const depthOfBounds = 3

// Bounds returns the bounds of the program that some executions meet, always the same ones. An error is that of stop.
func Bounds(task *engine.Task, runs int, stop func() error) ([]ir.EdgeID, error) {
	met, err := bounds(task, runs, true, stop)
	if errors.Is(err, memory.ErrStray) { // an access that the analysis did not expect
		met, err = bounds(task, runs, false, stop)
	}
	return met, err
}

func bounds(task *engine.Task, runs int, private bool, stop func() error) ([]ir.EdgeID, error) {
	opt := task.MemoryOptions()
	opt.Private, opt.Buffer = private, task.Limits.Buffer
	y := memory.New(task.Program, task.Model, opt)
	r := newRunner(task, y)
	length := 1
	for i := range uint64(runs) {
		if stop != nil {
			if err := stop(); err != nil {
				return nil, err
			}
		}
		if f := r.run(i, depthOfBounds, length); f.why != nil {
			return nil, f.why
		}
		length = max(length, r.events)
	}
	var out []ir.EdgeID
	for i, e := range y.Edges() {
		if r.s.Bounds[i] {
			out = append(out, e.ID)
		}
	}
	return out, nil
}
