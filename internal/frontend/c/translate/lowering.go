package translate

import (
	"modernc.org/cc/v4"

	"fencepost/internal/ir"
	"fencepost/internal/source"
)

// lowering is the translation of one function, or of a static initialiser. It has no
// methods: each field below is a value that owns one part of the work and its state.
// Every part embeds the lowering, so that it reaches the others by their names.
type lowering struct {
	*compiler
	unit   *unit
	sym    *symbol // nil: a static initialiser
	result cc.Type // of the function

	code  *code
	vars  *storage
	exprs *expressions
	lvals *lvalues
	mem   *accesses
	inits *initialisers
	stmts *statements
	calls *calls
	sites *siteMarks
}

// newLowering returns a lowering in a translation unit with all its parts.
func (c *compiler) newLowering(u *unit) *lowering {
	f := &lowering{compiler: c, unit: u}
	f.code = &code{lowering: f}
	f.vars = &storage{
		lowering: f, vars: map[*cc.Declarator]lvalue{},
		literals: map[*cc.PostfixExpression]lvalue{}, arguments: map[*cc.PostfixExpression]lvalue{},
		arrays: map[*cc.Declarator]*variableArray{}, resultAt: ir.NoReg, varargs: ir.NoReg,
	}
	f.exprs = &expressions{lowering: f, purity: map[cc.ExpressionNode]bool{}}
	f.lvals = &lvalues{f}
	f.mem = &accesses{f}
	f.inits = &initialisers{f}
	f.stmts = &statements{lowering: f, labels: map[string]ir.Loc{}, cases: map[*cc.LabeledStatement]ir.Loc{}}
	f.calls = &calls{f}
	f.sites = &siteMarks{lowering: f, marked: map[markKey]bool{}, readOnly: map[source.Pos]int{}}
	return f
}

// storage holds the variables of a function: registers, and blocks of memory that
// live until the function returns.
type storage struct {
	*lowering
	vars map[*cc.Declarator]lvalue
	// literals are the objects of compound literals and of structs that calls return.
	literals map[*cc.PostfixExpression]lvalue
	// arguments are the blocks that variable arguments are passed in.
	arguments map[*cc.PostfixExpression]lvalue
	arrays    map[*cc.Declarator]*variableArray
	blocks    []ir.Reg // addresses of locals in memory
	resultAt  ir.Reg   // address of the block a struct is returned in, or NoReg
	varargs   ir.Reg   // address of the variable arguments, or NoReg
	escaped   map[*cc.Declarator]bool
	thread    *testThread // of a test; nil: an ordinary function
}

// expressions translates expressions to values.
type expressions struct {
	*lowering
	purity map[cc.ExpressionNode]bool // results of pure
}

// lvalues translates expressions that designate objects.
type lvalues struct{ *lowering }

// accesses makes loads, stores and read-modify-writes.
type accesses struct{ *lowering }

// initialisers translates the initialisers of objects.
type initialisers struct{ *lowering }

// statements translates statements and declarations.
type statements struct {
	*lowering
	labels map[string]ir.Loc
	cases  map[*cc.LabeledStatement]ir.Loc
	breaks []ir.Loc // where break leads, by loop and switch
	conts  []ir.Loc // where continue leads, by loop
}

// calls translates calls of functions.
type calls struct{ *lowering }

// siteMarks notes the fence sites of a function.
type siteMarks struct {
	*lowering
	marked   map[markKey]bool
	readOnly map[source.Pos]int // read-only marks by position
}
