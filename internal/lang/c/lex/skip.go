package lex

import "bytes"

// Skip moves to the next line whose first token is #, and reports whether there is one.
// The # is the next token. Text between is only read so far that comments and quotes
// cannot hide the line or pretend to be one.
func (l *Lexer) Skip() bool {
	text, at := l.text, l.at
	start := l.fresh // no token of the line was met
	for {
		switch c := text[at]; c {
		case '\n':
			start = true
		case ' ', '\t', '\f', '\v', '\r':
		case 0:
			if at == len(text)-1 {
				l.at, l.fresh = at, start
				return false
			}
		case '#':
			if start {
				l.at, l.fresh = at, true
				return true
			}
		case '%':
			if start && text[at+1] == ':' && l.dialect.Digraphs {
				l.at, l.fresh = at, true
				return true
			}
			start = false
		case '/':
			switch {
			case text[at+1] == '*':
				end := bytes.Index(text[at+2:], []byte("*/"))
				if end < 0 {
					l.problem(at, Syntax, "this comment has no end")
					at = len(text) - 2
					continue
				}
				at += end + 3
			case text[at+1] == '/' && l.dialect.LineComments:
				at += bytes.IndexByte(text[at:], '\n')
				continue
			default:
				start = false
			}
		default:
			start = false
			if class[c]&inName == 0 && c != '"' && c != '\'' {
				break
			}
			at = l.skipWord(at)
			continue
		}
		at++
	}
}

// skipWord returns the end of a word, a number or a literal.
func (l *Lexer) skipWord(from int) int {
	text, at := l.text, from
	if class[text[at]]&isDigit != 0 {
		return l.numberEnd(at + 1)
	}
	for class[text[at]]&inName != 0 {
		at++
	}
	if text[at] != '"' && text[at] != '\'' {
		return at
	}
	var t Token
	if at == from || !l.prefix(&t, 0, from, at) {
		l.quoted(&t, 0, at, at)
	}
	return l.at
}

// EndLine moves to the end of the line, past everything on it.
func (l *Lexer) EndLine() {
	var t Token
	for l.Directive = true; ; {
		if l.Next(&t); t.Kind == EOF {
			break
		}
	}
	l.Directive = false
}

// SkipLine moves to the end of the line that is read. It returns where the lexer was, for ReadLine, and reports
// false, and does not move, if a comment may go on in the next line.
func (l *Lexer) SkipLine() (at int, ok bool) {
	at = l.at
	line := l.text[at : at+bytes.IndexByte(l.text[at:], '\n')]
	if bytes.Contains(line, []byte("/*")) {
		return 0, false
	}
	l.at += len(line)
	return at, true
}

// ReadLine moves to where SkipLine was. Only the tokens of that line follow.
func (l *Lexer) ReadLine(at int) { l.at, l.fresh, l.Directive = at, false, true }
