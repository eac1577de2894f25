package translate

import (
	"fmt"
	"strings"

	"fencepost/internal/lang/c/parse"
	"fencepost/internal/lang/c/types"

	"fencepost/internal/diag"
	"fencepost/internal/frontend/c/translate/read"
	"fencepost/internal/ir"
	"fencepost/internal/source"
)

// Litmus tests. The idea: a test is a translation unit without main. Every function
// that the test names is a thread; its parameters are not variables but the
// addresses of locations of the same names, which no thread else defines. A parameter
// that is never written is replaced by the address, so that every access through it
// names its object.
//
// What a location holds at first, and which locals are looked at in the end, is the
// test's business: it gets the bytes to fill in, and registers.

// TestInput is a test as its front end found it.
type TestInput struct {
	// File has the name of the test's file and its text with everything blank that is
	// not C, so that positions are positions in the file.
	File *source.File
	// Prelude is C that stands before it: the headers of the dialect.
	Prelude string
	// Threads are the functions that run, in order.
	Threads []string
	// Locations are the locations that the initial state mentions.
	Locations []Location
	// Locals are the variables that the conditions ask about.
	Locals []Local
	// Base is the address of the first object.
	Base uint64
}

// Location is a piece of memory of a test.
type Location struct {
	Name string
	Type string // of an element, in C; "": the type that the threads give it
	// Pointee is the type, in C, that a pointer to the location gives it; "": none does. It counts only if there is no
	// other type.
	Pointee string
	Count   int64 // elements; 0: no array
	At      source.Span
}

// Local is a variable of a thread.
type Local struct {
	Thread int // index of the thread
	Name   string
}

// Memory is a location after translation.
type Memory struct {
	Location
	Obj     ir.ObjectID
	Elem    ir.Type // of the value or the elements
	Scalar  bool    // there is a value: not a struct of several members
	Pointer bool
	Init    []byte // what the object holds at first, to be filled in

	typ *types.Type // nil: not known
}

// Variable is a local after translation.
type Variable struct {
	Found   int // how many variables of this name the thread has
	Scalar  bool
	Pointer bool
	Thread  ir.ThreadID
	Reg     ir.Reg // holds the value when the thread has ended
	Type    ir.Type
}

// Test is a test under translation.
type Test struct {
	// Locations are the locations of the input, then the locations that only parameters
	// name.
	Locations []*Memory
	// Locals are the locals of the input, after Lower.
	Locals []Variable

	c      *Compiler
	in     TestInput
	byName map[string]*Memory
}

// testThread is the lowering of a thread's function in a test.
type testThread struct {
	test  *Test
	index int
	sym   *symbol
	views []testView
}

// testView is a local in memory that is looked at in the end.
type testView struct {
	at  Lvalue
	t   ir.Type
	reg ir.Reg
}

// The names of declarations after the test that have the types of locations.
const (
	locationPrefix = "__fp_location_"
	pointeePrefix  = "__fp_pointee_"
)

// ParseTest reads a test and makes the objects of its locations; nil if there are
// errors.
func ParseTest(in TestInput, lib *Library, opt Options, diags *diag.List) *Test {
	files := []*source.File{in.File}
	opt.Strict = true // a test is small, and all of it runs
	c := newCompiler(files, lib, opt, diags)
	c.B.StartAt(in.Base)
	t := &Test{c: c, in: in, byName: map[string]*Memory{}}
	types := ""
	for i := range in.Locations {
		l := &in.Locations[i]
		m := &Memory{Location: *l, Obj: ir.NoObject}
		t.Locations, t.byName[l.Name] = append(t.Locations, m), m
		c.In.After = append(c.In.After, read.Line{Name: l.Name, Type: l.Type, At: l.At})
		if l.Type != "" {
			types += fmt.Sprintf("extern %s %s%d;", l.Type, locationPrefix, i)
		}
		if l.Pointee != "" {
			types += fmt.Sprintf("extern %s %s%d;", l.Pointee, pointeePrefix, i)
		}
		types += "\n"
	}
	c.test = t
	c.parse(in.File, in.Prelude, types)
	c.finishParsing(files)
	if diags.HasErrors() {
		return nil
	}
	for i, m := range t.Locations {
		if s := c.Syms.Names.Linked[fmt.Sprintf("%s%d", locationPrefix, i)]; s != nil {
			m.typ = s.Decl.Type
		}
	}
	for i, name := range in.Threads {
		c.In.Guard(func() { t.thread(i, name) })
	}
	for i, m := range t.Locations {
		if s := c.Syms.Names.Linked[fmt.Sprintf("%s%d", pointeePrefix, i)]; m.typ == nil && i < len(in.Locations) && s != nil {
			m.typ = s.Decl.Type
		}
		c.In.Guard(func() { t.object(m) })
	}
	if diags.HasErrors() {
		return nil
	}
	return t
}

// thread finds the function of a thread and what it takes its locations for.
func (t *Test) thread(i int, name string) {
	c := t.c
	s := c.Syms.units[0].static[name]
	if s == nil {
		s = c.Syms.Names.Linked[name]
	}
	if s == nil || s.Def == nil {
		c.In.Errorf(read.CodeSyntax, t.in.File.Span(0, 0), "%s is not a function", name)
		return
	}
	c.threads[s] = &testThread{test: t, index: i, sym: s}
	for _, p := range s.Def.Params {
		elem := ElemOf(p.Type)
		if p.Name == 0 || elem == nil || IsVoid(elem) || elem.Kind == types.Function {
			s.Unit.In.Refuse(read.CodeType, p, "a parameter of a thread must be a pointer to the variable of the same name")
		}
		m := t.byName[p.Text]
		if m == nil {
			m = &Memory{Location: Location{Name: p.Text, At: s.Unit.In.Span(p)}, Obj: ir.NoObject}
			t.Locations, t.byName[m.Name] = append(t.Locations, m), m
		}
		switch {
		case m.typ == nil:
			m.typ = elem
		case m.typ.Size() != elem.Size():
			s.Unit.In.Refuse(read.CodeType, p, "%s is of type %s here and of type %s elsewhere", m.Name, elem, m.typ)
		}
	}
}

// object makes the object of a location.
func (t *Test) object(m *Memory) {
	size, unit := int64(8), 8 // without a type it may hold a pointer
	m.Elem, m.Scalar = ir.S64, true
	var layout *ir.Layout
	if m.typ != nil {
		if m.typ.IsIncomplete() || m.typ.Size() <= 0 || m.typ.Size() > maxObject {
			t.c.In.Errorf(read.CodeType, m.At, "the type of %s has no size", m.Name)
			return
		}
		size = m.typ.Size()
		m.Elem, m.Pointer, m.Scalar = valueType(m.typ)
		unit = max(1, int(size))
		layout = t.c.Syms.units[0].Layouts.layoutOf(m.typ)
	}
	if m.Count > 0 {
		if m.Count*size > maxObject {
			t.c.In.Errorf(codeLarge, m.At, "%s has more than %d bytes", m.Name, maxObject)
			return
		}
		size *= m.Count
		if layout != nil {
			layout = &ir.Layout{Kind: ir.ArrayLayout, Count: m.Count, Elem: layout}
		}
	}
	m.Init = make([]byte, size)
	m.Obj = t.c.B.Object(m.Name, size, unit, m.Elem, m.Init, m.At)
	t.c.B.Layout(m.Obj, layout)
}

// valueType is the type of the one value that a type holds: a scalar, or a struct of
// one, as atomic_t is.
func valueType(t *types.Type) (it ir.Type, pointer, ok bool) {
	if it, ok = IntType(t); ok {
		return it, t.Kind == types.Pointer, true
	}
	if t.Kind == types.Struct && len(t.Record.Fields) == 1 {
		if f := &t.Record.Fields[0]; !f.IsBitField() && f.Offset == 0 && f.Type.Size() == t.Size() {
			return valueType(f.Type)
		}
	}
	return ir.U64, false, false
}

// Builder is where the program comes into being.
func (t *Test) Builder() *ir.Builder { return t.c.B }

// Lower translates the threads. The types and objects of locations are known before,
// what the locals became afterwards.
func (t *Test) Lower() {
	c := t.c
	t.Locals = make([]Variable, len(t.in.Locals))
	for i := range t.Locals {
		t.Locals[i] = Variable{Thread: ir.NoThread, Reg: ir.NoReg}
	}
	for i, name := range t.in.Threads {
		for s, th := range c.threads {
			if th.index != i {
				continue
			}
			fb := c.Syms.Function(s)
			id := c.B.Thread(ir.Thread{Name: name, Func: fb.ID, Start: true, Pos: s.span()})
			for k := range t.Locals {
				if t.in.Locals[k].Thread == i {
					t.Locals[k].Thread = id
				}
			}
		}
	}
	c.lowerAll()
	if c.In.Diags.HasErrors() {
		return
	}
	c.Syms.checkSections()
	c.checkThreadsNotCalled()
}

// checkThreadsNotCalled refuses calls of what are threads: they have no parameters.
func (c *Compiler) checkThreadsNotCalled() {
	isThread := map[ir.FuncID]*symbol{}
	for s := range c.threads {
		isThread[s.Fb.ID] = s
		if s.Fb.F.Pointer {
			c.In.Errorf(CodeExpr, s.span(), "the address of %s, which is a thread of the test, is taken", s.Name)
		}
	}
	for _, s := range c.Syms.ByID {
		for i := range s.Fb.F.Edges {
			e := &s.Fb.F.Edges[i]
			if target := isThread[e.Op.Call.Func]; target != nil && (e.Op.Kind == ir.Call || e.Op.Kind == ir.Spawn) {
				c.In.Errorf(CodeExpr, e.Pos, "%s is a thread of the test and cannot be called", target.Name)
			}
		}
	}
}

// Finish is the translated program, once it is complete.
func (t *Test) Finish() *Unit { return t.c.unit([]*source.File{t.in.File}) }

// Checks reports whether an execution of the threads can go wrong: something other
// than an access to a location by its name is done.
func (t *Test) Checks() bool {
	for _, s := range t.c.Syms.ByID {
		for i := range s.Fb.F.Edges {
			switch op := &s.Fb.F.Edges[i].Op; op.Kind {
			case ir.Load, ir.Store, ir.RMW, ir.Await:
				if op.Addr.Op != ir.AddrOf || op.Obj == ir.NoObject {
					return true
				}
			case ir.Nop, ir.Assign, ir.Assume, ir.Fence, ir.Havoc, ir.Return, ir.Call:
			default:
				return true
			}
		}
	}
	return false
}

// bind makes the parameters of a thread: addresses, and variables that hold them
// where the thread changes them.
func (f *Storage) bind() (spills []spilled, entry []func()) {
	changed := f.changes(f.sym.Def.Body)
	for _, d := range f.sym.Def.Params {
		m, p := f.thread.test.byName[d.Text], d
		v := Value{Expr: ir.Addr(m.Obj, 0), Type: ir.U64, Elem: ElemOf(p.Type), Obj: m.Obj}
		switch {
		case f.inMemory(d):
			spills = append(spills, spilled{decl: d, value: v})
			f.block(d)
		case changed[d]:
			r := f.Code.Fb.Reg(p.Text, 0, f.Code.Pos)
			f.vars[d] = Lvalue{Reg: r, Type: p.Type, Obj: ir.NoObject}
			entry = append(entry, func() { f.Code.Assign(r, v.Expr) })
		default:
			f.vars[d] = Lvalue{Reg: ir.NoReg, fixed: &v, Type: p.Type, Obj: ir.NoObject}
		}
	}
	return spills, entry
}

// changes finds the variables that a body assigns to.
func (f *Storage) changes(body *parse.Stmt) map[*parse.Object]bool {
	out := map[*parse.Object]bool{}
	note := func(e *parse.Expr) {
		if d := VariableOf(e); d != nil {
			out[d] = true
		}
	}
	visit := parse.Visitor{
		Stmt: func(s *parse.Stmt) bool {
			if s.Asm != nil {
				for _, o := range append(s.Asm.Outputs[:len(s.Asm.Outputs):len(s.Asm.Outputs)], s.Asm.Inputs...) {
					note(o.Expr)
				}
			}
			return true
		},
		Expr: func(e *parse.Expr) bool {
			switch e.Op {
			case parse.Assign, parse.AssignOp, parse.PreInc, parse.PreDec, parse.PostInc, parse.PostDec:
				note(e.A)
			case parse.Call, parse.Builtin: // what it writes through is a variable
				for _, a := range e.Args {
					if a := Addressed(a); a != nil {
						note(a.A)
					}
				}
			}
			return true
		},
	}
	visit.Stmts(body)
	return out
}

// findLocals finds the locals of a thread that the conditions ask about.
func (f *Storage) findLocals(body *parse.Stmt) {
	t := f.thread.test
	declared := map[string][]*parse.Object{}
	for _, d := range localObjects(body) {
		if l, ok := f.vars[d]; ok && l.fixed == nil {
			declared[d.Text] = append(declared[d.Text], d)
		}
	}
	for i := range t.Locals {
		want, v := &t.in.Locals[i], &t.Locals[i]
		if want.Thread != f.thread.index {
			continue
		}
		list := declared[want.Name]
		if v.Found = len(list); v.Found != 1 {
			continue
		}
		d := list[0]
		if v.Type, v.Scalar = IntType(d.Type); !v.Scalar {
			continue
		}
		v.Pointer = d.Type.Kind == types.Pointer
		at := f.vars[d]
		if v.Reg = at.Reg; v.Reg == ir.NoReg {
			v.Reg = f.Code.Fb.Reg(strings.TrimPrefix(want.Name, "_")+"@end", 0, f.In.Span(d))
			f.thread.views = append(f.thread.views, testView{at, v.Type, v.Reg})
		}
	}
}

// readLocals reads, where a thread of a test ends, the locals in memory that the
// conditions ask about.
func (f *Storage) readLocals() {
	if f.thread == nil {
		return
	}
	for _, v := range f.thread.views {
		op := Access(ir.Load, v.at, v.t, ir.Plain)
		op.Dst = v.reg
		f.Code.Emit(op)
	}
}
