package mover

import (
	"fencepost/internal/analysis"
	"fencepost/internal/ir"
)

// What proofs cover.

// supported returns an error if proofs do not cover a program.
func supported(p *ir.Program) error {
	if e := p.FloatingPoint(); e != nil {
		return refuse(e, "floating point is not covered by proofs with movers")
	}
	for _, f := range p.Funcs {
		for i := range f.Edges {
			e := &f.Edges[i]
			if e.Op.DstMask != ir.NoReg {
				return refuse(e, "whether the memory read here is initialised is not covered by proofs with movers; give --uninitialised zero")
			}
			if e.Op.Lead > 0 {
				return refuse(e, "blocks that realloc may move are not covered by proofs with movers")
			}
			if e.Op.Fence == ir.GlobalFence {
				return refuse(e, "membarrier is not covered by proofs with movers")
			}
			if e.Op.Kind == ir.Store || e.Op.Kind == ir.Free {
				if late := loadsAfter(f, e.To); late != nil {
					return refuse(late, "an atomic load of 16 bytes that may overtake a store is not covered by proofs with movers")
				}
			}
			switch e.Op.Kind {
			case ir.Nop, ir.Fence, ir.Assign, ir.Havoc, ir.Assume, ir.Assert, ir.Return, ir.ThreadExit, ir.Exit, ir.AtomicBegin, ir.AtomicEnd,
				ir.Load, ir.AbstractLoad, ir.Await, ir.Store, ir.RMW, ir.Spawn, ir.Join, ir.Lock, ir.TryLock, ir.Unlock, ir.Alloc, ir.Free:
			default:
				return refuse(e, "%s is not covered by proofs with movers", e.Op.Kind)
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

// covered refuses thread-private memory of threads of which there are many, and mutexes whose words
// the program reads.
func (pr *problem) covered(left map[ir.ObjectID]bool) error {
	locked := map[int]bool{}
	for _, c := range pr.classes {
		for i := range c.f.Edges {
			op := &c.f.Edges[i].Op
			if c.many && accesses(op) && left[pr.home(op)] {
				return refuse(&c.f.Edges[i], "%s, which is private to each of many threads, is not covered", pr.prog.Objects[pr.home(op)].Name)
			}
			if locks(op) {
				locked[pr.locate(op, pr.env(pr.registers(c, "a"))).region] = true
			}
		}
	}
	for _, c := range pr.classes {
		for i := range c.f.Edges {
			e := &c.f.Edges[i]
			if !e.Op.Accesses() || tests(&e.Op) {
				continue
			}
			r := pr.locate(&e.Op, pr.env(pr.registers(c, "a"))).region
			zero, destroys := false, false
			if e.Op.Kind == ir.Store {
				v, ok := e.Op.Val.IsConst()
				zero, destroys = ok && v == 0, ok && v == ir.DestroyedMutex && e.Op.Type.Bits == 64
			}
			if locked[r] && (pr.isSingle(r) && !zero || destroys) {
				return refuse(e, "the word of a mutex is accessed by other instructions")
			}
		}
	}
	return nil
}

// suited returns the arithmetic that a program needs: bit-vectors if it has operators on bits or
// types smaller than words, integers otherwise.
func suited(p *ir.Program) Arithmetic {
	bits := anyOp(p, func(op *ir.Op) bool {
		return op.Accesses() && op.Type.Bits < 64 || op.Kind == ir.RMW && (op.RMW == ir.FetchAnd || op.RMW == ir.FetchOr || op.RMW == ir.FetchXor)
	}, func(e *ir.Expr) bool {
		switch e.Op {
		case ir.And, ir.Or, ir.Xor, ir.Shl, ir.Shr, ir.BitNot, ir.Cast:
			return true
		case ir.Add, ir.Sub, ir.Mul, ir.Div, ir.Rem, ir.Neg:
			return e.Type.Bits < 64
		}
		return false
	})
	if bits {
		return BitVectors
	}
	return Integers
}

// computes reports whether a program does arithmetic that could wrap around.
func computes(p *ir.Program) bool {
	return anyOp(p, func(op *ir.Op) bool { return op.Kind == ir.RMW && op.RMW == ir.FetchAdd }, func(e *ir.Expr) bool {
		return e.Op == ir.Add || e.Op == ir.Sub || e.Op == ir.Mul || e.Op == ir.Neg
	})
}

// anyOp reports whether op holds for some operation, or part for some part of an expression.
func anyOp(p *ir.Program, op func(*ir.Op) bool, part func(*ir.Expr) bool) bool {
	found := false
	for _, f := range p.Funcs {
		for i := range f.Edges {
			o := &f.Edges[i].Op
			found = found || op(o)
			for _, e := range append([]*ir.Expr{o.Val, o.Val2, o.Cond, o.Addr}, o.Args...) {
				e.Walk(func(e *ir.Expr) { found = found || part(e) })
			}
		}
	}
	return found
}
