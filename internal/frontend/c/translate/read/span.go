package read

import (
	"bytes"

	"fencepost/internal/lang/c/lex"
	"fencepost/internal/lang/c/parse"
	"fencepost/internal/source"
)

// Positions. The tokens of a macro's expansion, arguments included, have the position where the
// macro is called; the stretch of such a token is the whole call.

// Position returns a position in the text of the user.
func (u *Unit) Position(p lex.Pos) source.Pos {
	if u.presumed {
		return u.Tree.Source.Space.Presumed(p)
	}
	return u.Tree.Source.Space.Position(p)
}

// Pos returns the position of a token.
func (u *Unit) Pos(tok int32) source.Pos {
	s := u.Tree.Source
	if tok < 0 || int(tok) >= len(s.Tokens) {
		return source.Pos{}
	}
	return u.Position(s.Outermost(&s.Tokens[tok]))
}

// Start returns where a node begins.
func (u *Unit) Start(n parse.Node) source.Pos {
	first, _ := n.Tokens()
	return u.Pos(first)
}

// Text returns the spelling of a token.
func (u *Unit) Text(tok int32) []byte {
	s := u.Tree.Source
	return s.Space.Text(&s.Tokens[tok])
}

// Source returns the text of a node as it is after preprocessing.
func (u *Unit) Source(n parse.Node) string {
	var out []byte
	first, last := n.Tokens()
	for i := first; i <= last; i++ {
		t := &u.Tree.Source.Tokens[i]
		if t.Kind == lex.Pragma {
			continue
		}
		if i > first && t.Flags&(lex.Spaced|lex.LineStart) != 0 {
			out = append(out, ' ')
		}
		out = append(out, u.Text(i)...)
	}
	return string(out)
}

// Span is the stretch of source text a node stands for.
func (u *Unit) Span(n parse.Node) source.Span {
	first, last := n.Tokens()
	start := u.Pos(first)
	f := u.Files[start.File]
	if f == nil || first < 0 {
		return source.At(start)
	}
	rebuilt := u.rebuilt[start.File]
	if (rebuilt || u.isMoved(first)) && !stands(f, start, u.Text(first)) {
		return source.At(start) // another piece of the line stands there, or #line is not about this text
	}
	end := source.Pos{}
	for i := last; i >= first; i-- {
		at := u.Pos(i)
		if at.File != start.File || at.Before(start) || u.Tree.Source.Tokens[i].Kind == lex.Pragma {
			continue
		}
		if e := tokenEnd(f, at, u.Text(i)); end.File == "" || end.Before(e) {
			end = e
		}
		if !rebuilt {
			break
		}
	}
	if end.File == "" {
		return source.At(start)
	}
	return source.Span{Pos: start, EndLine: end.Line, EndCol: end.Col}
}

// isMoved reports whether #line has moved a token.
func (u *Unit) isMoved(tok int32) bool {
	s := u.Tree.Source
	p := s.Outermost(&s.Tokens[tok])
	return u.presumed && s.Space.Presumed(p) != s.Space.Position(p)
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

// ClosingBrace is where a function or block ends.
func (u *Unit) ClosingBrace(s *parse.Stmt) source.Span {
	p := u.Pos(s.End)
	return source.Span{Pos: p, EndLine: p.Line, EndCol: p.Col + 1}
}
