package fp

import (
	"fencepost/internal/frontend/statement"
	"fencepost/internal/ir"
)

// atInvariant reports whether an invariant begins here.
func (p *grammar) atInvariant() bool {
	if p.Tok.Kind != statement.TokenName || p.Tok.Text != "invariant" {
		return false
	}
	for _, sign := range []string{":", "=", ":=", "<-", "[", "."} {
		if p.Ahead.Is(sign) {
			return false
		}
	}
	return true
}

// noStatement reports invariants that nothing follows.
func (p *grammar) noStatement(list []*statement.Expr) {
	if len(list) > 0 && !p.Bad {
		p.Fail(statement.CodeInvariant, list[0].Start, list[0].End, "an invariant must come before a statement, and no statement follows here")
		p.Bad = false
	}
}

// invariant parses 'invariant' [ 'forall' names ':' ] expr ';'.
func (p *grammar) invariant() *statement.Expr {
	p.Advance()
	var bound []statement.Ident
	if p.Accept("forall") {
		for {
			bound = append(bound, p.Ident("a number"))
			if !p.Accept(",") {
				break
			}
		}
		p.Expect(":")
	}
	e := p.expr()
	e.Bound = bound
	p.semicolon()
	return e
}

// atGhost reports whether ghost code begins here.
func atGhost(p *grammar) bool {
	return p.Tok.Kind == statement.TokenName && p.Tok.Text == "ghost" && (p.Ahead.Kind == statement.TokenName || p.Ahead.Is("mem"))
}

// ghostCode parses 'ghost' assignment. It returns nil if ghost code is not asked for.
func ghostCode(p *grammar) *statement.Stmt {
	start := p.Tok.Start
	p.Advance()
	s := p.plain()
	if p.Bad || s == nil {
		return nil
	}
	if s.Kind != statement.StmtAssign || s.Order != ir.Plain {
		p.Fail(statement.CodeInvariant, start, s.End, "ghost code is an assignment")
		return nil
	}
	if !p.ghosts {
		return nil
	}
	return &statement.Stmt{Kind: statement.StmtGhost, Start: start, End: s.End, List: []*statement.Stmt{s}}
}
