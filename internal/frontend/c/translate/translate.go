package translate

import (
	"path"
	"slices"
	"strings"

	"modernc.org/cc/v4"

	"fencepost/internal/diag"
	"fencepost/internal/ir"
	"fencepost/internal/property"
	"fencepost/internal/source"
)

// Options are what the user says beside the files.
type Options struct {
	Defines     []string // NAME or NAME=VALUE
	Undefines   []string
	IncludeDirs []string
	// Include reads a file that is included; nil, or ok false: there is none.
	Include func(name string) (text []byte, ok bool)
	// ExternPure and ExternFence name functions without a body that do nothing,
	// and functions without a body that are full fences.
	ExternPure, ExternFence []string
	// CheckOverflow makes undefined arithmetic on integers an error.
	CheckOverflow bool
	// Nondet is the range of inputs; nil: all values of small types, and no others.
	Nondet *Range
	// Claims asks for the invariants in comments, and lets inputs have all values.
	Claims bool
	// Places asks for the places where fences can be written.
	Places bool
}

// Unit is a translated program.
type Unit struct {
	Program *ir.Program // nil if there were errors
	// Objects is what final states show: the variables of the program that live from its
	// beginning to its end.
	Objects []ir.ObjectID
	// Included are the files of the user that were included.
	Included []*source.File
	// Annotations are the comments //@ of all files, by place.
	Annotations []Annotation
	// Claims are the invariants among them; only if asked for.
	Claims []property.Claim
	// Places is where fences can be written, in the order of the text; only if asked
	// for. Write says how the files change for some of them.
	Places []ir.Place
	Write  func([]ir.FenceAt, FenceStyle) []source.Edit
}

// Program translates the files of one program, which begins at main. The unit is
// never nil; its Program is nil exactly if the list has errors.
func Program(files []*source.File, opt Options) (*Unit, *diag.List) {
	diags := &diag.List{}
	c := newCompiler(files, opt, diags)
	for _, f := range files {
		c.in.parseFile(f)
	}
	c.finishParsing(files)
	if !diags.HasErrors() {
		c.syms.compile()
	}
	return c.unit(files), diags
}

// finishParsing adds what the files need of the library.
func (c *compiler) finishParsing(files []*source.File) {
	if !c.in.diags.HasErrors() {
		c.syms.addLibrary()
	}
	c.syms.checkAttributes()
	if c.opt.Places {
		c.marks = newMarks(files, c.in.included())
	}
}

// unit is the result.
func (c *compiler) unit(files []*source.File) *Unit {
	c.in.unattached()
	u := &Unit{Included: c.in.included(), Annotations: c.in.annotations()}
	c.in.diags.Sort()
	if !c.in.diags.HasErrors() {
		u.Program = c.b.Finish()
		u.Objects, u.Claims = c.syms.objects, c.claims
		u.setPlaces(c.marks, files, c.test == nil)
	}
	return u
}

// included are the user's files beside those given, and those of the library that
// became part of the program, by name.
func (c *input) included() []*source.File {
	var out []*source.File
	for name, f := range c.files {
		if !c.given[name] && (isLibrary(name) || !strings.HasPrefix(name, headerDir+"/")) {
			out = append(out, f)
		}
	}
	slices.SortFunc(out, func(a, b *source.File) int { return strings.Compare(a.Name, b.Name) })
	return out
}

// compiler turns checked syntax trees into a program. Like lowering it has parts, each
// of which owns its state and embeds the compiler.
type compiler struct {
	opt     Options
	b       *ir.Builder
	library map[string]libFunc
	claims  []property.Claim
	marks   *marks // nil: the caller did not ask where fences can be written
	keyEnds keyEnds
	wrapped map[*symbol]*ir.FuncBuilder // see endsWithDestructors
	test    *Test                       // nil: the program begins at main
	threads map[*symbol]*testThread     // of the test

	in      *input
	syms    *symbols
	types   *typing
	layouts *layouts
	data    *staticData
}

// input is the files of a program, and what was reported about them.
type input struct {
	*compiler
	diags   *diag.List
	told    map[message]bool
	files   map[string]*source.File
	first   string          // name of the first file
	rebuilt map[string]bool // files that were put together again, see unmark
	given   map[string]bool // names of the files that are not included
	starts  []source.Pos    // of statements and declarations
	sorted  bool
	said    map[claimPlace]source.Span // annotations that became calls
	items   map[source.Pos]bool        // statements that stand in blocks
}

// symbols are the functions and objects of a program.
type symbols struct {
	*compiler
	units     []*unit
	linked    map[string]*symbol // names with external linkage
	locals    map[*cc.Declarator]*symbol
	strings   map[string]ir.ObjectID
	anonymous map[*cc.PostfixExpression]ir.ObjectID // compound literals outside functions
	todo      []*symbol                             // functions still to lower
	byID      map[ir.FuncID]*symbol
	objects   []ir.ObjectID
	// mentioned are the names that expressions of the user's files use.
	mentioned map[string]bool
	typeNames map[string]bool // the names of types that declarations use
	declares  names           // by the declaration of file scope being read
	// attributes are the attributes that may have to be refused.
	attributes []attribute
}

// typing knows the types of expressions, with the qualifiers that cc drops.
type typing struct {
	*compiler
	shadows map[*cc.Declarator]declared
	// subscripted has the arrays that a subscript follows; addressed the last subscripts of
	// lvalues whose address is taken; unaccessed other subscripts without an access.
	subscripted, addressed, unaccessed map[cc.Node]bool
}

// layouts knows the bytes of structs.
type layouts struct {
	*compiler
	placed map[*cc.Field]*placement // by the first field of the struct
}

// staticData translates the initialisers of objects with static storage.
type staticData struct{ *compiler }

type message struct {
	code string
	pos  source.Pos
}

// unit is one translation unit.
type unit struct {
	name   string // of the file
	ast    *cc.AST
	static map[string]*symbol // names with internal linkage
}

// symbol is a function or an object with static storage.
type symbol struct {
	name string
	unit *unit
	decl *cc.Declarator
	def  *cc.FunctionDefinition // nil: an object, or a function without a body
	init *cc.Initializer

	defined bool  // an object that has storage here
	home    *unit // where it has
	made    bool
	obj     ir.ObjectID
	fb      *ir.FuncBuilder
}

func newCompiler(files []*source.File, opt Options, diags *diag.List) *compiler {
	c := &compiler{
		opt: opt, library: newLibrary(), wrapped: map[*symbol]*ir.FuncBuilder{}, threads: map[*symbol]*testThread{},
	}
	c.in = &input{
		compiler: c, diags: diags, told: map[message]bool{},
		files: map[string]*source.File{}, given: map[string]bool{}, rebuilt: map[string]bool{},
		said: map[claimPlace]source.Span{}, items: map[source.Pos]bool{},
	}
	c.syms = &symbols{
		compiler: c,
		linked:   map[string]*symbol{}, locals: map[*cc.Declarator]*symbol{}, byID: map[ir.FuncID]*symbol{},
		strings: map[string]ir.ObjectID{}, anonymous: map[*cc.PostfixExpression]ir.ObjectID{},
		mentioned: map[string]bool{}, typeNames: map[string]bool{},
	}
	c.types = &typing{
		compiler: c, shadows: map[*cc.Declarator]declared{},
		subscripted: map[cc.Node]bool{}, addressed: map[cc.Node]bool{}, unaccessed: map[cc.Node]bool{},
	}
	c.layouts = &layouts{compiler: c, placed: map[*cc.Field]*placement{}}
	c.data = &staticData{c}
	c.library["__fp_varargs"] = libFunc{0, libVarargs}
	name := "program"
	for i, f := range files {
		c.in.files[f.Name], c.in.given[f.Name] = f, true
		if i == 0 {
			c.in.first = f.Name
			base := path.Base(f.Name)
			name = strings.TrimSuffix(base, path.Ext(base))
		}
	}
	c.b = ir.NewBuilder(name, false)
	return c
}

// errorf reports an error once per place and code.
func (c *input) errorf(code string, at source.Span, format string, args ...any) *diag.Diagnostic {
	key := message{code, at.Pos}
	if c.told[key] {
		return &diag.Diagnostic{}
	}
	c.told[key] = true
	return c.diags.Errorf(code, at, format, args...)
}

// refusal is the panic that ends the translation of one statement or declaration
// after its diagnostic; guard recovers it.
type refusal struct{}

// refuse reports that n cannot be translated, and gives up on it.
func (c *input) refuse(code string, n cc.Node, format string, args ...any) {
	c.errorf(code, c.span(n), format, args...)
	panic(refusal{})
}

// guard runs f and goes on after a refusal.
func (c *input) guard(f func()) {
	defer func() {
		r := recover()
		if _, ok := r.(refusal); r != nil && !ok {
			panic(r)
		}
		if r != nil && !c.diags.HasErrors() {
			panic("BUG: refused without a diagnostic")
		}
	}()
	f()
}
