package c

import (
	"fmt"

	"modernc.org/cc/v4"

	"fencepost/internal/ir"
	"fencepost/internal/property"
	"fencepost/internal/source"
)

// The program as a whole: which names there are, and what main reaches of them.
// Functions and objects come into being when something refers to them, so that
// what is never used need not be supported.

// collectSymbols enters the names of file scope of one unit.
func (c *compiler) collectSymbols(u *unit) {
	for tu := u.ast.TranslationUnit; tu != nil; tu = tu.TranslationUnit {
		switch ed := tu.ExternalDeclaration; ed.Case {
		case cc.ExternalDeclarationFuncDef:
			def := ed.FunctionDefinition
			s := c.enter(u, def.Declarator)
			if s.def != nil {
				c.errorf(codeLink, c.span(def.Declarator), "%s has two definitions", s.name)
			}
			s.def, s.unit, s.decl = def, u, def.Declarator
		case cc.ExternalDeclarationDecl:
			c.collectDeclaration(u, ed.Declaration)
		case cc.ExternalDeclarationAsmStmt:
			c.errorf(codeAsm, c.span(ed), "assembly outside functions is not supported")
		}
	}
}

func (c *compiler) collectDeclaration(u *unit, d *cc.Declaration) {
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
				c.errorf(codeLink, c.span(decl), "%s has two definitions", s.name)
			}
			s.init, s.decl, s.unit, s.defined = id.Initializer, decl, u, true
		} else if !decl.IsExtern() {
			s.defined = true
			if s.init == nil && (s.decl.IsExtern() || !decl.Type().IsIncomplete()) {
				s.decl, s.unit = decl, u
			}
		}
	}
}

// enter finds or makes the symbol of a declarator of file scope.
func (c *compiler) enter(u *unit, d *cc.Declarator) *symbol {
	table := c.linked
	if d.Linkage() == cc.Internal {
		table = u.static
	}
	name := d.Name()
	if table[name] == nil {
		table[name] = &symbol{name: name, unit: u, decl: d}
	}
	return table[name]
}

// find is the symbol a declarator of any scope refers to.
func (c *compiler) find(u *unit, d *cc.Declarator) *symbol {
	if s := c.locals[d]; s != nil {
		return s
	}
	if s := u.static[d.Name()]; s != nil && d.Linkage() != cc.None {
		return s
	}
	return c.linked[d.Name()]
}

func (c *compiler) compile() {
	main := c.linked["main"]
	if main == nil || main.def == nil {
		c.errorf(codeNoMain, source.At(source.Pos{File: c.first, Line: 1, Col: 1}), "the program has no function main")
		return
	}
	c.guard(func() { c.function(main) })
	for len(c.todo) > 0 {
		s := c.todo[0]
		c.todo = c.todo[1:]
		c.guard(func() { c.lowerFunction(s) })
	}
	if c.diags.HasErrors() {
		return
	}
	c.checkSections()
	t := c.b.Thread(ir.Thread{
		Name: "main", Func: main.fb.ID, Start: true, Args: make([]int64, main.fb.F.Params), Pos: c.span(main.decl),
	})
	c.b.Main(t)
}

// function makes sure that a function with a body will be lowered.
func (c *compiler) function(s *symbol) *ir.FuncBuilder {
	if s.fb == nil {
		s.fb = c.b.Func(s.name, c.span(s.decl))
		c.byID[s.fb.ID] = s
		c.todo = append(c.todo, s)
	}
	return s.fb
}

// params is how many parameters a function has.
func (s *symbol) params() int {
	n := 0
	for _, p := range s.decl.Type().(*cc.FunctionType).Parameters() {
		if !isVoid(p.Type()) {
			n++
		}
	}
	return n
}

// object makes sure that an object with static storage exists.
func (c *compiler) object(s *symbol, n cc.Node) ir.ObjectID {
	if s.made {
		return s.obj
	}
	if !s.defined {
		c.refuse(codeObject, n, "%s is declared and never defined", s.name)
	}
	t := s.decl.Type()
	switch {
	case s.decl.IsThreadLocal():
		c.refuse(codeThreadVar, s.decl, "thread-local storage is not supported: %s", s.name)
	case t.Size() > maxObject:
		c.refuse(codeLarge, s.decl, "%s has more than %d bytes", s.name, maxObject)
	case t.IsIncomplete() || t.Size() < 0:
		c.refuse(codeType, s.decl, "the type of %s is incomplete", s.name)
	}
	c.checkArray(t, s.decl)
	unit, typ := elementOf(t)
	bytes := make([]byte, t.Size())
	s.obj, s.made = c.b.Object(s.name, t.Size(), unit, typ, bytes, c.span(s.decl)), true
	c.b.Layout(s.obj, c.layoutOf(t))
	c.watch(s, t, unit, typ)
	if s.init != nil {
		c.initialise(s, bytes)
	}
	return s.obj
}

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

// watch adds the user's variables to what final states show.
func (c *compiler) watch(s *symbol, t cc.Type, unit int, typ ir.Type) {
	const most = 16
	for t.Kind() == cc.Array {
		t = t.(*cc.ArrayType).Elem()
	}
	size := s.decl.Type().Size()
	if _, scalar := intType(t); !scalar || t.Kind() == cc.Ptr || size > int64(most*unit) || c.locals[s.decl] != nil {
		return
	}
	addr := c.b.Addr(s.obj)
	for off := int64(0); off < size; off += int64(unit) {
		name := s.name
		if size > int64(unit) {
			name = fmt.Sprintf("%s[%d]", name, off/int64(unit))
		}
		c.observe = append(c.observe, property.Var{
			Name: name, Thread: ir.NoThread, Reg: ir.NoReg, Addr: addr + uint64(off), Type: typ,
		})
	}
}

// stringObject is the object of a string literal; equal literals share one.
func (c *compiler) stringObject(text string, n cc.Node) ir.ObjectID {
	if o, ok := c.strings[text]; ok {
		return o
	}
	o := c.b.Object("string", int64(len(text)), 1, ir.S8, []byte(text), c.span(n))
	c.strings[text] = o
	return o
}
