package fp

import "fencepost/internal/frontend/statement"

type constDecl struct {
	name  statement.Ident
	value *statement.Expr
}

type atDecl struct {
	thread     statement.Ident
	index      *statement.Expr
	label      statement.Ident
	start, end int
}

type goalDecl struct {
	name       string
	at         []atDecl
	with       *statement.Expr
	start, end int
}

type finalDecl struct {
	word       string
	cond       *statement.Expr
	start, end int
}

// item is one declaration at the top of the file; exactly one field is set.
type item struct {
	constant *constDecl
	variable *statement.VarDecl
	domain   *[2]*statement.Expr
	memory   *statement.Expr
	thread   *statement.ThreadDecl
	goal     *goalDecl
	final    *finalDecl
	always   *statement.Expr // an invariant of all locations
}

// tree is a parsed file.
type tree struct {
	name  string
	items []item
	mems  []*statement.Expr // every mem[...]
	addrs bool              // '&' occurs
}
