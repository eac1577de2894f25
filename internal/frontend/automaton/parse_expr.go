package automaton

import (
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

// rmwArgs is how many operands follow the place.
var rmwArgs = map[string]int{
	"cas": 2, "xchg": 1, "fetch_add": 1, "fetch_sub": 1, "fetch_and": 1, "fetch_or": 1, "fetch_xor": 1,
}

// make finishes a node: its height must stay within what recursion can walk.
func (p *parser) make(e expr) *expr {
	p.node()
	for _, x := range []*expr{e.x, e.y, e.z} {
		if x != nil {
			e.height = max(e.height, x.height)
		}
	}
	e.height++
	e.end = max(p.prevEnd, e.start) // pieces of macros may stand anywhere
	if e.height > maxDepth {
		p.fail(codeDepth, e.start, e.end, "expression nested deeper than %d levels", maxDepth)
		p.stop()
	}
	return &e
}

// expr parses an expression. It returns something even where the parser is bad.
func (p *parser) expr() *expr {
	if !p.enter() {
		p.leave()
		return &expr{kind: eInt}
	}
	defer p.leave()
	start := p.tok.start
	c := p.binary(1)
	if !p.accept("?") {
		return c
	}
	outer := p.inMiddle
	p.inMiddle = true
	y := p.expr()
	p.inMiddle = outer
	p.expect(":")
	z := p.expr()
	return p.make(expr{kind: eCond, x: c, y: y, z: z, start: start})
}

// binary parses operators that bind at least as tightly as min.
func (p *parser) binary(min int) *expr {
	start := p.tok.start
	x := p.unary()
	for !p.bad {
		if p.tok.is("<-") { // r<-1 inside an expression compares
			p.tok = token{kind: tPunct, text: "<", start: p.tok.start, end: p.tok.start + 1}
			p.insertMinus()
		}
		op := p.tok.text
		l := level[op]
		if p.tok.kind != tPunct || l < min {
			break
		}
		p.advance()
		y := p.binary(l + 1)
		x = p.make(expr{kind: eBinary, op: binaryOps[op], x: x, y: y, start: start})
	}
	return x
}

// insertMinus puts back the minus of a split '<-'.
func (p *parser) insertMinus() {
	p.lexer.pos = p.tok.end
	p.ahead = p.lexer.next()
}

func (p *parser) unary() *expr {
	if !p.enter() {
		p.leave()
		return &expr{kind: eInt}
	}
	defer p.leave()
	start := p.tok.start
	if p.tok.kind == tPunct {
		if op, ok := unaryOps[p.tok.text]; ok {
			p.advance()
			return p.make(expr{kind: eUnary, op: op, x: p.unary(), start: start})
		}
		if p.accept("&") {
			p.tree.addrs = true
			return p.make(expr{kind: eAddr, x: p.place(), start: start})
		}
	}
	return p.primary()
}

func (p *parser) primary() *expr {
	start := p.tok.start
	switch {
	case p.tok.kind == tInt:
		v := p.tok.val
		p.advance()
		return p.make(expr{kind: eInt, val: v, start: start})
	case p.tok.kind == tName || p.tok.is("mem"):
		return p.place()
	case p.tok.kind == tKeyword && rmwArgs[p.tok.text] > 0:
		return p.rmw()
	case p.accept("("):
		outer := p.inMiddle
		p.inMiddle = false
		e := p.expr()
		p.inMiddle = outer
		p.expect(")")
		return e
	case p.tok.kind == tKeyword:
		p.fail(codeReserved, p.tok.start, p.tok.end, "'%s' is a reserved word and no value", p.tok.text)
	default:
		p.expected("an expression")
	}
	return &expr{kind: eInt, start: start, end: start}
}

// place parses a register or shared place, and in conditions THREAD:NAME.
func (p *parser) place() *expr {
	start := p.tok.start
	if p.accept("mem") {
		p.expect("[")
		e := p.make(expr{kind: eMem, x: p.subscript(), start: start})
		p.tree.mems = append(p.tree.mems, e)
		return e
	}
	id := p.ident("a place")
	e := expr{kind: eName, name: id.text, start: start}
	switch {
	case p.accept("["):
		e.kind, e.x = eIndex, p.subscript()
	case p.tok.is(".") && !p.bad:
		p.advance()
		if !p.isType() {
			p.expected("'byte', 'half', 'word' or 'long'")
			break
		}
		e.kind, e.typ = ePart, p.tok.text
		p.advance()
		p.expect("[")
		e.x = p.subscript()
		return p.make(e)
	}
	if p.inCond && !p.inMiddle && p.accept(":") {
		e = expr{kind: eThread, typ: id.text, x: e.x, name: p.ident("a register").text, start: start}
	}
	return p.make(e)
}

// subscript parses what follows '['.
func (p *parser) subscript() *expr {
	outer := p.inMiddle
	p.inMiddle = false
	e := p.expr()
	p.inMiddle = outer
	p.expect("]")
	return e
}

func (p *parser) rmw() *expr {
	e := expr{kind: eRMW, name: p.tok.text, start: p.tok.start}
	n := rmwArgs[e.name]
	p.advance()
	outer := p.inMiddle
	p.inMiddle = false
	p.expect("(")
	e.x = p.place()
	p.expect(",")
	e.y = p.expr()
	if n == 2 {
		p.expect(",")
		e.z = p.expr()
	}
	p.expect(")")
	p.inMiddle = outer
	return p.make(e)
}
