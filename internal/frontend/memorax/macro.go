package memorax

import "fencepost/internal/frontend/statement"

// Text macros. They work on tokens: a call is replaced by the body, a parameter
// inside the body by the tokens of its argument. Tokens of a body keep their
// variable in the file; those of an argument get the variable of the parameter, so that
// a statement with parameters in it is one piece of text.

// macro is a definition.
type macro struct {
	name   string
	params []string
	body   []statement.Token
}

// macroFrame is a body or an argument being read.
type macroFrame struct {
	toks []statement.Token
	args map[string][]statement.Token // nil: an argument
	next int
}

// maxMacroDepth bounds calls inside calls. Past it stands recursion.
const maxMacroDepth = 200

// next is the next token after all macros.
func (p *parser) next() statement.Token {
	for {
		t := p.raw()
		switch {
		case t.Kind != statement.TokenName:
			return t
		case t.Text == "macro":
			p.define()
		case p.macros[t.Text] != nil:
			p.call(t, p.macros[t.Text])
		default:
			return t
		}
	}
}

// raw is the next token of the innermost body, with parameters replaced.
func (p *parser) raw() statement.Token {
	for len(p.frames) > 0 {
		f := &p.frames[len(p.frames)-1]
		if f.next == len(f.toks) || p.Stopped {
			p.frames = p.frames[:len(p.frames)-1]
			continue
		}
		t := f.toks[f.next]
		f.next++
		p.expanded++
		if p.expanded == statement.MaxNodes {
			p.Fail(statement.CodeTooLarge, t.Start, t.End, "the program is too large")
			p.Stop()
			continue
		}
		if arg, ok := f.args[t.Text]; ok && t.Kind == statement.TokenName {
			p.push(macroFrame{toks: at(arg, t)})
			continue
		}
		return t
	}
	t := p.Lexer.Next()
	if t.Is("<-") { // $r<-1 compares
		t.Text, t.End = "<", t.Start+1
		p.push(macroFrame{toks: []statement.Token{{Kind: statement.TokenPunct, Text: "-", Start: t.End, End: t.End + 1}}})
	}
	return t
}

// at is a copy of tokens, all at the position of t.
func at(toks []statement.Token, t statement.Token) []statement.Token {
	moved := make([]statement.Token, len(toks))
	for i, m := range toks {
		m.Start, m.End, m.Macro = t.Start, t.End, t.Macro
		moved[i] = m
	}
	return moved
}

func (p *parser) push(f macroFrame) {
	if len(p.frames) >= maxMacroDepth {
		t := p.Tok
		if len(f.toks) > 0 {
			t = f.toks[0]
		}
		p.Fail(codeMRecursive, t.Start, t.End, "macro calls nested deeper than %d levels", maxMacroDepth).
			Note("a macro cannot call itself")
		p.Stop()
		return
	}
	p.frames = append(p.frames, f)
}

// macroFail reports a broken macro and gives up: what follows would be read
// wrongly.
func (p *parser) macroFail(t statement.Token, format string, args ...any) {
	p.Fail(codeMMacro, t.Start, t.End, format, args...)
	p.Stop()
}

// define reads a definition after the word macro.
func (p *parser) define() {
	name := p.raw()
	if name.Kind != statement.TokenName {
		p.macroFail(name, "expected the name of a macro, found %s", name)
		return
	}
	if p.macros[name.Text] != nil {
		p.macroFail(name, "macro '%s' is defined twice", statement.Clip(name.Text))
		return
	}
	m := &macro{name: name.Text}
	if t := p.raw(); !t.Is("(") {
		p.macroFail(t, "expected '(' after the name of a macro, found %s", t)
		return
	}
	for t := p.raw(); !t.Is(")") || len(m.params) > 0; t = p.raw() {
		if t.Kind != statement.TokenName {
			p.macroFail(t, "expected the name of a parameter, found %s", t)
			return
		}
		for _, old := range m.params {
			if old == t.Text {
				p.macroFail(t, "macro '%s' has two parameters '%s'", statement.Clip(m.name), statement.Clip(t.Text))
				return
			}
		}
		m.params = append(m.params, t.Text)
		if t = p.raw(); t.Is(")") {
			break
		} else if !t.Is(",") {
			p.macroFail(t, "expected ',' or ')', found %s", t)
			return
		}
	}
	for {
		t := p.raw()
		switch {
		case t.Kind == statement.TokenEOF:
			p.macroFail(name, "macro '%s' has no 'endmacro'", statement.Clip(m.name))
			return
		case t.Kind == statement.TokenName && t.Text == "macro":
			p.macroFail(t, "macro '%s' contains the definition of another macro", statement.Clip(m.name))
			return
		case t.Kind == statement.TokenName && t.Text == "endmacro":
			p.macros[m.name] = m
			return
		}
		if t.Macro = 1 + t.Start; len(m.body) > 0 {
			t.Macro = m.body[0].Macro
		}
		m.body = append(m.body, t)
	}
}

// call reads the arguments and begins to read the body.
func (p *parser) call(name statement.Token, m *macro) {
	if t := p.raw(); !t.Is("(") {
		p.macroFail(t, "expected '(' after macro '%s', found %s", statement.Clip(m.name), t)
		return
	}
	var args [][]statement.Token
	var arg []statement.Token
	for depth := 1; depth > 0; {
		t := p.raw()
		switch {
		case t.Kind == statement.TokenEOF:
			p.macroFail(name, "the call of macro '%s' has no ')'", statement.Clip(m.name))
			return
		case t.Is("("):
			depth++
		case t.Is(")"):
			depth--
		}
		if depth == 0 && (len(arg) > 0 || len(args) > 0) || depth == 1 && t.Is(",") {
			if len(arg) == 0 {
				p.macroFail(t, "macro '%s' has an empty argument", statement.Clip(m.name))
				return
			}
			args, arg = append(args, arg), nil
		} else if depth > 0 {
			arg = append(arg, t)
		}
	}
	if len(args) != len(m.params) {
		p.macroFail(name, "macro '%s' takes %d arguments, not %d", statement.Clip(m.name), len(m.params), len(args))
		return
	}
	f := macroFrame{toks: m.body, args: map[string][]statement.Token{}}
	for i, name := range m.params {
		f.args[name] = args[i]
	}
	p.push(f)
}
