package translate

import (
	"modernc.org/cc/v4"

	"fencepost/internal/frontend/c/translate/read"
	"fencepost/internal/ir"
	"fencepost/internal/source"
)

// Lowering is the translation of one function, or of a static initialiser. It has no
// methods: each field below is a value that owns one part of the work and its state.
// Every part embeds the lowering, so that it reaches the others by their names.
type Lowering struct {
	*Compiler
	Unit   *unit
	sym    *symbol // nil: a static initialiser
	result cc.Type // of the function

	Code  *Code
	Vars  *Storage
	Exprs *Expressions
	pairs *Pairs
	Lvals *Lvalues
	Mem   *Accesses
	inits *Initialisers
	stmts *Statements
	calls *Calls
	sites *siteMarks
}

// newLowering returns a lowering in a translation unit with all its parts.
func (c *Compiler) newLowering(u *unit) *Lowering {
	f := &Lowering{Compiler: c, Unit: u}
	f.Code = &Code{Lowering: f}
	f.Vars = &Storage{
		Lowering: f, vars: map[*cc.Declarator]Lvalue{},
		literals: map[*cc.PostfixExpression]Lvalue{}, arguments: map[*cc.PostfixExpression]Lvalue{},
		arrays: map[*cc.Declarator]*variableArray{}, resultAt: ir.NoReg, Varargs: ir.NoReg, refused: map[cc.Node]*read.Refusal{},
	}
	f.Exprs = &Expressions{Lowering: f, purity: map[cc.ExpressionNode]bool{}}
	f.pairs = &Pairs{f}
	f.Lvals = &Lvalues{f}
	f.Mem = &Accesses{f}
	f.inits = &Initialisers{f}
	f.stmts = &Statements{Lowering: f, labels: map[string]ir.Loc{}, cases: map[*cc.LabeledStatement]ir.Loc{}}
	f.calls = &Calls{f}
	f.sites = &siteMarks{Lowering: f, marked: map[markKey]bool{}, readOnly: map[source.Pos]int{}}
	return f
}

// Storage holds the variables of a function: registers, and blocks of memory that
// live until the function returns.
type Storage struct {
	*Lowering
	vars map[*cc.Declarator]Lvalue
	// literals are the objects of compound literals and of structs that calls return.
	literals map[*cc.PostfixExpression]Lvalue
	// arguments are the blocks that variable arguments are passed in.
	arguments map[*cc.PostfixExpression]Lvalue
	arrays    map[*cc.Declarator]*variableArray
	blocks    []ir.Reg // addresses of locals in memory
	resultAt  ir.Reg   // address of the block a struct is returned in, or NoReg
	Varargs   ir.Reg   // address of the variable arguments, or NoReg
	escaped   map[*cc.Declarator]bool
	thread    *testThread // of a test; nil: an ordinary function
	// refused has the variables and temporaries that have no translation.
	refused map[cc.Node]*read.Refusal
}

// Expressions translates expressions to values.
type Expressions struct {
	*Lowering
	purity map[cc.ExpressionNode]bool // results of pure
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
	labels map[string]ir.Loc
	cases  map[*cc.LabeledStatement]ir.Loc
	breaks []exit // where break leads, by loop and switch
	conts  []exit // where continue leads, by loop
	// cleanups are the locals with the attribute cleanup whose scope control is in; scopes has them by label.
	cleanups []cleanup
	scopes   map[string][]cleanup
}

// Calls translates calls of functions.
type Calls struct{ *Lowering }

// siteMarks notes the fence sites of a function.
type siteMarks struct {
	*Lowering
	marked   map[markKey]bool
	readOnly map[source.Pos]int // read-only marks by position
}
