package transform

import "fencepost/internal/ir"

// Loads of extensions: they look at the stores that sigma has buffered, newest
// first, and at memory if none of them is to their bytes [BCDM15 App. B (2)-(8)].

// relation is how a load and a buffered store lie to each other; nil: as a
// condition says.
type relation struct {
	covered, apart *ir.Expr // constants where that is known
}

func (w *extender) relate(s *pending) relation {
	op := &w.e.Op
	n, m := sizeOf(&s.e.Op), sizeOf(op)
	a, b := s.addr, op.Addr
	if isFixed(a) && isFixed(b) {
		env := ir.Env{Prog: w.x.Program}
		u, v := uint64(a.Eval(env)), uint64(b.Eval(env))
		truth := func(is bool) *ir.Expr {
			if is {
				return ir.Int(1)
			}
			return ir.Int(0)
		}
		return relation{truth(m <= n && v-u <= uint64(n-m)), truth(!overlap(u, n, v, m))}
	}
	if w.x.exact {
		same := ir.Binary(ir.Eq, ir.U64, a, b)
		if n != m {
			same = ir.Int(0)
		}
		return relation{same, ir.Negate(same)}
	}
	off := func(x, y *ir.Expr) *ir.Expr { return ir.Binary(ir.Sub, ir.U64, x, y) }
	r := relation{covered: ir.Int(0)}
	if m <= n {
		r.covered = ir.Binary(ir.Le, ir.U64, off(b, a), ir.Int(int64(n-m)))
	}
	r.apart = both(ir.Binary(ir.Ge, ir.U64, off(b, a), ir.Int(int64(n))), ir.Binary(ir.Ge, ir.U64, off(a, b), ir.Int(int64(m))))
	return r
}

// read is a load that looks at the buffered stores first (2)-(8).
func (w *extender) read(from, to ir.Loc) {
	at := from
	for j := len(w.stack) - 1; j >= 0; j-- {
		s := &w.stack[j]
		r := w.relate(s)
		apart, known := r.apart.IsConst()
		if known && apart != 0 {
			continue
		}
		if c, fixed := r.covered.IsConst(); !fixed || c != 0 {
			w.forward(w.pass(at, r.covered), to, s)
		}
		if stall := both(ir.Negate(r.covered), ir.Negate(r.apart)); w.whole && !w.x.exact {
			if c, fixed := stall.IsConst(); !fixed || c != 0 {
				w.stall(w.pass(at, stall))
			}
		}
		if known {
			return // the newest that overlaps decides
		}
		at = w.then(at, assume(r.apart))
	}
	w.edge(at, w.e.Op, to, true)
}

// pass goes on if a condition holds.
func (w *extender) pass(at ir.Loc, cond *ir.Expr) ir.Loc {
	if c, ok := cond.IsConst(); ok && c != 0 {
		return at
	}
	return w.then(at, assume(cond))
}

// forward takes the value of a buffered store.
func (w *extender) forward(at, to ir.Loc, s *pending) {
	op := &w.e.Op
	off := ir.Binary(ir.Sub, ir.U64, op.Addr, s.addr)
	if isFixed(op.Addr) && isFixed(s.addr) {
		off = ir.Int(off.Eval(ir.Env{Prog: w.x.Program}))
	} else if w.x.exact {
		off = ir.Int(0)
	}
	v := ir.Unary(ir.Cast, op.Type, ir.Binary(ir.Shr, ir.U64, s.val, ir.Binary(ir.Mul, ir.U64, off, ir.Int(8))))
	if op.Kind == ir.Load {
		w.edge(at, assign(op.Dst, v), to, true)
		return
	}
	if w.aux < 0 {
		w.aux = w.reg("value")
	}
	at = w.then(at, assign(w.aux, v))
	seen := func(e *ir.Expr) *ir.Expr {
		return e.Map(func(leaf *ir.Expr) *ir.Expr {
			if leaf.Op == ir.Seen {
				return ir.R(w.aux)
			}
			return leaf
		})
	}
	if op.Kind == ir.Await {
		at = w.then(at, assume(seen(op.Cond)))
		last := ir.NewOp(ir.Nop)
		if op.Dst != ir.NoReg {
			last = assign(op.Dst, ir.R(w.aux))
		}
		w.edge(at, last, to, true)
		return
	}
	pick := ir.NewOp(ir.Havoc)
	pick.Dst, pick.HasRange, pick.Lo, pick.Hi = op.Dst, op.HasRange, op.Lo, op.Hi
	if op.Cond != nil {
		pick.Cond = seen(op.Cond)
	}
	w.edge(at, pick, to, true)
}
