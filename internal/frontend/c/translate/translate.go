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
		c.parseFile(f)
	}
	c.finishParsing(files)
	if !diags.HasErrors() {
		c.compile()
	}
	return c.unit(files), diags
}

// finishParsing adds what the files need of the library.
func (c *compiler) finishParsing(files []*source.File) {
	if !c.diags.HasErrors() {
		c.addLibrary()
	}
	c.checkAttributes()
	if c.opt.Places {
		c.marks = newMarks(files, c.included())
	}
}

// unit is the result.
func (c *compiler) unit(files []*source.File) *Unit {
	c.unattached()
	u := &Unit{Included: c.included(), Annotations: c.annotations()}
	c.diags.Sort()
	if !c.diags.HasErrors() {
		u.Program = c.b.Finish()
		u.Objects, u.Claims = c.objects, c.claims
		u.setPlaces(c.marks, files, c.test == nil)
	}
	return u
}

// included are the user's files beside those given, and those of the library that
// became part of the program, by name.
func (c *compiler) included() []*source.File {
	var out []*source.File
	for name, f := range c.files {
		if !c.given[name] && (isLibrary(name) || !strings.HasPrefix(name, headerDir+"/")) {
			out = append(out, f)
		}
	}
	slices.SortFunc(out, func(a, b *source.File) int { return strings.Compare(a.Name, b.Name) })
	return out
}

// compiler turns checked syntax trees into a program.
type compiler struct {
	opt     Options
	diags   *diag.List
	files   map[string]*source.File
	first   string          // name of the first file
	rebuilt map[string]bool // files that were put together again, see unmark
	given   map[string]bool // names of the files that are not included
	told    map[message]bool

	units     []*unit
	linked    map[string]*symbol // names with external linkage
	locals    map[*cc.Declarator]*symbol
	shadows   map[*cc.Declarator]declared
	strings   map[string]ir.ObjectID
	anonymous map[*cc.PostfixExpression]ir.ObjectID // compound literals outside functions
	placed    map[*cc.Field]*placement              // by the first field of the struct
	library   map[string]libFunc

	b       *ir.Builder
	starts  []source.Pos // of statements and declarations
	sorted  bool
	todo    []*symbol // functions still to lower
	byID    map[ir.FuncID]*symbol
	objects []ir.ObjectID
	said    map[claimPlace]source.Span // annotations that became calls
	items   map[source.Pos]bool        // statements that stand in blocks
	claims  []property.Claim
	// mentioned are the names that expressions of the user's files use.
	mentioned map[string]bool
	typeNames map[string]bool // the names of types that declarations use
	declares  names           // by the declaration of file scope being read
	// attributes are those that may have to be refused.
	attributes []attribute
	wrapped    map[*symbol]*ir.FuncBuilder // see endsWithDestructors
	// subscripted has the arrays that a subscript follows; addressed the last subscripts of
	// lvalues whose address is taken; unaccessed other subscripts without an access.
	subscripted, addressed, unaccessed map[cc.Node]bool
	keyEnds                            keyEnds
	marks                              *marks                  // nil: nobody asks where fences can be written
	test                               *Test                   // nil: the program begins at main
	threads                            map[*symbol]*testThread // of the test
}

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
		opt: opt, diags: diags,
		files:     map[string]*source.File{},
		given:     map[string]bool{},
		told:      map[message]bool{},
		rebuilt:   map[string]bool{},
		linked:    map[string]*symbol{},
		locals:    map[*cc.Declarator]*symbol{},
		shadows:   map[*cc.Declarator]declared{},
		strings:   map[string]ir.ObjectID{},
		anonymous: map[*cc.PostfixExpression]ir.ObjectID{},
		placed:    map[*cc.Field]*placement{},
		library:   newLibrary(),
		byID:      map[ir.FuncID]*symbol{},
		mentioned: map[string]bool{},
		typeNames: map[string]bool{},
		wrapped:   map[*symbol]*ir.FuncBuilder{},
		said:      map[claimPlace]source.Span{},
		items:     map[source.Pos]bool{},
		threads:   map[*symbol]*testThread{},

		subscripted: map[cc.Node]bool{}, addressed: map[cc.Node]bool{}, unaccessed: map[cc.Node]bool{},
	}
	c.library["__fp_varargs"] = libFunc{0, (*lowering).libVarargs}
	name := "program"
	for i, f := range files {
		c.files[f.Name], c.given[f.Name] = f, true
		if i == 0 {
			c.first = f.Name
			base := path.Base(f.Name)
			name = strings.TrimSuffix(base, path.Ext(base))
		}
	}
	c.b = ir.NewBuilder(name, false)
	return c
}

// errorf reports an error once per place and code.
func (c *compiler) errorf(code string, at source.Span, format string, args ...any) *diag.Diagnostic {
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
func (c *compiler) refuse(code string, n cc.Node, format string, args ...any) {
	c.errorf(code, c.span(n), format, args...)
	panic(refusal{})
}

// guard runs f and goes on after a refusal.
func (c *compiler) guard(f func()) {
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
