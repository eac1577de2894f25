package memorax

import (
	"fencepost/internal/frontend/statement"
	"fencepost/internal/ir"
)

// block parses statements up to what ends them.
func (p *parser) block(start int) *statement.Stmt {
	b := &statement.Stmt{Kind: statement.StmtBlock, Start: start}
	for !p.Bad && !p.atEnd() {
		p.labelled(b)
		if !p.Bad && !p.Accept(";") {
			break
		}
	}
	b.End = max(start+1, p.PrevEnd)
	return b
}

// atEnd reports whether no further statement can follow.
func (p *parser) atEnd() bool {
	return p.Tok.Kind == statement.TokenEOF || p.Tok.Is("}") || p.Tok.Is("or") || p.Tok.Is("process") || p.Tok.Is("else")
}

// labelled parses a statement with its labels and adds it to the block. Blocks
// without meaning of their own are spliced in.
func (p *parser) labelled(b *statement.Stmt) {
	if !p.Enter() {
		p.Leave()
		return
	}
	defer p.Leave()
	p.Node()
	var labels []statement.Ident
	for p.Tok.Kind == statement.TokenName && p.Ahead.Is(":") {
		id := statement.Ident{Text: p.Tok.Text, Start: p.Tok.Start, End: p.Tok.End}
		switch old, twice := p.labels[id.Text]; {
		case isRegister(p.Tok):
			p.Fail(statement.CodeSyntax, id.Start, id.End, "a register cannot be a label")
			return
		case p.locked:
			p.Fail(codeMLocked, id.Start, id.End, "a label is not allowed inside a locked block")
			return
		case twice:
			p.Fail(statement.CodeRedeclared, id.Start, id.End, "label '%s' is defined twice in one process", statement.Clip(id.Text)).
				Note("its first definition is at %s", p.File.Pos(old.Start))
			return
		}
		p.labels[id.Text] = id
		labels = append(labels, id)
		p.Advance()
		p.Advance()
	}
	at := p.Tok
	var list []*statement.Stmt
	if len(labels) > 0 && p.atEnd() {
		list = []*statement.Stmt{{Kind: statement.StmtEmpty, Start: labels[0].Start, End: labels[0].End}}
	} else {
		list = p.stmt()
	}
	if len(labels) > 0 && len(list) == 0 {
		list = []*statement.Stmt{{Kind: statement.StmtSkip, Start: at.Start, End: at.End}}
	}
	if len(labels) > 0 {
		list[0].Labels = append(labels, list[0].Labels...)
	}
	b.List = append(b.List, list...)
}

// stmt parses a statement: a list because of blocks.
func (p *parser) stmt() []*statement.Stmt {
	s := &statement.Stmt{Start: p.Tok.Start, Head: p.Tok.End}
	if p.locked && (p.Tok.Is("goto") || p.Tok.Is("if") || p.Tok.Is("while") || p.Tok.Is("either")) {
		p.Fail(codeMLocked, p.Tok.Start, p.Tok.End, "'%s' is not allowed inside a locked block", p.Tok.Text).
			Note("a locked block contains only simple statements, with 'or' between alternatives")
		return nil
	}
	first := p.Tok.End
	done := func() []*statement.Stmt {
		s.End = max(first, p.PrevEnd)
		return []*statement.Stmt{s}
	}
	switch {
	case p.Tok.Is("{"):
		p.Blocks = append(p.Blocks, p.Tok)
		start := p.Tok.Start
		p.Advance()
		b := p.block(start)
		p.CloseBlock("}")
		return b.List
	case p.Accept("goto"):
		s.Kind = statement.StmtGoto
		s.Name = p.Ident("a label")
	case p.Accept("if"):
		s.Kind, s.X = statement.StmtIf, p.condition()
		s.Head = max(first, p.PrevEnd)
		p.Expect("then")
		s.List = []*statement.Stmt{p.body()}
		if p.Accept("else") {
			s.List = append(s.List, p.body())
		}
	case p.Accept("while"):
		s.Kind, s.X = statement.StmtWhile, p.condition()
		s.Head = max(first, p.PrevEnd)
		p.Expect("do")
		s.List = []*statement.Stmt{p.body()}
	case p.Accept("either"):
		s.Kind = statement.StmtEither
		s.List = p.branches()
	case p.Accept("locked"):
		if p.Accept("write") {
			return p.store(s, first, true)
		}
		return p.lockedBlock(s, first)
	default:
		return p.instruction(s, first, done)
	}
	return done()
}

// body is the one statement after then, else or do.
func (p *parser) body() *statement.Stmt {
	b := &statement.Stmt{Kind: statement.StmtBlock, Start: p.Tok.Start}
	first := p.Tok
	switches := p.Switches
	if first.Macro != p.PrevMacro {
		switches++
	}
	if !p.Bad {
		p.labelled(b)
	}
	b.End = max(first.End, p.PrevEnd)
	switch {
	case first.Is("{"):
	case p.Switches != switches:
		b.Form = statement.Torn
	case first.Macro > 0:
		b.Form = statement.InMacro
	default:
		b.Form = statement.Unbraced
	}
	return b
}

// branches parses { ... or ... }.
func (p *parser) branches() []*statement.Stmt {
	open := p.Tok
	if !p.Expect("{") {
		return nil
	}
	p.Blocks = append(p.Blocks, open)
	list := []*statement.Stmt{p.block(open.Start)}
	for p.Accept("or") {
		list = append(list, p.block(p.PrevEnd))
	}
	p.CloseBlock("}")
	return list
}

// instruction parses a statement without statements inside.
func (p *parser) instruction(s *statement.Stmt, first int, done func() []*statement.Stmt) []*statement.Stmt {
	word := p.Tok
	switch {
	case p.Accept("nop"), p.Accept("llfence"): // loads are never reordered here
		s.Kind = statement.StmtSkip
	case p.Accept("fence"):
		s.Kind, s.Fence = statement.StmtFence, ir.FullFence
	case p.Accept("ssfence"):
		s.Kind, s.Fence = statement.StmtFence, ir.StoreStoreFence
	case p.Accept("assume"):
		p.Expect(":")
		s.Kind, s.X = statement.StmtAssume, p.condition()
	case p.Accept("read"):
		p.Expect(":")
		if isRegister(p.Tok) {
			s.Kind, s.X = sFetch, p.register()
			p.Expect(":=")
			s.Y = p.variable()
		} else {
			s.Kind, s.X = sSeen, p.variable()
			p.Expect("=")
			s.Y = p.expr()
		}
	case p.Accept("write"):
		return p.store(s, first, false)
	case p.Accept("syncwr"):
		return p.store(s, first, true)
	case p.Accept("cas"):
		return p.swap(s, first)
	case p.Accept("slocked"), p.Accept("syncrd"):
		p.Fail(codeMMissing, word.Start, word.End, "'%s' has no meaning under SC, TSO and PSO", word.Text)
	case isRegister(p.Tok):
		s.Kind, s.X = sPut, p.register()
		p.Expect(":=")
		s.Y = p.expr()
	default:
		p.Expected("a statement")
	}
	return done()
}

// store parses what follows write. Inside a locked block every write is locked.
func (p *parser) store(s *statement.Stmt, first int, locked bool) []*statement.Stmt {
	s.Kind = sWrite
	if locked && !p.locked {
		s.Kind = sLocked
	}
	p.Expect(":")
	s.X = p.variable()
	p.Expect(":=")
	s.Y = p.expr()
	s.End = max(first, p.PrevEnd)
	return []*statement.Stmt{s}
}

// swap parses what follows cas. Inside a locked block it is a wait and a write.
func (p *parser) swap(s *statement.Stmt, first int) []*statement.Stmt {
	s.Kind = sSwap
	p.Expect("(")
	s.X = p.variable()
	p.Expect(",")
	s.Y = p.expr()
	p.Expect(",")
	s.Z = p.expr()
	p.Expect(")")
	s.End = max(first, p.PrevEnd)
	if !p.locked {
		return []*statement.Stmt{s}
	}
	return []*statement.Stmt{
		{Kind: sSeen, X: s.X, Y: s.Y, Start: s.Start, End: s.End},
		{Kind: sWrite, X: s.X, Y: s.Z, Start: s.Start, End: s.End},
	}
}

// lockedBlock parses the rest of a locked block. What one operation can do becomes
// one operation, which then blocks as a whole; the others are sections.
func (p *parser) lockedBlock(s *statement.Stmt, first int) []*statement.Stmt {
	outer := p.locked
	p.locked = true
	list := p.branches()
	p.locked = outer
	s.End = max(first, p.PrevEnd)
	choice := &statement.Stmt{Kind: statement.StmtEither, List: list, Start: s.Start, Head: s.Head, End: s.End}
	switch {
	case p.Bad || len(list) == 0:
		return nil
	case outer && len(list) == 1:
		return list[0].List
	case outer:
		return []*statement.Stmt{choice}
	case len(list) == 1 && len(list[0].List) <= 2:
		if one := oneOperation(list[0].List); one != nil {
			one.Start, one.End = s.Start, s.End
			return []*statement.Stmt{one}
		}
	}
	body := list[0]
	if len(list) > 1 {
		body = &statement.Stmt{Kind: statement.StmtBlock, List: []*statement.Stmt{choice}, Start: s.Head, End: s.End}
	}
	body.End = s.End
	s.Kind, s.List = statement.StmtAtomic, []*statement.Stmt{body}
	return []*statement.Stmt{s}
}

// oneOperation is the operation that does all of a locked block, or nil.
func oneOperation(list []*statement.Stmt) *statement.Stmt {
	switch {
	case len(list) == 1:
		one := *list[0]
		if one.Kind == sWrite {
			one.Kind = sLocked
		}
		return &one
	case len(list) == 2 && list[0].Kind == sSeen && list[1].Kind == sWrite && sameVariable(list[0].X, list[1].X):
		return &statement.Stmt{Kind: sSwap, X: list[0].X, Y: list[0].Y, Z: list[1].Y}
	}
	return nil
}

// sameVariable reports whether two expressions that are no pointers name one variable.
func sameVariable(e, f *statement.Expr) bool {
	return e.Kind == f.Kind && e.Kind != statement.ExprMem && e.Name == f.Name && e.Val == f.Val
}

func (p *parser) register() *statement.Expr {
	start := p.Tok.Start
	return p.Make(statement.Expr{Kind: statement.ExprName, Name: p.Ident("a register").Text, Start: start})
}

// variable parses a variable: name, name[my], name[k], [E].
func (p *parser) variable() *statement.Expr {
	start := p.Tok.Start
	if p.Accept("[") {
		x := p.expr()
		p.Expect("]")
		return p.Make(statement.Expr{Kind: statement.ExprMem, X: x, Start: start})
	}
	if isRegister(p.Tok) {
		p.Fail(statement.CodeNotShared, p.Tok.Start, p.Tok.End, "'%s' is a register; a shared variable is needed here", statement.Clip(p.Tok.Text)).
			Note("[%s] is the variable it points to", statement.Clip(p.Tok.Text))
	}
	e := statement.Expr{Kind: statement.ExprName, Name: p.Ident("a shared variable").Text, Start: start}
	if p.Accept("[") {
		e.Kind, e.Val = statement.ExprOfProcess, -1
		if !p.Accept("my") {
			if p.Tok.Kind != statement.TokenInt || p.Tok.Val < 0 {
				p.Expected("'my' or a number")
			}
			e.Val = p.Tok.Val
			p.Advance()
		}
		p.Expect("]")
	}
	return p.Make(e)
}

// expr parses sums.
func (p *parser) expr() *statement.Expr {
	start := p.Tok.Start
	x := p.term()
	for !p.Bad && (p.Tok.Is("+") || p.Tok.Is("-")) {
		op := ir.Add
		if p.Tok.Is("-") {
			op = ir.Sub
		}
		p.Advance()
		y := p.term()
		x = p.Make(statement.Expr{Kind: statement.ExprBinary, Op: op, X: x, Y: y, Start: start})
	}
	return x
}

func (p *parser) term() *statement.Expr { return p.Nested(p.termFrom) }

func (p *parser) termFrom(start int) *statement.Expr {
	switch {
	case p.Tok.Kind == statement.TokenInt:
		v := p.Tok.Val
		p.Advance()
		return p.Make(statement.Expr{Kind: statement.ExprInt, Val: v, Start: start})
	case isRegister(p.Tok):
		return p.register()
	case p.Accept("-"):
		return p.Make(statement.Expr{Kind: statement.ExprUnary, Op: ir.Neg, X: p.term(), Start: start})
	case p.Accept("("):
		return p.enclosed(p.expr, ")")
	}
	d := p.Expected("a number or a register")
	if p.Tok.Kind == statement.TokenName {
		d.Note("shared variables are read with 'read: $r := %s'", statement.Clip(p.Tok.Text))
	}
	return &statement.Expr{Kind: statement.ExprInt}
}

var memoraxCompare = map[string]ir.ExprOp{"=": ir.Eq, "!=": ir.Ne, "<": ir.Lt, ">": ir.Gt, "<=": ir.Le, ">=": ir.Ge}

// condition parses disjunctions.
func (p *parser) condition() *statement.Expr {
	return p.junction("||", ir.LOr, func() *statement.Expr { return p.junction("&&", ir.LAnd, p.atom) })
}

func (p *parser) junction(sign string, op ir.ExprOp, part func() *statement.Expr) *statement.Expr {
	start := p.Tok.Start
	x := part()
	for p.Accept(sign) {
		y := part()
		x = p.Make(statement.Expr{Kind: statement.ExprBinary, Op: op, X: x, Y: y, Start: start})
	}
	return x
}

// enclosed parses what follows a bracket, and the bracket that closes.
func (p *parser) enclosed(parse func() *statement.Expr, close string) *statement.Expr {
	e := parse()
	p.Expect(close)
	return e
}

func (p *parser) atom() *statement.Expr { return p.Nested(p.atomFrom) }

func (p *parser) atomFrom(start int) *statement.Expr {
	switch {
	case p.Accept("true"):
		return p.Make(statement.Expr{Kind: statement.ExprInt, Val: 1, Start: start})
	case p.Accept("false"):
		return p.Make(statement.Expr{Kind: statement.ExprInt, Val: 0, Start: start})
	case p.Accept("not"):
		return p.Make(statement.Expr{Kind: statement.ExprUnary, Op: ir.Not, X: p.atom(), Start: start})
	case p.Accept("["):
		return p.enclosed(p.condition, "]")
	}
	x := p.expr()
	op, ok := memoraxCompare[p.Tok.Text]
	if p.Bad || p.Tok.Kind != statement.TokenPunct || !ok {
		d := p.Expected("'=', '!=', '<', '>', '<=' or '>='")
		if p.Tok.Is("==") {
			d.Note("'=' compares")
		}
		return x
	}
	p.Advance()
	y := p.expr()
	return p.Make(statement.Expr{Kind: statement.ExprBinary, Op: op, X: x, Y: y, Start: start})
}
