package read

import (
	"bytes"

	"modernc.org/cc/v4"

	"fencepost/internal/source"
)

// Positions. cc gives the tokens of a macro's expansion the position where the
// macro is called, arguments included; the stretch of such a token is the whole
// call.

// Span is the stretch of source text a node stands for.
func (c *Input) Span(n cc.Node) source.Span {
	p := n.Position()
	start := source.Pos{File: p.Filename, Line: p.Line, Col: p.Column}
	f := c.Files[p.Filename]
	if f == nil {
		return source.At(start)
	}
	end := source.Pos{}
	tokens := cc.NodeTokens(n)
	if c.rebuilt[p.Filename] && len(tokens) > 0 && !stands(f, start, tokens[0].Src()) {
		return source.At(start) // another piece of the line stands there
	}
	for i := range tokens {
		q := tokens[i].Position()
		at := source.Pos{File: q.Filename, Line: q.Line, Col: q.Column}
		if q.Filename != p.Filename || at.Before(start) {
			continue
		}
		if e := tokenEnd(f, at, tokens[i].Src()); end.Before(e) || end.File == "" {
			end = e
		}
	}
	if end.File == "" {
		return source.At(start)
	}
	return source.Span{Pos: start, EndLine: end.Line, EndCol: end.Col}
}

// TokenSpan is the stretch of source text of one token.
func (c *Input) TokenSpan(t cc.Token) source.Span {
	p := t.Position()
	start := source.Pos{File: p.Filename, Line: p.Line, Col: p.Column}
	f := c.Files[p.Filename]
	if f == nil {
		return source.At(start)
	}
	end := tokenEnd(f, start, t.Src())
	return source.Span{Pos: start, EndLine: end.Line, EndCol: end.Col}
}

// stands reports whether a text stands at a position.
func stands(f *source.File, at source.Pos, text []byte) bool {
	offset, ok := f.Offset(source.Pos{Line: at.Line, Col: at.Col})
	return ok && bytes.HasPrefix(f.Text[offset:], text)
}

// maxCall is how many lines the call of a macro may take to be shown whole.
const maxCall = 40

// tokenEnd is where a token ends that begins at a position. Lines can be very long:
// nothing is copied.
func tokenEnd(f *source.File, at source.Pos, src []byte) source.Pos {
	offset, ok := f.Offset(source.Pos{Line: at.Line, Col: at.Col})
	if !ok || offset >= len(f.Text) {
		return at
	}
	rest := f.Text[offset:]
	n := len(src)
	if bytes.HasPrefix(rest, src) && !(n > 0 && IsWord(src[n-1]) && len(rest) > n && IsWord(rest[n])) {
		return source.Pos{File: at.File, Line: at.Line, Col: at.Col + n}
	}
	n = 0 // a macro: its name and what stands in parentheses after it
	for n < len(rest) && IsWord(rest[n]) {
		n++
	}
	open := n
	for open < len(rest) && (rest[open] == ' ' || rest[open] == '\t') {
		open++
	}
	if open < len(rest) && rest[open] == '(' {
		if end := closing(rest[open:]); end > 0 {
			n = open + end
		}
	}
	end := source.Pos{File: at.File, Line: at.Line, Col: at.Col}
	for _, b := range rest[:n] {
		end.Col++
		if b == '\n' {
			end.Line, end.Col = end.Line+1, 1
		}
	}
	return end
}

// IsWord reports whether b can be part of a name.
func IsWord(b byte) bool {
	return b == '_' || b >= '0' && b <= '9' || b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z'
}

// closing is the length of the text up to and with the parenthesis that closes
// the first one, or 0 if that is further away than maxCall lines.
func closing(text []byte) int {
	depth, lines := 0, 1
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '\n':
			if lines++; lines >= maxCall {
				return 0
			}
		case '(':
			depth++
		case ')':
			if depth--; depth == 0 {
				return i + 1
			}
		case '"', '\'':
			quote := text[i]
			for i++; i < len(text) && text[i] != quote; i++ {
				if text[i] == '\\' {
					i++
				}
			}
		}
	}
	return 0
}

// ClosingBrace is where a function ends.
func (c *Input) ClosingBrace(s *cc.CompoundStatement) source.Span {
	p := s.Token2.Position()
	return source.Span{Pos: source.Pos{File: p.Filename, Line: p.Line, Col: p.Column}, EndLine: p.Line, EndCol: p.Column + 1}
}
