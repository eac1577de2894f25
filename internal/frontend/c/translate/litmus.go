package translate

import (
	"fmt"
	"strings"

	"modernc.org/cc/v4"

	"fencepost/internal/diag"
	"fencepost/internal/ir"
	"fencepost/internal/source"
)

// Litmus tests. The idea: a test is a translation unit without main. Every function
// that the test names is a thread; its parameters are not variables but the
// addresses of locations of the same names, which nobody else defines. A parameter
// that is never written is replaced by the address, so that every access through it
// names its object.
//
// What a location holds at first, and which locals are looked at in the end, is the
// test's business: it gets the bytes to fill in, and registers.

// TestInput is a test as its front end found it.
type TestInput struct {
	// File has the name of the test's file and its text with everything blank that is
	// not C, so that positions are those of the file.
	File *source.File
	// Prelude is C that stands before it: the headers of the dialect.
	Prelude string
	// Threads are the functions that run, in order.
	Threads []string
	// Locations are those the initial state speaks of.
	Locations []Location
	// Locals are the variables that the conditions ask about.
	Locals []Local
	// Base is the address of the first object.
	Base uint64
}

// Location is a piece of memory of a test.
type Location struct {
	Name  string
	Type  string // of an element, in C; "": what the threads take it for
	Count int64  // elements; 0: no array
	At    source.Span
}

// Local is a variable of a thread.
type Local struct {
	Thread int // index of the thread
	Name   string
}

// Memory is what became of a location.
type Memory struct {
	Location
	Obj     ir.ObjectID
	Elem    ir.Type // of the value or the elements
	Scalar  bool    // there is a value: not a struct of several members
	Pointer bool
	Init    []byte // what the object holds at first, to be filled in

	typ cc.Type // nil: nobody says
}

// Variable is what became of a local.
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
	// Locations are those of the input, and behind them those that only parameters
	// name.
	Locations []*Memory
	// Locals are those of the input, after Lower.
	Locals []Variable

	c      *compiler
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
	at  lvalue
	t   ir.Type
	reg ir.Reg
}

const locationPrefix = "__fp_location_"

// ParseTest reads a test and makes the objects of its locations; nil if there are
// errors.
func ParseTest(in TestInput, opt Options, diags *diag.List) *Test {
	files := []*source.File{in.File}
	c := newCompiler(files, opt, diags)
	c.b.PlaceFrom(in.Base)
	t := &Test{c: c, in: in, byName: map[string]*Memory{}}
	types := ""
	for i := range in.Locations {
		l := &in.Locations[i]
		m := &Memory{Location: *l, Obj: ir.NoObject}
		t.Locations, t.byName[l.Name] = append(t.Locations, m), m
		if l.Type == "" {
			types += "\n"
		} else {
			types += fmt.Sprintf("extern %s %s%d;\n", l.Type, locationPrefix, i)
		}
	}
	c.test = t
	c.in.parseText(in.File, in.Prelude, types)
	c.finishParsing(files)
	if diags.HasErrors() {
		return nil
	}
	for i, m := range t.Locations {
		if s := c.syms.linked[fmt.Sprintf("%s%d", locationPrefix, i)]; s != nil {
			m.typ = s.decl.Type()
		}
	}
	for i, name := range in.Threads {
		c.in.guard(func() { t.thread(i, name) })
	}
	for _, m := range t.Locations {
		c.in.guard(func() { t.object(m) })
	}
	if diags.HasErrors() {
		return nil
	}
	return t
}

// thread finds the function of a thread and what it takes its locations for.
func (t *Test) thread(i int, name string) {
	c := t.c
	s := c.syms.units[0].static[name]
	if s == nil {
		s = c.syms.linked[name]
	}
	if s == nil || s.def == nil {
		c.in.errorf(codeSyntax, t.in.File.Span(0, 0), "%s is no function", name)
		return
	}
	c.threads[s] = &testThread{test: t, index: i, sym: s}
	for _, p := range s.decl.Type().(*cc.FunctionType).Parameters() {
		if isVoid(p.Type()) {
			return
		}
		elem := elemOf(p.Type())
		if p.Declarator == nil || elem == nil || isVoid(elem) || elem.Kind() == cc.Function {
			c.in.refuse(codeType, parameterNode(p, s), "a parameter of a thread is a pointer to the location of its name")
		}
		m := t.byName[p.Name()]
		if m == nil {
			m = &Memory{Location: Location{Name: p.Name(), At: c.in.span(p.Declarator)}, Obj: ir.NoObject}
			t.Locations, t.byName[m.Name] = append(t.Locations, m), m
		}
		switch {
		case m.typ == nil:
			m.typ = elem
		case m.typ.Size() != elem.Size():
			c.in.refuse(codeType, p.Declarator, "%s is of type %s here and of type %s elsewhere", m.Name, elem, m.typ)
		}
	}
}

func parameterNode(p *cc.Parameter, s *symbol) cc.Node {
	if p.Declarator != nil {
		return p.Declarator
	}
	return s.decl
}

// object makes the object of a location.
func (t *Test) object(m *Memory) {
	size, unit := int64(4), 4
	m.Elem, m.Scalar = ir.S32, true
	var layout *ir.Layout
	if m.typ != nil {
		if m.typ.IsIncomplete() || m.typ.Size() <= 0 || m.typ.Size() > maxObject {
			t.c.in.errorf(codeType, m.At, "the type of %s has no size", m.Name)
			return
		}
		size = m.typ.Size()
		m.Elem, m.Pointer, m.Scalar = valueType(m.typ)
		unit = max(1, int(size))
		layout = t.c.layouts.layoutOf(m.typ)
	}
	if m.Count > 0 {
		if m.Count*size > maxObject {
			t.c.in.errorf(codeLarge, m.At, "%s has more than %d bytes", m.Name, maxObject)
			return
		}
		size *= m.Count
		if layout != nil {
			layout = &ir.Layout{Kind: ir.ArrayLayout, Count: m.Count, Elem: layout}
		}
	}
	m.Init = make([]byte, size)
	m.Obj = t.c.b.Object(m.Name, size, unit, m.Elem, m.Init, m.At)
	t.c.b.Layout(m.Obj, layout)
}

// valueType is the type of the one value that a type holds: a scalar, or a struct of
// one, as atomic_t is.
func valueType(t cc.Type) (it ir.Type, pointer, ok bool) {
	if it, ok = intType(t); ok {
		return it, t.Kind() == cc.Ptr, true
	}
	if s, is := t.(*cc.StructType); is && s.NumFields() == 1 {
		if f := s.FieldByIndex(0); !f.IsBitfield() && f.Offset() == 0 && f.Type().Size() == t.Size() {
			return valueType(f.Type())
		}
	}
	return ir.U64, false, false
}

// Builder is where the program comes into being.
func (t *Test) Builder() *ir.Builder { return t.c.b }

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
			fb := c.syms.function(s)
			id := c.b.Thread(ir.Thread{Name: name, Func: fb.ID, Start: true, Pos: c.in.span(s.decl)})
			for k := range t.Locals {
				if t.in.Locals[k].Thread == i {
					t.Locals[k].Thread = id
				}
			}
		}
	}
	c.syms.lowerAll()
	if c.in.diags.HasErrors() {
		return
	}
	c.syms.checkSections()
	c.checkThreadsNotCalled()
}

// checkThreadsNotCalled refuses calls of what are threads: they have no parameters.
func (c *compiler) checkThreadsNotCalled() {
	isThread := map[ir.FuncID]*symbol{}
	for s := range c.threads {
		isThread[s.fb.ID] = s
		if s.fb.F.Pointer {
			c.in.errorf(codeExpr, c.in.span(s.decl), "the address of %s, which is a thread of the test, is taken", s.name)
		}
	}
	for _, s := range c.syms.byID {
		for i := range s.fb.F.Edges {
			e := &s.fb.F.Edges[i]
			if target := isThread[e.Op.Func]; target != nil && (e.Op.Kind == ir.Call || e.Op.Kind == ir.Spawn) {
				c.in.errorf(codeExpr, e.Pos, "%s is a thread of the test and cannot be called", target.name)
			}
		}
	}
}

// Finish is the translated program, once it is complete.
func (t *Test) Finish() *Unit { return t.c.unit([]*source.File{t.in.File}) }

// Checks reports whether an execution of the threads can go wrong: something other
// than an access to a location by its name is done.
func (t *Test) Checks() bool {
	for _, s := range t.c.syms.byID {
		for i := range s.fb.F.Edges {
			switch op := &s.fb.F.Edges[i].Op; op.Kind {
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
func (f *storage) bind(t *cc.FunctionType) (spills []spilled, entry []func()) {
	changed := f.changes(f.sym.def.CompoundStatement)
	for _, p := range t.Parameters() {
		if isVoid(p.Type()) {
			break
		}
		m, d := f.thread.test.byName[p.Name()], p.Declarator
		v := value{e: ir.Addr(m.Obj, 0), t: ir.U64, elem: elemOf(p.Type()), obj: m.Obj}
		switch {
		case f.inMemory(d):
			spills = append(spills, spilled{decl: d, value: v})
			f.block(d)
		case changed[d]:
			r := f.code.fb.Reg(p.Name(), 0, f.code.pos)
			f.vars[d] = lvalue{reg: r, typ: p.Type(), obj: ir.NoObject}
			entry = append(entry, func() { f.code.assign(r, v.e) })
		default:
			f.vars[d] = lvalue{reg: ir.NoReg, fixed: &v, typ: p.Type(), obj: ir.NoObject}
		}
	}
	return spills, entry
}

// changes finds the variables that a body assigns to.
func (f *storage) changes(body cc.Node) map[*cc.Declarator]bool {
	out := map[*cc.Declarator]bool{}
	note := func(e cc.ExpressionNode) {
		if d := variable(e); d != nil {
			out[d] = true
		}
	}
	inspect(body, func(n cc.Node) bool {
		switch x := n.(type) {
		case *cc.AssignmentExpression:
			if x.Case != cc.AssignmentExpressionCond {
				note(x.UnaryExpression)
			}
		case *cc.PostfixExpression:
			if x.Case == cc.PostfixExpressionInc || x.Case == cc.PostfixExpressionDec {
				note(x.PostfixExpression)
			}
			if x.Case == cc.PostfixExpressionCall { // what it writes through is a variable
				for l := x.ArgumentExpressionList; l != nil; l = l.ArgumentExpressionList {
					if a := addressed(l.AssignmentExpression); a != nil {
						note(a.CastExpression)
					}
				}
			}
		case *cc.UnaryExpression:
			if x.Case == cc.UnaryExpressionInc || x.Case == cc.UnaryExpressionDec {
				note(x.UnaryExpression)
			}
		case *cc.AsmExpressionList:
			if _, e, ok := asmArgument(x.AssignmentExpression); ok {
				note(e)
			}
		}
		return true
	})
	return out
}

// findLocals finds the locals of a thread that the conditions ask about.
func (f *storage) findLocals(body *cc.CompoundStatement) {
	t := f.thread.test
	declared := map[string][]*cc.Declarator{}
	for _, d := range localDeclarators(body) {
		if l, ok := f.vars[d]; ok && l.fixed == nil {
			declared[d.Name()] = append(declared[d.Name()], d)
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
		if v.Type, v.Scalar = intType(d.Type()); !v.Scalar {
			continue
		}
		v.Pointer = d.Type().Kind() == cc.Ptr
		at := f.vars[d]
		if v.Reg = at.reg; v.Reg == ir.NoReg {
			v.Reg = f.code.fb.Reg(strings.TrimPrefix(want.Name, "_")+"@end", 0, f.in.span(d))
			f.thread.views = append(f.thread.views, testView{at, v.Type, v.Reg})
		}
	}
}

// lookAtLocals reads, where a thread of a test ends, the locals in memory that the
// conditions ask about.
func (f *storage) lookAtLocals() {
	if f.thread == nil {
		return
	}
	for _, v := range f.thread.views {
		op := access(ir.Load, v.at, v.t, ir.Plain)
		op.Dst = v.reg
		f.code.emit(op)
	}
}

// Header returns the text of one of our headers, such as "fencepost/linux.h", which
// compilers take as well.
func Header(name string) (string, bool) {
	text, err := headers.ReadFile("include/" + name)
	return string(text), err == nil
}
