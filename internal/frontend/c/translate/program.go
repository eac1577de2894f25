package translate

import (
	"encoding/binary"

	"modernc.org/cc/v4"

	"fencepost/internal/ir"
	"fencepost/internal/source"
)

// The program as a whole: which names there are, and what main reaches of them.
// Functions and objects come into being when something refers to them, so that
// what is never used need not be supported.

// collectSymbols enters the names of file scope of one unit.
func (c *symbols) collectSymbols(u *unit) {
	for tu := u.ast.TranslationUnit; tu != nil; tu = tu.TranslationUnit {
		switch ed := tu.ExternalDeclaration; ed.Case {
		case cc.ExternalDeclarationFuncDef:
			def := ed.FunctionDefinition
			s := c.enter(u, def.Declarator)
			if s.def != nil && isLibrary(u.name) { // the program's own comes first
				continue
			}
			if s.def != nil {
				c.twice(s, def.Declarator)
			}
			s.def, s.unit, s.decl = def, u, def.Declarator
		case cc.ExternalDeclarationDecl:
			c.collectDeclaration(u, ed.Declaration)
		case cc.ExternalDeclarationAsmStmt:
			c.in.errorf(codeAsm, c.in.span(ed), "assembly outside functions is not supported")
		}
	}
}

func (c *symbols) collectDeclaration(u *unit, d *cc.Declaration) {
	for l := d.InitDeclaratorList; l != nil; l = l.InitDeclaratorList {
		id := l.InitDeclarator
		decl := id.Declarator
		if decl.IsTypename() {
			continue
		}
		s := c.enter(u, decl)
		if decl.Type().Kind() == cc.Function {
			continue
		}
		if id.Initializer != nil {
			if s.init != nil {
				c.twice(s, decl)
			}
			c.define(s, u, decl)
			s.init, s.decl, s.unit = id.Initializer, decl, u
		} else if !decl.IsExtern() {
			c.define(s, u, decl)
			if s.init == nil && (s.decl.IsExtern() || !decl.Type().IsIncomplete()) {
				s.decl, s.unit = decl, u
			}
		}
	}
}

// enter finds or makes the symbol of a declarator of file scope.
func (c *symbols) enter(u *unit, d *cc.Declarator) *symbol {
	table := c.linked
	name := d.Name()
	// A definition with inline is for its own file [C11 6.7.4].
	if d.Linkage() == cc.Internal || d.IsInline() && d.Type().Kind() == cc.Function || u.static[name] != nil {
		table = u.static
	}
	s := table[name]
	if s == nil {
		s = &symbol{name: name, unit: u, decl: d}
		table[name] = s
	} else if s.unit != u {
		c.checkSame(s, d)
	}
	return s
}

// define gives an object storage in a file. Within one file several declarations
// without an initialiser are one definition.
func (c *symbols) define(s *symbol, u *unit, d *cc.Declarator) {
	if s.home != nil && s.home != u {
		c.twice(s, d)
	}
	s.home, s.defined = u, true
}

// twice reports a second definition.
func (c *symbols) twice(s *symbol, d *cc.Declarator) {
	c.in.errorf(codeLink, c.in.span(d), "%s has two definitions", s.name).Note("the other one is at %s", c.in.span(s.decl).Pos)
}

// checkSame reports declarations of two files that cannot be of one thing.
func (c *symbols) checkSame(s *symbol, d *cc.Declarator) {
	if !sameKind(s.decl.Type(), d.Type()) {
		c.in.errorf(codeLink, c.in.span(d), "%s is declared as %s here and as %s elsewhere", s.name, d.Type(), s.decl.Type()).
			Note("the other declaration is at %s", c.in.span(s.decl).Pos)
	}
}

// sameKind compares types of two files as far as that matters to memory and calls.
func sameKind(a, b cc.Type) bool {
	x, ok1 := intType(a)
	y, ok2 := intType(b)
	fa, f1 := a.(*cc.FunctionType)
	fb, f2 := b.(*cc.FunctionType)
	switch {
	case f1 && f2:
		p, q := typesOf(fa), typesOf(fb)
		if len(fa.Parameters()) == 0 || len(fb.Parameters()) == 0 { // no prototype
			return true
		}
		return len(p) == len(q) && fa.IsVariadic() == fb.IsVariadic() && isStruct(fa.Result()) == isStruct(fb.Result())
	case f1 != f2 || ok1 != ok2:
		return false
	case ok1:
		return x == y
	}
	return a.Kind() == b.Kind() && (a.IsIncomplete() || b.IsIncomplete() || a.Size() == b.Size())
}

// find is the symbol a declarator of any scope refers to.
func (c *symbols) find(u *unit, d *cc.Declarator) *symbol {
	if s := c.locals[d]; s != nil {
		return s
	}
	if s := u.static[d.Name()]; s != nil && d.Linkage() != cc.None {
		return s
	}
	return c.linked[d.Name()]
}

func (c *symbols) compile() {
	main := c.linked["main"]
	if main == nil || main.def == nil {
		c.in.errorf(codeNoMain, source.At(source.Pos{File: c.in.first, Line: 1, Col: 1}), "the program has no function main")
		return
	}
	c.in.guard(func() { c.function(main) })
	c.lowerAll()
	if c.in.diags.HasErrors() {
		return
	}
	c.checkSections()
	t := c.b.Thread(ir.Thread{
		Name: "main", Func: main.fb.ID, Start: true, Args: c.mainArgs(main.fb.F.Params), Pos: c.in.span(main.decl),
	})
	c.b.Main(t)
}

// lowerAll translates the functions that were asked for, and what they reach.
func (c *symbols) lowerAll() {
	for len(c.todo) > 0 || c.keyEnds.runs != nil {
		if len(c.todo) == 0 {
			c.todo, c.keyEnds.runs = append(c.todo, c.keyEnds.runs), nil
		}
		s := c.todo[0]
		c.todo = c.todo[1:]
		c.in.guard(func() { c.lowerFunction(s) })
	}
}

// mainArgs are the arguments main is run with: one, the program's name.
func (c *symbols) mainArgs(n int) []int64 {
	args := make([]int64, n)
	if n == 0 {
		return args
	}
	args[0] = 1
	if n == 1 {
		return args
	}
	at := source.At(source.Pos{File: c.in.first, Line: 1, Col: 1})
	text := []byte("program\x00")
	name := c.b.Object("argv[0]", int64(len(text)), 1, ir.S8, text, at)
	vector := make([]byte, 16) // ends with a null pointer
	binary.LittleEndian.PutUint64(vector, c.b.Addr(name))
	args[1] = int64(c.b.Addr(c.b.Object("argv", 16, 8, ir.U64, vector, at)))
	if n > 2 {
		args[2] = args[1] + 8 // no environment
	}
	return args
}

// function makes sure that a function with a body will be lowered.
func (c *symbols) function(s *symbol) *ir.FuncBuilder {
	if s.fb == nil {
		s.fb = c.b.Func(s.name, c.in.span(s.decl))
		c.byID[s.fb.ID] = s
		if s.name == threadEnd && isLibrary(s.unit.name) {
			c.keyEnds.runs = s // when all destructors are known
		} else {
			c.todo = append(c.todo, s)
		}
	}
	return s.fb
}

// params is how many parameters a function has.
func (s *symbol) params() int { return len(s.parameters()) }

// hasWords reports whether a function takes that many words, hidden ones
// included.
func (s *symbol) hasWords(c *compiler, n int) bool {
	have := hidden(s.decl.Type().(*cc.FunctionType))
	for _, t := range s.parameters() {
		have += c.layouts.words(t, s.decl)
	}
	return have == n
}

// parameters are the types of a function's parameters.
func (s *symbol) parameters() []cc.Type { return typesOf(s.decl.Type().(*cc.FunctionType)) }

func typesOf(t *cc.FunctionType) []cc.Type {
	var out []cc.Type
	for _, p := range t.Parameters() {
		if !isVoid(p.Type()) {
			out = append(out, p.Type())
		}
	}
	return out
}

// object makes sure that an object with static storage exists.
func (c *symbols) object(s *symbol, n cc.Node) ir.ObjectID {
	if s.made {
		return s.obj
	}
	if !s.defined {
		c.in.refuse(codeObject, n, "%s is declared and never defined", s.name)
	}
	t := s.decl.Type()
	c.checkObject(s.name, t, s.decl)
	unit, typ := elementOf(t)
	bytes := make([]byte, t.Size())
	s.obj, s.made = c.b.Object(s.name, t.Size(), unit, typ, bytes, c.in.span(s.decl)), true
	c.b.Layout(s.obj, c.layouts.layoutOf(t))
	if s.perThread() {
		c.b.SetPerThread(s.obj)
	} else if s.unit == nil || !isLibrary(s.unit.name) {
		c.objects = append(c.objects, s.obj)
	}
	if s.init != nil {
		c.data.initialise(s.unit, s.init, bytes)
	}
	return s.obj
}

// checkObject refuses objects that cannot be laid out.
func (c *symbols) checkObject(name string, t cc.Type, n cc.Node) {
	switch {
	case t.Size() > maxObject:
		c.in.refuse(codeLarge, n, "%s has more than %d bytes", name, maxObject)
	case t.IsIncomplete() || t.Size() < 0:
		c.in.refuse(codeType, n, "the type of %s is incomplete", name)
	}
	c.types.checkArray(t, n)
	c.layouts.checkLayout(t, n)
}

// perThread reports whether an object is thread-local.
func (s *symbol) perThread() bool { return s.decl.IsThreadLocal() }

// elementOf is what the elements of an object are for people: scalars of
// arrays of any dimension, and whole structs.
func elementOf(t cc.Type) (int, ir.Type) {
	for t.Kind() == cc.Array {
		t = t.(*cc.ArrayType).Elem()
	}
	if it, ok := intType(t); ok {
		return it.Size(), it
	}
	return max(1, int(t.Size())), ir.U64
}

// stringObject is the object of a string literal; equal literals share one.
func (c *symbols) stringObject(text string, n cc.Node) ir.ObjectID {
	if o, ok := c.strings[text]; ok {
		return o
	}
	o := c.b.Object("string", int64(len(text)), 1, ir.S8, []byte(text), c.in.span(n))
	c.b.SetReadOnly(o)
	c.strings[text] = o
	return o
}
