package pipeline

import (
	"errors"
	"fmt"

	"fencepost/internal/engine"
	"fencepost/internal/ir"
	"fencepost/internal/memory"
	"fencepost/internal/supervise"
	"fencepost/internal/transform"
	"fencepost/internal/transform/undefined"
	"fencepost/query"
	"fencepost/verdict"
)

// Flatten runs the passes. It refuses a program that exceeds their limits.
func (p *Program) Flatten(opt query.Options) (*ir.Program, error) { return flatten(p, opt, false) }

// FlattenPlain runs only the passes without which the program has no meaning, for the checker of certificates.
func FlattenPlain(p *Program, opt query.Options) (*ir.Program, error) { return flatten(p, opt, true) }

func flatten(p *Program, opt query.Options, plain bool) (*ir.Program, error) {
	var flat *ir.Program
	var err error
	stop := p.stop(opt)
	if limit := limited(p.ctx, opt, p.begun, true, func() {
		flat, err = inlineMade(p.IR, transform.Options{Unroll: opt.UnrollBound(), Default: opt.Unroll == 0, Observed: p.Props.Observed(), Objects: p.Props.Objects, Any: p.Uninitialised == query.UninitialisedAny, Refuse: p.Uninitialised == query.UninitialisedZero, Range: opt.C.NondetRange, Plain: plain, Stop: stop})
	}); limit != "" {
		return nil, notInlined(limit)
	}
	over := (*OverLimit)(nil)
	large := (*transform.TooLarge)(nil)
	switch {
	case errors.As(err, &large):
		return nil, p.Refuse(verdict.Diagnostic{
			Code: "FP0905", Pos: Position(large.Pos), Message: large.Text,
			Notes: []string{"a smaller --unroll bounds recursion; fewer functions of one type whose addresses are taken make calls through pointers smaller"},
		})
	case errors.As(err, &over):
		return nil, over
	case err != nil:
		return nil, p.Refuse(verdict.Diagnostic{Code: "FP0905", Message: err.Error()})
	}
	return flat, nil
}

// stop returns a function that says which limit the passes exceed. Time counts from the beginning of
// the reading.
func (p *Program) stop(opt query.Options) func() error {
	exceeded := supervise.Exceeds(opt.Timeout, opt.Memory, p.begun)
	return func() error {
		limit := ""
		if p.ctx.Err() != nil {
			limit = beforeTheEnd(p.ctx.Err())
		} else {
			limit = exceeded()
		}
		if limit == "" {
			return nil
		}
		return notInlined(limit)
	}
}

// notInlined is the error for passes that exceed a limit.
func notInlined(limit string) *OverLimit {
	return &OverLimit{
		"the calls of the program could not be inlined " + limit,
		"look for recursion, which is inlined up to --unroll times, and for calls through pointers, which can reach every function of that type whose address is taken",
	}
}

// Stops returns a function that says which limit another stage exceeds that makes a program from the
// flat one, and how much memory that program uses.
func (p *Program) Stops(opt query.Options) func(bytes int64) error {
	exceeded := p.stop(opt)
	return func(bytes int64) error {
		if opt.Memory > 0 && bytes > opt.Memory {
			return &OverLimit{fmt.Sprintf("the loops of the program could not be unrolled within the memory limit of %d MiB", opt.Memory>>20), "give a smaller --unroll"}
		}
		return exceeded()
	}
}

// FlattenFixed runs the passes, and refuses templates of any number of threads.
func (p *Program) FlattenFixed(opt query.Options) (*ir.Program, error) {
	flat, err := p.Flatten(opt)
	if err != nil {
		return nil, err
	}
	for _, t := range flat.Threads {
		if t.Unbounded {
			return nil, p.Refuse(verdict.Diagnostic{
				Code: "FP0902", Pos: Position(t.Pos),
				Message: fmt.Sprintf("thread %s is a template for any number of threads", t.Name),
				Notes:   []string{"this check needs a fixed number of threads: give --threads 2, for example"},
			})
		}
	}
	return flat, nil
}

// ListsInputs refuses inputs with too many values for a question that tries them one by one. Of the
// engines only bmc takes such inputs, where an input is a free variable.
func (p *Program) ListsInputs(flat *ir.Program, name string) error {
	if err := engine.TriesInputs(name, flat); err != nil {
		return p.Refuse(p.Unsupported(err))
	}
	return nil
}

// Supports refuses a task that an engine does not take.
func (p *Program) Supports(e *engine.Engine, task *engine.Task) error {
	if err := FillsUnder(p, task.Program, task.Model); err != nil {
		return err
	}
	if err := e.Supports(task); err != nil {
		return p.Refuse(p.Unsupported(err))
	}
	return nil
}

// FillsUnder refuses a program with blocks of any contents under PSO, where a block can be seen before its contents.
func FillsUnder(p *Program, flat *ir.Program, model memory.Model) error {
	e := undefined.FillsBlocks(flat)
	if e == nil || model != memory.PSO {
		return nil
	}
	return p.Refuse(p.Unsupported(&engine.Unsupported{
		Pos: engine.Pos(e), Code: undefined.CodeAny, What: "--uninitialised any does not cover blocks of memory under PSO",
		Advice: "use --uninitialised error or zero, or another model",
	}))
}

// Unsupported is the diagnostic for something that an engine does not take.
func (p *Program) Unsupported(err error) verdict.Diagnostic {
	d := verdict.Diagnostic{Severity: verdict.SeverityError, Code: "FP0907", Pos: verdict.Pos{File: p.Input.Name}, Message: err.Error()}
	if u := (*engine.Unsupported)(nil); errors.As(err, &u) && u.Pos != nil {
		d.Pos, d.Message, d.Excerpt = *u.Pos, u.What, excerpt(p, *u.Pos)
		if u.Code != "" {
			d.Code = u.Code
		}
		if u.Advice != "" {
			d.Notes = []string{u.Advice}
		}
	}
	return d
}
