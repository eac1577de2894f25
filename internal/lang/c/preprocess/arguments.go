package preprocess

import "fencepost/internal/lang/c/lex"

// argument is an argument of a macro call.
type argument struct {
	raw      []lex.Token // as written
	expanded []lex.Token
	done     bool // expanded is set
	omitted  bool // it is the variable argument, and not even its comma was written
}

// maxDepth is how deep macro calls may be nested in arguments.
const maxDepth = 5000

// callArgs reads the arguments of a function-like macro. It reports false if there is no
// call, or a wrong one. No arguments are returned for a macro without parameters.
func (p *preprocessor) callArgs(m *macro, name *lex.Token) (args []argument, ok bool) {
	outer := p.state.args
	p.state.prevent++
	p.state.args = wantParen
	defer func() {
		p.state.args = outer
		p.state.prevent--
	}()
	var t, pad lex.Token
	for {
		if p.next(&t); t.Kind != lex.Padding {
			break
		}
		if pad.Kind != lex.Padding || pad.Flags&lex.NoSource != 0 || pad.Flags&lex.Spaced == 0 && t.Flags&lex.NoSource != 0 {
			pad = t
		}
	}
	if t.Kind == lex.LParen {
		p.state.args = inArgs
		return p.collect(m, name)
	}
	if t.Kind != lex.EOF {
		p.unread(&t)
		if pad.Kind == lex.Padding {
			p.push(level{tokens: []lex.Token{pad}})
		}
	}
	return nil, false
}

// collect reads arguments after the parenthesis.
func (p *preprocessor) collect(m *macro, name *lex.Token) ([]argument, bool) {
	args := make([]argument, max(1, m.params))
	count, depth := 0, 0
	var t lex.Token
	for t.Kind != lex.RParen || depth >= 0 {
		count++
		arg := p.buffer()
	tokens:
		for {
			p.next(&t)
			switch t.Kind {
			case lex.Padding:
				if len(arg) == 0 {
					continue
				}
			case lex.LParen:
				depth++
			case lex.RParen:
				if depth--; depth < 0 {
					break tokens
				}
			case lex.Comma:
				if depth == 0 && !(m.variadic && count == m.params) {
					break tokens
				}
			case lex.EOF:
				p.errorAt(name, "the arguments of macro %s have no end", p.text(name))
				p.unread(&t)
				return nil, false
			}
			if !p.spend(1, &t) {
				t.Kind = lex.EOF
				return nil, false
			}
			arg = append(arg, t)
		}
		for len(arg) > 0 && arg[len(arg)-1].Kind == lex.Padding {
			arg = arg[:len(arg)-1]
		}
		if count <= len(args) {
			args[count-1].raw = arg
		}
	}
	return p.countArgs(m, name, args, count)
}

// countArgs checks the number of arguments.
func (p *preprocessor) countArgs(m *macro, name *lex.Token, args []argument, count int) ([]argument, bool) {
	if count == 1 && m.params == 0 && len(args[0].raw) == 0 {
		return nil, true
	}
	switch {
	case count == m.params || m.variadic && count+1 == m.params:
	case count < m.params:
		p.errorAt(name, "macro %s needs %d arguments, and gets %d", p.text(name), m.params, count)
		return nil, false
	default:
		p.errorAt(name, "macro %s takes %d arguments, and gets %d", p.text(name), m.params, count)
		return nil, false
	}
	if m.variadic && (count < m.params || count == 1 && len(args[0].raw) == 0 && !p.opt.Standard.Strict) {
		args[m.params-1].omitted = true
	}
	return args, true
}

// expandArg expands the macros in an argument, once.
func (p *preprocessor) expandArg(a *argument) {
	if a.done {
		return
	}
	a.done = true
	a.expanded = p.buffer()
	if len(a.raw) == 0 {
		return
	}
	if p.state.depth >= maxDepth {
		if !p.gaveUp {
			p.gaveUp = true
			p.report(lex.Problem{Pos: a.raw[0].Pos, From: a.raw[0].From, Kind: lex.Unsupported, Message: "calls of macros are nested too deeply"})
		}
		p.steps = 0
		return
	}
	saved := p.state
	p.state.depth++
	p.state.args, p.state.prevent = noArgs, 0
	p.push(level{tokens: a.raw, bound: true})
	var t lex.Token
	for {
		if p.next(&t); t.Kind == lex.EOF {
			break
		}
		a.expanded = append(a.expanded, t)
	}
	p.pop()
	p.state = saved
}
