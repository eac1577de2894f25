package automaton

import (
	"path"
	"strings"

	"fencepost/internal/diag"
	"fencepost/internal/ir"
	"fencepost/internal/property"
	"fencepost/internal/source"
)

// Options are what the user says beside the file.
type Options struct {
	// Threads is the number of instances of templates written "* n". 0: such a
	// template becomes one thread marked Unbounded.
	Threads int
	// Numbered lets such threads have the index of their template: a register in which
	// each has a number of its own (property.Set.Numbers).
	Numbered bool
	// Places asks for the places where fences can be written.
	Places bool
}

// Unit is a translated file.
type Unit struct {
	Program *ir.Program // nil if there were errors
	Props   *property.Set
	// Expect is the text after "expect:" in the first such comment, "" if none.
	Expect    string
	ExpectPos source.Span
	// Places is where fences can be written, in the order of the text; only if asked
	// for. Write says how the text changes for some of them.
	Places []ir.Place
	Write  func([]ir.FenceAt) []source.Edit
}

// Parse translates a file. The unit is never nil; its Program is nil exactly if
// the list has errors.
func Parse(f *source.File, opt Options) (*Unit, *diag.List) {
	diags := &diag.List{}
	p := &parser{lexer: newLexer(f, diags)}
	p.parseFile()
	u := &Unit{Expect: p.lexer.expect, ExpectPos: p.expectPos}
	// Names that syntax errors hid would be reported as undeclared: stop here.
	if !p.failed {
		c := newCompiler(f, diags)
		c.opt, c.tree = opt, &p.tree
		c.markTree()
		name := p.tree.name
		if name == "" {
			name = baseName(f)
		}
		u.Program, u.Props = c.compile(name)
		u.showCells()
		u.setPlaces(c.marks)
	}
	return u.finish(diags), diags
}

// finish puts the diagnostics in order and drops the program beside errors.
func (u *Unit) finish(diags *diag.List) *Unit {
	diags.Sort()
	if diags.HasErrors() {
		u.Program, u.Props = nil, nil
	}
	return u
}

// baseName is what a program is called that has no name of its own.
func baseName(f *source.File) string {
	base := path.Base(f.Name)
	return strings.TrimSuffix(base, path.Ext(base))
}

// compiler turns a tree into a program. The languages share it: each declares
// what it has and lowers its threads with the same pieces.
type compiler struct {
	file  *source.File
	diags *diag.List
	opt   Options
	tree  *tree

	told     map[message]bool // reported already: instances of a template repeat them
	warnings int

	consts   map[string]int64
	vars     map[string]*variable
	varList  []*variable
	declared map[string]ident // constants and variables
	threads  map[string]*thread
	order    []*thread
	domain   *[2]int64
	memory   int64 // the hint
	hasHint  bool
	used     int64 // bytes of variables

	memorax *memoraxCompiler // nil: another language
	marks   *marks           // nil: nobody asks where fences can be written

	b       *ir.Builder
	cells   bool
	numbers map[int64]bool // cells named by constants
	said    []property.Invariant
	// numbered are the registers of indices, where threads are not fixed.
	numbered map[ir.ThreadID]ir.Reg
	// instances is how many threads the user gave templates of any number, 0 if none.
	instances int
	edges     int
	full      bool // too many edges: nothing more is made
	checks    bool // something can fail at run time
}

func newCompiler(f *source.File, diags *diag.List) *compiler {
	return &compiler{
		file: f, diags: diags,
		told:     map[message]bool{},
		consts:   map[string]int64{},
		vars:     map[string]*variable{},
		declared: map[string]ident{},
		threads:  map[string]*thread{},
		numbered: map[ir.ThreadID]ir.Reg{},
		numbers:  map[int64]bool{},
	}
}

type message struct {
	code  string
	start int
}

// variable is a declared shared variable.
type variable struct {
	name  string
	typ   ir.Type
	array bool
	count int64
	obj   ir.ObjectID
	decl  *varDecl
	init  []byte
}

func (v *variable) size() int64 { return v.count * int64(v.typ.Size()) }

func (c *compiler) span(start, end int) source.Span { return c.file.Span(start, end) }

// errorf reports an error once per place and code.
func (c *compiler) errorf(code string, start, end int, format string, args ...any) *diag.Diagnostic {
	key := message{code, start}
	if c.told[key] {
		return &diag.Diagnostic{}
	}
	c.told[key] = true
	return c.diags.Errorf(code, c.span(start, end), format, args...)
}

// warnf warns once per place and code, and not without end.
func (c *compiler) warnf(code string, start, end int, format string, args ...any) *diag.Diagnostic {
	const most = 20
	key := message{code, start}
	if c.told[key] || c.warnings == most {
		return &diag.Diagnostic{}
	}
	c.told[key] = true
	c.warnings++
	return c.diags.Warnf(code, c.span(start, end), format, args...)
}

// text is source text on one line, cut where it is very long.
func (c *compiler) text(start, end int) string {
	const most = 200
	s := string(c.file.Text[start:min(end, start+4*most)])
	s = strings.Join(strings.Fields(s), " ")
	if len(s) > most {
		s = s[:most] + "..."
	}
	return strings.ToValidUTF8(s, ".")
}

func (c *compiler) compile(name string) (*ir.Program, *property.Set) {
	c.declare()
	c.cells = c.tree.addrs
	for _, m := range c.tree.mems {
		if m.x.kind != eName || c.vars[m.x.name] == nil {
			c.cells = true
		}
	}
	c.b = ir.NewBuilder(name, c.cells)
	for _, v := range c.varList {
		v.obj = c.b.Object(v.name, v.size(), v.typ.Size(), v.typ, v.init, c.span(v.decl.name.start, v.decl.name.end))
	}
	for _, t := range c.order {
		c.instantiate(t)
	}
	if len(c.order) == 0 || c.running() == 0 && !c.diags.HasErrors() {
		c.errorf(codeNoThread, 0, 0, "the program has no thread")
	}
	props := c.properties()
	if c.diags.HasErrors() {
		return nil, nil
	}
	c.window()
	return c.b.Finish(), props
}

// running is the number of threads that exist.
func (c *compiler) running() int {
	n := 0
	for _, t := range c.order {
		n += t.count
	}
	return n
}

// window declares the cells that constants name, so that states hold them flat.
func (c *compiler) window() {
	if !c.cells {
		return
	}
	n := c.memory
	for e := range c.numbers {
		n = max(n, e+1)
	}
	if n > 0 && n <= maxWindow {
		c.b.CellWindow(n)
	}
}

// showCells lets final states show the cells of mem that no variable names.
func (u *Unit) showCells() {
	if u.Program != nil && u.Props != nil {
		u.Props.Whole = u.Program.Cells
	}
}
