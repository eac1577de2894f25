package lex

// punctuator reads an operator, a separator, or a character that begins no token.
func (l *Lexer) punctuator(t *Token, flags Flags, at int) {
	text := l.text
	c, d := text[at], text[at+1]
	kind, width := Other, 1
	take := func(k Kind, w int) { kind, width = k, w }
	switch c {
	case '(', ')', '[', ']', '{', '}', ';', ',', '~', '?':
		kind = single[c]
	case '=':
		if kind = Assign; d == '=' {
			take(Equal, 2)
		}
	case '!':
		if kind = Not; d == '=' {
			take(NotEqual, 2)
		}
	case '*':
		if kind = Star; d == '=' {
			take(StarAssign, 2)
		}
	case '/':
		if kind = Slash; d == '=' {
			take(SlashAssign, 2)
		}
	case '^':
		if kind = Xor; d == '=' {
			take(XorAssign, 2)
		}
	case '+':
		kind, width = oneOf3(d, Plus, '+', Inc, '=', PlusAssign)
	case '&':
		kind, width = oneOf3(d, And, '&', AndAnd, '=', AndAssign)
	case '|':
		kind, width = oneOf3(d, Or, '|', OrOr, '=', OrAssign)
	case '-':
		if kind, width = oneOf3(d, Minus, '-', Dec, '=', MinusAssign); d == '>' {
			take(Arrow, 2)
		}
	case '.':
		if kind = Dot; d == '.' && text[at+2] == '.' {
			take(Ellipsis, 3)
		}
	case ':':
		switch kind = Colon; {
		case d == ':' && l.dialect.Scope:
			take(Scope, 2)
		case d == '>' && l.dialect.Digraphs:
			take(RBracket, 2)
		}
	case '#':
		if kind = Hash; d == '#' {
			take(HashHash, 2)
		}
	case '%':
		kind, width = l.percent(at)
	case '<':
		if l.Angled {
			if end := l.headerEnd(at); end > 0 {
				take(Header, end-at)
				break
			}
		}
		kind, width = l.less(at)
	case '>':
		kind, width = l.comparison(at, Greater, GreaterEqual, Shr, ShrAssign)
	}
	l.finish(t, kind, flags, at, at+width)
}

// single has the punctuators that are always one character long.
var single = [...]Kind{
	'(': LParen, ')': RParen, '[': LBracket, ']': RBracket, '{': LBrace, '}': RBrace,
	';': Semicolon, ',': Comma, '~': Tilde, '?': Question,
}

// oneOf3 returns the kind and the length of a punctuator that may go on with a or b.
func oneOf3(next byte, plain Kind, a byte, withA Kind, b byte, withB Kind) (Kind, int) {
	switch next {
	case a:
		return withA, 2
	case b:
		return withB, 2
	default:
		return plain, 1
	}
}

// percent returns the kind and the length of a punctuator that begins with %.
func (l *Lexer) percent(at int) (Kind, int) {
	switch d := l.text[at+1]; {
	case d == '=':
		return PercentAssign, 2
	case d == '>' && l.dialect.Digraphs:
		return RBrace, 2
	case d == ':' && l.dialect.Digraphs && l.text[at+2] == '%' && l.text[at+3] == ':':
		return HashHash, 4
	case d == ':' && l.dialect.Digraphs:
		return Hash, 2
	}
	return Percent, 1
}

// less returns the kind and the length of a punctuator that begins with <.
func (l *Lexer) less(at int) (Kind, int) {
	switch d := l.text[at+1]; {
	case d == ':' && l.dialect.Digraphs:
		return LBracket, 2
	case d == '%' && l.dialect.Digraphs:
		return LBrace, 2
	}
	return l.comparison(at, Less, LessEqual, Shl, ShlAssign)
}

// comparison returns the kind and the length of a punctuator that begins with < or >, which is alone, before an equals
// sign, twice, or both.
func (l *Lexer) comparison(at int, alone, equal, shift, assign Kind) (Kind, int) {
	switch c, d := l.text[at], l.text[at+1]; {
	case d == '=':
		return equal, 2
	case d == c && l.text[at+2] == '=':
		return assign, 3
	case d == c:
		return shift, 2
	}
	return alone, 1
}

// headerEnd returns the end of <name>, 0 if there is none on the line.
func (l *Lexer) headerEnd(at int) int {
	for at++; l.text[at] != '\n'; at++ {
		if l.text[at] == '>' {
			return at + 1
		}
	}
	return 0
}
