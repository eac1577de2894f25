//go:build !fencepost_small

package bmc

import (
	"context"

	"fencepost/internal/engine"
	"fencepost/internal/ir"
	"fencepost/internal/solver/sat"
)

// NewPlan plans the rounds of a task. The error is an *engine.Unsupported if rounds do not take the program.
func NewPlan(ctx context.Context, task *engine.Task, opt Options) (*Plan, error) {
	if err := linked(task); err != nil {
		return nil, err
	}
	opt.Encoding = Rounds
	if opt.Unroll == 0 {
		opt.Unroll = task.Limits.Unroll
	}
	r := &run{ctx: ctx, task: task, opt: withDefaults(opt), out: &engine.Outcome{}, solver: sat.NewEmbedded()}
	if e := task.Program.FloatingPoint(); e != nil {
		return nil, &engine.Unsupported{Pos: engine.Pos(e), What: "rounds do not take floating point"}
	}
	return r.plan()
}

func (r *run) plan() (*Plan, error) {
	if err := r.prepare(); err != nil {
		return nil, err
	}
	p := &Plan{Program: r.prog, Props: r.props, Rounds: r.opt.Rounds, Clock: r.opt.Clock, Queue: r.opt.Queue}
	for _, c := range r.x.cells.list {
		cell := PlanCell{Addr: c.addr, Size: c.size, User: ir.NoThread}
		if c.user >= 0 {
			cell.User = ir.ThreadID(c.user)
		}
		p.Cells = append(p.Cells, cell)
	}
	if m, ok := r.x.mem.(*etso); ok {
		p.Clock = int(m.last) + 1
	} else if m, ok := r.x.mem.(epso); ok {
		p.Clock = int(m.last) + 1
	}
	for _, t := range r.x.threads {
		stops := map[ir.Loc]bool{}
		var order []ir.Loc
		for _, l := range t.locs {
			order = append(order, l.id)
			if l.pos >= 0 && !l.inner {
				stops[l.id] = true
			}
		}
		p.Order, p.Stops = append(p.Order, order), append(p.Stops, stops)
	}
	return p, nil
}
