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

// invariant parses 'invariant' expr ';'.
func (p *parser) invariant() *expr {
	p.advance()
	e := p.expr()
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
		b := &conditionBuilder{c: l.c, index: map[string]ir.Reg{}, own: &l.scope}
		x := b.expr(e)
		cond := &property.Cond{Vars: b.vars, Expr: x, Text: l.c.text(e.start, e.end)}
		l.said = append(l.said, property.Invariant{Loc: at, Cond: cond, Pos: l.c.span(e.start, e.end)})
	}
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
	if r, ok := b.own.register(e.name); ok {
		return b.variable(property.Var{Name: e.name, Thread: 0, Reg: r, Type: ir.S64}), true
	}
	if v, ok := b.own.lookup(e); ok {
		return ir.Int(v), true
	}
	return nil, false
}
