package promela

// Memory as one array of ints. A slot holds an element of an object, or a byte if the
// object is accessed in pieces (bytes.go). In programs with cells, mem[e] may name
// an object through a pointer. In such programs the objects keep their distances, and the
// numbers of their cells, which exceed 32 bits, are moved to relocated.

import (
	"fmt"
	"slices"
	"strings"

	"fencepost/internal/export"
	"fencepost/internal/ir"
)

// relocated is the cell number of the first object in programs with cells. The
// numbers that a program computes are smaller unless they use half of Promela's int.
const relocated = 1 << 30

// layout assigns slots to objects and cells.
type layout struct {
	objects   []objectSlots // by object
	slots     int           // the number of slots
	init      []int64       // by slot: the initial value
	pieces    bool          // some object is kept byte by byte
	cells     bool          // ir.Program.Cells
	low, high int64         // the window: cells low..high-1 are slots 0..high-low-1
	base      uint64        // the address of the first object, in programs with cells
	extent    int64         // the number of cells from base to the end of the last object
	p         *ir.Program
}

// objectSlots describes the slots of an object.
type objectSlots struct {
	slot  int    // the first slot
	count int64  // the number of slots
	unit  int64  // bytes per slot
	bytes bool   // a slot holds a byte, not an element
	bad   string // the reason why the object cannot be accessed, "" if it can
}

// layOut assigns slots to every object.
func (w *promela) layOut() {
	l := &w.layout
	l.p, l.cells = w.p, w.p.Cells
	l.objects = make([]objectSlots, len(w.p.Objects))
	pieces := w.inPieces()
	if l.cells {
		w.layOutCells()
	}
	for id := range w.p.Objects {
		o := &w.p.Objects[id]
		if l.cells && (o.Cells || o.Unit == ir.CellUnit) {
			continue
		}
		s := objectSlots{slot: l.slots, unit: int64(o.Unit)}
		switch {
		case o.Unit != 1 && o.Unit != 2 && o.Unit != 4 && o.Unit != 8 || o.Size%int64(o.Unit) != 0:
			s.bad = fmt.Sprintf("%s is no array of 1, 2, 4 or 8 byte elements", o.Name)
		case l.cells && o.Size >= ir.CellUnit:
			s.bad = fmt.Sprintf("%s has elements of %d bytes in a program that uses mem[]", o.Name, o.Unit)
		case pieces[ir.ObjectID(id)]:
			s.unit, s.bytes, s.count, l.pieces = 1, true, o.Size, true
		default:
			s.count = o.Size / s.unit
		}
		l.objects[id] = s
		l.slots += int(min(s.count, maxSlots+1))
	}
	if l.slots > maxSlots {
		w.Refuse(w.p.Objects[len(w.p.Objects)-1].Pos, "more than %d words of memory: SPIN keeps all of them in every state", maxSlots)
		return
	}
	w.initialise()
}

// layOutCells assigns slots to the window and to the objects that mem[e] can reach.
func (w *promela) layOutCells() {
	l := &w.layout
	found := false
	for id := range w.p.Objects {
		o := &w.p.Objects[id]
		switch {
		case o.Cells:
			l.high = max(l.high, o.Size/ir.CellUnit)
		case o.Unit == ir.CellUnit && (!found || o.Addr < l.base):
			l.base, found = o.Addr, true
		}
	}
	w.constantAddresses(func(addr uint64) {
		cell := int64(addr) / ir.CellUnit
		if w.p.FindObject(addr, 1) == ir.NoObject && cell > -maxSlots && cell < maxSlots {
			l.low, l.high = min(l.low, cell), max(l.high, cell+1)
		}
	})
	if l.high-l.low > maxSlots {
		l.slots = maxSlots + 1
		return
	}
	window := int(l.high - l.low)
	for id := range w.p.Objects {
		o := &w.p.Objects[id]
		switch {
		case o.Cells:
			l.objects[id] = objectSlots{slot: int(-l.low), count: o.Size / ir.CellUnit, unit: ir.CellUnit}
		case o.Unit == ir.CellUnit:
			first := int64(o.Addr-l.base) / ir.CellUnit
			l.objects[id] = objectSlots{slot: window + int(min(first, maxSlots)), count: o.Size / ir.CellUnit, unit: ir.CellUnit}
			l.extent = max(l.extent, first+o.Size/ir.CellUnit)
		}
	}
	l.slots = window + int(min(l.extent, maxSlots+1))
}

// constantAddresses calls f for every constant address in the program and its properties.
func (w *promela) constantAddresses(f func(uint64)) {
	for _, t := range w.threads {
		for i := range t.f.Edges {
			if a := t.f.Edges[i].Op.Addr; a != nil && export.IsConstant(a) {
				f(uint64(a.Eval(ir.Env{Prog: w.p})))
			}
		}
	}
	for _, v := range monitorsOf(w).variables() {
		if v.IsMemory() {
			f(v.Addr)
		}
	}
}

// initialise computes the initial values of the slots.
func (w *promela) initialise() {
	l := &w.layout
	l.init = make([]int64, l.slots)
	for id := range w.p.Objects {
		o, s := &w.p.Objects[id], &l.objects[id]
		for i := range s.count {
			var v uint64
			for b := range s.unit {
				if at := i*s.unit + b; at < int64(len(o.Init)) {
					v |= uint64(o.Init[at]) << (8 * b)
				}
			}
			word := o.Type.Wrap(int64(v))
			if s.bytes {
				word = int64(v)
			} else if o.Type.Size() != int(s.unit) {
				word = ir.Type{Bits: uint8(8 * s.unit), Signed: true}.Wrap(int64(v))
			}
			if p, ok := l.pointer(word); ok {
				word = p
			}
			if !export.Fits(word) {
				w.Refuse(o.Pos, "the first value %d of %s does not fit into the 32 bits of Promela's int", word, o.Name)
				continue
			}
			l.init[int64(s.slot)+i] = word
		}
	}
}

// pointer returns the relocated number of a cell of an object. It returns any other number
// unchanged, and false.
func (l *layout) pointer(v int64) (int64, bool) {
	first := int64(l.base) / ir.CellUnit
	if !l.cells || l.extent == 0 || v < first || v > first+l.extent {
		return v, false
	}
	return v - first + relocated, true
}

// declare writes the array and its initial values.
func (l *layout) declare(out *strings.Builder) {
	fmt.Fprintf(out, "int mem[%d]", max(l.slots, 1))
	if slices.ContainsFunc(l.init, func(v int64) bool { return v != 0 }) {
		values := make([]string, len(l.init))
		for i, v := range l.init {
			values[i] = literal(v)
		}
		fmt.Fprintf(out, " = { %s }", strings.Join(values, ", "))
	}
	out.WriteString(";\n")
	for id := range l.objects {
		o, s := &l.p.Objects[id], &l.objects[id]
		switch {
		case s.bytes:
			fmt.Fprintf(out, "/* mem[%d..%d] is the bytes of %s, lowest first */\n", s.slot, int64(s.slot)+s.count-1, export.Comment(o.Name))
		case s.count == 1:
			fmt.Fprintf(out, "/* mem[%d] is %s */\n", s.slot, export.Comment(o.Name))
		case s.count > 1:
			fmt.Fprintf(out, "/* mem[%d..%d] is %s[0..%d] */\n", s.slot, int64(s.slot)+s.count-1, export.Comment(o.Name), s.count-1)
		}
	}
	if l.cells {
		l.declareCells(out)
	}
}

// declareCells writes the macros that turn numbers of cells into slots.
func (l *layout) declareCells(out *strings.Builder) {
	window := l.high - l.low
	fmt.Fprintf(out, "/* pointers to variables begin at %d; mem[e] is otherwise one of the cells %d..%d */\n", relocated, l.low, l.high-1)
	fmt.Fprintf(out, "#define slot_of(e) ((e) >= %d -> (e) - %d : (e) - %s)\n", relocated, relocated-window, literal(l.low))
	fmt.Fprintf(out, "#define in_window(e) ((e) >= %d || (e) >= %s && (e) < %s)\n", relocated, literal(l.low), literal(l.high))
	fmt.Fprintf(out, "#define valid_cell(e) ((e) < %d", relocated)
	for id := range l.objects {
		if o := &l.p.Objects[id]; !o.Cells && o.Unit == ir.CellUnit {
			first := relocated + int64(o.Addr-l.base)/ir.CellUnit
			fmt.Fprintf(out, " || (e) >= %d && (e) < %d", first, first+l.objects[id].count)
		}
	}
	out.WriteString(")\n")
}
