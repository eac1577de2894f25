package mover

import (
	"fmt"

	"fencepost/internal/engine"
	"fencepost/internal/ir"
)

// action is one step of a thread: one instruction, or one path through an atomic section. Local
// instructions matter for invariants, and not for movers, since they commute with all steps of
// other threads.
type action struct {
	thread  ir.ThreadID
	edges   []*ir.Edge
	section bool
	fails   *action // how it may fail instead, or nil
}

func (a *action) from() ir.Loc    { return a.edges[0].From }
func (a *action) to() ir.Loc      { return a.edges[len(a.edges)-1].To }
func (a *action) first() *ir.Edge { return a.edges[0] }

// writes reports whether the action may write memory.
func (a *action) writes() bool {
	return a.any(func(op *ir.Op) bool { return op.Writes() || locks(op) || op.Kind == ir.Alloc || op.Kind == ir.Free })
}

func (a *action) reads() bool { return a.any((*ir.Op).Reads) }

func (a *action) any(f func(*ir.Op) bool) bool {
	for _, e := range a.edges {
		if f(&e.Op) {
			return true
		}
	}
	return false
}

// shared reports whether the action accesses memory.
func (a *action) shared() bool { return a.writes() || a.reads() }

// maxWays bounds the paths through one atomic section.
const maxWays = 64

// actions returns the actions of thread t. Sections with loops inside are refused.
func actions(p *ir.Program, t ir.ThreadID) ([]*action, error) {
	f := p.ThreadFunc(t)
	inside, err := ir.SectionLocs(f)
	if err != nil {
		return nil, err
	}
	var list []*action
	for i := range f.Edges {
		e := &f.Edges[i]
		switch {
		case inside[e.From]:
		case e.Op.Kind == ir.AtomicBegin:
			ways, err := waysThrough(f, e)
			if err != nil {
				return nil, err
			}
			for _, w := range ways {
				list = append(list, &action{thread: t, edges: w, section: true})
			}
		default:
			list = append(list, &action{thread: t, edges: []*ir.Edge{e}})
		}
	}
	return list, nil
}

func waysThrough(f *ir.Func, begin *ir.Edge) ([][]*ir.Edge, error) {
	var ways [][]*ir.Edge
	on := map[ir.Loc]bool{}
	var walk func(way []*ir.Edge) error
	walk = func(way []*ir.Edge) error {
		last := way[len(way)-1]
		if last.Op.Kind == ir.AtomicEnd {
			ways = append(ways, append([]*ir.Edge(nil), way...))
			if len(ways) > maxWays {
				return &engine.Unsupported{Pos: engine.Pos(begin), What: fmt.Sprintf("prove: more than %d ways through an atomic section", maxWays)}
			}
			return nil
		}
		if on[last.To] {
			return &engine.Unsupported{Pos: engine.Pos(begin), What: "prove: a loop inside an atomic section"}
		}
		on[last.To] = true
		defer delete(on, last.To)
		switch last.Op.Kind {
		case ir.Spawn, ir.Join:
			return refuse(last, "%s inside an atomic section is not covered", last.Op.Kind)
		}
		for _, i := range f.Out(last.To) {
			if err := walk(append(way, &f.Edges[i])); err != nil {
				return err
			}
		}
		return nil
	}
	err := walk([]*ir.Edge{begin})
	return ways, err
}

// run is a state inside an action, and the conditions for reaching it.
type run struct {
	regs  []string
	mem   memory
	guard []string
	// indices has the indices of arrays that were accessed, and the registers that were read:
	// conditions for all numbers are instantiated with them.
	indices []string
}

// runner executes actions on terms. Values that an action chooses are named after the instruction
// and the role of its thread, so that the same action makes the same choices in two orders.
type runner struct {
	*layout
	declare func(name, sort string)
}

func (x *runner) run(a *action, role string, start run) run {
	s := run{regs: append([]string(nil), start.regs...), mem: start.mem, guard: append([]string(nil), start.guard...)}
	for _, e := range a.edges {
		e.Op.Uses(func(r ir.Reg) { s.indices = append(s.indices, s.regs[r]) })
		x.step(&e.Op, fmt.Sprintf("%s_h%d", role, e.ID), &s)
	}
	return s
}

func (x *runner) env(regs []string) env { return env{prog: x.prog, arith: x.arith, regs: regs} }

// spotOf returns the spot of an access, and notes its index.
func (x *runner) spotOf(op *ir.Op, v env, s *run) spot {
	p := x.locate(op, v)
	if p.index != "" {
		s.indices = append(s.indices, p.index)
	}
	return p
}

func (x *runner) step(op *ir.Op, choice string, s *run) {
	v := x.env(s.regs)
	switch op.Kind {
	case ir.Load:
		x.load(op, &v, s)
	case ir.Await:
		x.load(op, &v, s)
		s.guard = append(s.guard, v.truth(op.Cond))
	case ir.AbstractLoad, ir.Havoc:
		if op.Kind == ir.AbstractLoad {
			v.seen = x.read(s.mem, x.spotOf(op, v, s), op.Type)
		}
		x.choose(op, choice, &v, s)
	case ir.Store:
		s.mem = x.write(s.mem, x.spotOf(op, v, s), op.Type, v.number(op.Val))
	case ir.RMW:
		x.rmw(op, v, s)
	case ir.Lock, ir.TryLock, ir.Unlock:
		x.mutex(op, v, s)
	case ir.Alloc:
		allocate(x, op, choice, s)
	case ir.Free:
		release(x, op, v, s)
	case ir.Assign:
		value := v.number(op.Val)
		s.regs[op.Dst] = value
	case ir.Spawn, ir.Join:
		if op.Dst != ir.NoReg { // a handle or a result, which no other thread changes
			x.declare(choice, x.arith.sort())
			s.regs[op.Dst] = choice
		}
	case ir.Assume:
		s.guard = append(s.guard, v.truth(op.Val))
	}
}

func (x *runner) load(op *ir.Op, v *env, s *run) {
	v.seen = x.read(s.mem, x.spotOf(op, *v, s), op.Type)
	v.regs = append([]string(nil), s.regs...) // the condition sees the registers before
	if op.Dst != ir.NoReg {
		s.regs[op.Dst] = v.seen
	}
}

func (x *runner) choose(op *ir.Op, choice string, v *env, s *run) {
	x.declare(choice, x.arith.sort())
	s.regs[op.Dst] = choice
	v.regs = s.regs
	if op.Cond != nil {
		s.guard = append(s.guard, v.truth(op.Cond))
	}
	if op.HasRange {
		s.guard = append(s.guard, x.arith.le(x.arith.num(op.Lo), choice), x.arith.le(choice, x.arith.num(op.Hi)))
	}
}

func (x *runner) rmw(op *ir.Op, v env, s *run) {
	p := x.spotOf(op, v, s)
	old := x.read(s.mem, p, op.Type)
	v.seen = old
	if op.Cond != nil {
		s.guard = append(s.guard, v.truth(op.Cond))
	}
	value, wrote := v.number(op.Val), x.arith.num(1)
	switch op.RMW {
	case ir.Xchg:
	case ir.FetchAdd, ir.FetchAnd, ir.FetchOr, ir.FetchXor:
		value = x.arith.binary(fetches[op.RMW], op.Type, old, value)
	case ir.Cas:
		hit := equal(old, x.arith.narrow(value, op.Type))
		value, wrote = ite(hit, v.number(op.Val2), old), x.arith.truth(hit)
	default:
		panic("BUG: unknown read-modify-write")
	}
	s.mem = x.write(s.mem, p, op.Type, value)
	if op.Dst != ir.NoReg {
		s.regs[op.Dst] = old
	}
	if op.Dst2 != ir.NoReg {
		s.regs[op.Dst2] = wrote
	}
}

var fetches = map[ir.RMWKind]ir.ExprOp{ir.FetchAdd: ir.Add, ir.FetchAnd: ir.And, ir.FetchOr: ir.Or, ir.FetchXor: ir.Xor}

// mutex executes an operation on the word of a mutex, which is 1 while a thread holds it. Proofs
// know which thread that is from the locations of threads.
func (x *runner) mutex(op *ir.Op, v env, s *run) {
	p := x.spotOf(op, v, s)
	free := x.arith.isZero(x.read(s.mem, p, ir.U64))
	result := x.arith.num(0)
	switch op.Kind {
	case ir.Lock:
		s.guard = append(s.guard, free)
		s.mem = x.write(s.mem, p, ir.U64, x.arith.num(1))
	case ir.TryLock:
		result = ite(free, x.arith.num(0), x.arith.num(ir.EBUSY))
		s.mem = x.write(s.mem, p, ir.U64, x.arith.num(1))
	case ir.Unlock:
		s.mem = x.write(s.mem, p, ir.U64, x.arith.num(0))
	}
	if op.Dst != ir.NoReg {
		s.regs[op.Dst] = result
	}
}
