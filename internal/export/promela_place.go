package export

// Addresses as slots. An address is followed if it is a constant, an object plus
// multiples of its element size, the papers' mem[e], or a choice between such:
// what front ends emit for variables, arrays and cells.

import (
	"fmt"
	"strings"

	"fencepost/internal/ir"
)

// place is where an access goes.
type place struct {
	slot   string
	valid  []string // conditions for the access not to fail
	fails  bool     // it fails whatever the registers hold
	window string   // condition for the cell to be kept here, "" if it is
	typ    ir.Type  // how the slot keeps values
	bytes  int      // slots of a byte each that the access has; 0: one slot for all
}

// ok is the condition for the access to succeed, "" if it always does.
func (pl *place) ok() string {
	switch {
	case pl.fails:
		return "false"
	case len(pl.valid) == 1:
		return pl.valid[0]
	case len(pl.valid) > 1:
		return "(" + strings.Join(pl.valid, " && ") + ")"
	default:
		return ""
	}
}

// need adds a condition, unless it is there.
func (pl *place) need(cond string) {
	for _, c := range pl.valid {
		if c == cond {
			return
		}
	}
	pl.valid = append(pl.valid, cond)
}

// place translates the address of an operation.
func (w *promela) place(op *ir.Op, in env) (place, bool) {
	pl, ok := w.placeOf(op.Addr, op, in)
	if ok && op.Writes() && w.mayForbid(op) {
		w.refuse(w.pos, "a store that may go to a read-only object cannot be written in Promela")
	}
	return pl, ok
}

// mayForbid reports whether a store may go to a read-only object.
func (w *promela) mayForbid(op *ir.Op) bool {
	if isConstant(op.Addr) {
		o := w.p.FindObject(uint64(op.Addr.Eval(ir.Env{Prog: w.p})), int(accessSize(op)))
		return o != ir.NoObject && w.p.Objects[o].ReadOnly
	}
	found := op.Obj != ir.NoObject && w.p.Objects[op.Obj].ReadOnly
	op.Addr.Walk(func(e *ir.Expr) { found = found || e.Op == ir.AddrOf && w.p.Objects[e.Obj].ReadOnly })
	return found
}

func (w *promela) placeOf(a *ir.Expr, op *ir.Op, in env) (place, bool) {
	size := accessSize(op)
	if isConstant(a) {
		return w.fixed(uint64(a.Eval(ir.Env{Prog: w.p})), size, op.Obj)
	}
	if a.Op == ir.Ite {
		return w.choice(a, op, in)
	}
	if e, ok := cellNumber(a); ok && w.p.Cells && op.Obj == ir.NoObject {
		if size != ir.CellUnit {
			w.refuse(w.pos, "a cell accessed with %d bytes cannot be written in Promela", size)
			return place{}, false
		}
		v := w.expr(e, in)
		w.window = true
		return place{slot: fmt.Sprintf("slot_of(%s)", v), valid: []string{fmt.Sprintf("valid_cell(%s)", v)},
			window: fmt.Sprintf("in_window(%s)", v), typ: ir.S64}, true
	}
	return w.element(a, size, op, in)
}

// accessSize is the width of an access; mutexes are words of 8 bytes.
func accessSize(op *ir.Op) int64 {
	if op.Accesses() {
		return int64(op.Type.Size())
	}
	return 8
}

// cellNumber is e if a is 8*e.
func cellNumber(a *ir.Expr) (*ir.Expr, bool) {
	if a.Op == ir.Mul && a.Type.Bits == 64 {
		if k, ok := a.Y.IsConst(); ok && k == ir.CellUnit {
			return a.X, true
		}
		if k, ok := a.X.IsConst(); ok && k == ir.CellUnit {
			return a.Y, true
		}
	}
	return nil, false
}

// fixed is a constant address.
func (w *promela) fixed(addr uint64, size int64, obj ir.ObjectID) (place, bool) {
	id := w.p.FindObject(addr, int(size))
	if obj != ir.NoObject && id != obj {
		return place{fails: true}, true
	}
	if id == ir.NoObject {
		cell := int64(addr) / ir.CellUnit
		if !w.p.Cells || addr%ir.CellUnit != 0 || size != ir.CellUnit || cell <= -ir.CellLimit || cell >= ir.CellLimit {
			return place{fails: true}, true
		}
		if cell < w.layout.low || cell >= w.layout.high {
			w.refuse(w.pos, "mem[%d] is too far from the other cells: at most %d are kept", cell, maxSlots)
			return place{}, false
		}
		return place{slot: literal(cell - w.layout.low), typ: ir.S64}, true
	}
	o, s := &w.p.Objects[id], &w.layout.objects[id]
	off := int64(addr - o.Addr)
	if !w.fitsElement(id, size, off) {
		return place{}, false
	}
	if s.bytes {
		return bytePlace(literal(int64(s.slot)+off), size), true
	}
	return place{slot: literal(int64(s.slot) + off/s.unit), typ: elementType(o)}, true
}

// bytePlace is a place of so many bytes.
func bytePlace(slot string, size int64) place {
	return place{slot: slot, typ: ir.Type{Bits: uint8(8 * size), Signed: true}, bytes: int(size)}
}

// fitsElement refuses accesses that are not exactly one element, unless the object is
// kept byte by byte.
func (w *promela) fitsElement(id ir.ObjectID, size, off int64) bool {
	o, s := &w.p.Objects[id], &w.layout.objects[id]
	switch {
	case s.bad != "":
		w.refuse(w.pos, "%s, which cannot be written in Promela", s.bad)
	case !s.bytes && (size != s.unit || off%s.unit != 0):
		w.refuse(w.pos, "an access of %d bytes to %s, whose elements have %d, cannot be written in Promela", size, o.Name, s.unit)
	default:
		return true
	}
	return false
}

func elementType(o *ir.Object) ir.Type {
	if o.Type.Size() == o.Unit {
		return o.Type
	}
	return ir.Type{Bits: uint8(8 * o.Unit), Signed: true}
}

// choice is c ? a : b, of which one side is often the address that fails.
func (w *promela) choice(a *ir.Expr, op *ir.Op, in env) (place, bool) {
	if v, ok := decide(w.p, a.X); ok {
		if v != 0 {
			return w.placeOf(a.Y, op, in)
		}
		return w.placeOf(a.Z, op, in)
	}
	yes, ok1 := w.placeOf(a.Y, op, in)
	no, ok2 := w.placeOf(a.Z, op, in)
	if !ok1 || !ok2 {
		return place{}, false
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
		w.refuse(w.pos, "an address that is chosen between objects of different kinds cannot be followed")
		return place{}, false
	}
	both := place{slot: fmt.Sprintf("(%s -> %s : %s)", cond, yes.slot, no.slot), typ: yes.typ, bytes: yes.bytes}
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

// term is a multiple of an expression.
type term struct {
	e     *ir.Expr
	times int64
}

// linear takes a sum apart.
func linear(p *ir.Program, e *ir.Expr, times int64, terms []term) (int64, []term) {
	if isConstant(e) {
		return times * e.Eval(ir.Env{Prog: p}), terms
	}
	if e.Op.IsBinary() && e.Type.Bits == 64 {
		switch e.Op {
		case ir.Add, ir.Sub:
			second := times
			if e.Op == ir.Sub {
				second = -times
			}
			x, terms := linear(p, e.X, times, terms)
			y, terms := linear(p, e.Y, second, terms)
			return x + y, terms
		case ir.Mul:
			if isConstant(e.Y) {
				return linear(p, e.X, times*e.Y.Eval(ir.Env{Prog: p}), terms)
			}
			if isConstant(e.X) {
				return linear(p, e.Y, times*e.X.Eval(ir.Env{Prog: p}), terms)
			}
		}
	}
	return 0, append(terms, term{e, times})
}

// element is an object's address plus multiples of its element size.
func (w *promela) element(a *ir.Expr, size int64, op *ir.Op, in env) (place, bool) {
	if op.Obj == ir.NoObject {
		w.refuse(w.pos, "an address computed by the program cannot be followed")
		return place{}, false
	}
	o, s := &w.p.Objects[op.Obj], &w.layout.objects[op.Obj]
	c, terms := linear(w.p, a, 1, nil)
	off := c - int64(o.Addr)
	if !w.fitsElement(op.Obj, size, off) {
		return place{}, false
	}
	var sum []string
	for _, t := range terms {
		if t.times%s.unit != 0 {
			w.refuse(w.pos, "an index into %s that is no multiple of its element size cannot be written in Promela", o.Name)
			return place{}, false
		}
		text := w.expr(t.e, in)
		if k := t.times / s.unit; k != 1 {
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
		pl := bytePlace(slot, size)
		pl.need(inRange(index, s.count-size+1))
		return pl, true
	}
	return place{slot: slot, valid: []string{inRange(index, s.count)}, typ: elementType(o)}, true
}
