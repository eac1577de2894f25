package c11

// Accesses to memory in C.

import (
	"fmt"
	"strings"

	"fencepost/internal/export"
	"fencepost/internal/export/cexpr"
	"fencepost/internal/ir"
)

// cLvalue is memory as an lvalue, with its type.
type cLvalue struct{ text, typ string }

// noLvalue stands for memory that is refused.
var noLvalue = cLvalue{"0", "int64_t"}

// address returns a pointer to the memory.
func (p cLvalue) address() string {
	if pointer, ok := strings.CutPrefix(p.text, "*"); ok {
		return pointer
	}
	return "&" + p.text
}

// fixed returns the bytes at a constant address.
func (w *cProgram) fixed(addr uint64, size int) (cLvalue, bool) {
	id := w.p.FindObject(addr, size)
	if id == ir.NoObject || w.p.Objects[id].Cells {
		cell := int64(addr) / ir.CellUnit
		if w.mem == "" || addr%ir.CellUnit != 0 || size != ir.CellUnit || cell < w.low || cell >= w.high {
			return cLvalue{}, false
		}
		return cLvalue{fmt.Sprintf("mem[%d]", cell-w.low), "int64_t"}, true
	}
	off := int64(addr - w.p.Objects[id].Addr)
	return w.element(id, off, nil, "", size), true
}

// element returns bytes of an object: off bytes from its beginning plus terms.
func (w *cProgram) element(id ir.ObjectID, off int64, terms []export.Term, sum string, size int) cLvalue {
	v := &w.vars[id]
	v.used = true
	unit := int64(v.typ.Size())
	whole := off%unit == 0 && size == int(unit)
	for _, t := range terms {
		whole = whole && t.Times%unit == 0
	}
	typ, declared := export.IntType(ir.Type{Bits: uint8(8 * size)}), export.IntType(v.typ)
	switch {
	case whole && v.count == 1 && len(terms) == 0:
		return cLvalue{v.name, declared}
	case whole && len(terms) == 0:
		return cLvalue{fmt.Sprintf("%s[%d]", v.name, off/unit), declared}
	case len(terms) == 0:
		return cLvalue{fmt.Sprintf("*(_Atomic %s *)((char *)&%s + %d)", typ, v.name, off), typ}
	case whole && v.count > 1 && len(terms) == 1 && terms[0].Times == unit && off == 0:
		return cLvalue{fmt.Sprintf("%s[%s]", v.name, sum), declared}
	}
	return cLvalue{fmt.Sprintf("*(_Atomic %s *)((char *)&%s + %s)", typ, v.name, sum), typ}
}

// lvalue returns the memory that an operation accesses as an lvalue, after assertions that the address is right.
func (t *cThread) lvalue(a *ir.Expr, op *ir.Op) cLvalue {
	w, size := t.w, op.Type.Size()
	if export.IsConstant(a) {
		addr := uint64(a.Eval(ir.Env{Prog: w.p}))
		id := w.p.FindObject(addr, size)
		if op.Writes() && id != ir.NoObject && w.p.Objects[id].ReadOnly {
			t.refuse("a store to a read-only object cannot be exported to C")
		}
		if id != ir.NoObject && (addr-w.p.Objects[id].Addr)%uint64(size) != 0 {
			t.refuse("an access that is not aligned cannot be exported to C")
		}
		if lvalue, ok := w.fixed(addr, size); ok && (op.Obj == ir.NoObject || op.Obj == id) {
			return lvalue
		}
		t.refuse("an access outside all objects cannot be exported to C")
		return noLvalue
	}
	switch {
	case a.Op == ir.Ite:
		return t.guarded(a, op)
	case op.Obj != ir.NoObject:
		return t.indexed(a, op)
	}
	if e, ok := export.CellNumber(a); ok && w.mem != "" && size == ir.CellUnit {
		index := t.names.Expr(e).Operand()
		if w.low != 0 {
			index = fmt.Sprintf("(%s - %s)", index, cexpr.Number(w.low).Text)
		}
		t.emit("assert((uint64_t)%s < %d && \"outside mem\");", index, w.high-w.low)
		return cLvalue{fmt.Sprintf("mem[%s]", index), "int64_t"}
	}
	t.refuse("an address that the program computes cannot be exported to C")
	return noLvalue
}

// guarded returns the memory of an address that is wrong unless a condition holds.
func (t *cThread) guarded(a *ir.Expr, op *ir.Op) cLvalue {
	if v, ok := export.Decide(t.w.p, a.X); ok {
		if v != 0 {
			return t.lvalue(a.Y, op)
		}
		return t.lvalue(a.Z, op)
	}
	if !export.IsConstant(a.Z) || t.valid(a.Z, op) {
		t.refuse("an address that is chosen between objects cannot be exported to C")
		return noLvalue
	}
	cond := t.names.Expr(a.X)
	if t.w.props.Checks {
		t.emit("assert(%s && \"address\");", cond.Operand())
	} else {
		t.assume(cond.Text)
	}
	return t.lvalue(a.Y, op)
}

// valid reports whether an access at a constant address succeeds.
func (t *cThread) valid(a *ir.Expr, op *ir.Op) bool {
	addr := uint64(a.Eval(ir.Env{Prog: t.w.p}))
	id := t.w.p.FindObject(addr, op.Type.Size())
	if op.Obj != ir.NoObject {
		return id == op.Obj
	}
	return id != ir.NoObject || t.w.p.Cells && addr%ir.CellUnit == 0 && abs(int64(addr)/ir.CellUnit) < ir.CellLimit
}

// indexed returns the memory of an address in an object.
func (t *cThread) indexed(a *ir.Expr, op *ir.Op) cLvalue {
	w, o := t.w, &t.w.p.Objects[op.Obj]
	c, terms := export.Linear(w.p, a, 1, nil)
	off := c - int64(o.Addr)
	if o.Cells || op.Writes() && o.ReadOnly {
		t.refuse("an access to this object cannot be exported to C")
		return noLvalue
	}
	var sum []string
	for _, m := range append([]export.Term{{E: nil, Times: off}}, terms...) {
		if m.Times%int64(op.Type.Size()) != 0 {
			t.refuse("an access that may not be aligned cannot be exported to C")
			return noLvalue
		}
	}
	for _, m := range terms {
		text := t.names.Expr(m.E).Operand()
		if m.Times != 1 && !(len(terms) == 1 && off == 0 && m.Times == int64(w.vars[op.Obj].typ.Size()) && w.vars[op.Obj].count > 1) {
			text = fmt.Sprintf("%s * %s", cexpr.Number(m.Times).Text, text)
		}
		sum = append(sum, text)
	}
	if off != 0 {
		sum = append(sum, cexpr.Number(off).Text)
	}
	return w.element(op.Obj, off, terms, strings.Join(sum, " + "), op.Type.Size())
}

// access writes an access to memory.
func (t *cThread) access(op *ir.Op) {
	if op.Undef.Val != nil {
		t.refuse("memory whose bits may be undefined cannot be exported to C")
		return
	}
	lvalue := t.lvalue(op.Addr, op)
	load := cexpr.Expr{Text: fmt.Sprintf("atomic_load_explicit(%s, %s)", lvalue.address(), loadOrder(op)), Atom: true}.Narrow64(op.Type)
	switch op.Kind {
	case ir.Load:
		t.emit("%s = %s;", t.names.Regs[op.Dst], load)
	case ir.Await:
		t.seen = true
		t.emit("AWAIT((seen = %s, %s));", load, t.names.Expr(op.Cond).Text)
		if op.Dst != ir.NoReg {
			t.emit("%s = seen;", t.names.Regs[op.Dst])
		}
	case ir.AbstractLoad:
		t.seen = true
		t.emit("seen = %s;", load)
		t.pick(op)
	case ir.Store:
		t.emit("atomic_store_explicit(%s, %s, memory_order_relaxed);", lvalue.address(), t.stored(op.Val, op.Type, lvalue))
	case ir.RMW:
		t.rmw(op, lvalue, load)
	}
}

// loadOrder returns the memory order of a load.
func loadOrder(op *ir.Op) string {
	switch op.Sync.Order {
	case ir.Acquire, ir.SeqCst:
		return "memory_order_" + op.Sync.Order.String()
	}
	return "memory_order_relaxed"
}

// stored returns a value that is stored.
func (t *cThread) stored(e *ir.Expr, typ ir.Type, lvalue cLvalue) string {
	for e.Op == ir.Cast && e.Type.Bits >= typ.Bits {
		e = e.X
	}
	if v, ok := e.IsConst(); ok {
		return cexpr.Number(ir.Type{Bits: typ.Bits, Signed: lvalue.typ[0] != 'u'}.Wrap(v)).Text
	}
	return t.names.Expr(e).Text
}

var cFetch = map[ir.RMWKind]string{ir.Xchg: "exchange", ir.FetchAdd: "fetch_add", ir.FetchAnd: "fetch_and", ir.FetchOr: "fetch_or", ir.FetchXor: "fetch_xor"}

// rmw writes a read-modify-write.
func (t *cThread) rmw(op *ir.Op, lvalue cLvalue, load string) {
	set := func(r ir.Reg, v string) {
		if r != ir.NoReg {
			t.emit("  %s = %s;", t.names.Regs[r], v)
		}
	}
	if op.Cond == nil && op.RMW != ir.Cas {
		text := cexpr.Expr{Text: fmt.Sprintf("atomic_%s_explicit(%s, %s, memory_order_seq_cst)", cFetch[op.RMW], lvalue.address(), t.stored(op.Val, op.Type, lvalue)), Atom: true}
		switch {
		case op.Dst != ir.NoReg:
			t.emit("%s = %s;", t.names.Regs[op.Dst], text.Narrow64(op.Type))
		default:
			t.emit("(void)%s;", text.Text)
		}
		set(op.Dst2, "1")
		return
	}
	t.emit("{")
	defer t.emit("}")
	if op.Cond != nil {
		t.waiting(op, lvalue, load, set)
		return
	}
	t.emit("  %s wanted = (%s)%s;", lvalue.typ, lvalue.typ, t.names.Expr(op.Val).Operand())
	call := fmt.Sprintf("atomic_compare_exchange_strong_explicit(%s, &wanted, %s, memory_order_seq_cst, memory_order_seq_cst)", lvalue.address(), t.stored(op.Val2, op.Type, lvalue))
	if op.Dst2 == ir.NoReg {
		t.emit("  (void)%s;", call)
	} else {
		set(op.Dst2, call)
	}
	set(op.Dst, cexpr.Expr{Text: "wanted", Atom: true}.Cast(op.Type).Text)
}

// waiting writes a read-modify-write that waits for a value: the value is read, the condition is assumed, and then the
// value must still be the same.
func (t *cThread) waiting(op *ir.Op, lvalue cLvalue, load string, set func(ir.Reg, string)) {
	t.seen = true
	t.emit("  seen = %s;", load)
	t.assume(t.names.Expr(op.Cond).Text)
	val, fresh, wrote := t.names.Expr(op.Val).Operand(), "", "1"
	switch op.RMW {
	case ir.Xchg:
		fresh = val
	case ir.FetchAdd:
		fresh = fmt.Sprintf("((uint64_t)seen + (uint64_t)%s)", val)
	case ir.FetchAnd, ir.FetchOr, ir.FetchXor:
		fresh = fmt.Sprintf("(seen %s %s)", map[ir.RMWKind]string{ir.FetchAnd: "&", ir.FetchOr: "|", ir.FetchXor: "^"}[op.RMW], val)
	case ir.Cas:
		wrote = fmt.Sprintf("(%s)seen == (%s)%s", lvalue.typ, lvalue.typ, val)
		fresh = fmt.Sprintf("(%s ? %s : seen)", wrote, t.names.Expr(op.Val2).Operand())
	}
	t.emit("  %s wanted = (%s)seen, fresh = (%s)%s;", lvalue.typ, lvalue.typ, lvalue.typ, fresh)
	set(op.Dst2, wrote)
	t.assume(fmt.Sprintf("atomic_compare_exchange_strong_explicit(%s, &wanted, fresh, memory_order_seq_cst, memory_order_seq_cst)", lvalue.address()))
	set(op.Dst, "seen")
}
