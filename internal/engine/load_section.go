package engine

import (
	"fencepost/internal/ir"
	"fencepost/internal/memory"
)

// A section that only loads is one load of more bytes than an access has. It begins while stores wait
// in the buffer, and takes bytes from them. Engines whose sections begin with an empty buffer cannot
// do programs with one under models with buffers.

// NoLoadSection returns an error if a program has a section that only loads, and the model has buffers.
func (t *Task) NoLoadSection(name string) error {
	if t.Model == memory.SC {
		return nil
	}
	for _, f := range t.Program.Funcs {
		for i := range f.Edges {
			if op := &f.Edges[i].Op; op.Kind == ir.AtomicBegin && op.Loads {
				return &Unsupported{
					Pos: Pos(&f.Edges[i]), What: "an atomic load of 16 bytes is not supported by " + name + " under models with store buffers",
					Advice: "use check --engine explicit",
				}
			}
		}
	}
	return nil
}

// NoExtras returns an error if a program has a global fence, an atomic load of 16 bytes under a model with store buffers,
// or memory of which it asks whether it is initialised: what the models of the papers do not have.
func (t *Task) NoExtras(name string) error {
	if err := NoGlobalFence(name, t.Program); err != nil {
		return err
	}
	if err := t.NoLoadSection(name); err != nil {
		return err
	}
	return NoMasks(name, t.Program)
}
