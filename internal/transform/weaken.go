package transform

import (
	"fmt"
	"slices"

	"fencepost/internal/ir"
	"fencepost/internal/source"
)

// Weaker programs, which show what an answer relies on: a fence is left out, or a
// read-modify-write becomes a load and a store that do not drain the buffer and that
// steps of other threads can separate.

// WithoutFences returns a flat program without the fences at the given source positions.
func WithoutFences(p *ir.Program, gone []source.Span) *ir.Program {
	return weakened(p, func(_ *ir.Program, f *ir.Func, i int) {
		if e := &f.Edges[i]; e.Op.Kind == ir.Fence && slices.Contains(gone, e.Pos) {
			e.Op = ir.NewOp(ir.Nop)
		}
	})
}

// WithoutRMW returns a flat program in which the read-modify-writes at a source position
// are not atomic.
func WithoutRMW(p *ir.Program, at source.Span) *ir.Program {
	return weakened(p, func(out *ir.Program, f *ir.Func, i int) {
		if f.Edges[i].Op.Kind == ir.RMW && f.Edges[i].Pos == at {
			splitRMW(out, f, i)
		}
	})
}

// weakened returns a copy of a program after calling change for each edge of each function.
func weakened(p *ir.Program, change func(*ir.Program, *ir.Func, int)) *ir.Program {
	out := *p
	out.Funcs = make([]*ir.Func, len(p.Funcs))
	for i, f := range p.Funcs {
		g := *f
		g.Edges, g.Locs, g.Regs = slices.Clone(f.Edges), slices.Clone(f.Locs), slices.Clone(f.Regs)
		for j := range len(f.Edges) {
			change(&out, &g, j)
		}
		out.Funcs[i] = &g
	}
	out.Seal()
	return &out
}

// splitRMW splits edge i into a load, a store, and the assignments of the results. A
// compare-exchange that fails has no store.
func splitRMW(p *ir.Program, f *ir.Func, i int) {
	e := f.Edges[i]
	op := e.Op
	seen := ir.Reg(len(f.Regs))
	f.Regs = append(f.Regs, ir.Register{Name: uniqueReg(f, "seen"), Pos: e.Pos})
	read := ir.NewOp(ir.Load)
	if op.Cond != nil {
		read.Kind, read.Cond = ir.Await, op.Cond
	}
	read.Type, read.Sync.Order, read.Addr, read.Obj, read.Dst = op.Type, op.Sync.Order, op.Addr, op.Obj, seen
	after := newLoc(f, e.Pos)
	f.Edges[i].Op, f.Edges[i].To = read, after
	add := func(from, to ir.Loc, op ir.Op) {
		f.Edges = append(f.Edges, ir.Edge{ID: p.NextEdge, Origin: e.Origin, From: from, To: to, Op: op, Pos: e.Pos, Pass: "weaken", Stack: e.Stack})
		p.NextEdge++
	}
	write := ir.NewOp(ir.Store)
	write.Type, write.Sync.Order, write.Addr, write.Obj = op.Type, op.Sync.Order, op.Addr, op.Obj
	finish := func(from ir.Loc, wrote int64) {
		if op.Dst2 != ir.NoReg {
			set := ir.NewOp(ir.Assign)
			set.Dst, set.Val = op.Dst2, ir.Int(wrote)
			next := newLoc(f, e.Pos)
			add(from, next, set)
			from = next
		}
		last := ir.NewOp(ir.Nop)
		if op.Dst != ir.NoReg {
			last = ir.NewOp(ir.Assign)
			last.Dst, last.Val = op.Dst, ir.R(seen)
		}
		add(from, e.To, last)
	}
	if op.RMW == ir.Cas {
		equal := ir.Binary(ir.Eq, ir.S64, ir.R(seen), ir.Unary(ir.Cast, op.Type, op.Val))
		yes, no := newLoc(f, e.Pos), newLoc(f, e.Pos)
		test := ir.NewOp(ir.Assume)
		test.Val = equal
		add(after, yes, test)
		test.Val = ir.Negate(equal)
		add(after, no, test)
		write.Val = op.Val2
		stored := newLoc(f, e.Pos)
		add(yes, stored, write)
		finish(stored, 1)
		finish(no, 0)
		return
	}
	write.Val = newValue(&op, seen)
	stored := newLoc(f, e.Pos)
	add(after, stored, write)
	finish(stored, 1)
}

// newValue returns the value that a read-modify-write writes, given the register with the
// value that it has read.
func newValue(op *ir.Op, seen ir.Reg) *ir.Expr {
	with := map[ir.RMWKind]ir.ExprOp{ir.FetchAdd: ir.Add, ir.FetchAnd: ir.And, ir.FetchOr: ir.Or, ir.FetchXor: ir.Xor}
	if op.RMW == ir.Xchg {
		return op.Val
	}
	return ir.Binary(with[op.RMW], op.Type, ir.R(seen), op.Val)
}

func newLoc(f *ir.Func, pos source.Span) ir.Loc {
	name := fmt.Sprintf("weak%d", len(f.Locs))
	for slices.ContainsFunc(f.Locs, func(l ir.Location) bool { return l.Name == name }) {
		name += "'"
	}
	f.Locs = append(f.Locs, ir.Location{Name: name, Pos: pos})
	return ir.Loc(len(f.Locs) - 1)
}

func uniqueReg(f *ir.Func, name string) string {
	for slices.ContainsFunc(f.Regs, func(r ir.Register) bool { return r.Name == name }) {
		name += "'"
	}
	return name
}
