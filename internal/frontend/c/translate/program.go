package translate

import (
	"encoding/binary"
	"slices"

	"modernc.org/cc/v4"

	"fencepost/internal/frontend/c/translate/read"
	"fencepost/internal/ir"
	"fencepost/internal/source"
)

// The program as a whole: which names there are, and what main reaches of them.
// Functions and objects come into being when something refers to them, so that
// what is never used need not be supported.

// collectSymbols enters the names of file scope of one unit.
func (c *Symbols) collectSymbols(u *unit) {
	for tu := u.Ast.TranslationUnit; tu != nil; tu = tu.TranslationUnit {
		switch ed := tu.ExternalDeclaration; ed.Case {
		case cc.ExternalDeclarationFuncDef:
			def := ed.FunctionDefinition
			if c.givesWay(u, def.Declarator) {
				continue
			}
			s := c.enter(u, def.Declarator)
			if s.Def != nil {
				c.twice(s, def.Declarator)
			}
			s.Def, s.Unit, s.Decl = def, u, def.Declarator
			if c.linkage.weak[s.Name] && c.Linked[s.Name] == s {
				c.weak[s] = true
			}
		case cc.ExternalDeclarationDecl:
			c.collectDeclaration(u, ed.Declaration)
		case cc.ExternalDeclarationAsmStmt: // what it defines has no body for us, and is refused where it is used
			if c.Opt.Strict {
				c.In.Errorf(codeAsm, c.In.Span(ed), "assembly outside functions is not supported")
			}
		}
	}
	c.enterAliases(u)
}

func (c *Symbols) collectDeclaration(u *unit, d *cc.Declaration) {
	for l := d.InitDeclaratorList; l != nil; l = l.InitDeclaratorList {
		id := l.InitDeclarator
		decl := id.Declarator
		if decl.IsTypename() {
			continue
		}
		if decl.Type().Kind() != cc.Function && (id.Initializer != nil || !decl.IsExtern()) && c.givesWay(u, decl) {
			continue
		}
		s := c.enter(u, decl)
		if decl.Type().Kind() == cc.Function {
			continue
		}
		if (id.Initializer != nil || !decl.IsExtern()) && c.linkage.weak[s.Name] && c.Linked[s.Name] == s {
			c.weak[s] = true
		}
		if id.Initializer != nil {
			if s.init != nil {
				c.twice(s, decl)
			}
			c.define(s, u, decl)
			s.init, s.Decl, s.Unit = id.Initializer, decl, u
		} else if !decl.IsExtern() {
			c.define(s, u, decl)
			if s.init == nil && (s.Decl.IsExtern() || !decl.Type().IsIncomplete()) {
				s.Decl, s.Unit = decl, u
			}
		}
	}
}

// enter finds or makes the symbol of a declarator of file scope.
func (c *Symbols) enter(u *unit, d *cc.Declarator) *symbol {
	table := c.linkedIn(u)
	name := d.Name()
	// A definition with inline is for its own file [C11 6.7.4].
	if d.Linkage() == cc.Internal || d.IsInline() && d.Type().Kind() == cc.Function || u.static[name] != nil {
		table = u.static
	}
	s := table[name]
	if s == nil {
		s = &symbol{Name: name, Unit: u, Decl: d}
		table[name] = s
	} else if s.Unit != u {
		c.checkSame(s, d)
	}
	return s
}

// define gives an object storage in a file. Within one file several declarations
// without an initialiser are one definition.
func (c *Symbols) define(s *symbol, u *unit, d *cc.Declarator) {
	if s.home != nil && s.home != u {
		c.twice(s, d)
	}
	s.home, s.Defined = u, true
}

// twice reports a second definition.
func (c *Symbols) twice(s *symbol, d *cc.Declarator) {
	c.In.Errorf(codeLink, c.In.Span(d), "%s has two definitions", s.Name).Note("the other one is at %s", c.In.Span(s.Decl).Pos)
}

// checkSame reports declarations of two files that cannot be of one thing.
func (c *Symbols) checkSame(s *symbol, d *cc.Declarator) {
	if !sameKind(s.Decl.Type(), d.Type()) {
		c.In.Errorf(codeLink, c.In.Span(d), "%s is declared as %s here and as %s elsewhere", s.Name, d.Type(), s.Decl.Type()).
			Note("the other declaration is at %s", c.In.Span(s.Decl).Pos)
	}
}

// sameKind compares types of two files as far as that matters to memory and calls.
func sameKind(a, b cc.Type) bool {
	x, ok1 := ScalarType(a)
	y, ok2 := ScalarType(b)
	fa, f1 := a.(*cc.FunctionType)
	fb, f2 := b.(*cc.FunctionType)
	switch {
	case f1 && f2:
		p, q := typesOf(fa), typesOf(fb)
		if len(fa.Parameters()) == 0 || len(fb.Parameters()) == 0 { // no prototype
			return true
		}
		return len(p) == len(q) && fa.IsVariadic() == fb.IsVariadic() && inWords(fa.Result()) == inWords(fb.Result())
	case f1 != f2 || ok1 != ok2:
		return false
	case ok1:
		return x == y
	}
	return a.Kind() == b.Kind() && (a.IsIncomplete() || b.IsIncomplete() || a.Size() == b.Size())
}

// Find is the symbol a declarator of any scope refers to.
func (c *Symbols) Find(u *unit, d *cc.Declarator) *symbol {
	if s := c.locals[d]; s != nil {
		return s
	}
	if s := u.static[d.Name()]; s != nil && d.Linkage() != cc.None {
		return s
	}
	return c.named(u, d.Name())
}

func (c *Symbols) compile() {
	main := c.Linked["main"]
	if main == nil || main.Def == nil {
		c.In.Errorf(codeNoMain, source.At(source.Pos{File: c.In.First, Line: 1, Col: 1}), "the program has no function main")
		return
	}
	c.In.Guard(func() {
		for _, s := range append([]*symbol{main}, append(slices.Clone(c.early), c.late...)...) {
			c.Function(s)
		}
		c.AtExit()
	})
	c.lowerAll()
	if c.In.Diags.HasErrors() {
		return
	}
	c.checkSections()
	t := c.B.Thread(ir.Thread{
		Name: "main", Func: c.wholeMain(main).ID, Start: true, Args: c.mainArgs(main.Fb.F.Params), Pos: c.In.Span(main.Decl),
	})
	c.B.Main(t)
}

// lowerAll translates the functions that were asked for, and what they reach.
func (c *Symbols) lowerAll() {
	for len(c.todo) > 0 || c.KeyEnds.runs != nil {
		if len(c.todo) == 0 {
			c.todo, c.KeyEnds.runs = append(c.todo, c.KeyEnds.runs), nil
		}
		s := c.todo[0]
		c.todo = c.todo[1:]
		c.In.Guard(func() { c.lowerFunction(s) })
	}
}

// mainArgs are the arguments main is run with: one, the program's name.
func (c *Symbols) mainArgs(n int) []int64 {
	args := make([]int64, n)
	if n == 0 {
		return args
	}
	args[0] = 1
	if n == 1 {
		return args
	}
	at := source.At(source.Pos{File: c.In.First, Line: 1, Col: 1})
	text := []byte("program\x00")
	name := c.B.Object("argv[0]", int64(len(text)), 1, ir.S8, text, at)
	vector := make([]byte, 16) // ends with a null pointer
	binary.LittleEndian.PutUint64(vector, c.B.Addr(name))
	args[1] = int64(c.B.Addr(c.B.Object("argv", 16, 8, ir.U64, vector, at)))
	if n > 2 {
		args[2] = args[1] + 8 // no environment
	}
	return args
}

// Function makes sure that a function with a body will be lowered.
func (c *Symbols) Function(s *symbol) *ir.FuncBuilder {
	if s.Fb == nil {
		s.Fb = c.B.Func(s.Name, c.In.Span(s.Decl))
		c.ByID[s.Fb.ID] = s
		if s.Name == ThreadEnd && s.Unit.ofLibrary() {
			c.KeyEnds.runs = s // when all destructors are known
		} else {
			c.todo = append(c.todo, s)
		}
	}
	return s.Fb
}

// Params is how many parameters a function has.
func (s *symbol) Params() int { return len(s.parameters()) }

// HasWords reports whether a function takes that many words, hidden ones
// included.
func (s *symbol) HasWords(c *Compiler, n int) bool {
	have := hidden(s.Decl.Type().(*cc.FunctionType))
	for _, t := range s.parameters() {
		have += c.Layouts.words(t, s.Decl)
	}
	return have == n
}

// parameters are the types of a function's parameters.
func (s *symbol) parameters() []cc.Type { return typesOf(s.Decl.Type().(*cc.FunctionType)) }

func typesOf(t *cc.FunctionType) []cc.Type {
	var out []cc.Type
	for _, p := range t.Parameters() {
		if !IsVoid(p.Type()) {
			out = append(out, p.Type())
		}
	}
	return out
}

// object makes sure that an object with static storage exists.
func (c *Symbols) object(s *symbol, n cc.Node) ir.ObjectID {
	if s.refused != nil {
		panic(*s.refused)
	}
	if s.made {
		return s.obj
	}
	if !s.Defined {
		c.In.Refuse(codeObject, n, "%s is declared and never defined", s.Name)
	}
	t := s.Decl.Type()
	c.checkObject(s.Name, t, s.Decl)
	unit, typ := elementOf(t)
	bytes := make([]byte, t.Size())
	c.B.AlignNext(uint64(read.DeclaredAlign(s.Decl)))
	s.obj, s.made = c.B.Object(s.Name, t.Size(), unit, typ, bytes, c.In.Span(s.Decl)), true
	c.B.Layout(s.obj, c.Layouts.layoutOf(t))
	if s.perThread() {
		c.B.SetPerThread(s.obj)
	} else if !s.Unit.ofLibrary() {
		c.objects = append(c.objects, s.obj)
	}
	c.made = append(c.made, s)
	if s.init != nil {
		c.initialise(s, bytes)
	}
	return s.obj
}

// initialise fills in the initial bytes of an object. If its initialiser is refused, so is everything
// that mentions the object. The objects that came into being meanwhile may have its address, and are
// refused with it.
func (c *Symbols) initialise(s *symbol, bytes []byte) {
	first := len(c.made) - 1
	r := c.In.Catch(func() { c.Data.initialise(s.Unit, s.init, bytes) })
	if r == nil {
		return
	}
	for _, o := range c.made[first:] {
		o.refused = r
		c.objects = slices.DeleteFunc(c.objects, func(id ir.ObjectID) bool { return id == o.obj })
	}
	c.made = c.made[:first]
	panic(*r)
}

// checkObject refuses objects that cannot be laid out.
func (c *Symbols) checkObject(name string, t cc.Type, n cc.Node) {
	switch {
	case t.Size() > maxObject:
		c.In.Refuse(codeLarge, n, "%s has more than %d bytes", name, maxObject)
	case t.IsIncomplete() || t.Size() < 0:
		c.In.Reject(read.CodeType, n, "the type of %s is incomplete", name)
	}
	c.Types.checkArray(t, n)
}

// perThread reports whether an object is thread-local.
func (s *symbol) perThread() bool { return s.Decl.IsThreadLocal() }

// elementOf returns the type of the elements of an object in answers: scalars of
// arrays of any dimension, and whole structs.
func elementOf(t cc.Type) (int, ir.Type) {
	for t.Kind() == cc.Array {
		t = t.(*cc.ArrayType).Elem()
	}
	if it, ok := ScalarType(t); ok {
		return it.Size(), it
	}
	return max(1, int(t.Size())), ir.U64
}

// stringObject is the object of a string literal; equal literals share one.
func (c *Symbols) stringObject(text string, n cc.Node) ir.ObjectID {
	if o, ok := c.strings[text]; ok {
		return o
	}
	o := c.B.Object("string", int64(len(text)), 1, ir.S8, []byte(text), c.In.Span(n))
	c.B.SetReadOnly(o)
	c.strings[text] = o
	return o
}
