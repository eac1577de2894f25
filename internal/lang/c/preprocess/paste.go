package preprocess

import "fencepost/internal/lang/c/lex"

// pasteAll pastes a token with those after it. The result becomes a level of its own.
func (p *preprocessor) pasteAll(left lex.Token) {
	l := &p.stack[len(p.stack)-1]
	for l.at < len(l.tokens) {
		right := l.tokens[l.at]
		l.at++
		if right.Kind == lex.Padding {
			if right.Flags&lex.PasteLeft == 0 {
				break
			}
			continue
		}
		if right.From == 0 {
			right.From = l.from
		}
		pasted, ok := p.paste(&left, &right)
		if !ok {
			l.at--
			break
		}
		left = pasted
		if right.Flags&lex.PasteLeft == 0 {
			break
		}
	}
	left.Flags &^= lex.PasteLeft
	p.push(level{tokens: []lex.Token{left}})
}

// pasteFlagged pastes the tokens of a list that are to be pasted.
func (p *preprocessor) pasteFlagged(tokens []lex.Token) []lex.Token {
	var out []lex.Token
	for i := 0; i < len(tokens); i++ {
		t := tokens[i]
		for t.Flags&lex.PasteLeft != 0 && i+1 < len(tokens) {
			right := &tokens[i+1]
			if right.Kind == lex.Padding {
				break
			}
			pasted, ok := p.paste(&t, right)
			if !ok {
				break
			}
			t = pasted
			t.Flags |= right.Flags & lex.PasteLeft
			i++
		}
		t.Flags &^= lex.PasteLeft
		out = append(out, t)
	}
	return out
}

// paste makes one token of two.
func (p *preprocessor) paste(left, right *lex.Token) (lex.Token, bool) {
	a, b := p.Space.Text(left), p.Space.Text(right)
	text := make([]byte, 0, len(a)+len(b)+2)
	text = append(append(text, a...), b...)
	n := len(text)
	t, ok := lex.One(text, p.Names, &p.dialect)
	if !ok || left.Kind == lex.Slash && right.Kind != lex.Assign {
		p.errorAt(left, "%s and %s do not make a token when ## pastes them", p.text(left), p.text(right))
		return lex.Token{}, false
	}
	t.Pos, t.From, t.Flags = left.Pos, left.From, left.Flags&lex.Spaced
	at := p.Space.Keep(text[:n])
	if at == 0 {
		p.spend(p.steps+1, left)
		return lex.Token{}, false
	}
	return t.Spelled(at, n), true
}

// stringify makes a string of tokens. t is the parameter after #.
func (p *preprocessor) stringify(tokens []lex.Token, t *lex.Token) lex.Token {
	text := []byte{'"'}
	var source *lex.Token // whose white space counts
	backslashes := 0
	for i := range tokens {
		this := &tokens[i]
		if this.Kind == lex.Padding {
			if source == nil || source.Flags&lex.NoSource != 0 || source.Flags&lex.Spaced == 0 && this.Flags&lex.NoSource != 0 {
				source = this
			}
			if source.Flags&lex.NoSource != 0 {
				source = nil
			}
			continue
		}
		if len(text) > 1 {
			if source == nil {
				source = this
			}
			if source.Flags&lex.Spaced != 0 {
				text = append(text, ' ')
			}
		}
		source = nil
		spelling := p.Space.Text(this)
		if this.Kind == lex.String || this.Kind == lex.Char || this.Kind == lex.Header {
			for _, c := range spelling {
				if c == '"' || c == '\\' {
					text = append(text, '\\')
				}
				if c == '\n' { // of a raw string
					text = append(text, '\\', 'n')
				} else {
					text = append(text, c)
				}
			}
		} else {
			text = append(text, spelling...)
		}
		if this.Kind == lex.Other && len(spelling) == 1 && spelling[0] == '\\' {
			backslashes++
		} else {
			backslashes = 0
		}
	}
	if backslashes%2 == 1 {
		p.warnAt(t, "the string that # makes ends with a backslash, which is left out")
		text = text[:len(text)-1]
	}
	text = append(text, '"')
	out := lex.Token{Kind: lex.String, Pos: t.Pos}
	if len(tokens) > 0 {
		out.Pos = tokens[0].Pos
	}
	at := p.Space.Keep(text)
	if at == 0 {
		p.spend(p.steps+1, t)
		text = nil
	}
	return out.Spelled(at, len(text))
}
