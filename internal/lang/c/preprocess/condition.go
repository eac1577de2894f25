package preprocess

import "fencepost/internal/lang/c/lex"

// condition is an #if whose #endif has not come yet.
type condition struct {
	at    lex.Token // the name of the directive
	taken bool      // a part of it has been read, or none shall be
	last  bool      // #else was met
}

// guard finds out whether a file is one #ifndef NAME ... #endif, and so says nothing when it
// is included again.
type guard struct {
	state guardState
	name  lex.Name
}

type guardState uint8

const (
	guardFresh guardState = iota // nothing of the file was read
	guardOpen                    // its first directive is #ifndef
	guardEnded                   // the #endif came
	guardNone                    // the file has no guard
)

func (s guardState) String() string { return [...]string{"fresh", "open", "ended", "none"}[s] }

// token is told of every token outside directives.
func (g *guard) token() {
	if g.state == guardFresh || g.state == guardEnded {
		g.state = guardNone
	}
}

// directive is told of a directive that is not #if or #ifndef, with the number of open conditions.
func (g *guard) directive(name lex.Name, depth int) {
	switch g.state {
	case guardFresh, guardEnded:
		g.state = guardNone
	case guardOpen:
		if depth == 1 {
			switch name {
			case nameEndif:
				g.state = guardEnded
			case nameElse, nameElif, nameElifdef, nameElifndef:
				g.state = guardNone
			}
		}
	}
}

// opens is told of a conditional directive, with the name of a macro that must not be
// defined, 0 if the condition is another.
func (g *guard) opens(name lex.Name) {
	switch {
	case g.state == guardFresh && name != 0:
		g.state, g.name = guardOpen, name
	case g.state != guardOpen:
		g.state = guardNone
	}
}

// openCondition obeys #if, #ifdef and #ifndef.
func (p *preprocessor) openCondition(t *lex.Token) (after func()) {
	f := p.files.top()
	var holds bool
	if t.Name == nameIf {
		var guards lex.Name
		holds, guards = p.evaluate(t)
		f.guard.opens(guards)
	} else {
		var name lex.Token
		if p.macroName(p.text(t), false, &name) {
			if m := p.macro(name.Name); m != nil && m.poisoned {
				p.errorAt(&name, "the name %s is poisoned by a #pragma", p.text(&name))
			}
			holds = p.isDefined(name.Name) == (t.Name == nameIfdef)
			p.expectEnd(p.text(t))
		}
		if t.Name == nameIfndef {
			f.guard.opens(name.Name)
		} else {
			f.guard.opens(0)
		}
	}
	f.conds = append(f.conds, condition{at: *t, taken: holds})
	if holds {
		return nil
	}
	return p.skip
}

// nextCondition obeys #elif and #else where text before them was read.
func (p *preprocessor) nextCondition(t *lex.Token) (after func()) {
	f := p.files.top()
	if !p.hasElif(t.Name) {
		p.errorAt(t, "this version of C has no directive #%s", p.text(t))
		return nil
	}
	if len(f.conds) == 0 {
		p.errorAt(t, "there is no #if before this #%s", p.text(t))
		return nil
	}
	p.otherwise(t, &f.conds[len(f.conds)-1])
	return p.skip
}

// hasElif reports whether the version of C has a directive: #elifdef is new.
func (p *preprocessor) hasElif(name lex.Name) bool {
	return name != nameElifdef && name != nameElifndef || !p.opt.Standard.Strict || p.opt.Standard.Version >= 2023
}

// otherwise notes an #elif or #else in a condition that needs no value.
func (p *preprocessor) otherwise(t *lex.Token, c *condition) {
	if c.last {
		p.errorAt(t, "this #%s stands after #else", p.text(t))
	}
	if t.Name == nameElse {
		c.last = true
	}
}

func (p *preprocessor) endCondition(t *lex.Token) {
	f := p.files.top()
	if len(f.conds) == 0 {
		p.errorAt(t, "there is no #if before this #endif")
		return
	}
	p.expectEnd("endif")
	f.conds = f.conds[:len(f.conds)-1]
}

// skip reads on until text counts again, or the file ends.
func (p *preprocessor) skip() {
	f := p.files.top()
	var t lex.Token
	outer := len(f.conds)
	for f.lexer.Skip() {
		f.lexer.Next(&t)
		f.lexer.Directive = true
		if f.lexer.Next(&t); t.Kind != lex.Identifier {
			f.lexer.EndLine()
			continue
		}
		c := &f.conds[len(f.conds)-1]
		switch t.Name {
		case nameIf, nameIfdef, nameIfndef:
			f.conds = append(f.conds, condition{at: t, taken: true})
		case nameElif, nameElifdef, nameElifndef, nameElse:
			if !p.hasElif(t.Name) {
				break
			}
			if len(f.conds) == outer && p.resumes(&t, c) {
				return
			} else if len(f.conds) > outer {
				p.otherwise(&t, c)
			}
		case nameEndif:
			f.guard.directive(nameEndif, len(f.conds))
			f.conds = f.conds[:len(f.conds)-1]
			if len(f.conds) < outer {
				f.lexer.EndLine()
				return
			}
		}
		f.lexer.EndLine()
	}
}

// resumes reports whether text counts after an #elif or #else. If so, its line was read.
func (p *preprocessor) resumes(t *lex.Token, c *condition) bool {
	f := p.files.top()
	f.guard.directive(t.Name, len(f.conds))
	p.otherwise(t, c)
	if c.taken {
		return false
	}
	switch t.Name {
	case nameElse:
		c.taken = true
	default:
		saved := p.state
		p.state = state{directive: true, depth: saved.depth}
		if t.Name == nameElif {
			c.taken, _ = p.evaluate(t)
		} else if name := (lex.Token{}); p.macroName(p.text(t), false, &name) {
			c.taken = p.isDefined(name.Name) == (t.Name == nameElifdef)
		}
		p.endDirective(f)
		p.state = saved
		return c.taken
	}
	f.lexer.EndLine()
	return true
}
