package transform

import "fencepost/internal/ir"

// Loads of extensions. A load takes each byte from the newest store that sigma has
// buffered and that has the byte, and every other byte from memory [BCDM15 App. B
// (2)-(8)].
//
// Differs from the paper: where accesses overlap in part only, the bytes may come from
// several buffered stores and from memory. If the buffered stores have all bytes, the value is
// put together from their registers. Otherwise one ordinary load reads the whole
// range, and the buffered bytes are laid over the result: one load, since the bytes
// of memory are read in one step. It also reads bytes it does not need, which may
// show the oracle a conflict the program does not have; that costs a round and no
// answer, as extending by any sequence is right. In a later extension such a load gets
// another overlay before the one it has: what the earlier line buffers was stored later
// than what the new one does.

// read is a load that looks at the buffered stores first (2)-(8).
func (w *extender) read(from, to ir.Loc) {
	if w.x.exact {
		w.readWhole(from, to)
	} else {
		w.readBytes(from, to)
	}
}

// readWhole is a load in a program whose accesses overlap only if they are to the
// same bytes: the newest buffered store to them decides.
func (w *extender) readWhole(from, to ir.Loc) {
	op := &w.e.Op
	at := from
	for j := len(w.stack) - 1; j >= 0; j-- {
		s := &w.stack[j]
		if sizeOf(&s.e.Op) != sizeOf(op) {
			continue
		}
		same := ir.Binary(ir.Eq, ir.U64, s.addr, op.Addr)
		if isFixed(same) {
			same = ir.Int(same.Eval(ir.Env{Prog: w.x.Program}))
		}
		is, known := same.IsConst()
		switch {
		case known && is == 0:
		case known:
			w.take(at, to, ir.Unary(ir.Cast, op.Type, s.val))
			return
		default:
			w.take(w.then(at, assume(same)), to, ir.Unary(ir.Cast, op.Type, s.val))
			at = w.then(at, assume(ir.Negate(same)))
		}
	}
	w.edge(at, *op, to, true)
}

// overlay is what a buffered store has of a load's bytes: a mask of them, and
// their values in their places. Both may depend on addresses.
type overlay struct{ mask, bits *ir.Expr }

// readBytes is a load byte by byte.
func (w *extender) readBytes(from, to ir.Loc) {
	op := &w.e.Op
	at, addr := from, op.Addr
	if !isFixed(addr) { // the load may change what it is computed from
		if w.addr < 0 {
			w.addr = w.reg("at")
		}
		at, addr = w.then(at, assign(w.addr, addr)), ir.R(w.addr)
	}
	list, covered := w.overlays(addr)
	all := ir.Binary(ir.Eq, ir.U64, covered, ir.Int(lowBytes(sizeOf(op))))
	switch is, known := all.IsConst(); {
	case known && is == 0:
		w.readBoth(at, to, list)
	case known:
		w.take(at, to, w.lay(list, ir.Int(0)))
	default:
		w.take(w.then(at, assume(all)), to, w.lay(list, ir.Int(0)))
		w.readBoth(w.then(at, assume(ir.Negate(all))), to, list)
	}
}

// overlays are what the buffered stores have of the bytes at an address, oldest
// first, and a mask of all that they have.
func (w *extender) overlays(addr *ir.Expr) (list []overlay, covered *ir.Expr) {
	covered = ir.Int(0)
	full := lowBytes(sizeOf(&w.e.Op))
	known := int64(0) // bytes that newer stores surely have
	for j := len(w.stack) - 1; j >= 0 && known != full; j-- {
		o := w.overlay(&w.stack[j], addr)
		if m, fixed := o.mask.IsConst(); fixed {
			if m&^known == 0 {
				continue
			}
			known |= m
		}
		list = append([]overlay{o}, list...)
		covered = bitOr(covered, o.mask)
	}
	if known == full {
		covered = ir.Int(full)
	}
	return list, covered
}

// overlay is what a buffered store has of the bytes at an address.
func (w *extender) overlay(s *pending, addr *ir.Expr) overlay {
	n, m := sizeOf(&s.e.Op), sizeOf(&w.e.Op)
	all, full := ir.Int(lowBytes(n)), ir.Int(lowBytes(m))
	shift := func(op ir.ExprOp, x, by *ir.Expr) *ir.Expr {
		return ir.Binary(op, ir.U64, x, ir.Binary(ir.Mul, ir.U64, by, ir.Int(8)))
	}
	less := func(x *ir.Expr, k int) *ir.Expr { return ir.Binary(ir.Lt, ir.U64, x, ir.Int(int64(k))) }
	up := ir.Binary(ir.Sub, ir.U64, s.addr, addr) // how far the store begins behind the load
	down := ir.Binary(ir.Sub, ir.U64, addr, s.addr)
	if isFixed(up) {
		env := ir.Env{Prog: w.x.Program}
		up, down = ir.Int(up.Eval(env)), ir.Int(down.Eval(env))
		switch {
		case uint64(up.Value) < uint64(m):
			return overlay{ir.Binary(ir.And, ir.U64, shift(ir.Shl, all, up), full), shift(ir.Shl, s.val, up)}
		case uint64(down.Value) < uint64(n):
			return overlay{ir.Binary(ir.And, ir.U64, shift(ir.Shr, all, down), full), shift(ir.Shr, s.val, down)}
		default:
			return overlay{ir.Int(0), ir.Int(0)}
		}
	}
	behind := ir.Binary(ir.And, ir.U64, shift(ir.Shl, all, up), full)
	before := ir.Binary(ir.And, ir.U64, shift(ir.Shr, all, down), full)
	return overlay{
		mask: ir.Conditional(less(up, m), behind, ir.Conditional(less(down, n), before, ir.Int(0))),
		bits: ir.Conditional(less(up, m), shift(ir.Shl, s.val, up), shift(ir.Shr, s.val, down)),
	}
}

// lowBytes is a mask of n bytes.
func lowBytes(n int) int64 { return int64(^uint64(0) >> (64 - 8*n)) }

func bitOr(x, y *ir.Expr) *ir.Expr {
	if v, ok := x.IsConst(); ok && v == 0 {
		return y
	}
	return ir.Binary(ir.Or, ir.U64, x, y)
}

// lay puts overlays over a value, and makes it one of the load's type.
func (w *extender) lay(list []overlay, v *ir.Expr) *ir.Expr {
	op := &w.e.Op
	for _, o := range list {
		if m, ok := o.mask.IsConst(); ok && m == lowBytes(sizeOf(op)) {
			v = o.bits
			continue
		}
		keep := ir.Binary(ir.And, ir.U64, v, ir.Unary(ir.BitNot, ir.U64, o.mask))
		v = bitOr(keep, ir.Binary(ir.And, ir.U64, o.bits, o.mask))
	}
	return ir.Unary(ir.Cast, op.Type, v)
}

// readBoth is a load that takes some bytes from memory.
func (w *extender) readBoth(at, to ir.Loc, list []overlay) {
	op := w.e.Op
	if len(list) == 0 {
		w.edge(at, op, to, true)
		return
	}
	if op.Cond != nil {
		op.Cond = sees(op.Cond, w.lay(list, ir.SeenValue()))
	}
	if op.Kind == ir.AbstractLoad || op.Dst == ir.NoReg {
		w.edge(at, op, to, true)
		return
	}
	read := w.loc("e")
	w.edge(at, op, read, true)
	w.edge(read, assign(op.Dst, w.lay(list, ir.R(op.Dst))), to, false)
}

// sees is a condition on v instead of what the operation sees.
func sees(cond, v *ir.Expr) *ir.Expr {
	return cond.Map(func(leaf *ir.Expr) *ir.Expr {
		if leaf.Op == ir.Seen {
			return v
		}
		return leaf
	})
}

// take is a load of a value that the buffered stores have.
func (w *extender) take(at, to ir.Loc, v *ir.Expr) {
	op := &w.e.Op
	if op.Kind == ir.Load {
		w.edge(at, assign(op.Dst, v), to, true)
		return
	}
	if w.aux < 0 {
		w.aux = w.reg("value")
	}
	at = w.then(at, assign(w.aux, v))
	if op.Kind == ir.Await {
		at = w.then(at, assume(sees(op.Cond, ir.R(w.aux))))
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
		pick.Cond = sees(op.Cond, ir.R(w.aux))
	}
	w.edge(at, pick, to, true)
}
