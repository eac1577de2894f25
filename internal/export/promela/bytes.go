package promela

// Objects that are accessed in pieces. If some access to an object is not exactly one of
// its elements, the object is kept byte by byte. A load then takes each byte from the
// newest buffered store of its thread that writes the byte, else from memory, and composes
// the value in one expression. A store to memory writes all its bytes in one step.
//
// A value has at most the 32 bits of Promela's int, so the upper half of eight bytes
// repeats the sign. If it does not, or if an unsigned value has its 32nd bit set, the
// expression overflows, and SPIN's program traps.

import (
	"fmt"
	"strconv"
	"strings"

	"fencepost/internal/export"
	"fencepost/internal/ir"
)

// inPieces returns the objects that have an access to something else than one whole
// element.
func (w *promela) inPieces() map[ir.ObjectID]bool {
	out := map[ir.ObjectID]bool{}
	note := func(id ir.ObjectID, size, off int64, terms []export.Term) {
		unit := int64(w.p.Objects[id].Unit)
		if unit == 0 { // each access is refused later
			return
		}
		whole := size == unit && off%unit == 0
		for _, t := range terms {
			whole = whole && t.Times%unit == 0
		}
		if !whole {
			out[id] = true
		}
	}
	fixed := func(addr uint64, size int64) {
		if id := w.p.FindObject(addr, int(size)); id != ir.NoObject {
			note(id, size, int64(addr-w.p.Objects[id].Addr), nil)
		}
	}
	var inspect func(a *ir.Expr, op *ir.Op)
	inspect = func(a *ir.Expr, op *ir.Op) {
		switch size := accessSize(op); {
		case export.IsConstant(a):
			fixed(uint64(a.Eval(ir.Env{Prog: w.p})), size)
		case a.Op == ir.Ite:
			inspect(a.Y, op)
			inspect(a.Z, op)
		case op.Obj != ir.NoObject:
			c, terms := export.Linear(w.p, a, 1, nil)
			note(op.Obj, size, c-int64(w.p.Objects[op.Obj].Addr), terms)
		}
	}
	for _, t := range w.threads {
		for i := range t.f.Edges {
			if op := &t.f.Edges[i].Op; op.Addr != nil {
				inspect(op.Addr, op)
			}
		}
	}
	for _, v := range monitorsOf(w).variables() {
		if v.IsMemory() {
			fixed(v.Addr, int64(v.Type.Size()))
		}
	}
	return out
}

// slotOf returns the slot of byte i at an address.
func (addr *address) slotOf(i int) string {
	if i == 0 {
		return addr.slot
	}
	if n, err := strconv.Atoi(addr.slot); err == nil {
		return strconv.Itoa(n + i)
	}
	return fmt.Sprintf("(%s + %d)", addr.slot, i)
}

// all returns the condition that a macro holds for all slots of an address.
func (addr *address) all(macro string) string {
	var out []string
	for i := range max(addr.bytes, 1) {
		out = append(out, fmt.Sprintf("%s(%s)", macro, addr.slotOf(i)))
	}
	return strings.Join(out, " && ")
}

// write returns the assignments that write a value to memory at an address.
func (addr *address) write(v string) []string {
	if addr.bytes == 0 {
		return []string{fmt.Sprintf("mem[%s] = %s", addr.slot, v)}
	}
	var out []string
	for i := range addr.bytes {
		out = append(out, fmt.Sprintf("mem[%s] = %s", addr.slotOf(i), byteOf(v, i)))
	}
	return out
}

// byteOf returns the expression for byte i of a value.
func byteOf(v string, i int) string {
	switch {
	case i == 0:
		return fmt.Sprintf("(%s & 255)", v)
	case i < 4:
		return fmt.Sprintf("((%s >> %d) & 255)", v, 8*i)
	default:
		return fmt.Sprintf("(%s < 0 -> 255 : 0)", v)
	}
}

// seen returns the value that an access of a type reads at an address. load is the macro
// that reads the buffer, "" to read memory alone.
func (w *promela) seen(typ ir.Type, addr *address, load string) string {
	at := func(i int) string {
		if load == "" {
			return fmt.Sprintf("mem[%s]", addr.slotOf(i))
		}
		return fmt.Sprintf("%s(%s)", load, addr.slotOf(i))
	}
	if addr.bytes == 0 {
		return w.read(typ, addr, at(0))
	}
	return together(typ, at)
}

// together returns the value of a type whose bytes are given by at.
func together(typ ir.Type, at func(i int) string) string {
	n := min(typ.Size(), 4)
	terms := []string{at(0)}
	for i := 1; i < n-1; i++ {
		terms = append(terms, fmt.Sprintf("%s * %d", at(i), int64(1)<<(8*i)))
	}
	top := at(n - 1)
	if typ.Signed || typ.Bits == 64 {
		top = fmt.Sprintf("((%s ^ 128) - 128)", top)
	}
	if n == 1 {
		return top
	}
	terms = append(terms, fmt.Sprintf("%s * %d", top, int64(1)<<(8*(n-1))))
	sum := "(" + strings.Join(terms, " + ") + ")"
	if typ.Bits < 64 {
		return sum
	}
	sign := fmt.Sprintf("(%s > 127 -> 255 : 0)", at(3))
	var same []string
	for i := 4; i < 8; i++ {
		same = append(same, fmt.Sprintf("%s == %s", at(i), sign))
	}
	return fmt.Sprintf("((%s) -> %s : 2147483647 + (1 + %s))", strings.Join(same, " && "), sum, at(7))
}

// declareBytes declares the sizes of a buffer's entries, and the macros that read single
// bytes from it.
func (w *promela) declareBytes(out *strings.Builder, t *thread) {
	fmt.Fprintf(out, "byte %s[%d]; /* bytes, 0: an element */\n", t.sizes, t.room)
	load, hits := "mem[s]", make([]string, t.room)
	for i := range t.room {
		hit := fmt.Sprintf("%s > %d && (s) >= %s[%d] && (s) < %s[%d] + %s[%d]", t.pending, i, t.slots, i, t.slots, i, t.sizes, i)
		value := fmt.Sprintf("%s[%d]", t.values, i)
		far := fmt.Sprintf("(s) - %s[%d]", t.slots, i)
		load = fmt.Sprintf("(%s -> (%s > 3 -> %s : ((%s >> (8 * (%s))) & 255)) : %s)", hit, far, byteOf(value, 4), value, far, load)
		hits[i] = hit
	}
	fmt.Fprintf(out, "#define %s(s) %s\n", t.byteLoad, load)
	if w.sections {
		fmt.Fprintf(out, "#define %s(s) (%s)\n", t.byteForwards, strings.Join(hits, " || "))
	}
}

// flushBytes returns the statements that write the oldest entry, an element or bytes, to
// memory.
func flushBytes(t *thread) string {
	var out strings.Builder
	slot, value, size := t.slots+"[0]", t.values+"[0]", t.sizes+"[0]"
	fmt.Fprintf(&out, "\t\tif\n\t\t:: %s == 0 -> mem[%s] = %s\n\t\t:: else -> mem[%s] = %s\n\t\tfi;\n", size, slot, value, slot, byteOf(value, 0))
	for _, n := range []int{2, 4, 8} {
		var acts []string
		for i := n / 2; i < n; i++ {
			acts = append(acts, fmt.Sprintf("mem[%s + %d] = %s", slot, i, byteOf(value, i)))
		}
		fmt.Fprintf(&out, "\t\tif\n\t\t:: %s >= %d -> %s\n\t\t:: else\n\t\tfi;\n", size, n, strings.Join(acts, "; "))
	}
	return out.String()
}
