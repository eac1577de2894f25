//go:build !fencepost_small

package bmc

import (
	"context"
	"slices"

	"fencepost/internal/engine"
	"fencepost/internal/ir"
	"fencepost/internal/memory"
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
	if r.x.holds != nil && r.props.Deadlock {
		return nil, &engine.Unsupported{Pos: engine.Pos(r.x.holds), What: "rounds do not encode deadlocks of a thread that waits inside an atomic section"}
	}
	p := &Plan{Program: r.prog, Props: r.props, Rounds: r.opt.Rounds, Clock: r.opt.Clock, Queue: r.opt.Queue, run: r}
	for _, c := range r.x.cells.list {
		cell := PlanCell{Addr: c.addr, Size: c.size, User: ir.NoThread, Tight: r.opt.Queue < c.stores+1}
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
	for _, b := range r.x.flow.blocks {
		p.Blocks = append(p.Blocks, PlanBlock{Addr: b.addr, Size: b.size, Stack: b.stack})
	}
	for _, t := range r.x.threads {
		base, next := memory.FreshBlock(t.id, 0, 1, &ir.Op{})
		p.Heap, p.Unit = append(p.Heap, base), int(next/2) // one for the byte, one for the distance
		stops := map[ir.Loc]bool{}
		var order []ir.Loc
		for _, l := range t.locs {
			if l.wait != nil {
				continue
			}
			order = append(order, l.id)
			if l.pos >= 0 && !l.inner {
				stops[l.id] = true
			}
		}
		p.Order, p.Stops = append(p.Order, order), append(p.Stops, stops)
	}
	return p, nil
}

// Choices searches for a violation. It returns the choices of an execution with one, and the violation, or nil.
func (p *Plan) Choices() (map[Choice]int64, *engine.Violation, error) {
	r := p.run
	if err := r.answer(); err != nil || len(r.out.Violations) == 0 {
		return nil, nil, err
	}
	d := &decoder{x: r.x, model: r.solver.Value, memo: map[gate]bool{}}
	out := map[Choice]int64{}
	for _, t := range r.x.threads {
		for _, l := range t.locs {
			if d.is(l.reached) {
				d.choices(t, l, out)
			}
		}
	}
	for i := range r.x.seq.points {
		if pt := &r.x.seq.points[i]; d.is(pt.now) {
			out[at(pt.thread, pt.loc, ChoiceClock)] = d.number(pt.clock)
		}
	}
	return out, &r.out.Violations[0], nil
}

// at returns a choice of a location.
func at(t *thread, l *location, kind ChoiceKind) Choice {
	c := Choice{Thread: ir.ThreadID(t.id), Loc: l.id, Edge: -1, Kind: kind}
	if l.wait != nil {
		c.Edge, c.Wait = l.wait.index, true
	}
	return c
}

// choices notes the choices of a model at a location.
func (d *decoder) choices(t *thread, l *location, out map[Choice]int64) {
	if l.pos >= 0 && !l.inner {
		for round := range t.turns {
			if d.is(t.turns[round][l.pos]) {
				out[at(t, l, ChoiceStop)] = int64(round)
				break
			}
		}
	}
	if l.inner && d.is(l.stops) {
		out[at(t, l, ChoiceHalt)] = 1
	}
	for _, st := range l.steps {
		if !d.is(st.asks) {
			continue
		}
		if _, known := out[at(t, l, ChoiceWay)]; l.wait == nil && (!known || d.is(st.runs) || d.failing(st)) {
			out[at(t, l, ChoiceWay)] = int64(st.index) // of assumptions that exclude each other all ask
		}
		c := Choice{Thread: ir.ThreadID(t.id), Loc: l.id, Edge: st.index, Wait: l.wait != nil}
		note := func(kind ChoiceKind, v int64) {
			c.Kind = kind
			out[c] = v
		}
		if st.hasChoice {
			note(ChoiceValue, d.number(st.choice))
		}
		if a := st.access; a != nil && a.ts.bits != nil && !a.direct && !a.silent {
			note(ChoiceTime, d.number(a.ts))
		}
		for _, b := range st.again {
			if d.is(b.picks) {
				note(ChoiceBlock, int64(1+slices.Index(d.x.flow.blocks, b.block)))
			}
		}
		for _, sg := range st.signals {
			if st.e.Op.Kind == ir.Signal && d.is(sg.picks) {
				note(ChoiceWake, int64(1+sg.thread.id))
			}
		}
	}
}
