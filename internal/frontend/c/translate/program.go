package translate

import (
	"encoding/binary"
	"slices"

	"fencepost/internal/lang/c/parse"
	"fencepost/internal/lang/c/types"

	"fencepost/internal/frontend/c/translate/read"
	"fencepost/internal/ir"
	"fencepost/internal/source"
)

// The program as a whole: which names there are, and what main reaches of them.
// Functions and objects come into being when something refers to them, so that
// what is never used need not be supported.

// collectSymbols enters the names of file scope of one unit.
func (c *Symbols) collectSymbols(u *unit) {
	for _, o := range u.In.Tree.Objects {
		switch o.Kind {
		case parse.Function:
			c.collectFunction(u, o)
		case parse.Variable:
			c.collectVariable(u, o)
		}
	}
	if c.Opt.Strict { // what assembly defines has no body for us, and is refused where it is used
		for _, s := range u.In.Tree.Asms {
			c.In.Errorf(codeAsm, u.In.Span(s), "assembly outside functions is not supported")
		}
	}
	c.enterAliases(u)
}

func (c *Symbols) collectFunction(u *unit, o *parse.Object) {
	weak := c.isWeak(o)
	if o.From == 0 {
		c.enter(u, o)
		return
	}
	if c.givesWay(u, o, weak) {
		return
	}
	s := c.enter(u, o)
	if s.Def != nil {
		c.twice(s, u, o)
	}
	s.Def, s.Unit, s.Decl = o, u, o
	if weak && c.Names.Linked[s.Name] == s {
		c.Names.weak[s] = true
	}
}

func (c *Symbols) collectVariable(u *unit, o *parse.Object) {
	weak := c.isWeak(o)
	defined := o.Init != nil || o.Storage != parse.Extern
	if defined && c.givesWay(u, o, weak) {
		return
	}
	s := c.enter(u, o)
	if !defined {
		return
	}
	if weak && c.Names.Linked[s.Name] == s {
		c.Names.weak[s] = true
	}
	if s.home != nil && s.home != u || o.Init != nil && s.init != nil {
		c.twice(s, u, o)
	}
	s.home, s.Defined = u, true
	if o.Init != nil {
		s.init = o.Init
	}
	s.Decl, s.Unit = o, u
}

// enter finds or makes the symbol of an object of file scope.
func (c *Symbols) enter(u *unit, o *parse.Object) *symbol {
	table := c.linkedIn(u)
	// A definition with inline is for its own file [C11 6.7.4].
	if linkage(o) == internalLinkage || o.Inline && o.Kind == parse.Function || u.static[o.Text] != nil {
		table = u.static
	}
	s := table[o.Text]
	if s == nil {
		s = &symbol{Name: o.Text, Unit: u, Decl: o}
		table[o.Text] = s
	} else if s.Unit != u {
		c.checkSame(s, u, o)
	}
	return s
}

// twice reports a second definition.
func (c *Symbols) twice(s *symbol, u *unit, o *parse.Object) {
	c.In.Errorf(codeLink, u.In.Span(o), "%s has two definitions", s.Name).Note("the other one is at %s", s.span().Pos)
}

// checkSame reports declarations of two files that cannot be of one thing.
func (c *Symbols) checkSame(s *symbol, u *unit, o *parse.Object) {
	if !sameKind(s.Decl.Type, o.Type) {
		c.In.Errorf(codeLink, u.In.Span(o), "%s is declared as %s here and as %s elsewhere", s.Name, o.Type, s.Decl.Type).
			Note("the other declaration is at %s", s.span().Pos)
	}
}

// sameKind compares types of two files as far as that matters to memory and calls.
func sameKind(a, b *types.Type) bool {
	x, ok1 := ScalarType(a)
	y, ok2 := ScalarType(b)
	f1, f2 := a.Kind == types.Function, b.Kind == types.Function
	switch {
	case f1 && f2:
		if a.OldStyle || b.OldStyle { // no prototype
			return true
		}
		return len(a.Params) == len(b.Params) && a.Variadic == b.Variadic && inWords(a.Elem) == inWords(b.Elem)
	case f1 != f2 || ok1 != ok2:
		return false
	case ok1:
		return x == y
	}
	return a.Kind == b.Kind && (a.IsIncomplete() || b.IsIncomplete() || a.Size() == b.Size())
}

// Find is the symbol an object of any scope refers to.
func (c *Symbols) Find(u *unit, o *parse.Object) *symbol {
	if s := c.locals[o]; s != nil {
		return s
	}
	if s := u.static[o.Text]; s != nil && linkage(o) != noLinkage {
		return s
	}
	return c.named(u, o.Text)
}

func (c *Compiler) compile() {
	main := c.Syms.Names.Linked["main"]
	if main == nil || main.Def == nil {
		d := c.In.Errorf(codeNoMain, source.At(source.Pos{File: c.In.First, Line: 1, Col: 1}), "the program has no function main")
		if c.In.Files[read.HeaderDir+"/"+kernelHeader] != nil {
			d.Note("write a main that starts threads of the kernel with kthread_run: nothing calls what module_init names")
		}
		return
	}
	c.In.Guard(func() {
		for _, s := range append([]*symbol{main}, append(slices.Clone(c.Syms.main.early), c.Syms.main.late...)...) {
			c.Syms.Function(s)
		}
		c.Syms.AtExit()
	})
	c.lowerAll()
	if c.In.Diags.HasErrors() {
		return
	}
	c.Syms.checkSections()
	t := c.B.Thread(ir.Thread{
		Name: "main", Func: c.Syms.wholeMain(main).ID, Start: true, Args: c.Syms.mainArgs(main.Fb.F.Params), Pos: main.span(),
	})
	c.B.Main(t)
}

// lowerAll translates the functions that were asked for, and what they reach.
func (c *Compiler) lowerAll() {
	for s := c.Syms.next(); s != nil; s = c.Syms.next() {
		c.In.Guard(func() { c.lowerFunction(s) })
	}
}

// next returns a function that was asked for and is still to lower, nil if there is none.
func (c *Symbols) next() *symbol {
	if len(c.todo) == 0 {
		s := c.ends.runs
		c.ends.runs = nil
		return s
	}
	s := c.todo[0]
	c.todo = c.todo[1:]
	return s
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
		s.Fb = c.B.Func(s.Name, s.span())
		c.ByID[s.Fb.ID] = s
		if s.Name == ThreadEnd && s.Unit.ofLibrary() {
			c.ends.runs = s // when all destructors are known
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
func (s *symbol) HasWords(n int) bool {
	have := hidden(s.Decl.Type)
	for _, t := range s.parameters() {
		have += s.Unit.Layouts.words(t, s.Decl)
	}
	return have == n
}

// parameters are the types of a function's parameters.
func (s *symbol) parameters() []*types.Type {
	if s.Def == nil {
		return s.Decl.Type.Params
	}
	var out []*types.Type
	for _, p := range s.Def.Params {
		out = append(out, p.Type)
	}
	return out
}

// object makes sure that an object with static storage exists.
func (c *Symbols) object(s *symbol, in *read.Unit, n parse.Node) ir.ObjectID {
	if s.refused != nil {
		panic(*s.refused)
	}
	if s.made {
		return s.obj
	}
	if !s.Defined {
		in.Refuse(codeObject, n, "%s is declared and never defined", s.Name)
	}
	s.checkAttributes()
	t := s.Decl.Type
	s.Unit.checkObject(s.Name, t, s.Decl)
	unit, typ := elementOf(t)
	bytes := make([]byte, t.Size())
	c.B.AlignNext(uint64(declaredAlign(s.Decl)))
	s.obj, s.made = c.B.Object(s.Name, t.Size(), unit, typ, bytes, s.span()), true
	c.B.Layout(s.obj, s.Unit.Layouts.layoutOf(t))
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
	r := c.In.Catch(func() { c.Data.initialise(s.Unit, s.init, s.Decl.Type, s.Decl, bytes) })
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
func (u *unit) checkObject(name string, t *types.Type, n parse.Node) {
	switch {
	case t.Size() > maxObject:
		u.In.Refuse(codeLarge, n, "%s has more than %d bytes", name, maxObject)
	case t.IsIncomplete() || t.Size() < 0:
		u.In.Reject(read.CodeType, n, "the type of %s is incomplete", name)
	}
	u.Types.checkArray(t, n)
}

// declaredAlign is the alignment of an object, which can be larger than that of its type.
func declaredAlign(o *parse.Object) int64 { return max(1, o.Type.Align(), o.Align) }

// perThread reports whether an object is thread-local.
func (s *symbol) perThread() bool { return s.Decl.Thread }

// elementOf returns the type of the elements of an object in answers: scalars of
// arrays of any dimension, and whole structs.
func elementOf(t *types.Type) (int, ir.Type) {
	for t.Kind == types.Array {
		t = t.Elem
	}
	if it, ok := ScalarType(t); ok {
		return it.Size(), it
	}
	return max(1, int(t.Size())), ir.U64
}

// stringObject is the object of a string literal; equal literals share one.
func (c *Symbols) stringObject(text string, at source.Span) ir.ObjectID {
	if o, ok := c.strings[text]; ok {
		return o
	}
	o := c.B.Object("string", int64(len(text)), 1, ir.S8, []byte(text), at)
	c.B.SetReadOnly(o)
	c.strings[text] = o
	return o
}
