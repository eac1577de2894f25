package mover

import (
	"fencepost/internal/ir"
)

// What proofs cover.

// supported reports why a program is outside what proofs cover. Mutexes come last:
// their kinds may be unclear because of something else.
func supported(p *ir.Program) error {
	var mutex error
	for _, f := range p.Funcs {
		for i := range f.Edges {
			e := &f.Edges[i]
			switch e.Op.Kind {
			case ir.Nop, ir.Fence, ir.Assign, ir.Havoc, ir.Assume, ir.Assert, ir.Return, ir.ThreadExit, ir.Exit, ir.AtomicBegin, ir.AtomicEnd,
				ir.Load, ir.AbstractLoad, ir.Await, ir.Store, ir.RMW, ir.Spawn, ir.Join:
			case ir.Lock, ir.TryLock, ir.Unlock:
				if (e.Op.Mutex == ir.RecursiveMutex || e.Op.Mutex == ir.ErrorCheckMutex) && mutex == nil {
					mutex = refuse(e, "a mutex that is recursive or checks for errors is not covered by proofs with movers")
				}
			default:
				return refuse(e, "%s is not covered by proofs with movers", e.Op.Kind)
			}
		}
	}
	return mutex
}

// covered refuses what cannot be told apart: memory that each of many threads has of
// its own, and words of mutexes that the program reads.
func (pr *prover) covered(left map[ir.ObjectID]bool) error {
	locked := map[int]bool{}
	for _, c := range pr.classes {
		for i := range c.f.Edges {
			op := &c.f.Edges[i].Op
			if c.many && touches(op) && left[pr.home(op)] {
				return refuse(&c.f.Edges[i], "%s, of which every one of many threads has its own, is not covered", pr.prog.Objects[pr.home(op)].Name)
			}
			if locks(op) {
				locked[pr.locate(op, pr.env(pr.registers(c, "a"))).region] = true
			}
		}
	}
	for _, c := range pr.classes {
		for i := range c.f.Edges {
			e := &c.f.Edges[i]
			if !e.Op.Accesses() {
				continue
			}
			r := pr.locate(&e.Op, pr.env(pr.registers(c, "a"))).region
			zero, destroys := false, false
			if e.Op.Kind == ir.Store {
				v, ok := e.Op.Val.IsConst()
				zero, destroys = ok && v == 0, ok && v == ir.DestroyedMutex && e.Op.Type.Bits == 64
			}
			if locked[r] && (pr.isSingle(r) && !zero || destroys) {
				return refuse(e, "the word of a mutex is accessed otherwise")
			}
		}
	}
	return nil
}

// suited is the arithmetic a program needs: bit-vectors where it works on bits or on
// less than words, integers otherwise.
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

// anyOp reports whether some operation, or some part of an expression, is such.
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
