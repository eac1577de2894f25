package fp

import (
	"fencepost/internal/frontend/statement"
	"fencepost/internal/ir"
)

// level is how tightly a binary operator binds; higher is tighter.
var level = map[string]int{
	"||": 1, "&&": 2, "|": 3, "^": 4, "&": 5, "==": 6, "!=": 6,
	"<": 7, "<=": 7, ">": 7, ">=": 7, "<<": 8, ">>": 8, "+": 9, "-": 9, "*": 10, "/": 10, "%": 10,
}

var binaryOps = map[string]ir.ExprOp{
	"||": ir.LOr, "&&": ir.LAnd, "|": ir.Or, "^": ir.Xor, "&": ir.And, "==": ir.Eq, "!=": ir.Ne,
	"<": ir.Lt, "<=": ir.Le, ">": ir.Gt, ">=": ir.Ge, "<<": ir.Shl, ">>": ir.Shr,
	"+": ir.Add, "-": ir.Sub, "*": ir.Mul, "/": ir.Div, "%": ir.Rem,
}

var unaryOps = map[string]ir.ExprOp{"-": ir.Neg, "!": ir.Not, "~": ir.BitNot}

// rmwArgs is how many operands follow the cell.
var rmwArgs = map[string]int{
	"cas": 2, "xchg": 1, "fetch_add": 1, "fetch_sub": 1, "fetch_and": 1, "fetch_or": 1, "fetch_xor": 1,
}

// expr parses an expression. It returns something even where the parser is bad.
func (p *grammar) expr() *statement.Expr { return p.Nested(p.conditional) }

func (p *grammar) conditional(start int) *statement.Expr {
	c := p.binary(1)
	if !p.Accept("?") {
		return c
	}
	outer := p.inMiddle
	p.inMiddle = true
	y := p.expr()
	p.inMiddle = outer
	p.Expect(":")
	z := p.expr()
	return p.Make(statement.Expr{Kind: statement.ExprCond, X: c, Y: y, Z: z, Start: start})
}

// binary parses operators that bind at least as tightly as min.
func (p *grammar) binary(min int) *statement.Expr {
	start := p.Tok.Start
	x := p.unary()
	for !p.Bad {
		if p.Tok.Is("<-") { // r<-1 inside an expression compares
			p.Tok = statement.Token{Kind: statement.TokenPunct, Text: "<", Start: p.Tok.Start, End: p.Tok.Start + 1}
			p.insertMinus()
		}
		op := p.Tok.Text
		l := level[op]
		if p.Tok.Kind != statement.TokenPunct || l < min {
			break
		}
		p.Advance()
		y := p.binary(l + 1)
		x = p.Make(statement.Expr{Kind: statement.ExprBinary, Op: binaryOps[op], X: x, Y: y, Start: start})
	}
	return x
}

// insertMinus puts back the minus of a split '<-'.
func (p *grammar) insertMinus() {
	p.Lexer.Pos = p.Tok.End
	p.Ahead = p.Lexer.Next()
}

func (p *grammar) unary() *statement.Expr { return p.Nested(p.prefixed) }

func (p *grammar) prefixed(start int) *statement.Expr {
	if p.Tok.Kind == statement.TokenPunct {
		if op, ok := unaryOps[p.Tok.Text]; ok {
			p.Advance()
			return p.Make(statement.Expr{Kind: statement.ExprUnary, Op: op, X: p.unary(), Start: start})
		}
		if p.Accept("&") {
			p.tree.addrs = true
			x := p.lvalue()
			if x.Order != ir.OrderUnset {
				p.Fail(statement.CodeSyntax, x.Start, x.End, "an address has no memory order")
			}
			return p.Make(statement.Expr{Kind: statement.ExprAddr, X: x, Start: start})
		}
	}
	return p.primary()
}

func (p *grammar) primary() *statement.Expr {
	start := p.Tok.Start
	switch {
	case p.Tok.Kind == statement.TokenInt:
		v := p.Tok.Val
		p.Advance()
		return p.Make(statement.Expr{Kind: statement.ExprInt, Val: v, Start: start})
	case p.Tok.Kind == statement.TokenName || p.Tok.Is("mem"):
		return p.lvalue()
	case p.Tok.Kind == statement.TokenKeyword && rmwArgs[p.Tok.Text] > 0:
		return p.rmw()
	case p.Accept("("):
		return p.enclosed(")")
	case p.Tok.Kind == statement.TokenKeyword:
		p.Fail(statement.CodeReserved, p.Tok.Start, p.Tok.End, "'%s' is a reserved word, not a value", p.Tok.Text)
	default:
		p.Expected("an expression")
	}
	return &statement.Expr{Kind: statement.ExprInt, Start: start, End: start}
}

// cell parses a register or shared variable, and in conditions THREAD:NAME.
func (p *grammar) lvalue() *statement.Expr {
	start := p.Tok.Start
	if p.Accept("mem") {
		p.Expect("[")
		m := statement.Expr{Kind: statement.ExprMem, X: p.enclosed("]"), Start: start}
		orders(p, &m)
		e := p.Make(m)
		p.tree.mems = append(p.tree.mems, e)
		return e
	}
	id := p.Ident("a register or variable")
	e := statement.Expr{Kind: statement.ExprName, Name: id.Text, Start: start}
	switch {
	case p.Accept("["):
		e.Kind, e.X = statement.ExprIndex, p.enclosed("]")
	case p.Tok.Is(".") && !p.Bad && orderWords[p.Ahead.Text] == ir.OrderUnset:
		p.Advance()
		if !p.isType() {
			p.Expected("'byte', 'half', 'word' or 'long', or a memory order: 'na', 'rlx', 'acq', 'rel', 'acq_rel' or 'sc'")
			break
		}
		e.Kind, e.Typ = statement.ExprPart, p.Tok.Text
		p.Advance()
		p.Expect("[")
		e.X = p.enclosed("]")
		orders(p, &e)
		return p.Make(e)
	}
	orders(p, &e)
	if p.inCond && !p.inMiddle && p.Accept(":") {
		e = statement.Expr{Kind: statement.ExprThread, Typ: id.Text, X: e.X, Name: p.Ident("a register").Text, Start: start}
	}
	return p.Make(e)
}

// orderWords are the memory orders.
var orderWords = map[string]ir.Order{
	"na": ir.Plain, "rlx": ir.Relaxed, "acq": ir.Acquire, "rel": ir.Release, "acq_rel": ir.AcqRel, "sc": ir.SeqCst,
}

// order parses '.' and a memory order; OrderUnset: none follows.
func order(p *grammar) ir.Order {
	if !p.Tok.Is(".") || p.Bad {
		return ir.OrderUnset
	}
	p.Advance()
	o := orderWords[p.Tok.Text]
	if o == ir.OrderUnset || p.Tok.Kind != statement.TokenName {
		p.Expected("a memory order: 'na', 'rlx', 'acq', 'rel', 'acq_rel' or 'sc'")
		return ir.OrderUnset
	}
	p.Advance()
	return o
}

// orders parses the memory orders after a cell.
func orders(p *grammar, e *statement.Expr) {
	start := p.Tok.Start
	e.Order = order(p)
	if e.Order != ir.OrderUnset {
		if p.inCond {
			p.Fail(statement.CodeSyntax, start, p.PrevEnd, "a condition reads memory without a memory order")
		}
		e.Fail = order(p)
	}
}

// fenceOrder parses the order of a fence, and returns what such a fence is for store buffers.
func fenceOrder(p *grammar) (ir.Order, ir.FenceKind) {
	start := p.Tok.Start
	switch o := order(p); o {
	case ir.SeqCst:
		return o, ir.FullFence
	case ir.Release, ir.AcqRel:
		return o, ir.StoreStoreFence
	case ir.Plain:
		p.Fail(statement.CodeSyntax, start, p.PrevEnd, "a fence has the memory order 'rlx', 'acq', 'rel', 'acq_rel' or 'sc'")
		return ir.OrderUnset, ir.FullFence
	default:
		return o, ir.FenceUnset
	}
}

// enclosed parses what follows a bracket, and the bracket that closes.
func (p *grammar) enclosed(close string) *statement.Expr {
	outer := p.inMiddle
	p.inMiddle = false
	e := p.expr()
	p.inMiddle = outer
	p.Expect(close)
	return e
}

func (p *grammar) rmw() *statement.Expr {
	e := statement.Expr{Kind: statement.ExprRMW, Name: p.Tok.Text, Start: p.Tok.Start}
	n := rmwArgs[e.Name]
	p.Advance()
	outer := p.inMiddle
	p.inMiddle = false
	p.Expect("(")
	e.X = p.lvalue()
	p.Expect(",")
	e.Y = p.expr()
	if n == 2 {
		p.Expect(",")
		e.Z = p.expr()
	}
	p.Expect(")")
	p.inMiddle = outer
	return p.Make(e)
}
