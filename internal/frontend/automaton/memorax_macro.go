package automaton

// Text macros. They work on tokens: a call is replaced by the body, a parameter
// inside the body by the tokens of its argument. Tokens of a body keep their
// place in the file; those of an argument get the place of the parameter, so that
// a statement with parameters in it is one piece of text.

// macro is a definition.
type macro struct {
	name   string
	params []string
	body   []token
}

// macroFrame is a body or an argument being read.
type macroFrame struct {
	toks []token
	args map[string][]token // nil: an argument
	next int
}

// maxMacroDepth bounds calls inside calls. Past it stands recursion.
const maxMacroDepth = 200

// next is the next token after all macros.
func (p *memoraxParser) next() token {
	for {
		t := p.raw()
		switch {
		case t.kind != tName:
			return t
		case t.text == "macro":
			p.define()
		case p.macros[t.text] != nil:
			p.call(t, p.macros[t.text])
		default:
			return t
		}
	}
}

// raw is the next token of the innermost body, with parameters replaced.
func (p *memoraxParser) raw() token {
	for len(p.frames) > 0 {
		f := &p.frames[len(p.frames)-1]
		if f.next == len(f.toks) || p.stopped {
			p.frames = p.frames[:len(p.frames)-1]
			continue
		}
		t := f.toks[f.next]
		f.next++
		p.expanded++
		if p.expanded == maxNodes {
			p.fail(codeTooLarge, t.start, t.end, "the program is too large")
			p.stop()
			continue
		}
		if arg, ok := f.args[t.text]; ok && t.kind == tName {
			p.push(macroFrame{toks: at(arg, t)})
			continue
		}
		return t
	}
	t := p.lexer.next()
	if t.is("<-") { // $r<-1 compares
		t.text, t.end = "<", t.start+1
		p.push(macroFrame{toks: []token{{kind: tPunct, text: "-", start: t.end, end: t.end + 1}}})
	}
	return t
}

// at is a copy of tokens, all at the place of t.
func at(toks []token, t token) []token {
	moved := make([]token, len(toks))
	for i, m := range toks {
		m.start, m.end, m.macro = t.start, t.end, t.macro
		moved[i] = m
	}
	return moved
}

func (p *memoraxParser) push(f macroFrame) {
	if len(p.frames) >= maxMacroDepth {
		t := p.tok
		if len(f.toks) > 0 {
			t = f.toks[0]
		}
		p.fail(codeMRecursive, t.start, t.end, "macro calls nested deeper than %d levels", maxMacroDepth).
			Note("a macro cannot call itself")
		p.stop()
		return
	}
	p.frames = append(p.frames, f)
}

// macroFail reports a broken macro and gives up: what follows would be read
// wrongly.
func (p *memoraxParser) macroFail(t token, format string, args ...any) {
	p.fail(codeMMacro, t.start, t.end, format, args...)
	p.stop()
}

// define reads a definition after the word macro.
func (p *memoraxParser) define() {
	name := p.raw()
	if name.kind != tName {
		p.macroFail(name, "expected the name of a macro, found %s", name)
		return
	}
	if p.macros[name.text] != nil {
		p.macroFail(name, "macro '%s' is defined twice", clip(name.text))
		return
	}
	m := &macro{name: name.text}
	if t := p.raw(); !t.is("(") {
		p.macroFail(t, "expected '(' after the name of a macro, found %s", t)
		return
	}
	for t := p.raw(); !t.is(")") || len(m.params) > 0; t = p.raw() {
		if t.kind != tName {
			p.macroFail(t, "expected the name of a parameter, found %s", t)
			return
		}
		for _, old := range m.params {
			if old == t.text {
				p.macroFail(t, "macro '%s' has two parameters '%s'", clip(m.name), clip(t.text))
				return
			}
		}
		m.params = append(m.params, t.text)
		if t = p.raw(); t.is(")") {
			break
		} else if !t.is(",") {
			p.macroFail(t, "expected ',' or ')', found %s", t)
			return
		}
	}
	for {
		t := p.raw()
		switch {
		case t.kind == tEOF:
			p.macroFail(name, "macro '%s' has no 'endmacro'", clip(m.name))
			return
		case t.kind == tName && t.text == "macro":
			p.macroFail(t, "a macro inside macro '%s'", clip(m.name))
			return
		case t.kind == tName && t.text == "endmacro":
			p.macros[m.name] = m
			return
		}
		if t.macro = 1 + t.start; len(m.body) > 0 {
			t.macro = m.body[0].macro
		}
		m.body = append(m.body, t)
	}
}

// call reads the arguments and begins to read the body.
func (p *memoraxParser) call(name token, m *macro) {
	if t := p.raw(); !t.is("(") {
		p.macroFail(t, "expected '(' after macro '%s', found %s", clip(m.name), t)
		return
	}
	var args [][]token
	var arg []token
	for depth := 1; depth > 0; {
		t := p.raw()
		switch {
		case t.kind == tEOF:
			p.macroFail(name, "the call of macro '%s' has no ')'", clip(m.name))
			return
		case t.is("("):
			depth++
		case t.is(")"):
			depth--
		}
		if depth == 0 && (len(arg) > 0 || len(args) > 0) || depth == 1 && t.is(",") {
			if len(arg) == 0 {
				p.macroFail(t, "an empty argument of macro '%s'", clip(m.name))
				return
			}
			args, arg = append(args, arg), nil
		} else if depth > 0 {
			arg = append(arg, t)
		}
	}
	if len(args) != len(m.params) {
		p.macroFail(name, "macro '%s' takes %d arguments, not %d", clip(m.name), len(m.params), len(args))
		return
	}
	f := macroFrame{toks: m.body, args: map[string][]token{}}
	for i, name := range m.params {
		f.args[name] = args[i]
	}
	p.push(f)
}
