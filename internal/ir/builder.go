package ir

import (
	"fmt"
	"strconv"

	"fencepost/internal/source"
)

// Addresses that builders use. Programs with cells keep the integers below CellLimit*8 for
// mem[e] and all other addresses above.
const (
	DataBase     = 0x10000
	CellDataBase = uint64(CellLimit) * CellUnit
	redZone      = 16 // unused bytes between objects, so that overruns are noticed
)

// Builder makes programs. It adds a suffix to a name that a caller repeats; callers that must
// not repeat names check that themselves.
type Builder struct {
	p     *Program
	next  uint64
	align uint64 // of the next object
	// address is the address of the next object, 0: the next one that is free.
	address uint64
	// past is how many bytes after the aligned address the next object begins.
	past  uint64
	names nameSet
}

// NewBuilder starts a structured program. cells says whether integers name
// memory cells (Program.Cells).
func NewBuilder(name string, cells bool) *Builder {
	b := &Builder{
		p:     &Program{Name: name, Form: Structured, Main: NoThread, Cells: cells},
		next:  DataBase,
		names: nameSet{},
	}
	if cells {
		b.next = CellDataBase
	}
	return b
}

// StartAt makes addr the address of the first object. It must be called before the first object
// is added.
func (b *Builder) StartAt(addr uint64) {
	if len(b.p.Objects) > 0 {
		panic("BUG: objects have their addresses already")
	}
	b.next = addr
}

// AlignNext makes the address of the next object a multiple of align, which is a power of two.
func (b *Builder) AlignNext(align uint64) {
	b.next, b.align = alignedUp(b.next, int64(align)), align
}

// PastNext makes the next object begin some bytes after the address that it would have otherwise.
func (b *Builder) PastNext(n uint64) { b.past = n }

// AddressNext makes addr the address of the next object; the caller sees to it that nothing else is there.
func (b *Builder) AddressNext(addr uint64) { b.address = addr }

// alignedUp returns the lowest multiple of a power of two that is not below an address; an alignment of 0 stands
// for 16.
func alignedUp(addr uint64, align int64) uint64 {
	if align == 0 {
		align = 16
	}
	n := uint64(align) - 1
	return (addr + n) &^ n
}

// Object adds an object after all others, with unused bytes in between, and returns its id. unit
// is the size of an element.
func (b *Builder) Object(name string, size int64, unit int, typ Type, init []byte, pos source.Span) ObjectID {
	o := Object{Name: b.names.unique('o', name), Addr: b.next, Size: size, Unit: unit, Type: typ, Init: init, Pos: pos}
	if b.align > 16 && b.past == 0 {
		o.Align = int64(b.align)
	}
	o.Addr += b.past
	b.align, b.past = 0, 0
	if b.address != 0 {
		o.Addr, o.Align, b.address = b.address, 0, 0
		b.p.Objects = append(b.p.Objects, o)
		return ObjectID(len(b.p.Objects) - 1)
	}
	b.p.Objects = append(b.p.Objects, o)
	b.next = alignedUp(AfterObject(&o), 0)
	return ObjectID(len(b.p.Objects) - 1)
}

// AfterObject returns the lowest address for the next object.
func AfterObject(o *Object) uint64 { return o.Addr + (uint64(o.Size)+redZone+15)&^15 }

// AddObject adds an object after all others. It is for passes; front ends have Builder.
func (p *Program) AddObject(o Object) ObjectID {
	o.Addr = DataBase
	if p.Cells {
		o.Addr = CellDataBase
	}
	for i := range p.Objects {
		o.Addr = max(o.Addr, AfterObject(&p.Objects[i]))
	}
	o.Addr = alignedUp(o.Addr, o.Align)
	p.Objects = append(p.Objects, o)
	return ObjectID(len(p.Objects) - 1)
}

// CellWindow declares the cells mem[0..n-1] as an object, so that states hold them in one piece.
// It does not change what the program does.
func (b *Builder) CellWindow(n int64) ObjectID {
	if !b.p.Cells {
		panic("BUG: cell window in a program without cells")
	}
	b.p.Objects = append(b.p.Objects, Object{Name: "mem", Size: n * CellUnit, Unit: CellUnit, Type: S64, Cells: true})
	return ObjectID(len(b.p.Objects) - 1)
}

// Addr returns the address of an object.
func (b *Builder) Addr(o ObjectID) uint64 { return b.p.Objects[o].Addr }

// Main names the main thread.
func (b *Builder) Main(t ThreadID) { b.p.Main = t }

// Thread adds a thread.
func (b *Builder) Thread(t Thread) ThreadID {
	t.Name = b.names.unique('t', t.Name)
	b.p.Threads = append(b.p.Threads, t)
	return ThreadID(len(b.p.Threads) - 1)
}

// Finish seals and returns the program.
func (b *Builder) Finish() *Program {
	b.p.Seal()
	return b.p
}

// nameSet holds the names taken, by kind of thing, each with the number to try for its next
// copy.
type nameSet map[spacedName]int

type spacedName struct {
	space byte
	name  string
}

// unique takes a name, with a suffix if it is taken already.
func (s nameSet) unique(space byte, name string) string {
	first := spacedName{space, name}
	n := s[first]
	if n == 0 {
		s[first] = 1
		return name
	}
	for ; ; n++ {
		try := spacedName{space, fmt.Sprintf("%s#%d", name, n)}
		if s[try] == 0 {
			s[try], s[first] = 1, n+1
			return try.name
		}
	}
}

// FuncBuilder adds to one function.
type FuncBuilder struct {
	ID    FuncID
	F     *Func
	b     *Builder
	names nameSet
	pass  string
}

// Func starts a function with one location, its entry.
func (b *Builder) Func(name string, pos source.Span) *FuncBuilder {
	f := &Func{Name: b.names.unique('f', name), Pos: pos}
	b.p.Funcs = append(b.p.Funcs, f)
	return &FuncBuilder{ID: FuncID(len(b.p.Funcs) - 1), F: f, b: b, names: nameSet{}}
}

// Pass marks the edges added from now on as made by a pass.
func (fb *FuncBuilder) Pass(name string) { fb.pass = name }

// Reg adds a register.
func (fb *FuncBuilder) Reg(name string, init int64, pos source.Span) Reg {
	fb.F.Regs = append(fb.F.Regs, Register{Name: fb.names.unique('r', name), Init: init, Pos: pos})
	return Reg(len(fb.F.Regs) - 1)
}

// Param adds a parameter; all parameters come before all other registers.
func (fb *FuncBuilder) Param(name string, pos source.Span) Reg {
	if len(fb.F.Regs) != fb.F.Params {
		panic("BUG: parameter after a register")
	}
	fb.F.Params++
	return fb.Reg(name, 0, pos)
}

// Loc adds a location. An empty name gets a made-up one.
func (fb *FuncBuilder) Loc(name string, pos source.Span) Loc {
	if name == "" {
		name = "L" + strconv.Itoa(len(fb.F.Locs))
	}
	fb.F.Locs = append(fb.F.Locs, Location{Name: fb.names.unique('l', name), Pos: pos})
	return Loc(len(fb.F.Locs) - 1)
}

// Entry sets the entry location. Without it the first location is the entry.
func (fb *FuncBuilder) Entry(l Loc) { fb.F.Entry = l }

// Edge adds an edge.
func (fb *FuncBuilder) Edge(from Loc, op Op, to Loc, pos source.Span) EdgeID {
	id := fb.b.p.NextEdge
	fb.b.p.NextEdge++
	fb.F.Edges = append(fb.F.Edges, Edge{ID: id, Origin: id, From: from, To: to, Op: op, Pos: pos, Pass: fb.pass})
	return id
}

// SetPerThread makes an object thread-local: flattening gives every thread a copy.
func (b *Builder) SetPerThread(o ObjectID) { b.p.Objects[o].PerThread = true }

// PerThread reports whether an object is thread-local.
func (b *Builder) PerThread(o ObjectID) bool { return b.p.Objects[o].PerThread }

// SetReadOnly makes writing to an object an error.
func (b *Builder) SetReadOnly(o ObjectID) { b.p.Objects[o].ReadOnly = true }

// Size returns the size of an object in bytes.
func (b *Builder) Size(o ObjectID) int64 { return b.p.Objects[o].Size }
