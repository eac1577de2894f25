package ir

import (
	"fmt"
	"slices"

	"fencepost/internal/source"
)

// Form is the form of a program, which decides its invariants. The zero value is unset.
type Form uint8

// The forms.
const (
	FormUnset  Form = iota
	Structured      // functions call each other, spawn names functions
	Flat            // one automaton per thread, no calls, spawn names threads
)

func (f Form) String() string {
	switch f {
	case Structured:
		return "structured"
	case Flat:
		return "flat"
	default:
		panic(fmt.Sprintf("BUG: unknown form %d", f))
	}
}

// Program is a whole concurrent program.
type Program struct {
	Name    string
	Form    Form
	Objects []Object
	Funcs   []*Func
	Threads []Thread

	// Main is the main thread: after its return, deadlocks do not matter. It is NoThread
	// where all threads are equal, as in litmus tests and the papers.
	Main ThreadID

	// Cells says that every integer e names an 8-byte cell at address 8*e, as mem[e] does in
	// the papers. Cells outside all objects hold 0 initially.
	Cells bool

	// NextEdge is the first unused edge id.
	NextEdge EdgeID
}

// CellLimit bounds the integers that name cells: |e| >= CellLimit is reported as a bad address.
// Objects of programs with Cells lie above.
const CellLimit = 1 << 59

// CellUnit is the size of a cell of the papers' mem.
const CellUnit = 8

// The addresses of functions begin here, outside all data.
const funcBase = 0x7f00_0000_0000

// FuncAddress returns the value of a pointer to f.
func FuncAddress(f FuncID) int64 { return funcBase + 16*int64(f) }

// Object is a static memory object.
type Object struct {
	Name string
	Addr uint64
	Size int64
	Unit int // size of an element, for names such as a[3] and for compact states
	// Layout names the parts; nil: elements of Unit bytes.
	Layout *Layout
	Init   []byte // shorter than Size: the rest is zero
	Pos    source.Span
	// Type gives the width and sign in which people read elements.
	Type Type
	// Cells marks the window of cell memory that states hold in one piece; elements are
	// named mem[i].
	Cells bool
	// PerThread marks thread-local storage: structured programs only, flattening
	// gives every thread a copy.
	PerThread bool
	// Align is a power of two that divides the addresses of all copies; 0 stands for 16.
	Align int64
	// ReadOnly says that writing to the object is an error.
	ReadOnly bool
	// Masked says that the object may hold undefined bits. At first all its bits are defined.
	Masked bool
	// Ends says that the object exists no longer than its thread, which is not main or has the object as an automatic variable.
	Ends bool
}

// Func is an automaton.
type Func struct {
	Name    string
	Regs    []Register // parameters first
	Params  int
	Locs    []Location
	Edges   []Edge // in order of creation; Out gives them by location
	Entry   Loc
	Pos     source.Span
	Pointer bool // its address is taken: indirect calls may reach it
	// Types are the types of function that it can be called as through a pointer, in the
	// words of the front end; none, or "": any type with that many parameters.
	Types []string

	out [][]int32
}

// Register is a named word of a function activation.
type Register struct {
	Name string // unique within the function
	Init int64
	Pos  source.Span
	// Undef is the type of an automatic variable that has no value when the function begins. The zero type: the register
	// holds Init then.
	Undef Type
}

// Location is a control state.
type Location struct {
	Name string // unique within the function
	Pos  source.Span
}

// Edge is a labelled transition.
type Edge struct {
	ID     EdgeID
	Origin EdgeID // the edge of the structured program this is a copy of; ID if none
	From   Loc
	To     Loc
	Op     Op
	Pos    source.Span
	Pass   string // the pass that made it, "" for the front end
	Stack  []Frame
}

// Frame is an inlined call that contains an edge.
type Frame struct {
	Func string
	Call source.Pos
}

// Thread is an instance of a function that runs.
type Thread struct {
	Name string // unique
	Func FuncID
	Args []int64 // initial values of the parameters
	// Start says that the thread runs from the beginning, and not only when it is spawned.
	Start bool
	// Template names the template that the thread is an instance of: its instances have
	// identical code and differ in Args only. Empty: none.
	Template string
	// Unbounded marks a template with any number of instances. Engines for fixed
	// threads need transform.Instantiate first.
	Unbounded bool
	Pos       source.Span
}

// ThreadFunc returns the function of a thread.
func (p *Program) ThreadFunc(t ThreadID) *Func { return p.Funcs[p.Threads[t].Func] }

// Out returns the indices into f.Edges of the edges that leave l, in order of creation.
func (f *Func) Out(l Loc) []int32 {
	if len(f.out) != len(f.Locs) {
		f.index()
	}
	return f.out[l]
}

// index computes Out. Passes share the functions they leave as they are, and engines read the
// original meanwhile: an index that is right is therefore not written again.
func (f *Func) index() {
	out := adjacency(f)
	if !slices.EqualFunc(out, f.out, slices.Equal[[]int32]) {
		f.out = out
	}
}

// Reindex computes Out after edges have changed.
func (f *Func) Reindex() { f.out = adjacency(f) }

// Initial returns the value of type t that the object has at an offset from the beginning on.
func (o *Object) Initial(off int64, t Type) int64 {
	v := uint64(0)
	for i := range int64(t.Size()) {
		if at := off + i; at < int64(len(o.Init)) {
			v |= uint64(o.Init[at]) << (8 * i)
		}
	}
	return t.Wrap(int64(v))
}

// Copy returns a copy of a function whose edges can be changed.
func (f *Func) Copy() *Func {
	c := *f
	c.Edges = append([]Edge(nil), f.Edges...)
	return &c
}

// Seal computes the indices that lookups need, so that a sealed program is safe for concurrent
// use. Every builder, parser and pass seals its result.
func (p *Program) Seal() {
	for _, f := range p.Funcs {
		f.index()
	}
}

// Ends reports whether a thread at l has ended.
func (f *Func) Ends(l Loc) bool { return len(f.Out(l)) == 0 }

// Returns reports whether a thread that has ended at l has returned, and not ended by
// ThreadExit.
func (f *Func) Returns(l Loc) bool {
	for i := range f.Edges {
		if e := &f.Edges[i]; e.To == l && e.Op.Kind == ThreadExit {
			return false
		}
	}
	return f.Ends(l)
}

// FindObject returns the object that holds all bytes of an access, or NoObject.
func (p *Program) FindObject(addr uint64, size int) ObjectID {
	for i := range p.Objects {
		o := &p.Objects[i]
		if addr >= o.Addr && addr-o.Addr <= uint64(o.Size) && uint64(size) <= uint64(o.Size)-(addr-o.Addr) {
			return ObjectID(i)
		}
	}
	return NoObject
}

// LocationName returns the name that people use for the bytes at addr: x, flag[1], node.next,
// mem[3], or x.bytes[2..3] for a part of an element.
func (p *Program) LocationName(addr uint64, size int) string {
	id := p.FindObject(addr, size)
	if id == NoObject {
		if p.Cells && addr%CellUnit == 0 {
			return fmt.Sprintf("mem[%d]", int64(addr)/CellUnit)
		}
		return fmt.Sprintf("0x%x", addr)
	}
	o := &p.Objects[id]
	off := int64(addr - o.Addr)
	name := o.Name
	if o.Layout != nil {
		part, _ := o.Layout.Part(off, int64(size))
		return name + part
	}
	unit := int64(o.Unit)
	if o.Cells {
		name, unit = fmt.Sprintf("mem[%d]", int64(addr)/CellUnit), CellUnit
	} else if o.Size > unit {
		name = fmt.Sprintf("%s[%d]", name, off/unit)
	}
	if rest := off % unit; rest != 0 || int64(size) != unit {
		return name + BytesName(rest, int64(size))
	}
	return name
}

// AsksForMasks reports whether an operation asks which bits of what it loads are undefined.
func (p *Program) AsksForMasks() bool {
	for _, f := range p.Funcs {
		for i := range f.Edges {
			if f.Edges[i].Op.Undef.Dst != NoReg {
				return true
			}
		}
	}
	return false
}

// EdgeByID finds an edge and its function; ok is false for an unknown id.
func (p *Program) EdgeByID(id EdgeID) (f *Func, e *Edge, ok bool) {
	for _, f := range p.Funcs {
		for i := range f.Edges {
			if f.Edges[i].ID == id {
				return f, &f.Edges[i], true
			}
		}
	}
	return nil, nil, false
}
