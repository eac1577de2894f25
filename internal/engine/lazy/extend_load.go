package lazy

import "fencepost/internal/ir"

// Loads of extensions. A load takes each byte from the newest store of sigma that is
// buffered and writes the byte, and every other byte from memory [BCDM15 App. B (2)-(8)].
//
// Differs from the paper: if accesses overlap only in part, the bytes may come from
// several buffered stores and from memory. If the buffered stores write all bytes, the
// value is composed from their registers. Otherwise one ordinary load reads the whole
// range, and the buffered bytes replace those of the result. There is only one load,
// because a load reads all its bytes of memory in one step. This load also reads bytes
// that it does not need, which may show the oracle a conflict that the program does not
// have. That costs a round but changes no answer, because extending by any sequence is
// correct. In a later extension such a load gets another overlay before its present one:
// the path of the earlier extension buffers stores that are newer than those of the new
// path.

// read adds a load that reads the buffered stores first (2)-(8).
func (w *extender) read(from, to ir.Loc) {
	if w.x.exact {
		w.readWhole(from, to)
	} else {
		w.readBytes(from, to)
	}
}

// readWhole adds a load in a program whose overlapping accesses are to the same bytes:
// the load takes its value from the newest buffered store to these bytes.
func (w *extender) readWhole(from, to ir.Loc) {
	op := &w.e.Op
	at := from
	for j := len(w.stack) - 1; j >= 0; j-- {
		s := &w.stack[j]
		if s.e.Op.AccessSize() != op.AccessSize() {
			continue
		}
		same := ir.Binary(ir.Eq, ir.U64, s.addr, op.Addr)
		if same.IsFixed() {
			same = ir.Int(same.Eval(ir.Env{Prog: w.x.Program}))
		}
		is, known := same.IsConst()
		switch {
		case known && is == 0:
		case known:
			w.take(at, to, ir.Unary(ir.Cast, op.Type, s.val))
			return
		default:
			w.take(w.then(at, ir.NewAssume(same)), to, ir.Unary(ir.Cast, op.Type, s.val))
			at = w.then(at, ir.NewAssume(ir.Negate(same)))
		}
	}
	w.edge(at, *op, to, true)
}

// overlay is the part of a load's bytes that a buffered store writes: a mask of the bytes,
// and their values, shifted to their offset in the load. Both may depend on addresses.
type overlay struct{ mask, bits *ir.Expr }

// readBytes adds a load in a program whose accesses may overlap in part.
func (w *extender) readBytes(from, to ir.Loc) {
	op := &w.e.Op
	at, addr := from, op.Addr
	if !addr.IsFixed() { // the load may change a register of its address
		if w.addr < 0 {
			w.addr = w.reg("at")
		}
		at, addr = w.then(at, ir.NewAssign(w.addr, addr)), ir.R(w.addr)
	}
	list, covered := w.overlays(addr)
	all := ir.Binary(ir.Eq, ir.U64, covered, ir.Int(lowBytes(op.AccessSize())))
	switch is, known := all.IsConst(); {
	case known && is == 0:
		w.readBoth(at, to, list)
	case known:
		w.take(at, to, w.lay(list, ir.Int(0)))
	default:
		w.take(w.then(at, ir.NewAssume(all)), to, w.lay(list, ir.Int(0)))
		w.readBoth(w.then(at, ir.NewAssume(ir.Negate(all))), to, list)
	}
}

// overlays returns the overlays of the buffered stores over the bytes at an address,
// oldest first, and a mask of all bytes that they cover.
func (w *extender) overlays(addr *ir.Expr) (list []overlay, covered *ir.Expr) {
	covered = ir.Int(0)
	full := lowBytes(w.e.Op.AccessSize())
	known := int64(0) // bytes that newer stores certainly write
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

// overlay returns the overlay of a buffered store over the bytes at an address.
func (w *extender) overlay(s *pending, addr *ir.Expr) overlay {
	n, m := s.e.Op.AccessSize(), w.e.Op.AccessSize()
	all, full := ir.Int(lowBytes(n)), ir.Int(lowBytes(m))
	shift := func(op ir.ExprOp, x, by *ir.Expr) *ir.Expr {
		return ir.Binary(op, ir.U64, x, ir.Binary(ir.Mul, ir.U64, by, ir.Int(8)))
	}
	less := func(x *ir.Expr, k int) *ir.Expr { return ir.Binary(ir.Lt, ir.U64, x, ir.Int(int64(k))) }
	up := ir.Binary(ir.Sub, ir.U64, s.addr, addr) // the offset of the store in the load
	down := ir.Binary(ir.Sub, ir.U64, addr, s.addr)
	if up.IsFixed() {
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
	after := ir.Binary(ir.And, ir.U64, shift(ir.Shl, all, up), full)
	before := ir.Binary(ir.And, ir.U64, shift(ir.Shr, all, down), full)
	return overlay{
		mask: ir.Conditional(less(up, m), after, ir.Conditional(less(down, n), before, ir.Int(0))),
		bits: ir.Conditional(less(up, m), shift(ir.Shl, s.val, up), shift(ir.Shr, s.val, down)),
	}
}

// lowBytes returns a mask of the n lowest bytes.
func lowBytes(n int) int64 { return int64(^uint64(0) >> (64 - 8*n)) }

// bitOr returns x | y, or y if x is the constant 0.
func bitOr(x, y *ir.Expr) *ir.Expr {
	if v, ok := x.IsConst(); ok && v == 0 {
		return y
	}
	return ir.Binary(ir.Or, ir.U64, x, y)
}

// lay returns the value v with the bytes of the overlays in it, cast to the load's type.
func (w *extender) lay(list []overlay, v *ir.Expr) *ir.Expr {
	op := &w.e.Op
	for _, o := range list {
		if m, ok := o.mask.IsConst(); ok && m == lowBytes(op.AccessSize()) {
			v = o.bits
			continue
		}
		keep := ir.Binary(ir.And, ir.U64, v, ir.Unary(ir.BitNot, ir.U64, o.mask))
		v = bitOr(keep, ir.Binary(ir.And, ir.U64, o.bits, o.mask))
	}
	return ir.Unary(ir.Cast, op.Type, v)
}

// readBoth adds a load that takes some bytes from memory and the others from the overlays.
func (w *extender) readBoth(at, to ir.Loc, list []overlay) {
	op := w.e.Op
	if len(list) == 0 {
		w.edge(at, op, to, true)
		return
	}
	if op.Cond != nil {
		op.Cond = op.Cond.WithSeen(w.lay(list, ir.SeenValue()))
	}
	if op.Kind == ir.AbstractLoad || op.Dst == ir.NoReg {
		w.edge(at, op, to, true)
		return
	}
	read := w.loc("e")
	w.edge(at, op, read, true)
	w.edge(read, ir.NewAssign(op.Dst, w.lay(list, ir.R(op.Dst))), to, false)
}

// take adds a load whose value v comes from the buffered stores alone.
func (w *extender) take(at, to ir.Loc, v *ir.Expr) {
	op := &w.e.Op
	if op.Kind == ir.Load {
		w.edge(at, ir.NewAssign(op.Dst, v), to, true)
		return
	}
	if w.aux < 0 {
		w.aux = w.reg("value")
	}
	at = w.then(at, ir.NewAssign(w.aux, v))
	if op.Kind == ir.Await {
		at = w.then(at, ir.NewAssume(op.Cond.WithSeen(ir.R(w.aux))))
		last := ir.NewOp(ir.Nop)
		if op.Dst != ir.NoReg {
			last = ir.NewAssign(op.Dst, ir.R(w.aux))
		}
		w.edge(at, last, to, true)
		return
	}
	pick := ir.NewOp(ir.Havoc)
	pick.Dst, pick.Range = op.Dst, op.Range
	if op.Cond != nil {
		pick.Cond = op.Cond.WithSeen(ir.R(w.aux))
	}
	w.edge(at, pick, to, true)
}
