package property

import (
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"

	"fencepost/internal/ir"
)

// Final states as text. The variables in Set.Observe are written as name=value pairs. If
// Set.Whole is set, the text also has the static objects in Set.Objects part by part, the
// cells of mem, the live blocks of the heap and the results of threads. Addresses are
// abstracted: a block is named after the statement that allocates it, and an address in the
// block is written as that name. So two states that differ only in the addresses of their
// blocks have the same text.
//
// Zeros are left out where they would fill pages: in arrays of more than 16 elements, in
// cells of mem, in objects of the library such as mutexes, in padding, and in results of
// threads. A value that is missing there is zero.

// View gives an Observer the values of a final state.
type View interface {
	// Memory returns the value of type t at an address.
	Memory(addr uint64, t ir.Type) int64
	// Register returns the value of a register of a thread.
	Register(ir.ThreadID, ir.Reg) int64
	// Result returns the result of a thread, 0 if the thread was not started.
	Result(ir.ThreadID) int64
	// Blocks returns all blocks that the execution has allocated, sorted by address.
	Blocks() []Block
	// Cells returns the addresses of the cells of mem (ir.Program.Cells) that may hold
	// another value than 0.
	Cells() []uint64
}

// Block is a block of memory that an execution has allocated.
type Block struct {
	Addr  uint64
	Size  int64
	Stack bool // the block is automatic storage
	Freed bool
	// Site is the edge that allocated the block last. Order increases with the time of
	// allocation among the live blocks of one site.
	Site  ir.EdgeID
	Order int
}

// Observer writes final states of one program as text.
type Observer struct {
	p     *ir.Program
	set   *Set
	sites map[ir.EdgeID]allocSite
}

// allocSite is an edge that allocates blocks.
type allocSite struct {
	name   string
	index  int        // in the order of threads and their edges
	layout *ir.Layout // of one element of the block, nil if it is not known
}

// NewObserver returns an observer that writes the parts of final states of p that the set
// asks for.
func NewObserver(p *ir.Program, set *Set) *Observer {
	o := &Observer{p: p, set: set}
	if set.Whole {
		o.findSites()
	}
	return o
}

// findSites names the edges that allocate blocks: malloc@f.c:7, with the thread if several
// threads have such an edge, and a number if one thread has several.
func (o *Observer) findSites() {
	o.sites = map[ir.EdgeID]allocSite{}
	type site struct{ text, thread string }
	count, threads := map[site]int{}, map[string]int{}
	each := func(f func(e *ir.Edge, at site)) {
		for t := range o.p.Threads {
			fn := o.p.ThreadFunc(ir.ThreadID(t))
			for i := range fn.Edges {
				if e := &fn.Edges[i]; e.Op.Kind == ir.Alloc && !e.Op.Block.Stack {
					f(e, site{siteText(e), o.p.Threads[t].Name})
				}
			}
		}
	}
	each(func(_ *ir.Edge, at site) {
		if count[at]++; count[at] == 1 {
			threads[at.text]++
		}
	})
	number := map[site]int{}
	each(func(e *ir.Edge, at site) {
		name := at.text
		if threads[at.text] > 1 {
			name += "@" + at.thread
		}
		if count[at] > 1 {
			number[at]++
			name += "/" + strconv.Itoa(number[at])
		}
		o.sites[e.ID] = allocSite{name: name, index: len(o.sites), layout: e.Op.Block.Layout}
	})
}

// siteText returns the name of an edge that allocates, without thread and number.
func siteText(e *ir.Edge) string {
	kind := e.Op.Block.Name
	if kind == "" {
		kind = "block"
	}
	if e.Pos.Line > 0 {
		return fmt.Sprintf("%s@%s:%d", kind, path.Base(e.Pos.File), e.Pos.Line)
	}
	return kind
}

// Text returns the text of a final state. Two final states with equal texts count as the
// same observation.
func (o *Observer) Text(v View) string {
	if o.set.Leaks {
		return LostText(Lost(o.p, v))
	}
	w := &stateText{o: o, v: v}
	for _, x := range o.set.Observe {
		if x.IsMemory() && x.Type.Float {
			w.put(x.Name, ir.FloatText(x.Type, v.Memory(x.Addr, x.Type)))
		} else if x.IsMemory() {
			w.put(x.Name, strconv.FormatInt(v.Memory(x.Addr, x.Type), 10))
		} else {
			w.put(x.Name, strconv.FormatInt(v.Register(x.Thread, x.Reg), 10))
		}
	}
	if o.set.Whole {
		w.whole()
	}
	return strings.Join(w.parts, " ")
}

// stateText collects the text of one state.
type stateText struct {
	o      *Observer
	v      View
	parts  []string // name=value pairs
	blocks []Block
	names  []string // names of the live blocks of the heap, by index in blocks
	shown  []bool   // bytes of the current object that a part has shown
	base   uint64   // address of the current object
}

func (w *stateText) put(name, value string) { w.parts = append(w.parts, name+"="+value) }

// whole writes cells, objects, blocks and results, in this order.
func (w *stateText) whole() {
	w.blocks = w.v.Blocks()
	order := w.nameBlocks()
	w.cells()
	for _, id := range w.o.set.Objects {
		obj := &w.o.p.Objects[id]
		w.object(obj.Name, obj.Addr, obj.Size, staticLayout(obj))
	}
	for _, i := range order {
		b := &w.blocks[i]
		before := len(w.parts)
		w.object(w.names[i], b.Addr, b.Size, blockLayout(b, w.o.sites[b.Site].layout))
		if len(w.parts) == before {
			w.put(w.names[i], "zero") // the text must show that the block exists
		}
	}
	for t := range w.o.p.Threads {
		if r := w.v.Result(ir.ThreadID(t)); r != 0 {
			w.put(w.o.p.Threads[t].Name+":result", w.address(uint64(r)))
		}
	}
}

// cells writes the cells of mem that are not zero and not in Set.Observe, by number.
func (w *stateText) cells() {
	var numbers []int64
	for _, addr := range w.v.Cells() {
		listed := func(v Var) bool { return v.IsMemory() && v.Addr == addr }
		if w.v.Memory(addr, ir.S64) != 0 && !slices.ContainsFunc(w.o.set.Observe, listed) {
			numbers = append(numbers, int64(addr)/ir.CellUnit)
		}
	}
	slices.Sort(numbers)
	for _, n := range numbers {
		w.put(fmt.Sprintf("mem[%d]", n), strconv.FormatInt(w.v.Memory(uint64(n*ir.CellUnit), ir.S64), 10))
	}
}

// nameBlocks names the live blocks of the heap. It returns their indices in the order of
// their sites and, at one site, of their allocation.
func (w *stateText) nameBlocks() []int {
	w.names = make([]string, len(w.blocks))
	var order []int
	for i, b := range w.blocks {
		if !b.Stack && !b.Freed {
			order = append(order, i)
		}
	}
	slices.SortFunc(order, func(i, j int) int {
		a, b := &w.blocks[i], &w.blocks[j]
		if d := w.o.sites[a.Site].index - w.o.sites[b.Site].index; d != 0 {
			return d
		}
		return a.Order - b.Order
	})
	made := map[ir.EdgeID]int{}
	for _, i := range order {
		site := w.blocks[i].Site
		w.names[i] = w.o.sites[site].name
		if made[site]++; made[site] > 1 {
			w.names[i] += "#" + strconv.Itoa(made[site])
		}
	}
	return order
}

// staticLayout returns the layout of a static object, nil if it is not known. An object
// without a layout is an array of its cells.
func staticLayout(obj *ir.Object) *ir.Layout {
	if obj.Layout != nil {
		return obj.Layout
	}
	elem := &ir.Layout{Kind: ir.ScalarLayout, Type: obj.Type}
	if elem.Type.Size() != obj.Unit || obj.Size%int64(obj.Unit) != 0 {
		return nil
	}
	return &ir.Layout{Kind: ir.ArrayLayout, Elem: elem, Count: obj.Size / int64(obj.Unit)}
}

// blockLayout returns the layout of a whole block, given the layout of its elements. It
// returns nil if the layout is not known or does not fit.
func blockLayout(b *Block, elem *ir.Layout) *ir.Layout {
	if elem == nil || elem.Size() <= 0 || elem.Size() > b.Size {
		return nil
	}
	if n := b.Size / elem.Size(); n > 1 {
		return &ir.Layout{Kind: ir.ArrayLayout, Elem: elem, Count: n}
	}
	return elem
}

// object writes an object or a block: first its parts, then the words and bytes that
// belong to no part and are not zero.
func (w *stateText) object(name string, addr uint64, size int64, l *ir.Layout) {
	w.shown, w.base = make([]bool, size), addr
	if l != nil && l.Size() <= size {
		w.part(name, addr, l, false)
	}
	for off := int64(0); off < size; {
		n, v := w.raw(addr, off)
		if v != 0 {
			where := name
			switch {
			case n == 1 && size > 1:
				where += fmt.Sprintf(".bytes[%d]", off)
			case n < size:
				where += fmt.Sprintf(".bytes[%d..%d]", off, off+n-1)
			}
			w.put(where, w.number(v, n))
		}
		off += n
	}
}

// raw reads bytes that belong to no part, and returns their number and value: eight bytes
// that hold an address in a block, else four bytes, else one. The value of a byte that a
// part has shown is given as 0.
func (w *stateText) raw(addr uint64, off int64) (n, v int64) {
	for _, n := range []int64{8, 4} {
		if (addr+uint64(off))%uint64(n) != 0 || off+n > int64(len(w.shown)) || slices.Contains(w.shown[off:off+n], true) {
			continue
		}
		v := w.v.Memory(addr+uint64(off), ir.Type{Bits: uint8(8 * n), Signed: true})
		if _, block := w.inBlock(uint64(v)); n == 4 || block {
			return n, v
		}
	}
	if w.shown[off] {
		return 1, 0
	}
	return 1, w.v.Memory(addr+uint64(off), ir.U8)
}

// manyElements is the largest number of elements of an array that is written in full.
const manyElements = 16

// part writes a part of an object. If sparse is set, it leaves out zeros.
func (w *stateText) part(name string, addr uint64, l *ir.Layout, sparse bool) {
	switch l.Kind {
	case ir.ScalarLayout, ir.PointerLayout:
		t := l.Type
		if l.Kind == ir.PointerLayout {
			t = ir.U64
		}
		for k := range uint64(t.Size()) {
			w.shown[addr-w.base+k] = true
		}
		v := w.v.Memory(addr, t)
		switch {
		case sparse && v == 0:
		case l.Kind == ir.PointerLayout:
			w.put(name, w.address(uint64(v)))
		case t.Float:
			w.put(name, ir.FloatText(t, v))
		default:
			w.put(name, w.number(v, int64(t.Size())))
		}
	case ir.ArrayLayout:
		sparse = sparse || l.Count > manyElements
		for i := range l.Count {
			w.part(fmt.Sprintf("%s[%d]", name, i), addr+uint64(i*l.Elem.Size()), l.Elem, sparse)
		}
	case ir.RecordLayout:
		for _, f := range l.Fields {
			field := name
			if f.Name != "" {
				field += "." + f.Name
			}
			w.part(field, addr+uint64(f.Off), f.Layout, sparse)
		}
	case ir.OpaqueLayout: // its first word is its value; object writes other bytes that are not zero
		if l.Bytes < 4 {
			return
		}
		for k := range uint64(4) {
			w.shown[addr-w.base+k] = true
		}
		if v := w.v.Memory(addr, ir.S32); v != 0 {
			w.put(name, w.number(v, 4))
		}
	default:
		panic("BUG: unknown layout")
	}
}

// number returns the text of an integer of a given size in bytes. An integer of 8 bytes
// that is an address in a block is written with the name of the block.
func (w *stateText) number(v, size int64) string {
	if size == 8 {
		if text, ok := w.inBlock(uint64(v)); ok {
			return text
		}
	}
	return strconv.FormatInt(v, 10)
}

// address returns the text of an address: the name of the block or object that it points
// to, with the offset.
func (w *stateText) address(addr uint64) string {
	if addr == 0 {
		return "null"
	}
	if text, ok := w.inBlock(addr); ok {
		return text
	}
	if id := w.o.p.FindObject(addr, 1); id != ir.NoObject {
		obj := &w.o.p.Objects[id]
		off := int64(addr - obj.Addr)
		switch {
		case off == 0:
			return "&" + obj.Name
		case obj.Layout != nil:
			return "&" + obj.Name + obj.Layout.Pointee(off)
		}
		return fmt.Sprintf("&%s.bytes[%d]", obj.Name, off)
	}
	return strconv.FormatInt(int64(addr), 10)
}

// inBlock returns the text of an address that points into a block or to the byte after its
// end. It reports false for other addresses.
func (w *stateText) inBlock(addr uint64) (string, bool) {
	for i := range w.blocks {
		b := &w.blocks[i]
		off := addr - b.Addr
		if addr < b.Addr || off > uint64(b.Size) {
			continue
		}
		switch {
		case b.Stack:
			return "&automatic", true
		case b.Freed:
			return "&freed", true
		case off == 0:
			return "&" + w.names[i], true
		}
		return fmt.Sprintf("&%s+%d", w.names[i], off), true
	}
	return "", false
}
