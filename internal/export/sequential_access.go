package export

// Accesses to memory of a sequential program.

import (
	"fmt"
	"strings"

	"fencepost/internal/ir"
)

// bytesOf says which bytes of which cell an access has, as expressions.
type bytesOf struct {
	cell, shift string
	private     bool // no other thread accesses the cell
	fails       bool // the access fails always
}

// value returns the bytes in a value of the cell, as a number of a type.
func (b bytesOf) value(whole string, t ir.Type) string {
	if b.shift != "0" {
		whole = fmt.Sprintf("(%s >> %s)", whole, b.shift)
	}
	return cExpr{whole, true}.cast(t).text
}

// stored returns a value and a mask for the cell.
func (b bytesOf) stored(value string, size int) string {
	mask := fmt.Sprintf("0x%xU", ^uint64(0)>>(64-8*size))
	value = "(uint64_t)" + value
	if b.shift != "0" {
		return fmt.Sprintf("%s, %s << %s, (uint64_t)%s << %s", b.cell, value, b.shift, mask, b.shift)
	}
	return fmt.Sprintf("%s, %s, %s", b.cell, value, mask)
}

// bytes finds the bytes of an access, after a check of the address.
func (t *sequentialThread) bytes(op *ir.Op) bytesOf {
	w, size := t.w, op.Type.Size()
	if isConstant(op.Addr) {
		addr := uint64(op.Addr.Eval(ir.Env{Prog: w.Program}))
		id, shift, ok := w.cell(addr, size)
		if obj := w.Program.FindObject(addr, size); !ok || op.Obj != ir.NoObject && obj != op.Obj || op.Writes() && obj != ir.NoObject && w.Program.Objects[obj].ReadOnly {
			return bytesOf{fails: true}
		}
		return bytesOf{cell: fmt.Sprint(id), shift: fmt.Sprint(shift), private: w.Cells[id].User == t.id && (op.Kind == ir.Load || op.Kind == ir.Store)}
	}
	t.emit("  {")
	t.emit("  uint64_t address = (uint64_t)%s;", t.expr(op.Addr).operand())
	t.emit("  int c;")
	t.fails(t.validAddress(op), "address")
	t.emit("  c = find(address, %d);", size)
	t.emit("  if (c < 0) { /* memory that is not kept */")
	t.cut("    ")
	t.emit("  }")
	private := false
	for _, c := range w.Cells {
		private = private || c.User == t.id
	}
	if private && (op.Kind == ir.Load || op.Kind == ir.Store) && !w.Stops[t.id][t.loc] && !t.inside[t.loc] {
		return bytesOf{cell: "c", shift: "(8 * (address - cells[c].address))", private: true}
	}
	return bytesOf{cell: "c", shift: "(8 * (address - cells[c].address))"}
}

// validAddress returns the condition that memory is at an address.
func (t *sequentialThread) validAddress(op *ir.Op) string {
	p, size := t.w.Program, int64(op.Type.Size())
	inObject := func(o *ir.Object) string {
		return fmt.Sprintf("(address >= %dU && address <= %dU)", o.Addr, int64(o.Addr)+o.Size-size)
	}
	var any []string
	for i := range p.Objects {
		o := &p.Objects[i]
		if o.Size < size || op.Obj != ir.NoObject && ir.ObjectID(i) != op.Obj {
			continue
		}
		if op.Writes() && o.ReadOnly {
			t.refuse("a store that may go to a read-only object cannot be exported to sequential C")
		}
		any = append(any, inObject(o))
	}
	if p.Cells && op.Obj == ir.NoObject {
		any = append(any, fmt.Sprintf("(address %% 8 == 0 && (int64_t)address / 8 < %d && (int64_t)address / 8 > %d)", int64(ir.CellLimit), -int64(ir.CellLimit)))
	}
	if len(any) == 0 {
		return "0"
	}
	return strings.Join(any, " || ")
}

// access writes an access to memory.
func (t *sequentialThread) access(op *ir.Op) {
	b := t.bytes(op)
	if b.fails {
		t.fails("0", "address")
		t.cut("  ")
		return
	}
	load := fmt.Sprintf("load(%d, %s)", t.id, b.cell)
	switch {
	case b.private:
		load = fmt.Sprintf("s.memory[%s]", b.cell)
	case t.inside[t.loc] || op.Kind == ir.RMW:
		load = fmt.Sprintf("memory(%s)", b.cell)
	}
	size := op.Type.Size()
	switch op.Kind {
	case ir.Store:
		value := t.expr(op.Val).operand()
		switch {
		case b.private:
			t.private(b, value, size)
		case t.inside[t.loc]:
			t.emit("  put(%s);", b.stored(value, size))
		default:
			t.emit("  store(%d, %s);", t.id, b.stored(value, size))
		}
	case ir.Load:
		if !b.private {
			t.tick()
		}
		t.set(op.Dst, b.value(load, op.Type))
	case ir.Await:
		t.tick()
		t.emit("  seen = %s;", b.value(load, op.Type))
		t.emit("  __VERIFIER_assume(%s);", t.expr(op.Cond).text)
		t.set(op.Dst, "seen")
	case ir.AbstractLoad:
		t.tick()
		t.emit("  seen = %s;", b.value(load, op.Type))
		t.pick(op)
	case ir.RMW:
		t.drain()
		t.rmw(op, b, load)
	}
	if !isConstant(op.Addr) {
		t.emit("  }")
	}
}

// private writes a store to a cell that no other thread accesses.
func (t *sequentialThread) private(b bytesOf, value string, size int) {
	mask := fmt.Sprintf("((uint64_t)0x%xU << %s)", ^uint64(0)>>(64-8*size), b.shift)
	t.emit("  s.memory[%[1]s] = (s.memory[%[1]s] & ~%[2]s) | (((uint64_t)%[3]s << %[4]s) & %[2]s);", b.cell, mask, value, b.shift)
}

// rmw writes a read-modify-write.
func (t *sequentialThread) rmw(op *ir.Op, b bytesOf, load string) {
	t.emit("  seen = %s;", b.value(load, op.Type))
	if op.Cond != nil {
		t.emit("  __VERIFIER_assume(%s);", t.expr(op.Cond).text)
	}
	val, next, wrote := t.expr(op.Val), "", "1"
	switch op.RMW {
	case ir.Xchg:
		next = val.operand()
	case ir.FetchAdd:
		next = fmt.Sprintf("((uint64_t)seen + (uint64_t)%s)", val.operand())
	case ir.FetchAnd, ir.FetchOr, ir.FetchXor:
		next = fmt.Sprintf("(seen %s %s)", map[ir.RMWKind]string{ir.FetchAnd: "&", ir.FetchOr: "|", ir.FetchXor: "^"}[op.RMW], val.operand())
	case ir.Cas:
		wrote = fmt.Sprintf("seen == %s", val.cast(op.Type).text)
		next = t.expr(op.Val2).operand()
	default:
		panic("BUG: unknown read-modify-write")
	}
	size := op.Type.Size()
	t.emit("  {")
	t.emit("  int wrote = %s;", wrote)
	t.emit("  if (wrote)")
	t.emit("    put(%s);", b.stored(next, size))
	t.set(op.Dst2, "wrote")
	t.set(op.Dst, "seen")
	t.emit("  }")
}
