package engine

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"fencepost/internal/ir"
	"fencepost/internal/memory"
	"fencepost/verdict"
)

// names has the names of the memory of one execution. Static objects have names in the program; a block of the
// heap has the name of its type, or of the function that allocated it, and a number, so names notes the
// allocations.
type names struct {
	p      *ir.Program
	blocks []namedBlock   // latest last: a block that was reused has its newest name
	made   map[string]int // how many blocks of a kind there are
}

type namedBlock struct {
	addr   uint64
	size   int64 // without lead
	lead   int64 // bytes in front of what the program asked for
	name   string
	layout *ir.Layout
	stack  bool
	freed  string // where it was freed, "" while it lives
	local  bool   // thread-local: it ends with its thread
}

// allocated notes a block.
func (n *names) allocated(thread string, e *ir.Edge, addr uint64, size int64) *namedBlock {
	b := namedBlock{addr: addr, lead: e.Op.Block.Lead, size: max(0, size-e.Op.Block.Lead), stack: e.Op.Block.Stack, layout: e.Op.Block.Layout}
	if b.lead > 0 && b.layout != nil {
		i := slices.IndexFunc(b.layout.Fields, func(f ir.Field) bool { return f.Off == b.lead })
		b.layout = b.layout.Fields[i].Layout
	}
	kind := allocator(e)
	if b.stack {
		b.name = kind + "@" + thread
	} else {
		if n.made == nil {
			n.made = map[string]int{}
		}
		b.name = kind
		if t := recordName(b.layout); t != "" {
			b.name = t
		}
		n.made[b.name]++
		b.name = fmt.Sprintf("%s#%d", b.name, n.made[b.name])
	}
	if l := b.layout; l != nil && l.Size() > 0 && b.size > l.Size() && b.size%l.Size() == 0 {
		b.layout = &ir.Layout{Kind: ir.ArrayLayout, Elem: l, Count: b.size / l.Size()}
	}
	n.blocks = append(n.blocks, b)
	return &n.blocks[len(n.blocks)-1]
}

// with returns the name of a part of a block. A part of a frame of machine code is a variable of the function and has the
// name of a variable in C: x@thread for main.frame@thread.x.
func (b *namedBlock) with(part string) string {
	_, thread, frame := strings.Cut(b.name, ".frame@")
	if !frame || !strings.HasPrefix(part, ".") || strings.HasPrefix(part, ".byte") {
		return b.name + part
	}
	variable := part[1:]
	end := strings.IndexAny(variable, ".[")
	if end < 0 {
		end = len(variable)
	}
	return variable[:end] + "@" + thread + variable[end:]
}

// recordName returns the name of the struct or union that a layout consists of.
func recordName(l *ir.Layout) string {
	for l != nil && l.Kind == ir.ArrayLayout {
		l = l.Elem
	}
	if l == nil {
		return ""
	}
	return l.Name
}

// freed notes the end of a block.
func (n *names) freed(addr uint64, e *ir.Edge) {
	if b := n.block(addr, 1); b != nil && e.Pos.Line > 0 {
		b.freed = fmt.Sprintf("%s:%d", path.Base(e.Pos.File), e.Pos.Line)
		b.local = e.Pass != "" // no function of the program frees it
	}
}

// end is the address after the block, which counts as if it had at least so many bytes.
func (b *namedBlock) end(least int64) uint64 { return b.addr + uint64(b.lead+max(least, b.size)) }

// offset is where an address is in what the program asked for; it is negative for the bytes in front of that.
func (b *namedBlock) offset(addr uint64) int64 { return int64(addr-b.addr) - b.lead }

// block is the newest block that holds these bytes, or nil.
func (n *names) block(addr uint64, size int) *namedBlock {
	for i := len(n.blocks) - 1; i >= 0; i-- {
		b := &n.blocks[i]
		if addr >= b.addr && addr+uint64(size) <= b.end(1) {
			return b
		}
	}
	return nil
}

// location is the name of some bytes, and whether they hold an address.
func (n *names) location(addr uint64, size int) (name string, pointer bool) {
	if b := n.block(addr, size); b != nil {
		off := b.offset(addr)
		switch {
		case off < 0:
			return "size of " + b.name, false
		case b.layout != nil:
			part, leaf := b.layout.Part(off, int64(size))
			return b.with(part), leaf != nil && leaf.Kind == ir.PointerLayout
		case off == 0 && int64(size) == b.size:
			return b.name, false
		}
		return b.name + ir.BytesName(off, int64(size)), false
	}
	if id := n.p.FindObject(addr, size); id != ir.NoObject && n.p.Objects[id].Layout != nil {
		_, leaf := n.p.Objects[id].Layout.Part(int64(addr-n.p.Objects[id].Addr), int64(size))
		pointer = leaf != nil && leaf.Kind == ir.PointerLayout
	}
	return n.p.LocationName(addr, size), pointer
}

// pointee names the object that an address is in, "" if it is in none.
func (n *names) pointee(addr uint64) string {
	if addr == 0 {
		return "null"
	}
	part := func(name string, l *ir.Layout, off int64) string {
		switch {
		case l != nil:
			return "&" + (&namedBlock{name: name, layout: l}).with(l.Pointee(off))
		case off != 0:
			return fmt.Sprintf("&%s.bytes[%d]", name, off)
		}
		return "&" + name
	}
	if b := n.block(addr, 1); b != nil {
		return part(b.name, b.layout, max(0, b.offset(addr)))
	}
	if id := n.p.FindObject(addr, 1); id != ir.NoObject {
		o := &n.p.Objects[id]
		return part(o.Name, o.Layout, int64(addr-o.Addr))
	}
	return ""
}

// fault says what went wrong in words.
func (n *names) fault(f memory.Fault) string {
	msg, size := "", 1
	obj := ir.NoObject
	if f.Edge != nil {
		op := &f.Edge.Op
		msg, obj = op.Report.Msg, op.Obj
		if op.Accesses() {
			size = op.Type.Size()
		}
	}
	if f.Edge != nil && f.Edge.Op.Kind == ir.Assert && msg != "" {
		switch f.Class {
		case ir.OutOfBounds, ir.Destroyed, ir.BadDestroy:
			return f.Class.String() + ": " + msg
		}
	}
	switch f.Class {
	case ir.Assertion, ir.ReachError, ir.DivByZero, ir.Overflow:
		what := map[ir.CheckClass]string{
			ir.Assertion: "assertion fails", ir.ReachError: "error reached",
			ir.DivByZero: "division by zero", ir.Overflow: "overflow",
		}[f.Class]
		if msg != "" {
			what += ": " + msg
		}
		return what
	case ir.Uninitialised:
		return "uninitialised value: what was never written decides something here"
	case ir.NotSupported:
		return verdict.NotSupportedNote + msg
	case ir.BadAddress:
		if msg != "" {
			return f.Class.String() + ": " + msg
		}
		return f.Class.String() + ": no cell has this address"
	case ir.NullDeref:
		if f.Addr != 0 {
			return fmt.Sprintf("%s: %d byte(s) above null", f.Class, f.Addr)
		}
	case ir.OutOfBounds:
		return f.Class.String() + n.outside(f.Addr, obj)
	case ir.BadWait:
		if f.Edge != nil && f.Edge.Op.Kind == ir.Barrier {
			name, _ := n.location(f.Addr, 8)
			return fmt.Sprintf("%s: the barrier %s is not initialised, or was destroyed", f.Class, name)
		}
	case ir.InvalidFree:
		return fmt.Sprintf("%s: %s", f.Class, n.notAllocated(f.Addr+uint64(n.leading(f.Edge))))
	case ir.BadJoin:
		return f.Class.String() + ": the thread has been joined before, or is none that was started"
	case ir.UseAfterFree, ir.DoubleFree:
		if b := n.block(f.Addr, 1); b != nil {
			return fmt.Sprintf("%s: %s", f.Class, n.dead(b, f, size))
		}
	}
	if f.Addr != 0 {
		name, _ := n.location(f.Addr, size)
		return fmt.Sprintf("%s at %s", f.Class, name)
	}
	return f.Class.String()
}

// outside says which object or block an access missed.
func (n *names) outside(addr uint64, obj ir.ObjectID) string {
	if obj != ir.NoObject {
		o := &n.p.Objects[obj]
		count := o.Size / int64(o.Unit)
		if o.Layout != nil && o.Layout.Kind == ir.ArrayLayout {
			count = o.Layout.Count
		}
		return fmt.Sprintf(": the access is not inside %s, which has %d element(s)", o.Name, count)
	}
	for i := len(n.blocks) - 1; i >= 0; i-- {
		b := &n.blocks[i]
		if addr >= b.addr && addr < b.end(0)+nearby {
			return fmt.Sprintf(": byte %d of %s, which has %d byte(s)", b.offset(addr), b.name, b.size)
		}
	}
	if near := n.nearest(addr); near != "" {
		return ": " + near
	}
	name, _ := n.location(addr, 1)
	return " at " + name
}

// nearest says where an address is that is in no object, by the static objects before and after it; "" if it is far from
// all. An access can begin inside an object and leave it.
func (n *names) nearest(addr uint64) string {
	const far = 4096
	before, after := ir.NoObject, ir.NoObject
	for i := range n.p.Objects {
		o := &n.p.Objects[i]
		switch {
		case o.Cells:
		case addr < o.Addr:
			if o.Addr-addr <= far && (after == ir.NoObject || o.Addr < n.p.Objects[after].Addr) {
				after = ir.ObjectID(i)
			}
		case addr < o.Addr+uint64(o.Size)+far:
			if before == ir.NoObject || o.Addr > n.p.Objects[before].Addr {
				before = ir.ObjectID(i)
			}
		}
	}
	var says []string
	if before != ir.NoObject {
		o := &n.p.Objects[before]
		off := int64(addr - o.Addr)
		if off <= o.Size {
			return fmt.Sprintf("byte %d of %s, which has %d byte(s)", off, o.Name, o.Size)
		}
		says = append(says, fmt.Sprintf("%d byte(s) after the end of %s", off-o.Size, o.Name))
	}
	if after != ir.NoObject {
		o := &n.p.Objects[after]
		says = append(says, fmt.Sprintf("%d byte(s) before %s", o.Addr-addr, o.Name))
	}
	return strings.Join(says, " and ")
}

// notAllocated says what is freed that is no block of the heap.
func (n *names) notAllocated(addr uint64) string {
	name := n.pointee(addr)
	b := n.block(addr, 1)
	switch {
	case name == "":
		return "no block begins at this address"
	case b != nil && b.stack:
		return name + " is automatic storage"
	case b != nil && b.offset(addr) != 0:
		return fmt.Sprintf("%s is inside a block and not its beginning", name)
	}
	return name + " is not a block of the heap"
}

// leading is how far in front of the pointer of the program an operation on a whole block looks.
func (n *names) leading(e *ir.Edge) int64 {
	if e == nil || e.Op.Kind == ir.Free && e.Op.Block.Stack {
		return 0
	}
	for _, f := range n.p.Funcs {
		for i := range f.Edges {
			if lead := f.Edges[i].Op.Block.Lead; lead > 0 {
				return lead
			}
		}
	}
	return 0
}

// nearby is how far after a block an access counts as missing it.
const nearby = 16

// dead says what was used after its end, and where that was.
func (n *names) dead(b *namedBlock, f memory.Fault, size int) string {
	name := b.name
	if f.Class == ir.UseAfterFree && size > 1 && b.offset(f.Addr) >= 0 {
		name, _ = n.location(f.Addr, size)
	}
	switch {
	case b.freed == "":
		return name
	case b.stack && b.local:
		return fmt.Sprintf("%s, whose thread ended at %s", name, b.freed)
	case b.stack:
		return fmt.Sprintf("%s, whose function returned at %s", name, b.freed)
	}
	return fmt.Sprintf("%s, freed at %s", name, b.freed)
}
