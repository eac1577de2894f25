package promela

// Addresses as slots. An address can be translated if it is a constant, an object plus
// multiples of its element size, the papers' mem[e], or a choice between such addresses.
// Front ends emit these forms for variables, arrays and cells.

import (
	"fmt"
	"strings"

	"fencepost/internal/export"
	"fencepost/internal/ir"
)

// address is the translation of the address of an access.
type address struct {
	slot   string   // the first slot, an expression
	valid  []string // conditions for the access not to fail
	fails  bool     // the access fails in every state
	window string   // the condition that the cell is in the window, "" if it always is
	typ    ir.Type  // the type in which the slot keeps values
	bytes  int      // the number of slots, of a byte each; 0: one slot for the whole access
}

// ok returns the condition for the access to succeed, "" if it always does.
func (addr *address) ok() string {
	switch {
	case addr.fails:
		return "false"
	case len(addr.valid) == 1:
		return addr.valid[0]
	case len(addr.valid) > 1:
		return "(" + strings.Join(addr.valid, " && ") + ")"
	default:
		return ""
	}
}

// need adds a condition for the access to succeed.
func (addr *address) need(cond string) {
	for _, c := range addr.valid {
		if c == cond {
			return
		}
	}
	addr.valid = append(addr.valid, cond)
}

// address translates the address of an operation.
func (w *promela) address(op *ir.Op, in env) (address, bool) {
	addr, ok := w.addressOf(op.Addr, op, in)
	if ok && op.Writes() && w.mayForbid(op) {
		w.Refuse(w.pos, "a store that may go to a read-only object cannot be written in Promela")
	}
	return addr, ok
}

// mayForbid reports whether a store may go to a read-only object.
func (w *promela) mayForbid(op *ir.Op) bool {
	if export.IsConstant(op.Addr) {
		o := w.p.FindObject(uint64(op.Addr.Eval(ir.Env{Prog: w.p})), int(accessSize(op)))
		return o != ir.NoObject && w.p.Objects[o].ReadOnly
	}
	found := op.Obj != ir.NoObject && w.p.Objects[op.Obj].ReadOnly
	op.Addr.Walk(func(e *ir.Expr) { found = found || e.Op == ir.AddrOf && w.p.Objects[e.Obj].ReadOnly })
	return found
}

// addressOf translates the expression a, the address of an operation or a part of it.
func (w *promela) addressOf(a *ir.Expr, op *ir.Op, in env) (address, bool) {
	size := accessSize(op)
	if export.IsConstant(a) {
		return w.fixed(uint64(a.Eval(ir.Env{Prog: w.p})), size, op.Obj)
	}
	if a.Op == ir.Ite {
		return w.choice(a, op, in)
	}
	if e, ok := export.CellNumber(a); ok && w.p.Cells && op.Obj == ir.NoObject {
		if size != ir.CellUnit {
			w.Refuse(w.pos, "a cell accessed with %d bytes cannot be written in Promela", size)
			return address{}, false
		}
		v := w.expr(e, in)
		w.window = true
		return address{slot: fmt.Sprintf("slot_of(%s)", v), valid: []string{fmt.Sprintf("valid_cell(%s)", v)},
			window: fmt.Sprintf("in_window(%s)", v), typ: ir.S64}, true
	}
	return w.element(a, size, op, in)
}

// accessSize returns the number of bytes of an access; a mutex has 8 bytes.
func accessSize(op *ir.Op) int64 {
	if op.Accesses() {
		return int64(op.Type.Size())
	}
	return 8
}

// fixed translates a constant address.
func (w *promela) fixed(addr uint64, size int64, obj ir.ObjectID) (address, bool) {
	id := w.p.FindObject(addr, int(size))
	if obj != ir.NoObject && id != obj {
		return address{fails: true}, true
	}
	if id == ir.NoObject {
		cell := int64(addr) / ir.CellUnit
		if !w.p.Cells || addr%ir.CellUnit != 0 || size != ir.CellUnit || cell <= -ir.CellLimit || cell >= ir.CellLimit {
			return address{fails: true}, true
		}
		if cell < w.layout.low || cell >= w.layout.high {
			w.Refuse(w.pos, "mem[%d] is too far from the other cells: at most %d are kept", cell, maxSlots)
			return address{}, false
		}
		return address{slot: literal(cell - w.layout.low), typ: ir.S64}, true
	}
	o, s := &w.p.Objects[id], &w.layout.objects[id]
	off := int64(addr - o.Addr)
	if !w.fitsElement(id, size, off) {
		return address{}, false
	}
	if s.bytes {
		return byteAddress(literal(int64(s.slot)+off), size), true
	}
	return address{slot: literal(int64(s.slot) + off/s.unit), typ: export.ElementType(o)}, true
}

// byteAddress returns the address of an access of size bytes in an object that is kept byte
// by byte.
func byteAddress(slot string, size int64) address {
	return address{slot: slot, typ: ir.Type{Bits: uint8(8 * size), Signed: true}, bytes: int(size)}
}

// fitsElement refuses accesses that are not exactly one element, unless the object is
// kept byte by byte.
func (w *promela) fitsElement(id ir.ObjectID, size, off int64) bool {
	o, s := &w.p.Objects[id], &w.layout.objects[id]
	switch {
	case s.bad != "":
		w.Refuse(w.pos, "%s, which cannot be written in Promela", s.bad)
	case !s.bytes && (size != s.unit || off%s.unit != 0):
		w.Refuse(w.pos, "an access of %d bytes to %s, whose elements have %d, cannot be written in Promela", size, o.Name, s.unit)
	default:
		return true
	}
	return false
}

// choice translates the address c ? a : b. Often one of a and b is an address whose access
// fails.
func (w *promela) choice(a *ir.Expr, op *ir.Op, in env) (address, bool) {
	if v, ok := export.Decide(w.p, a.X); ok {
		if v != 0 {
			return w.addressOf(a.Y, op, in)
		}
		return w.addressOf(a.Z, op, in)
	}
	yes, ok1 := w.addressOf(a.Y, op, in)
	no, ok2 := w.addressOf(a.Z, op, in)
	if !ok1 || !ok2 {
		return address{}, false
	}
	cond := w.expr(a.X, in)
	switch {
	case yes.fails && no.fails:
		return yes, true
	case no.fails:
		yes.need(cond)
		return yes, true
	case yes.fails:
		no.need("(!" + cond + ")")
		return no, true
	case yes.typ != no.typ || yes.bytes != no.bytes || yes.window != "" || no.window != "":
		w.Refuse(w.pos, "an address that is chosen between objects of different kinds cannot be written in Promela")
		return address{}, false
	}
	both := address{slot: fmt.Sprintf("(%s -> %s : %s)", cond, yes.slot, no.slot), typ: yes.typ, bytes: yes.bytes}
	if yes.ok() != "" || no.ok() != "" {
		either := func(s string) string {
			if s == "" {
				return "true"
			}
			return s
		}
		both.need(fmt.Sprintf("(%s -> %s : %s)", cond, either(yes.ok()), either(no.ok())))
	}
	return both, true
}

// element translates an object's address plus multiples of its element size.
func (w *promela) element(a *ir.Expr, size int64, op *ir.Op, in env) (address, bool) {
	if op.Obj == ir.NoObject {
		w.Refuse(w.pos, "an address computed by the program cannot be written in Promela")
		return address{}, false
	}
	o, s := &w.p.Objects[op.Obj], &w.layout.objects[op.Obj]
	c, terms := export.Linear(w.p, a, 1, nil)
	off := c - int64(o.Addr)
	if !w.fitsElement(op.Obj, size, off) {
		return address{}, false
	}
	var sum []string
	for _, t := range terms {
		if t.Times%s.unit != 0 {
			w.Refuse(w.pos, "an index into %s that is no multiple of its element size cannot be written in Promela", o.Name)
			return address{}, false
		}
		text := w.expr(t.E, in)
		if k := t.Times / s.unit; k != 1 {
			text = fmt.Sprintf("%s * %s", literal(k), text)
		}
		sum = append(sum, text)
	}
	index := strings.Join(sum, " + ")
	if off != 0 {
		index += " + " + literal(off/s.unit)
	}
	if len(sum) > 1 || off != 0 {
		index = "(" + index + ")"
	}
	slot := index
	if s.slot != 0 {
		slot = fmt.Sprintf("(%d + %s)", s.slot, index)
	}
	if s.bytes {
		addr := byteAddress(slot, size)
		addr.need(inRange(index, s.count-size+1))
		return addr, true
	}
	return address{slot: slot, valid: []string{inRange(index, s.count)}, typ: export.ElementType(o)}, true
}
