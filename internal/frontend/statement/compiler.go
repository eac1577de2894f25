package statement

import (
	"path"
	"strings"

	"fencepost/internal/diag"
	"fencepost/internal/ir"
	"fencepost/internal/property"
	"fencepost/internal/source"
)

// Options are the options of the user.
type Options struct {
	// Threads is the number of instances of templates written "* n". 0: such a
	// template becomes one thread marked Unbounded.
	Threads int
	// Numbered lets such threads have the index of their template: a register in which
	// each has a number of its own (property.Set.Numbers).
	Numbered bool
	// Ghosts asks for ghost code, which proofs think of beside the program.
	Ghosts bool
	// Sites asks for the fence sites.
	Sites bool
}

// Unit is a translated file.
type Unit struct {
	Program *ir.Program // nil if there were errors
	Props   *property.Set
	// Expect is the text after "expect:" in the first such comment, "" if none.
	Expect    string
	ExpectPos source.Span
	// Sites are the fence sites, in the order of the text; only if asked
	// for. Write says how the text changes for some of them.
	Sites []ir.FenceSite
	Write func([]ir.FenceAt) []source.Edit
}

// Finish puts the diagnostics in order and drops the program beside errors.
func (u *Unit) Finish(diags *diag.List) *Unit {
	diags.Sort()
	if diags.HasErrors() {
		u.Program, u.Props = nil, nil
	}
	return u
}

// BaseName returns the name of a program that does not give itself one.
func BaseName(f *source.File) string {
	base := path.Base(f.Name)
	return strings.TrimSuffix(base, path.Ext(base))
}

// Compiler turns a tree into a program. The languages share it: each declares
// what it has and lowers its threads with the same pieces.
type Compiler struct {
	File  *source.File
	Diags *diag.List
	Opt   Options

	told     map[message]bool // reported already: instances of a template repeat them
	warnings int

	Names
	Domain  *[2]int64
	Memory  int64 // the hint
	HasHint bool
	Used    int64 // bytes of variables

	// other translates the statements that only one language has; nil: there are none.
	Other func(l *Lowerer, s *Stmt, from, next ir.Loc)
	Marks *marks // nil: the caller did not ask where fences can be written

	Builder *ir.Builder
	Cells   bool
	numbers map[int64]bool // cells named by constants
	Proof
	edges  int
	Full   bool // too many edges: nothing more is made
	Checks bool // something can fail at run time
}

// Proof has what is said for proofs, and for any number of threads.
type Proof struct {
	Said   []property.Invariant
	Ghosts []property.CodeInvariant
	// numbered are the registers of indices, where threads are not fixed.
	Numbered map[ir.ThreadID]ir.Reg
	// instances is how many threads the user gave templates of any number, 0 if none.
	Instances int
}

// Names has what a program declares.
type Names struct {
	Consts   map[string]int64
	Vars     map[string]*Variable
	VarList  []*Variable
	Declared map[string]Ident // constants and variables
	Threads  map[string]*Thread
	Order    []*Thread
}

// NewCompiler returns a compiler for a file.
func NewCompiler(f *source.File, diags *diag.List) *Compiler {
	return &Compiler{
		File: f, Diags: diags,
		told: map[message]bool{},
		Names: Names{Consts: map[string]int64{},
			Vars:     map[string]*Variable{},
			Declared: map[string]Ident{},
			Threads:  map[string]*Thread{}},
		Proof:   Proof{Numbered: map[ir.ThreadID]ir.Reg{}},
		numbers: map[int64]bool{},
	}
}

type message struct {
	code  string
	start int
}

// Variable is a declared shared variable.
type Variable struct {
	Name  string
	Typ   ir.Type
	Array bool
	Count int64
	Obj   ir.ObjectID
	Decl  *VarDecl
	Init  []byte
}

// Size returns the bytes of the variable.
func (v *Variable) Size() int64 { return v.Count * int64(v.Typ.Size()) }

// Span returns the span from offset start to offset end.
func (c *Compiler) Span(start, end int) source.Span { return c.File.Span(start, end) }

// Errorf reports an error once per position and code.
func (c *Compiler) Errorf(code string, start, end int, format string, args ...any) *diag.Diagnostic {
	key := message{code, start}
	if c.told[key] {
		return &diag.Diagnostic{}
	}
	c.told[key] = true
	return c.Diags.Errorf(code, c.Span(start, end), format, args...)
}

// Warnf warns once per position and code, and not without end.
func (c *Compiler) Warnf(code string, start, end int, format string, args ...any) *diag.Diagnostic {
	const most = 20
	key := message{code, start}
	if c.told[key] || c.warnings == most {
		return &diag.Diagnostic{}
	}
	c.told[key] = true
	c.warnings++
	return c.Diags.Warnf(code, c.Span(start, end), format, args...)
}

// Text is source text on one line, cut where it is very long.
func (c *Compiler) Text(start, end int) string {
	const most = 200
	s := string(c.File.Text[start:min(end, start+4*most)])
	s = strings.Join(strings.Fields(s), " ")
	if len(s) > most {
		s = s[:most] + "..."
	}
	return strings.ToValidUTF8(s, ".")
}

// Window declares the cells that constants name, so that states hold them flat.
func (c *Compiler) Window() {
	if !c.Cells {
		return
	}
	n := c.Memory
	for e := range c.numbers {
		n = max(n, e+1)
	}
	if n > 0 && n <= maxWindow {
		c.Builder.CellWindow(n)
	}
}

// ShowCells lets final states show the cells of mem that no variable names.
func (u *Unit) ShowCells() {
	if u.Program != nil && u.Props != nil {
		u.Props.Whole = u.Program.Cells
	}
}
