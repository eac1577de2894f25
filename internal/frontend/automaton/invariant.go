package automaton

import (
	"fencepost/internal/ir"
	"fencepost/internal/property"
)

// Invariants: conditions in front of a statement, over shared places and the
// registers of the thread, that hold whenever the thread is about to execute it.
// They change nothing about the program; proofs check and use them.
//
// "invariant" is no reserved word: it is one where a condition follows it.

// atInvariant reports whether an invariant begins here.
func (p *parser) atInvariant() bool {
	if p.tok.kind != tName || p.tok.text != "invariant" {
		return false
	}
	for _, sign := range []string{":", "=", ":=", "<-", "[", "."} {
		if p.ahead.is(sign) {
			return false
		}
	}
	return true
}

// invariant parses 'invariant' [ 'forall' names ':' ] expr ';'.
func (p *parser) invariant() *expr {
	p.advance()
	var bound []ident
	if p.accept("forall") {
		for {
			bound = append(bound, p.ident("a number"))
			if !p.accept(",") {
				break
			}
		}
		p.expect(":")
	}
	e := p.expr()
	e.bound = bound
	p.semicolon()
	return e
}

// noStatement reports invariants that nothing follows.
func (p *parser) noStatement(list []*expr) {
	if len(list) > 0 && !p.bad {
		p.fail(codeInvariant, list[0].start, list[0].end, "an invariant stands in front of a statement, and none follows here")
		p.bad = false
	}
}

// invariants takes in what is said of the place where a statement starts.
func (l *lowerer) invariants(s *stmt, at ir.Loc) {
	for _, e := range s.invariants {
		if s.isJump() || s.kind == sEmpty {
			l.c.errorf(codeInvariant, e.start, e.end, "an invariant cannot stand in front of a jump or a label alone").
				Note("it belongs in front of the statement that the jump leads to")
			continue
		}
		if l.section != 0 {
			l.c.errorf(codeInvariant, e.start, e.end, "an invariant inside an atomic section: no other thread can be anywhere then")
			continue
		}
		l.said = append(l.said, property.Invariant{Loc: at, Cond: l.c.invariant(e, &l.scope), Pos: l.c.span(e.start, e.end)})
	}
}

// always takes in what is said of all places.
func (c *compiler) always(e *expr) {
	c.said = append(c.said, property.Invariant{Thread: ir.NoThread, Cond: c.invariant(e, &scope{c: c}), Pos: c.span(e.start, e.end)})
}

// invariant is the condition of an invariant in a scope.
func (c *compiler) invariant(e *expr, s *scope) *property.Cond {
	b := &conditionBuilder{c: c, index: map[string]ir.Reg{}, own: s, bound: map[string]ir.Reg{}}
	cond := &property.Cond{Text: c.text(e.start, e.end)}
	for _, id := range e.bound {
		r := ir.Reg(len(b.vars))
		b.vars = append(b.vars, property.Var{Name: id.text, Thread: ir.NoThread, Reg: ir.NoReg, Type: ir.S64})
		b.bound[id.text] = r
		cond.Bound = append(cond.Bound, r)
	}
	if len(e.bound) > 0 {
		cond.Text = c.text(e.bound[0].start, e.end)
		cond.Text = "forall " + cond.Text
	}
	cond.Expr = b.expr(e)
	cond.Vars = b.vars
	return cond
}

// indexed is a place of an invariant whose index is not constant; not ok for other
// expressions.
func (b *conditionBuilder) indexed(e *expr) (*ir.Expr, bool) {
	if b.own == nil || e.kind != eIndex && e.kind != eMem || e.kind == eMem && (e.x.kind == eAddr || e.x.kind == eName && b.c.vars[e.x.name] != nil) {
		return nil, false
	}
	p := &place{obj: ir.NoObject, typ: ir.S64, unit: ir.CellUnit, name: "mem"}
	if e.kind == eIndex {
		v := b.c.vars[e.name]
		if v == nil || !v.array {
			return nil, false
		}
		p = &place{obj: v.obj, typ: v.typ, name: v.name, unit: int64(v.typ.Size()), count: v.size() / int64(v.typ.Size())}
	}
	known := len(b.vars)
	index := b.expr(e.x)
	if _, fixed := index.IsConst(); fixed && len(b.vars) == known {
		return nil, false
	}
	b.vars = append(b.vars, property.Var{
		Name: b.c.text(e.start, e.end), Thread: ir.NoThread, Reg: ir.NoReg, Type: p.typ, Place: p.addr(index),
	})
	return ir.R(ir.Reg(len(b.vars) - 1)), true
}

// of gives the invariants of a thread its number, once it has one.
func (c *compiler) invariantsOf(id ir.ThreadID, said []property.Invariant) {
	for _, inv := range said {
		inv.Thread = id
		for i := range inv.Cond.Vars {
			if v := &inv.Cond.Vars[i]; v.Reg != ir.NoReg {
				v.Thread = id
			}
		}
		c.said = append(c.said, inv)
	}
}

// ownName is a register of the thread an invariant stands in, or its index.
func (b *conditionBuilder) ownName(e *expr) (*ir.Expr, bool) {
	if b.own == nil || e.kind != eName {
		return nil, false
	}
	if r, ok := b.bound[e.name]; ok {
		return ir.R(r), true
	}
	r, ok := b.own.register(e.name)
	if !ok {
		r, ok = b.own.number(e.name)
	}
	if ok {
		return b.variable(property.Var{Name: e.name, Thread: 0, Reg: r, Type: ir.S64}), true
	}
	if v, ok := b.own.lookup(e); ok {
		return ir.Int(v), true
	}
	return nil, false
}
