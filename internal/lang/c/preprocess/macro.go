package preprocess

import (
	"slices"

	"fencepost/internal/lang/c/lex"
)

// macro is a macro.
type macro struct {
	name     lex.Name
	function bool // with parameters in parentheses
	variadic bool // the last parameter takes all further arguments
	disabled bool // it is being expanded
	poisoned bool // its use is an error
	hidden   bool // programs do not see that it is one
	builtin  builtin
	params   int
	names    []lex.Name // of the parameters
	body     []lex.Token
	pos      lex.Pos   // of the definition
	rest     *lex.File // where the rest of the definition stands, if it was not read yet; see load
	restAt   int
}

func (p *preprocessor) macro(name lex.Name) *macro {
	if int(name) < len(p.macros) {
		return p.macros[name]
	}
	return nil
}

func (p *preprocessor) setMacro(name lex.Name, m *macro) {
	if int(name) >= len(p.macros) {
		p.macros = append(p.macros, make([]*macro, p.Names.Len()+64-len(p.macros))...)
	}
	p.macros[name] = m
}

// macroName reads the name after #define and its like. It reports false after an error.
func (p *preprocessor) macroName(directive string, defines bool, t *lex.Token) bool {
	p.files.top().lexer.Next(t)
	switch {
	case t.Kind == lex.EOF:
		p.errorAt(t, "#%s needs the name of a macro", directive)
	case t.Kind != lex.Identifier:
		p.errorAt(t, "the name of a macro must be an identifier")
	case defines && (t.Name == nameDefined || p.isHasInclude(t.Name)):
		p.errorAt(t, "%s cannot be the name of a macro", p.text(t))
	case t.Name == nameVaArgs || t.Name == nameVaOpt:
		p.errorAt(t, "%s is for the bodies of variadic macros", p.text(t))
	case defines && p.macro(t.Name) != nil && p.macro(t.Name).poisoned:
		p.errorAt(t, "the name %s is poisoned by a #pragma", p.text(t))
	default:
		return true
	}
	return false
}

// isDefined answers #ifdef.
func (p *preprocessor) isDefined(name lex.Name) bool {
	m := p.macro(name)
	return m != nil && !m.hidden
}

// define obeys #define.
func (p *preprocessor) define() {
	var name lex.Token
	if !p.macroName("define", true, &name) {
		return
	}
	l := p.files.top().lexer
	old := p.macro(name.Name)
	m := &macro{name: name.Name, pos: name.Pos, hidden: p.hidden}
	if old == nil && (p.inSystem() || p.files.trusted) {
		if at, ok := l.SkipLine(); ok {
			m.rest, m.restAt = l.File, at
			p.setMacro(m.name, m)
			return
		}
	}
	if !p.definition(l, m) {
		return
	}
	if old != nil {
		p.load(old)
		switch {
		case old.hidden:
		case old.builtin == userMacro && p.same(old, m):
			return // and old may be in use
		case p.Space.File(name.Pos) != nil && !p.inSystem():
			p.warnAt(&name, "macro %s is defined once more, with another meaning", p.text(&name))
		}
	}
	p.setMacro(m.name, m)
}

// load reads the definition of a macro of a system header or of the compiler, of which there are many and
// few are used.
func (p *preprocessor) load(m *macro) {
	if m.rest == nil {
		return
	}
	l := lex.NewLexer(p.Space, m.rest, p.Names, &p.dialect, p.report)
	l.ReadLine(m.restAt)
	m.rest = nil
	p.definition(l, m)
}

// definition reads what stands after the name of a macro. It reports false after an error.
func (p *preprocessor) definition(l *lex.Lexer, m *macro) bool {
	var t lex.Token
	l.Next(&t)
	if t.Kind == lex.LParen && t.Flags&lex.Spaced == 0 {
		m.function = true
		if !p.parameters(l, m) {
			return false
		}
		l.Next(&t)
	}
	return p.body(l, m, &t)
}

// parameters reads the parameters after the parenthesis.
func (p *preprocessor) parameters(l *lex.Lexer, m *macro) bool {
	var t lex.Token
	for first := true; ; first = false {
		l.Next(&t)
		switch {
		case t.Kind == lex.RParen && first:
			return true
		case t.Kind == lex.Identifier:
			if t.Name == nameVaArgs {
				p.warnAt(&t, "__VA_ARGS__ is the name of a parameter")
			}
			if slices.Contains(m.names, t.Name) {
				p.errorAt(&t, "there are two parameters %s", p.text(&t))
				return false
			}
			m.names = append(m.names, t.Name)
			l.Next(&t)
			if t.Kind == lex.Ellipsis {
				m.variadic = true
				l.Next(&t)
			}
		case t.Kind == lex.Ellipsis:
			m.variadic = true
			m.names = append(m.names, nameVaArgs)
			l.Next(&t)
		default:
			p.errorAt(&t, "a parameter of the macro is expected here")
			return false
		}
		m.params = len(m.names)
		switch {
		case t.Kind == lex.RParen:
			return true
		case t.Kind == lex.Comma && !m.variadic:
		default:
			p.errorAt(&t, "a comma or ) is expected after this parameter of the macro")
			return false
		}
		if m.params > 1<<16-2 {
			p.errorAt(&t, "the macro has too many parameters")
			return false
		}
	}
}

// body reads the body of a macro; t is its first token.
func (p *preprocessor) body(l *lex.Lexer, m *macro, t *lex.Token) bool {
	pasted := false // ## was the last token
	for ; t.Kind != lex.EOF; l.Next(t) {
		t.Flags &^= lex.LineStart
		n := len(m.body)
		if t.Kind == lex.HashHash {
			if n == 0 {
				p.errorAt(t, "## cannot begin the body of a macro")
				return false
			}
			m.body[n-1].Flags |= lex.PasteLeft
			pasted = true
			continue
		}
		if t.Kind == lex.Identifier && m.function {
			if i := slices.Index(m.names, t.Name); i >= 0 {
				t.Kind, t.Arg = lex.Param, uint16(i)
			}
		}
		if m.function && n > 0 && m.body[n-1].Kind == lex.Hash && !pasted {
			if t.Kind != lex.Param && !(t.Name == nameVaOpt && m.variadic) {
				p.errorAt(&m.body[n-1], "# must stand before a parameter of the macro")
				return false
			}
			t.Flags = t.Flags&^lex.Spaced | m.body[n-1].Flags&lex.Spaced | lex.Stringify
			m.body = m.body[:n-1]
		}
		m.body = append(m.body, *t)
		pasted = false
	}
	n := len(m.body)
	switch {
	case pasted:
		p.errorAt(t, "## cannot end the body of a macro")
		return false
	case m.function && n > 0 && m.body[n-1].Kind == lex.Hash && (n == 1 || m.body[n-2].Flags&lex.PasteLeft == 0):
		p.errorAt(&m.body[n-1], "# must stand before a parameter of the macro")
		return false
	}
	if n > 0 {
		m.body[0].Flags &^= lex.Spaced
	}
	return p.checkOptional(m)
}

// checkOptional checks the uses of __VA_OPT__ in the body of a macro.
func (p *preprocessor) checkOptional(m *macro) bool {
	if !m.variadic {
		return true
	}
	depth, begin := -1, 0 // -1: outside
	for i := 0; i < len(m.body); i++ {
		t := &m.body[i]
		switch {
		case t.Name == nameVaOpt && t.Kind == lex.Identifier:
			if depth >= 0 {
				p.errorAt(t, "there is an __VA_OPT__ in an __VA_OPT__")
				return false
			}
			if i+1 >= len(m.body) || m.body[i+1].Kind != lex.LParen || t.Flags&lex.PasteLeft != 0 {
				p.errorAt(t, "( must stand after __VA_OPT__")
				return false
			}
			i++
			if begin, depth = i, 0; m.body[i].Flags&lex.PasteLeft != 0 {
				p.errorAt(t, "## stands at an end of __VA_OPT__")
				return false
			}
		case depth >= 0 && t.Kind == lex.LParen:
			depth++
		case depth >= 0 && t.Kind == lex.RParen:
			if depth--; depth < 0 && i > begin+1 && m.body[i-1].Flags&lex.PasteLeft != 0 {
				p.errorAt(t, "## stands at an end of __VA_OPT__")
				return false
			}
		}
	}
	if depth >= 0 {
		p.errorAt(&m.body[begin], "this __VA_OPT__ has no end")
		return false
	}
	return true
}

// same reports whether two definitions are the same but for white space.
func (p *preprocessor) same(a, b *macro) bool {
	if a.function != b.function || a.variadic != b.variadic || !slices.Equal(a.names, b.names) || len(a.body) != len(b.body) {
		return false
	}
	for i := range a.body {
		s, t := &a.body[i], &b.body[i]
		if s.Kind != t.Kind || s.Flags != t.Flags || s.Arg != t.Arg || string(p.Space.Text(s)) != string(p.Space.Text(t)) {
			return false
		}
	}
	return true
}

// undefine obeys #undef.
func (p *preprocessor) undefine() {
	var name lex.Token
	if !p.macroName("undef", true, &name) {
		return
	}
	if m := p.macro(name.Name); m != nil {
		p.setMacro(name.Name, nil)
	}
}
