package automaton

import "fencepost/internal/ir"

// block parses statements up to what ends them.
func (p *memoraxParser) block(start int) *stmt {
	b := &stmt{kind: sBlock, start: start}
	for !p.bad && !p.atEnd() {
		p.labelled(b)
		if !p.bad && !p.accept(";") {
			break
		}
	}
	b.end = max(start+1, p.prevEnd)
	return b
}

// atEnd reports whether no further statement can follow.
func (p *memoraxParser) atEnd() bool {
	return p.tok.kind == tEOF || p.tok.is("}") || p.tok.is("or") || p.tok.is("process") || p.tok.is("else")
}

// labelled parses a statement with its labels and adds it to the block. Blocks
// without meaning of their own are spliced in.
func (p *memoraxParser) labelled(b *stmt) {
	if !p.enter() {
		p.leave()
		return
	}
	defer p.leave()
	p.node()
	var labels []ident
	for p.tok.kind == tName && p.ahead.is(":") {
		id := ident{p.tok.text, p.tok.start, p.tok.end}
		switch old, twice := p.labels[id.text]; {
		case isRegister(p.tok):
			p.fail(codeSyntax, id.start, id.end, "a register cannot be a label")
			return
		case p.locked:
			p.fail(codeMLocked, id.start, id.end, "a label inside a locked block")
			return
		case twice:
			p.fail(codeRedeclared, id.start, id.end, "label '%s' stands twice in one process", clip(id.text)).
				Note("it first stands at %s", p.file.Pos(old.start))
			return
		}
		p.labels[id.text] = id
		labels = append(labels, id)
		p.advance()
		p.advance()
	}
	at := p.tok
	var list []*stmt
	if len(labels) > 0 && p.atEnd() {
		list = []*stmt{{kind: sEmpty, start: labels[0].start, end: labels[0].end}}
	} else {
		list = p.stmt()
	}
	if len(labels) > 0 && len(list) == 0 {
		list = []*stmt{{kind: sSkip, start: at.start, end: at.end}}
	}
	if len(labels) > 0 {
		list[0].labels = append(labels, list[0].labels...)
	}
	b.list = append(b.list, list...)
}

// stmt parses a statement: a list because of blocks.
func (p *memoraxParser) stmt() []*stmt {
	s := &stmt{start: p.tok.start, head: p.tok.end}
	if p.locked && (p.tok.is("goto") || p.tok.is("if") || p.tok.is("while") || p.tok.is("either")) {
		p.fail(codeMLocked, p.tok.start, p.tok.end, "'%s' inside a locked block", p.tok.text).
			Note("a locked block is made of plain statements, with 'or' between alternatives")
		return nil
	}
	first := p.tok.end
	done := func() []*stmt {
		s.end = max(first, p.prevEnd)
		return []*stmt{s}
	}
	switch {
	case p.tok.is("{"):
		p.blocks = append(p.blocks, p.tok)
		start := p.tok.start
		p.advance()
		b := p.block(start)
		p.closeBlock("}")
		return b.list
	case p.accept("goto"):
		s.kind = sGoto
		s.name = p.ident("a label")
	case p.accept("if"):
		s.kind, s.x = sIf, p.condition()
		s.head = max(first, p.prevEnd)
		p.expect("then")
		s.list = []*stmt{p.body()}
		if p.accept("else") {
			s.list = append(s.list, p.body())
		}
	case p.accept("while"):
		s.kind, s.x = sWhile, p.condition()
		s.head = max(first, p.prevEnd)
		p.expect("do")
		s.list = []*stmt{p.body()}
	case p.accept("either"):
		s.kind = sEither
		s.list = p.branches()
	case p.accept("locked"):
		if p.accept("write") {
			return p.store(s, first, true)
		}
		return p.lockedBlock(s, first)
	default:
		return p.instruction(s, first, done)
	}
	return done()
}

// body is the one statement after then, else or do.
func (p *memoraxParser) body() *stmt {
	b := &stmt{kind: sBlock, start: p.tok.start}
	first := p.tok
	switches := p.switches
	if first.macro != p.prevMacro {
		switches++
	}
	if !p.bad {
		p.labelled(b)
	}
	b.end = max(first.end, p.prevEnd)
	switch {
	case first.is("{"):
	case p.switches != switches:
		b.form = torn
	case first.macro > 0:
		b.form = inMacro
	default:
		b.form = unbraced
	}
	return b
}

// branches parses { ... or ... }.
func (p *memoraxParser) branches() []*stmt {
	open := p.tok
	if !p.expect("{") {
		return nil
	}
	p.blocks = append(p.blocks, open)
	list := []*stmt{p.block(open.start)}
	for p.accept("or") {
		list = append(list, p.block(p.prevEnd))
	}
	p.closeBlock("}")
	return list
}

// instruction parses a statement without statements inside.
func (p *memoraxParser) instruction(s *stmt, first int, done func() []*stmt) []*stmt {
	word := p.tok
	switch {
	case p.accept("nop"), p.accept("llfence"): // loads are never reordered here
		s.kind = sSkip
	case p.accept("fence"):
		s.kind, s.fence = sFence, ir.FullFence
	case p.accept("ssfence"):
		s.kind, s.fence = sFence, ir.StoreStoreFence
	case p.accept("assume"):
		p.expect(":")
		s.kind, s.x = sAssume, p.condition()
	case p.accept("read"):
		p.expect(":")
		if isRegister(p.tok) {
			s.kind, s.x = sFetch, p.register()
			p.expect(":=")
			s.y = p.place()
		} else {
			s.kind, s.x = sSeen, p.place()
			p.expect("=")
			s.y = p.expr()
		}
	case p.accept("write"):
		return p.store(s, first, false)
	case p.accept("syncwr"):
		return p.store(s, first, true)
	case p.accept("cas"):
		return p.swap(s, first)
	case p.accept("slocked"), p.accept("syncrd"):
		p.fail(codeMMissing, word.start, word.end, "'%s' has no meaning in the models here", word.text)
	case isRegister(p.tok):
		s.kind, s.x = sPut, p.register()
		p.expect(":=")
		s.y = p.expr()
	default:
		p.expected("a statement")
	}
	return done()
}

// store parses what follows write. Inside a locked block every write is locked.
func (p *memoraxParser) store(s *stmt, first int, locked bool) []*stmt {
	s.kind = sWrite
	if locked && !p.locked {
		s.kind = sLocked
	}
	p.expect(":")
	s.x = p.place()
	p.expect(":=")
	s.y = p.expr()
	s.end = max(first, p.prevEnd)
	return []*stmt{s}
}

// swap parses what follows cas. Inside a locked block it is a wait and a write.
func (p *memoraxParser) swap(s *stmt, first int) []*stmt {
	s.kind = sSwap
	p.expect("(")
	s.x = p.place()
	p.expect(",")
	s.y = p.expr()
	p.expect(",")
	s.z = p.expr()
	p.expect(")")
	s.end = max(first, p.prevEnd)
	if !p.locked {
		return []*stmt{s}
	}
	return []*stmt{
		{kind: sSeen, x: s.x, y: s.y, start: s.start, end: s.end},
		{kind: sWrite, x: s.x, y: s.z, start: s.start, end: s.end},
	}
}

// lockedBlock parses the rest of a locked block. What one operation can do becomes
// one operation, which then blocks as a whole; the others are sections.
func (p *memoraxParser) lockedBlock(s *stmt, first int) []*stmt {
	outer := p.locked
	p.locked = true
	list := p.branches()
	p.locked = outer
	s.end = max(first, p.prevEnd)
	choice := &stmt{kind: sEither, list: list, start: s.start, head: s.head, end: s.end}
	switch {
	case p.bad || len(list) == 0:
		return nil
	case outer && len(list) == 1:
		return list[0].list
	case outer:
		return []*stmt{choice}
	case len(list) == 1 && len(list[0].list) <= 2:
		if one := oneOperation(list[0].list); one != nil {
			one.start, one.end = s.start, s.end
			return []*stmt{one}
		}
	}
	body := list[0]
	if len(list) > 1 {
		body = &stmt{kind: sBlock, list: []*stmt{choice}, start: s.head, end: s.end}
	}
	body.end = s.end
	s.kind, s.list = sAtomic, []*stmt{body}
	return []*stmt{s}
}

// oneOperation is the operation that does all of a locked block, or nil.
func oneOperation(list []*stmt) *stmt {
	switch {
	case len(list) == 1:
		one := *list[0]
		if one.kind == sWrite {
			one.kind = sLocked
		}
		return &one
	case len(list) == 2 && list[0].kind == sSeen && list[1].kind == sWrite && list[0].x.samePlace(list[1].x):
		return &stmt{kind: sSwap, x: list[0].x, y: list[0].y, z: list[1].y}
	}
	return nil
}

// samePlace reports whether two places that are no pointers are the same.
func (e *expr) samePlace(f *expr) bool {
	return e.kind == f.kind && e.kind != eMem && e.name == f.name && e.val == f.val
}

func (p *memoraxParser) register() *expr {
	start := p.tok.start
	return p.make(expr{kind: eName, name: p.ident("a register").text, start: start})
}

// place parses a place: name, name[my], name[k], [E].
func (p *memoraxParser) place() *expr {
	start := p.tok.start
	if p.accept("[") {
		x := p.expr()
		p.expect("]")
		return p.make(expr{kind: eMem, x: x, start: start})
	}
	if isRegister(p.tok) {
		p.fail(codeNotShared, p.tok.start, p.tok.end, "'%s' is a register; a shared place is needed here", clip(p.tok.text)).
			Note("[%s] is the variable it points to", clip(p.tok.text))
	}
	e := expr{kind: eName, name: p.ident("a shared place").text, start: start}
	if p.accept("[") {
		e.kind, e.val = eOwn, -1
		if !p.accept("my") {
			if p.tok.kind != tInt || p.tok.val < 0 {
				p.expected("'my' or a number")
			}
			e.val = p.tok.val
			p.advance()
		}
		p.expect("]")
	}
	return p.make(e)
}

// expr parses sums.
func (p *memoraxParser) expr() *expr {
	start := p.tok.start
	x := p.term()
	for !p.bad && (p.tok.is("+") || p.tok.is("-")) {
		op := ir.Add
		if p.tok.is("-") {
			op = ir.Sub
		}
		p.advance()
		y := p.term()
		x = p.make(expr{kind: eBinary, op: op, x: x, y: y, start: start})
	}
	return x
}

func (p *memoraxParser) term() *expr {
	if !p.enter() {
		p.leave()
		return &expr{kind: eInt}
	}
	defer p.leave()
	start := p.tok.start
	switch {
	case p.tok.kind == tInt:
		v := p.tok.val
		p.advance()
		return p.make(expr{kind: eInt, val: v, start: start})
	case isRegister(p.tok):
		return p.register()
	case p.accept("-"):
		return p.make(expr{kind: eUnary, op: ir.Neg, x: p.term(), start: start})
	case p.accept("("):
		e := p.expr()
		p.expect(")")
		return e
	}
	d := p.expected("a number or a register")
	if p.tok.kind == tName {
		d.Note("shared places are read with 'read: $r := %s'", clip(p.tok.text))
	}
	return &expr{kind: eInt}
}

var memoraxCompare = map[string]ir.ExprOp{"=": ir.Eq, "!=": ir.Ne, "<": ir.Lt, ">": ir.Gt, "<=": ir.Le, ">=": ir.Ge}

// condition parses disjunctions.
func (p *memoraxParser) condition() *expr {
	return p.junction("||", ir.LOr, func() *expr { return p.junction("&&", ir.LAnd, p.atom) })
}

func (p *memoraxParser) junction(sign string, op ir.ExprOp, part func() *expr) *expr {
	start := p.tok.start
	x := part()
	for p.accept(sign) {
		y := part()
		x = p.make(expr{kind: eBinary, op: op, x: x, y: y, start: start})
	}
	return x
}

func (p *memoraxParser) atom() *expr {
	if !p.enter() {
		p.leave()
		return &expr{kind: eInt}
	}
	defer p.leave()
	start := p.tok.start
	switch {
	case p.accept("true"):
		return p.make(expr{kind: eInt, val: 1, start: start})
	case p.accept("false"):
		return p.make(expr{kind: eInt, val: 0, start: start})
	case p.accept("not"):
		return p.make(expr{kind: eUnary, op: ir.Not, x: p.atom(), start: start})
	case p.accept("["):
		e := p.condition()
		p.expect("]")
		return e
	}
	x := p.expr()
	op, ok := memoraxCompare[p.tok.text]
	if p.bad || p.tok.kind != tPunct || !ok {
		d := p.expected("'=', '!=', '<', '>', '<=' or '>='")
		if p.tok.is("==") {
			d.Note("'=' compares")
		}
		return x
	}
	p.advance()
	y := p.expr()
	return p.make(expr{kind: eBinary, op: op, x: x, y: y, start: start})
}
