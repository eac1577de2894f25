package program

import (
	"fencepost/internal/analysis"
	"fencepost/internal/ir"
)

// What proofs cover.

// Supported returns an error if proofs do not cover a program.
func Supported(p *ir.Program) error {
	if e := p.FloatingPoint(); e != nil {
		return Refuse(e, "floating point is not covered by proofs with movers")
	}
	for _, f := range p.Funcs {
		for i := range f.Edges {
			e := &f.Edges[i]
			if e.Op.Undef.Dst != ir.NoReg {
				return Refuse(e, "whether the memory read here is initialised is not covered by proofs with movers; give --uninitialised zero")
			}
			if e.Op.Block.Lead > 0 {
				return Refuse(e, "blocks that realloc may move are not covered by proofs with movers")
			}
			if e.Op.Fence == ir.GlobalFence {
				return Refuse(e, "membarrier is not covered by proofs with movers")
			}
			if e.Op.Kind == ir.Store || e.Op.Kind == ir.Free {
				if late := loadsAfter(f, e.To); late != nil {
					return Refuse(late, "an atomic load of 16 bytes that may overtake a store is not covered by proofs with movers")
				}
			}
			switch e.Op.Kind {
			case ir.Nop, ir.Fence, ir.Assign, ir.Havoc, ir.Assume, ir.Assert, ir.Return, ir.ThreadExit, ir.Exit, ir.AtomicBegin, ir.AtomicEnd,
				ir.Load, ir.AbstractLoad, ir.Await, ir.Store, ir.RMW, ir.Spawn, ir.Join, ir.Lock, ir.TryLock, ir.Unlock, ir.Alloc, ir.Free:
			default:
				return Refuse(e, "%s is not covered by proofs with movers", e.Op.Kind)
			}
		}
	}
	return nil
}

// loadsAfter returns a section that only loads and that a thread may reach from a location while a store from before is in its
// buffer, nil if there is none.
func loadsAfter(f *ir.Func, l ir.Loc) *ir.Edge {
	var reached []bool
	for i := range f.Edges {
		e := &f.Edges[i]
		if e.Op.Kind != ir.AtomicBegin || !e.Op.Loads {
			continue
		}
		if reached == nil {
			reached = analysis.Undrained(f, l, nil)
		}
		if reached[e.From] {
			return e
		}
	}
	return nil
}

// Computes reports whether a program does arithmetic that could wrap around.
func Computes(p *ir.Program) bool {
	return AnyOp(p, func(op *ir.Op) bool { return op.Kind == ir.RMW && op.RMW == ir.FetchAdd }, func(e *ir.Expr) bool {
		return e.Op == ir.Add || e.Op == ir.Sub || e.Op == ir.Mul || e.Op == ir.Neg
	})
}

// AnyOp reports whether op holds for some operation, or part for some part of an expression.
func AnyOp(p *ir.Program, op func(*ir.Op) bool, part func(*ir.Expr) bool) bool {
	found := false
	for _, f := range p.Funcs {
		for i := range f.Edges {
			o := &f.Edges[i].Op
			found = found || op(o)
			for _, e := range append([]*ir.Expr{o.Val, o.Val2, o.Cond, o.Addr}, o.Call.Args...) {
				e.Walk(func(e *ir.Expr) { found = found || part(e) })
			}
		}
	}
	return found
}
