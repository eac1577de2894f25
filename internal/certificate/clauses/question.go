package clauses

import (
	"context"
	"errors"
	"fmt"

	"fencepost/internal/ir"
	"fencepost/internal/property"
	"fencepost/internal/replay"
)

// Formula says in clauses what a program can do. They have numbers from 1 on. If they have no model, no execution violates
// anything.
type Formula struct {
	Clauses [][]Lit
	Bad     []Bad // one of them holds
	Vars    int
	// Cuts are the bounds that may end executions, empty if it is part of the clauses that none is met.
	Cuts    []Bad
	encoder *encoder
}

// Encode makes the clauses of a program. If whole is set, meeting a bound counts as bad.
func Encode(ctx context.Context, p *ir.Program, props *property.Set, model replay.Model, opt Options, whole bool) (f *Formula, err error) {
	defer func() {
		switch broken := recover().(type) {
		case nil:
		case refusal:
			f, err = nil, broken.err
		default:
			panic(broken)
		}
	}()
	if len(props.Goals) > 0 || props.Fairness != 0 || props.Endless || props.DataRaces || props.Leaks || props.Starving != "" {
		return nil, errors.New("there are no clauses for goals, endless executions, data races and memory leaks")
	}
	if model == replay.C11 {
		return nil, errors.New("there are no clauses under c11")
	}
	x := &encoder{circuit: newCircuit(ctx.Err), p: p, props: props, model: model, opt: opt, masks: p.AsksForMasks(), kept: replay.OneThreadBlocks(p), memory: memory{firsts: map[[2]int]Lit{}, last: -1}}
	for t := range p.Threads {
		if p.Threads[t].Unbounded {
			return nil, errors.New("there are no clauses for any number of threads")
		}
		x.threads = append(x.threads, &thread{id: ir.ThreadID(t), f: p.ThreadFunc(ir.ThreadID(t)), ended: x.fresh(), result: x.freshWord(64)})
	}
	x.runAll()
	x.final()
	if props.Deadlock {
		x.deadlock()
	}
	x.validity()
	x.order()
	out := &Formula{Bad: x.bad, Cuts: x.cuts, encoder: x}
	if whole {
		out.Bad, out.Cuts = append(out.Bad, x.cuts...), nil
	}
	var some []Lit
	for _, b := range out.Bad {
		some = append(some, b.On)
	}
	x.clause(some...)
	out.Clauses, out.Vars = x.all, int(x.vars)
	return out, nil
}

// runAll runs the threads: each after the one that can start it.
func (x *encoder) runAll() {
	for range x.threads {
		for _, t := range x.threads {
			by := x.starter(t.id)
			if t.done || !x.p.Threads[t.id].Start && by != ir.NoThread && !x.threads[by].done {
				continue
			}
			ended, result := t.ended, t.result // what others have used meanwhile
			x.run(t)
			x.clause(-ended, t.ended)
			x.clause(ended, -t.ended)
			for i := range result {
				x.clause(-t.ended, -result[i], t.result[i])
				x.clause(-t.ended, result[i], -t.result[i])
			}
		}
	}
	for _, t := range x.threads {
		if !t.done {
			refuse("threads that start each other")
		}
	}
}

// started is true if a thread has started.
func (x *encoder) started(t *thread) Lit {
	if x.p.Threads[t.id].Start {
		return yes
	}
	out := no
	for _, b := range t.starts {
		out = x.or(out, b.on)
	}
	return out
}

// atEnd returns what memory has in the end, as a read that comes after everything.
func (x *encoder) atEnd(on Lit, addr word, t ir.Type, op *ir.Op) *access {
	a := &access{thread: ir.NoThread, op: op, edge: ir.NoEdge, tries: on, addr: addr, size: t.Size(), wrote: no, got: number(0), gotMask: number(0)}
	if x.last < 0 {
		x.points = append(x.points, point{thread: ir.NoThread, on: yes})
		x.last = len(x.points) - 1
	}
	x.reads(a, x.last)
	x.accesses = append(x.accesses, a)
	return a
}

// over is true if exit was executed.
func (x *encoder) over() Lit { return x.some(x.exits...) }

// final says which final states decide the condition.
func (x *encoder) final() {
	f := x.props.Final
	if f == nil {
		return
	}
	on := -x.over()
	for _, t := range x.threads {
		on = x.and(on, x.or(-x.started(t), t.ended))
	}
	in := values{p: x.p}
	for _, v := range f.Cond.Vars {
		if v.IsMemory() {
			op := ir.NewOp(ir.Load)
			op.Type = v.Type
			in.regs = append(in.regs, wrap(v.Type, x.atEnd(on, number(int64(v.Addr)), v.Type, &op).got))
			continue
		}
		t := x.threads[v.Thread]
		w := number(t.f.Regs[v.Reg].Init) // of a thread that has not started
		if int(v.Reg) < t.f.Params && int(v.Reg) < len(x.p.Threads[v.Thread].Args) {
			w = number(x.p.Threads[v.Thread].Args[v.Reg])
		}
		for _, e := range t.ends {
			w = x.chooseWord(e.at.on, e.at.regs[v.Reg], w)
		}
		in.regs = append(in.regs, w)
	}
	holds := x.nonzero(x.eval(f.Cond.Expr, in))
	if f.Quantifier == property.Forall {
		holds = -holds
	}
	x.wrong(x.and(on, holds), ir.NoEdge, fmt.Sprintf("a final state decides the final condition %s", f.Cond.Text))
}

// deadlock says which states are deadlocks: all stores are in memory, each thread has ended or cannot go on, none is
// stopped by an assumption or a bound, and one waits.
func (x *encoder) deadlock() {
	on, waiting := -x.over(), no
	for _, t := range x.threads {
		stays := x.or(-x.started(t), t.ended)
		for _, s := range t.stops {
			here := x.and(s.at.on, -x.some(s.goes...))
			blocked, waits := x.blocked(t, s, here)
			stays = x.or(stays, x.and(here, blocked))
			if waits {
				waiting = x.or(waiting, x.and(here, blocked))
			}
		}
		on = x.and(on, stays)
	}
	if main := x.p.Main; main != ir.NoThread {
		for _, e := range x.threads[main].ends {
			if x.threads[main].f.Returns(e.loc) {
				on = x.and(on, -e.at.on)
			}
		}
	}
	x.wrong(x.and(on, waiting), ir.NoEdge, "a deadlock is reached")
}

// blocked is true if in the end no operation of a location is possible, and no assumption stops the thread. waits says
// that one of them can wait for another thread.
func (x *encoder) blocked(t *thread, s stop, here Lit) (blocked Lit, waits bool) {
	blocked = yes
	onlyAssumes := true
	for _, i := range t.f.Out(s.loc) {
		op := &t.f.Edges[i].Op
		in := x.values(s.at)
		onlyAssumes = onlyAssumes && (op.Kind == ir.Assume || op.Kind == ir.Havoc)
		switch op.Kind {
		case ir.Assume:
			blocked = x.and(blocked, -x.nonzero(x.eval(op.Val, in)))
			continue
		case ir.Havoc: // a value that its condition allows may exist, or not
			continue
		case ir.Lock:
			w := x.atEnd(here, x.eval(op.Addr, in), ir.U64, op).got
			low := number(0)
			copy(low[:32], w[:32])
			stuck := x.and(x.nonzero(w), -x.equal(w, number(ir.DestroyedMutex)))
			if op.Mutex.Kind != ir.NormalMutex {
				stuck = x.and(stuck, -x.equal(low, number(int64(t.id)+1)))
			}
			blocked = x.and(blocked, stuck)
		case ir.Await, ir.RMW:
			if op.Cond == nil {
				return no, false
			}
			a := x.atEnd(here, x.eval(op.Addr, in), op.Type, op)
			in.seen = wrap(op.Type, a.got)
			blocked = x.every(blocked, -x.nonzero(x.eval(op.Cond, in)), -x.asks(a))
		case ir.Join:
			handle := x.eval(op.Val, in)
			for u, c := range x.threads {
				blocked = x.and(blocked, -x.and(x.equal(handle, number(int64(u))), c.ended))
			}
		default:
			return no, false
		}
		waits = true
	}
	if onlyAssumes {
		return no, false
	}
	return blocked, waits
}
