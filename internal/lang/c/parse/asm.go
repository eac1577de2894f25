package parse

import (
	"fencepost/internal/lang/c/lex"
	"fencepost/internal/lang/c/types"
)

// asmStatement reads an asm statement, or an asm declaration of the file.
func (p *parser) asmStatement() *Stmt {
	s := &Stmt{Kind: Asm, Tok: p.at, Asm: &AsmStmt{Basic: true}}
	a := s.Asm
	p.next()
	for {
		switch p.key {
		case kVolatile:
			a.Volatile = true
		case kInline:
			a.Inline = true
		case kGoto:
			a.Goto = true
		case kConst:
		default:
			goto open
		}
		p.next()
	}
open:
	p.expect(lex.LParen)
	a.Template = p.stringText()
	for section := 0; p.kind == lex.Colon || p.kind == lex.Scope; {
		a.Basic = false
		section++
		if p.kind == lex.Scope {
			section++
		}
		p.next()
		if p.kind == lex.Colon || p.kind == lex.Scope || p.kind == lex.RParen {
			continue
		}
		switch section {
		case 1:
			a.Outputs = p.asmOperands(true)
		case 2:
			a.Inputs = p.asmOperands(false)
		case 3:
			for {
				a.Clobbers = append(a.Clobbers, p.stringText())
				if !p.accept(lex.Comma) {
					break
				}
			}
		case 4:
			for {
				a.Labels = append(a.Labels, p.label())
				if !p.accept(lex.Comma) {
					break
				}
			}
		default:
			p.fail(p.at, "')' is expected before %s", p.spelled(p.at))
		}
	}
	p.expect(lex.RParen)
	s.End = p.at
	p.expect(lex.Semicolon)
	return s
}

// asmOperands reads operands. Outputs, and inputs in memory, are objects.
func (p *parser) asmOperands(output bool) []AsmOperand {
	var all []AsmOperand
	for {
		var o AsmOperand
		if p.accept(lex.LBracket) {
			if p.kind != lex.Identifier {
				p.fail(p.at, "the name of an operand is expected before %s", p.spelled(p.at))
			}
			o.Name = p.text(p.at)
			p.next()
			p.expect(lex.RBracket)
		}
		o.Constraint = p.stringText()
		p.expect(lex.LParen)
		e := p.expression()
		switch {
		case output:
			for e.Op == Convert && !e.Implicit && !e.LValue { // gcc: a cast of an object is the object
				if inner := e.A; inner.Op == Load {
					e = inner.A
				} else {
					e = inner
				}
			}
			if !e.LValue && e.Type.Kind != types.Error {
				p.errorf(e.Tok, "an output of asm must be an object")
			}
		case e.LValue && onlyMemory(o.Constraint):
		default:
			e = p.rvalue(e)
		}
		o.Expr = e
		p.expect(lex.RParen)
		all = append(all, o)
		if !p.accept(lex.Comma) {
			return all
		}
	}
}

// onlyMemory reports whether a constraint allows memory and nothing else.
func onlyMemory(c string) bool {
	memory := false
	for i := range len(c) {
		switch c[i] {
		case 'm', 'o', 'V', '<', '>':
			memory = true
		case '=', '+', '&', '%', ',', '*':
		default:
			return false
		}
	}
	return memory
}
