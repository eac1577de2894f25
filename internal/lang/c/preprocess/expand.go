package preprocess

import "fencepost/internal/lang/c/lex"

// Tokens come from a stack: the innermost macro being expanded, the one around it, and at
// last the file. A macro is not expanded again while it is on the stack; a name met in that
// time is marked, and stays as it is forever. That is how gcc hides macros [B01]. Prosser's
// algorithm, with a hide set per token, gives the same tokens except where the standard
// leaves the result open: a function-like macro whose name comes out of another macro and
// whose arguments stand after that macro's end.
//
// Padding marks where an expansion begins and ends. It decides where # puts spaces: see
// stringify.

// level is one entry of the stack.
type level struct {
	tokens []lex.Token
	at     int
	macro  *macro // not expanded while the level exists; nil: none
	from   uint32 // the expansion of tokens that have none
	bound  bool   // the tokens are an argument: EOF follows them
	ours   bool   // tokens is a buffer to use again
}

func (p *preprocessor) push(l level) { p.stack = append(p.stack, l) }

func (p *preprocessor) pop() {
	l := &p.stack[len(p.stack)-1]
	if l.macro != nil {
		l.macro.disabled = false
	}
	if l.ours {
		p.release(l.tokens)
	}
	*l = level{}
	p.stack = p.stack[:len(p.stack)-1]
}

// buffer returns an empty buffer for tokens.
func (p *preprocessor) buffer() []lex.Token {
	if n := len(p.spare); n > 0 {
		b := p.spare[n-1]
		p.spare = p.spare[:n-1]
		return b
	}
	return make([]lex.Token, 0, 32)
}

func (p *preprocessor) release(b []lex.Token) {
	if cap(b) > 0 && cap(b) < 1<<14 && len(p.spare) < 64 {
		p.spare = append(p.spare, b[:0])
	}
}

// padding returns the padding before the expansion of a token.
func padding(source *lex.Token) lex.Token {
	return lex.Token{Kind: lex.Padding, Flags: source.Flags & lex.Spaced}
}

// separator is the padding that only keeps tokens apart.
var separator = lex.Token{Kind: lex.Padding, Flags: lex.NoSource}

// next reads the next token, with macros expanded, or padding.
func (p *preprocessor) next(t *lex.Token) {
	for {
		if len(p.stack) == 0 {
			p.read(t)
		} else if l := &p.stack[len(p.stack)-1]; l.at < len(l.tokens) {
			*t = l.tokens[l.at]
			l.at++
			if t.From == 0 {
				t.From = l.from
			}
			if t.Flags&lex.PasteLeft != 0 {
				first := *t
				p.pasteAll(first)
				if p.state.directive {
					continue
				}
				*t = padding(&first)
				return
			}
		} else if l.bound {
			*t = lex.Token{Kind: lex.EOF}
			return
		} else {
			p.pop()
			if p.state.directive {
				continue
			}
			*t = separator
			return
		}
		if t.Kind != lex.Identifier || int(t.Name) >= len(p.macros) {
			return
		}
		m := p.macros[t.Name]
		if m == nil || t.Flags&lex.NoExpand != 0 {
			return
		}
		if m.disabled {
			t.Flags |= lex.NoExpand
			return
		}
		if p.state.prevent > 0 || !p.call(m, t) {
			return
		}
		if p.state.directive {
			continue
		}
		*t = padding(t)
		return
	}
}

// nextReal reads the next token that is not padding.
func (p *preprocessor) nextReal(t *lex.Token) {
	for {
		if p.next(t); t.Kind != lex.Padding {
			return
		}
	}
}

// unread gives a token back to the level that it came from.
func (p *preprocessor) unread(t *lex.Token) {
	if len(p.stack) == 0 {
		p.files.ahead, p.files.hasAhead = *t, true
		return
	}
	if l := &p.stack[len(p.stack)-1]; l.at > 0 && !(l.bound && t.Kind == lex.EOF) {
		l.at--
	}
}

// call expands a macro whose name was read. It reports false if the name stays as it is.
func (p *preprocessor) call(m *macro, t *lex.Token) bool {
	if m.builtin != userMacro {
		return p.expandBuiltin(m, t)
	}
	if m.poisoned {
		p.errorAt(t, "the name %s is poisoned by a #pragma", p.text(t))
		return false
	}
	p.load(m)
	if !p.spend(1+len(m.body), t) {
		return false
	}
	if !m.function {
		m.disabled = true
		p.push(level{tokens: m.body, macro: m, from: p.expansion(m, t)})
		return true
	}
	args, ok := p.callArgs(m, t)
	if !ok {
		return false
	}
	from := p.expansion(m, t)
	if len(args) == 0 {
		m.disabled = true
		p.push(level{tokens: m.body, macro: m, from: from})
		return true
	}
	body := p.substitute(m, args, from)
	for i := range args {
		p.release(args[i].raw)
		p.release(args[i].expanded)
	}
	m.disabled = true
	p.push(level{tokens: body, macro: m, from: from, ours: true})
	return true
}

// expansion records the use of a macro.
func (p *preprocessor) expansion(m *macro, t *lex.Token) uint32 {
	p.Expansions = append(p.Expansions, Expansion{Macro: m.name, Call: t.Pos, Parent: t.From, Body: m.body})
	return uint32(len(p.Expansions) - 1)
}
