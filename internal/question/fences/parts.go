package fences

import (
	"fencepost/internal/engine/fences"
	"fencepost/internal/ir"
	"fencepost/internal/memory"
	"fencepost/internal/pipeline"
	"fencepost/internal/transform"
	"fencepost/query"
)

// Parts. A program has to be right under one model, or under several: it is a part for each, with the same sites.

// part is the program under one model.
type part struct {
	model  memory.Model
	flat   *ir.Program
	fences *transform.Fences
}

// parts are the program under each model.
type parts []part

// makeParts makes the program of each model.
func (r *Repairer) makeParts() error {
	flat := r.Flat
	for i := range r.parts {
		p := &r.parts[i]
		if !memory.HasC11 && p.model == memory.C11 {
			_, err := pipeline.ForC11(r.run.Program, flat)
			return err
		}
		if memory.HasC11 && p.model == memory.C11 {
			of, err := pipeline.ForC11(r.run.Program, flat)
			if err != nil {
				return err
			}
			opt := r.checkOptions()
			by, err := pipeline.EngineNamed("rf", &opt)
			if err != nil {
				return err
			}
			if err := r.run.Supports(by, r.run.QuestionTask(of, memory.C11, &pipeline.Asked{CheckOptions: opt})); err != nil {
				return err
			}
			r.setFlat(i, of)
			continue
		}
		if r.opt.For == query.ForRobustness {
			if err := r.run.Supports(robustEngine(), r.run.RobustTask(flat, p.model, &r.opt.Options)); err != nil {
				return err
			}
		}
		r.setFlat(i, flat)
	}
	return nil
}

// setFlat sets the flat program of a part.
func (r *Repairer) setFlat(i int, flat *ir.Program) {
	p := &r.parts[i]
	switch {
	case p.fences != nil:
		p.fences = p.fences.On(flat)
	case memory.HasC11 && p.model != memory.C11 && r.Ordered():
		p.fences = transform.NewBufferOrders(flat, r.run.Props, r.run.Sites, releaseFences(r.run))
	default:
		p.fences = transform.NewFences(flat, r.run.Props, r.run.Sites)
	}
	if p.flat = p.fences.Program(); i == 0 {
		r.Flat, r.Fences = p.flat, p.fences
	}
}

// Part is the program under one model, and its index.
type Part struct {
	Index  int
	C11    bool
	Fences *transform.Fences
}

// Part returns the part that an execution is of. The model is "" if there is one part only; ok is false if there is no such
// part.
func (r *Repairer) Part(model string) (of Part, ok bool) {
	for i, p := range r.parts {
		if model == p.model.String() && len(r.parts) > 1 || model == "" && len(r.parts) == 1 {
			return Part{i, p.model == memory.C11, p.fences}, true
		}
	}
	return Part{0, r.parts[0].model == memory.C11, r.parts[0].fences}, false
}

// subjects returns the programs as the engine takes them.
func (ps parts) subjects() (out []fences.Subject) {
	for i := range ps {
		out = append(out, fences.Subject{Fences: ps[i].fences, Program: ps[i].flat})
	}
	return out
}
