package translate

import (
	"fencepost/internal/lang/c/parse"
	"fencepost/internal/lang/c/types"

	"fencepost/internal/frontend/c/translate/read"
	"fencepost/internal/ir"
	"fencepost/internal/property"
	"fencepost/internal/source"
)

// The parts of the translation of a function. Each owns its state and holds the parts that it uses, and no others.
// They stand in four layers, from the ground: Code makes edges; Arithmetic computes values from values; Accesses and
// Storage reach memory; the last layer walks the tree. Its parts use one another, as statements and expressions do in
// C. TestParts holds the layers against the fields below.

// Lowering is the translation of one function, or of a static initialiser: its parts together, for the functions of
// the library. It has no methods, and no part holds it but Calls, which calls those functions.
type Lowering struct {
	Opt        *Options
	In         *read.Unit // the file of the function
	Unit       *unit
	B          *ir.Builder
	Syms       *Symbols
	Data       *staticData
	Ends       *ThreadEnds
	Invariants *[]property.CodeInvariant

	Types   *Typing
	Layouts *Layouts
	Code    *Code
	Arith   *Arithmetic
	Mem     *Accesses
	Vars    *Storage
	Exprs   *Expressions
	Lvals   *Lvalues
	Atomics *Atomics
	calls   *Calls
	inits   *Initialisers
	stmts   *Statements
}

// newLowering returns a lowering in a translation unit: of a function, or of a static initialiser if s is nil.
func (c *Compiler) newLowering(u *unit, s *symbol) *Lowering {
	opt, in, syms := &c.Opt, u.In, c.Syms
	sites := &siteMarks{Opt: opt, In: in, marks: c.marks, marked: map[markKey]bool{}, readOnly: map[source.Pos]int{}}
	code := &Code{Opt: opt, In: in, lengths: map[*parse.Expr]variableLength{}}
	sites.Code = code
	arith := &Arithmetic{Opt: opt, In: in, Types: u.Types, Syms: syms, Code: code, wrap: in.Settings(u.Name).Wrap}
	mem := &Accesses{In: in, B: c.B, Types: u.Types, Layouts: u.Layouts, Code: code, Arith: arith, sites: sites}
	vars := &Storage{
		Opt: opt, In: in, Unit: u, Types: u.Types, Layouts: u.Layouts, Syms: syms, Code: code, Mem: mem,
		sym: s, vars: map[*parse.Object]Lvalue{}, literals: map[*parse.Expr]Lvalue{}, arguments: map[*parse.Expr]Lvalue{},
		arrays: map[*parse.Object]ir.Reg{}, resultAt: ir.NoReg, Varargs: ir.NoReg, refused: map[any]*read.Refusal{},
	}
	if s != nil {
		code.Fb, vars.result = s.Fb, s.Decl.Type.Elem
	}
	f := &Lowering{
		Opt: opt, In: in, Unit: u, B: c.B, Syms: syms, Data: c.Data, Ends: c.Ends, Invariants: &c.Invariants,
		Types: u.Types, Layouts: u.Layouts, Code: code, Arith: arith, Mem: mem, Vars: vars,
	}
	f.Exprs = &Expressions{Opt: opt, In: in, Types: u.Types, Code: code, Arith: arith, Mem: mem, Vars: vars, purity: map[*parse.Expr]bool{}}
	f.Lvals = &Lvalues{
		In: in, Unit: u, Types: u.Types, Layouts: u.Layouts, Syms: syms, Code: code, Arith: arith, Mem: mem, Vars: vars, Exprs: f.Exprs,
	}
	f.calls = &Calls{
		Opt: opt, In: in, Unit: u, Types: u.Types, Syms: syms, Ends: c.Ends, Code: code, Arith: arith, Mem: mem, Vars: vars,
		Exprs: f.Exprs, Lvals: f.Lvals, library: c.library, whole: f,
	}
	f.Atomics = &Atomics{
		In: in, Types: u.Types, Data: c.Data, Code: code, Arith: arith, Mem: mem, Vars: vars,
		Exprs: f.Exprs, Lvals: f.Lvals, calls: f.calls, sites: sites,
	}
	f.inits = &Initialisers{
		In: in, B: c.B, Unit: u, Types: u.Types, Layouts: u.Layouts, Syms: syms, Data: c.Data,
		Code: code, Arith: arith, Mem: mem, Exprs: f.Exprs, Lvals: f.Lvals,
	}
	f.stmts = &Statements{
		Opt: opt, In: in, Unit: u, Types: u.Types, Syms: syms, Code: code, Arith: arith, Mem: mem, Vars: vars,
		Exprs: f.Exprs, Lvals: f.Lvals, inits: f.inits, sites: sites, labels: map[*parse.Label]ir.Loc{}, cases: map[*parse.Stmt]ir.Loc{},
	}
	f.Exprs.Lvals, f.Exprs.calls, f.Exprs.stmts = f.Lvals, f.calls, f.stmts
	f.Lvals.Atomics, f.Lvals.calls, f.Lvals.inits = f.Atomics, f.calls, f.inits
	return f
}

// Arithmetic computes values from values: conversions and operators, with the checks that they need.
type Arithmetic struct {
	Opt   *Options
	In    *read.Unit
	Types *Typing
	Syms  *Symbols // has the functions of the library that operators call
	Code  *Code
	wrap  bool // the flag -fwrapv of the file
}

// Accesses makes loads, stores and read-modify-writes.
type Accesses struct {
	In      *read.Unit
	B       *ir.Builder
	Types   *Typing
	Layouts *Layouts
	Code    *Code
	Arith   *Arithmetic
	sites   *siteMarks
}

// Storage holds the variables of a function: registers, and blocks of memory that
// live until the function returns.
type Storage struct {
	Opt     *Options
	In      *read.Unit
	Unit    *unit
	Types   *Typing
	Layouts *Layouts
	Syms    *Symbols
	Code    *Code
	Mem     *Accesses

	sym    *symbol     // the function; nil: a static initialiser
	result *types.Type // of the function
	vars   map[*parse.Object]Lvalue
	// literals are the objects of compound literals and of structs that calls return.
	literals map[*parse.Expr]Lvalue
	// arguments are the blocks that variable arguments are passed in.
	arguments map[*parse.Expr]Lvalue
	// arrays are the addresses of arrays of variable length.
	arrays   map[*parse.Object]ir.Reg
	blocks   []ir.Reg // addresses of locals in memory
	resultAt ir.Reg   // address of the block a struct is returned in, or NoReg
	Varargs  ir.Reg   // address of the variable arguments, or NoReg
	escaped  map[*parse.Object]bool
	thread   *testThread // of a test; nil: an ordinary function
	// refused has the variables and temporaries that have no translation.
	refused map[any]*read.Refusal // by object or expression
}

// Expressions translates expressions to values.
type Expressions struct {
	Opt    *Options
	In     *read.Unit
	Types  *Typing
	Code   *Code
	Arith  *Arithmetic
	Mem    *Accesses
	Vars   *Storage
	Lvals  *Lvalues
	calls  *Calls
	stmts  *Statements          // of statement expressions
	purity map[*parse.Expr]bool // results of pure
}

// Lvalues translates expressions that designate objects.
type Lvalues struct {
	In      *read.Unit
	Unit    *unit
	Types   *Typing
	Layouts *Layouts
	Syms    *Symbols
	Code    *Code
	Arith   *Arithmetic
	Mem     *Accesses
	Vars    *Storage
	Exprs   *Expressions
	Atomics *Atomics
	calls   *Calls
	inits   *Initialisers // of compound literals
}

// Atomics translates the operands and the orders of atomic operations, and operators on atomic objects.
type Atomics struct {
	In    *read.Unit
	Types *Typing
	Data  *staticData
	Code  *Code
	Arith *Arithmetic
	Mem   *Accesses
	Vars  *Storage
	Exprs *Expressions
	Lvals *Lvalues
	calls *Calls
	sites *siteMarks
}

// Initialisers translates the initialisers of objects.
type Initialisers struct {
	In      *read.Unit
	B       *ir.Builder
	Unit    *unit
	Types   *Typing
	Layouts *Layouts
	Syms    *Symbols
	Data    *staticData
	Code    *Code
	Arith   *Arithmetic
	Mem     *Accesses
	Exprs   *Expressions
	Lvals   *Lvalues
}

// Statements translates statements and declarations.
type Statements struct {
	Opt   *Options
	In    *read.Unit
	Unit  *unit
	Types *Typing
	Syms  *Symbols
	Code  *Code
	Arith *Arithmetic
	Mem   *Accesses
	Vars  *Storage
	Exprs *Expressions
	Lvals *Lvalues
	inits *Initialisers
	sites *siteMarks

	labels map[*parse.Label]ir.Loc
	cases  map[*parse.Stmt]ir.Loc
	breaks []exit // where break leads, by loop and switch
	conts  []exit // where continue leads, by loop
	scopes map[*parse.Label][]cleanup
}

// Calls translates calls of functions.
type Calls struct {
	Opt     *Options
	In      *read.Unit
	Unit    *unit
	Types   *Typing
	Syms    *Symbols
	Ends    *ThreadEnds
	Code    *Code
	Arith   *Arithmetic
	Mem     *Accesses
	Vars    *Storage
	Exprs   *Expressions
	Lvals   *Lvalues
	library *Library
	whole   *Lowering // for the functions of the library
}

// siteMarks notes the fence sites of a function.
type siteMarks struct {
	Opt      *Options
	In       *read.Unit
	Code     *Code
	marks    *marks // nil: no marks are wanted
	marked   map[markKey]bool
	readOnly map[source.Pos]int // read-only marks by position
	// opens is the position where the body of the function begins. A statement that begins there comes from a macro that is
	// the whole body.
	opens source.Pos
}
