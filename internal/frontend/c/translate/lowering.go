package translate

import (
	"fencepost/internal/lang/c/parse"
	"fencepost/internal/lang/c/types"

	"fencepost/internal/frontend/c/translate/read"
	"fencepost/internal/ir"
	"fencepost/internal/source"
)

// Lowering is the translation of one function, or of a static initialiser. It has no
// methods: each field below is a value that owns one part of the work and its state.
// Every part embeds the lowering, so that it reaches the others by their names.
type Lowering struct {
	*Compiler
	In     *read.Unit // the file of the function
	Unit   *unit
	sym    *symbol     // nil: a static initialiser
	result *types.Type // of the function

	Types   *Typing
	Layouts *Layouts
	Code    *Code
	Vars    *Storage
	Exprs   *Expressions
	pairs   *Pairs
	Lvals   *Lvalues
	Mem     *Accesses
	inits   *Initialisers
	stmts   *Statements
	calls   *Calls
	sites   *siteMarks
}

// newLowering returns a lowering in a translation unit with all its parts.
func (c *Compiler) newLowering(u *unit) *Lowering {
	f := &Lowering{Compiler: c, In: u.In, Unit: u, Types: u.Types, Layouts: u.Layouts}
	f.Code = &Code{Lowering: f}
	f.Vars = &Storage{
		Lowering: f, vars: map[*parse.Object]Lvalue{},
		literals: map[*parse.Expr]Lvalue{}, arguments: map[*parse.Expr]Lvalue{},
		arrays: map[*parse.Object]*variableArray{}, resultAt: ir.NoReg, Varargs: ir.NoReg, refused: map[any]*read.Refusal{},
	}
	f.Exprs = &Expressions{Lowering: f, purity: map[*parse.Expr]bool{}}
	f.pairs = &Pairs{f}
	f.Lvals = &Lvalues{f}
	f.Mem = &Accesses{f}
	f.inits = &Initialisers{f}
	f.stmts = &Statements{Lowering: f, labels: map[*parse.Label]ir.Loc{}, cases: map[*parse.Stmt]ir.Loc{}}
	f.calls = &Calls{f}
	f.sites = &siteMarks{Lowering: f, marked: map[markKey]bool{}, readOnly: map[source.Pos]int{}}
	return f
}

// Storage holds the variables of a function: registers, and blocks of memory that
// live until the function returns.
type Storage struct {
	*Lowering
	vars map[*parse.Object]Lvalue
	// literals are the objects of compound literals and of structs that calls return.
	literals map[*parse.Expr]Lvalue
	// arguments are the blocks that variable arguments are passed in.
	arguments map[*parse.Expr]Lvalue
	arrays    map[*parse.Object]*variableArray
	blocks    []ir.Reg // addresses of locals in memory
	resultAt  ir.Reg   // address of the block a struct is returned in, or NoReg
	Varargs   ir.Reg   // address of the variable arguments, or NoReg
	escaped   map[*parse.Object]bool
	thread    *testThread // of a test; nil: an ordinary function
	// refused has the variables and temporaries that have no translation.
	refused map[any]*read.Refusal // by object or expression
}

// Expressions translates expressions to values.
type Expressions struct {
	*Lowering
	purity map[*parse.Expr]bool // results of pure
}

// Pairs translates expressions of 128 bits.
type Pairs struct{ *Lowering }

// Lvalues translates expressions that designate objects.
type Lvalues struct{ *Lowering }

// Accesses makes loads, stores and read-modify-writes.
type Accesses struct{ *Lowering }

// Initialisers translates the initialisers of objects.
type Initialisers struct{ *Lowering }

// Statements translates statements and declarations.
type Statements struct {
	*Lowering
	labels map[*parse.Label]ir.Loc
	cases  map[*parse.Stmt]ir.Loc
	breaks []exit // where break leads, by loop and switch
	conts  []exit // where continue leads, by loop
	// cleanups are the locals with the attribute cleanup whose scope control is in; scopes has them by label.
	cleanups []cleanup
	scopes   map[*parse.Label][]cleanup
}

// Calls translates calls of functions.
type Calls struct{ *Lowering }

// siteMarks notes the fence sites of a function.
type siteMarks struct {
	*Lowering
	marked   map[markKey]bool
	readOnly map[source.Pos]int // read-only marks by position
}
