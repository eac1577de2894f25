package translate

import (
	"path"
	"slices"
	"strings"

	"fencepost/internal/lang/c/parse"
	"fencepost/internal/lang/c/types"

	"fencepost/internal/diag"
	"fencepost/internal/frontend/c/translate/read"
	"fencepost/internal/ir"
	"fencepost/internal/property"
	"fencepost/internal/source"
	"fencepost/query"
)

// Options has the options of the user, and the wishes of a question.
type Options struct {
	query.COptions
	// Invariants asks for the invariants in comments, and lets inputs have all values.
	Invariants bool
	// Sites asks for the fence sites.
	Sites bool
	// Orders asks for the accesses with memory orders among the sites.
	Orders bool
	// Bodies are functions whose bodies the caller makes, by name. Their text declares what they take and
	// return, and has an empty body.
	Bodies map[string]Body
}

// Undefined reports whether values are undefined that were never written: of automatic variables and of blocks of the
// heap. Else they are 0.
func (o *Options) Undefined() bool { return o.Uninitialised != query.UninitialisedZero }

// Inputs returns the range of inputs; nil: all values of small types, and no others.
func (o *Options) Inputs() *Range {
	if r := o.NondetRange; len(r) == 2 {
		return &Range{Lo: r[0], Hi: r[1]}
	}
	return nil
}

// Body makes the body of a function whose parameters are there already.
type Body func(l *Linker, fb *ir.FuncBuilder)

// Linker gives the bodies that a caller makes access to the program.
type Linker struct{ c *Compiler }

// Builder returns the builder of the program.
func (l *Linker) Builder() *ir.Builder { return l.c.B }

// Function returns a function of the text by name, which becomes part of the program; nil if there is none.
func (l *Linker) Function(name string) *ir.FuncBuilder {
	s := l.c.Syms.Names.Linked[name]
	if s == nil || s.Def == nil {
		return nil
	}
	return l.c.Syms.Function(s)
}

// Range is the values from Lo to Hi.
type Range struct{ Lo, Hi int64 }

// Unit is a translated program.
type Unit struct {
	Program *ir.Program // nil if there were errors
	// Objects are shown in final states: the variables of the program that live from its
	// beginning to its end.
	Objects []ir.ObjectID
	// Loops says that the files of the user have a loop, or a statement that may be part of one.
	Loops bool
	// Kernel says that the program includes the header with the words of the Linux kernel.
	Kernel bool
	// Included are the files of the user that were included.
	Included []*source.File
	// Annotations are the comments //@ of all files, by position.
	Annotations []read.Annotation
	// Invariants are the invariants among them; only if asked for.
	Invariants []property.CodeInvariant
	// Sites are the fence sites, in the order of the text; only if asked
	// for. Write says how the files change for some of them.
	Sites []ir.FenceSite
	Write func([]ir.FenceAt, FenceStyle) []source.Edit
}

// Program translates the files of one program, which begins at main. The unit is
// never nil; its Program is nil exactly if the list has errors.
func Program(files []*source.File, lib *Library, opt Options) (*Unit, *diag.List) {
	diags := &diag.List{}
	c := newCompiler(files, lib, opt, diags)
	for _, f := range files {
		c.parse(f, "", "")
	}
	c.finishParsing(files)
	if !diags.HasErrors() {
		c.compile()
	}
	return c.unit(files), diags
}

// parse reads a file, with text before and after it that is not the user's, and
// collects what it declares.
func (c *Compiler) parse(f *source.File, before, after string) {
	in := c.In.Parse(f, before, after)
	if in == nil {
		return
	}
	u := newUnit(f.Name, in)
	c.Syms.units = append(c.Syms.units, u)
	c.Syms.collectMentions(u)
	c.Syms.collectSymbols(u)
}

// finishParsing adds what the files need of the library.
func (c *Compiler) finishParsing(files []*source.File) {
	if !c.In.Diags.HasErrors() {
		c.Syms.addLibrary(func(f *source.File) { c.parse(f, "", "") })
	}
	c.Syms.checkAttributes(c.test == nil)
	if c.Opt.Sites {
		c.marks = newMarks(files, c.In.Included(), c.In.IsSystem)
		c.marks.kernel = c.In.Files[read.HeaderDir+"/"+kernelHeader] != nil
		for _, u := range c.Syms.units {
			if !u.ofLibrary() {
				c.marks.addMacros(u.In)
			}
		}
	}
}

// unit is the result.
func (c *Compiler) unit(files []*source.File) *Unit {
	c.unattached()
	u := &Unit{Kernel: c.In.Files[read.HeaderDir+"/"+kernelHeader] != nil, Included: c.In.Included(), Annotations: c.In.Annotations()}
	for _, one := range c.Syms.units {
		u.Loops = u.Loops || one.loops && !one.ofLibrary()
	}
	c.In.Diags.Sort()
	if !c.In.Diags.HasErrors() {
		u.Program = c.B.Finish()
		u.Objects, u.Invariants = c.Syms.objects, c.Invariants
		u.setSites(c.marks, c.test == nil)
	}
	return u
}

// Compiler turns checked syntax trees into a program. Like Lowering it has parts, each of which owns its state and
// holds what it needs.
type Compiler struct {
	Opt        Options
	B          *ir.Builder
	library    *Library
	Invariants []property.CodeInvariant
	marks      *marks // nil: the caller did not ask where fences can be written
	Ends       *ThreadEnds
	test       *Test                   // nil: the program begins at main
	threads    map[*symbol]*testThread // of the test

	In   *read.Input
	Syms *Symbols
	Data *staticData
}

// Symbols are the functions and objects of a program.
type Symbols struct {
	Opt     *Options
	In      *read.Input
	B       *ir.Builder
	library *Library
	Data    *staticData
	ends    *ThreadEnds

	units     []*unit
	Names     scope
	locals    map[*parse.Object]*symbol // static variables of functions
	strings   map[string]ir.ObjectID
	anonymous map[*parse.Object]ir.ObjectID // compound literals outside functions
	todo      []*symbol                     // functions still to lower
	ByID      map[ir.FuncID]*symbol
	objects   []ir.ObjectID
	made      []*symbol // the objects, in the order in which they came into being
	main      edgesOfMain
	cleanups  bool // some local has the attribute cleanup
	// wide says that the program has integers of 128 bits.
	wide   bool
	labels labelAddresses
}

// scope has the names that files share.
type scope struct {
	Linked map[string]*symbol // names of the program with external linkage
	ours   map[string]*symbol // names of the library's sources with external linkage, see library_source.go
	// Mentioned are the names that expressions use in the files of the program and in those of the library that
	// are part of it, mentionedInOurs those in the latter.
	Mentioned, mentionedInOurs map[string]bool
	// weak are the definitions that give way to others, weakNames the names that are declared weak.
	weak      map[*symbol]bool
	weakNames map[string]bool
}

// edgesOfMain has the functions that run before and after main.
type edgesOfMain struct {
	// early and late run before and after main; startOrEnd are the functions of which all such attributes are obeyed.
	early, late []*symbol
	startOrEnd  map[*symbol]bool
	exit        *ir.FuncBuilder // what exit runs; nil: not asked for, or nothing
	mainRefused *read.Refusal   // an attribute of a function that would run before or after main
}

// Typing knows how values of types are held, in one file.
type Typing struct {
	In *read.Unit
	// subscripted has the arrays that a subscript follows; addressed the last subscripts of
	// lvalues whose address is taken; unaccessed other subscripts without an access.
	// accessed has the subscripts of lvalues that are accessed through their address.
	subscripted, addressed, unaccessed, accessed map[*parse.Expr]bool
}

// Layouts knows the bytes of structs, in one file.
type Layouts struct {
	In     *read.Unit
	Types  *Typing
	placed map[*types.Record]placement
}

// staticData translates the initialisers of objects with static storage.
type staticData struct {
	B     *ir.Builder
	lower func(u *unit) *Lowering // begins the translation of an initialiser
}

// unit is one translation unit.
type unit struct {
	Name    string // of the file
	In      *read.Unit
	Types   *Typing
	Layouts *Layouts
	static  map[string]*symbol // names with internal linkage
	loops   bool               // it has a statement that may be part of a loop
}

func newUnit(name string, in *read.Unit) *unit {
	set := func() map[*parse.Expr]bool { return map[*parse.Expr]bool{} }
	typing := &Typing{In: in, subscripted: set(), addressed: set(), unaccessed: set(), accessed: set()}
	return &unit{
		Name: name, In: in, static: map[string]*symbol{},
		Types: typing, Layouts: &Layouts{In: in, Types: typing, placed: map[*types.Record]placement{}},
	}
}

// symbol is a function or an object with static storage.
type symbol struct {
	Name string
	Unit *unit
	Decl *parse.Object
	Def  *parse.Object // nil: an object, or a function without a body
	init *parse.Init

	alias   *symbol // it is another name of this one
	Defined bool    // an object that has storage here
	home    *unit   // where it has
	made    bool
	refused *read.Refusal // the initialiser has no translation
	obj     ir.ObjectID
	Fb      *ir.FuncBuilder
}

// span is where a symbol is declared.
func (s *symbol) span() source.Span { return s.Unit.In.Span(s.Decl) }

func newCompiler(files []*source.File, lib *Library, opt Options, diags *diag.List) *Compiler {
	c := &Compiler{
		Opt: opt, library: lib, Ends: &ThreadEnds{Wrapped: map[*symbol]*ir.FuncBuilder{}}, threads: map[*symbol]*testThread{},
	}
	c.In = read.NewInput(files, read.Options{COptions: opt.COptions, Invariants: opt.Invariants, KeepMarks: opt.Sites}, diags)
	name := "program"
	if len(files) > 0 {
		base := path.Base(files[0].Name)
		name = strings.TrimSuffix(base, path.Ext(base))
	}
	c.B = ir.NewBuilder(name, false)
	c.Data = &staticData{B: c.B, lower: func(u *unit) *Lowering { return c.newLowering(u, nil) }}
	c.Syms = &Symbols{
		Opt: &c.Opt, In: c.In, B: c.B, library: lib, Data: c.Data, ends: c.Ends,
		Names: scope{
			Linked: map[string]*symbol{}, ours: map[string]*symbol{},
			Mentioned: map[string]bool{}, mentionedInOurs: map[string]bool{},
			weak: map[*symbol]bool{}, weakNames: map[string]bool{},
		},
		locals: map[*parse.Object]*symbol{}, ByID: map[ir.FuncID]*symbol{},
		strings: map[string]ir.ObjectID{}, anonymous: map[*parse.Object]ir.ObjectID{},
	}
	return c
}

// unattached reports annotations that no statement took up.
func (c *Compiler) unattached() {
	for at, pos := range c.In.Invariants {
		used := slices.ContainsFunc(c.Invariants, func(cl property.CodeInvariant) bool { return cl.Pos.File == at.File && cl.Pos.Line == at.Line })
		if !used && !c.In.Diags.HasErrors() {
			c.In.Diags.Warnf(codeUnused, pos, "this code never runs, so the annotation has no effect")
		}
	}
}
