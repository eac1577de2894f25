package sequential

// Accesses to memory of a sequential program.

import (
	"fmt"
	"strings"

	"fencepost/internal/export"
	"fencepost/internal/export/cexpr"
	"fencepost/internal/ir"
)

// bytesOf says which bytes of which cell an access has, as expressions.
type bytesOf struct {
	cell, shift string
	private     bool // no other thread accesses the cell
	fails       bool // the access fails always
	opened      bool // the address is computed, and a scope is open
}

// value returns the bytes in a value of the cell, as a number of a type.
func (b bytesOf) value(whole string, t ir.Type) string {
	if b.shift != "0" {
		whole = fmt.Sprintf("(%s >> %s)", whole, b.shift)
	}
	return cexpr.Expr{Text: whole, Atom: true}.Cast(t).Text
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

// target has the bytes that an operation accesses.
type target struct {
	addr   *ir.Expr
	obj    ir.ObjectID
	size   int
	writes bool
	plain  bool // a load or a store
}

// bytes finds the bytes of an access, after a check of the address. If it is computed, it is in address, and the cell in
// c, in a scope that the caller closes.
func (t *sequentialThread) bytes(op target) bytesOf {
	w := t.w
	if export.IsConstant(op.addr) {
		addr := uint64(op.addr.Eval(ir.Env{Prog: w.Program}))
		id, shift, ok := w.cell(addr, op.size)
		if obj := w.Program.FindObject(addr, op.size); !ok || op.obj != ir.NoObject && obj != op.obj || op.writes && obj != ir.NoObject && w.Program.Objects[obj].ReadOnly {
			return bytesOf{fails: true}
		}
		return bytesOf{cell: fmt.Sprint(id), shift: fmt.Sprint(shift), private: w.Cells[id].User == t.id && op.plain}
	}
	t.emit("  {")
	t.emit("  uint64_t address = (uint64_t)%s;", t.expr(op.addr).Operand())
	t.emit("  int c;")
	if t.mayBeBlock(op.obj) {
		t.emit("  int b = block_at(address, %d);", op.size)
	}
	t.fails(t.validAddress(op), "address")
	if t.mayBeBlock(op.obj) {
		t.fails(fmt.Sprintf("b < 0 || !is_freed(%d, b)", t.id), ir.UseAfterFree.String())
	}
	t.emit("  c = find(address, %d);", op.size)
	t.emit("  if (c < 0) { /* memory that is not kept */")
	t.cut("    ")
	t.emit("  }")
	return bytesOf{cell: "c", shift: "(8 * (address - cells[c].address))", opened: true}
}

// validAddress returns the condition that memory is at an address.
func (t *sequentialThread) validAddress(op target) string {
	p, size := t.w.Program, int64(op.size)
	var any []string
	for i := range p.Objects {
		o := &p.Objects[i]
		if o.Size < size || op.obj != ir.NoObject && ir.ObjectID(i) != op.obj || op.writes && o.ReadOnly {
			continue
		}
		any = append(any, fmt.Sprintf("(address >= %dU && address <= %dU)", o.Addr, int64(o.Addr)+o.Size-size))
	}
	if p.Cells && op.obj == ir.NoObject {
		any = append(any, fmt.Sprintf("(address %% 8 == 0 && (int64_t)address / 8 < %d && (int64_t)address / 8 > %d)", int64(ir.CellLimit), -int64(ir.CellLimit)))
	}
	if t.mayBeBlock(op.obj) {
		any = append(any, "b >= 0")
	}
	if len(any) == 0 {
		return "0"
	}
	return strings.Join(any, " || ")
}

// access writes an access to memory.
func (t *sequentialThread) access(op *ir.Op) {
	plain := op.Kind == ir.Load || op.Kind == ir.Store
	at := target{addr: op.Addr, obj: op.Obj, size: op.Type.Size(), writes: op.Writes(), plain: plain}
	inBlock := !export.IsConstant(op.Addr) && t.mayBeBlock(op.Obj)
	clock := -1 // of a store that may need room
	switch {
	case op.Kind == ir.Store && !inBlock:
		clock = t.site(SiteClock)
	case op.Kind != ir.Load || !export.IsConstant(op.Addr) || !t.bytes(at).private:
		t.tick()
	}
	b := t.bytes(at)
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
		value := t.expr(op.Val).Operand()
		switch {
		case b.private:
			t.private(b, value, size)
		case t.inside[t.loc]:
			t.emit("  put(%s);", b.stored(value, size))
		case inBlock && t.w.Model != "sc":
			t.w.entries++
			t.emit("  enter(%d, b, 0, store(%d, %d, %d, %s), %s);", t.id, t.id, clock, t.site(SiteTime), b.stored(value, size), t.where(ir.UseAfterFree.String()))
		default:
			t.emit("  store(%d, %d, %d, %s);", t.id, clock, t.site(SiteTime), b.stored(value, size))
		}
	case ir.Load:
		t.set(op.Dst, b.value(load, op.Type))
	case ir.Await:
		t.emit("  seen = %s;", b.value(load, op.Type))
		t.emit("  __VERIFIER_assume(%s);", t.expr(op.Cond).Text)
		t.set(op.Dst, "seen")
	case ir.AbstractLoad:
		t.emit("  seen = %s;", b.value(load, op.Type))
		t.pick(op)
	case ir.RMW:
		t.emit("  drained(%d);", t.id)
		t.rmw(op, b, load)
	}
	if b.opened {
		t.emit("  }")
	}
}

// mayBeBlock reports whether a computed address can be in a block.
func (t *sequentialThread) mayBeBlock(obj ir.ObjectID) bool {
	return len(t.w.Blocks) > 0 && obj == ir.NoObject
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
		t.emit("  __VERIFIER_assume(%s);", t.expr(op.Cond).Text)
	}
	val, next, wrote := t.expr(op.Val), "", "1"
	switch op.RMW {
	case ir.Xchg:
		next = val.Operand()
	case ir.FetchAdd:
		next = fmt.Sprintf("((uint64_t)seen + (uint64_t)%s)", val.Operand())
	case ir.FetchAnd, ir.FetchOr, ir.FetchXor:
		next = fmt.Sprintf("(seen %s %s)", map[ir.RMWKind]string{ir.FetchAnd: "&", ir.FetchOr: "|", ir.FetchXor: "^"}[op.RMW], val.Operand())
	case ir.Cas:
		wrote = fmt.Sprintf("seen == %s", val.Cast(op.Type).Text)
		next = t.expr(op.Val2).Operand()
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
