package litmus

import (
	"bytes"
	"strconv"
	"strings"

	"fencepost/internal/diag"
	"fencepost/internal/frontend/litmus/dialect"
	"fencepost/internal/source"
)

// lexer makes tokens on demand. Once enough errors were found it pretends that
// the file ends, which ends the parser too.
type lexer struct {
	file  *source.File
	text  []byte
	pos   int
	diags *diag.List
	// slashes: comments of C are comments too.
	slashes bool
}

func (l *lexer) errorf(code string, start, end int, format string, args ...any) *diag.Diagnostic {
	return l.diags.Errorf(code, l.file.Span(start, end), format, args...)
}

// next is the next token.
func (l *lexer) next() token {
	for {
		l.space()
		if l.diags.Full() {
			l.pos = len(l.text)
		}
		if l.pos >= len(l.text) {
			return token{kind: tEOF, start: len(l.text), end: len(l.text)}
		}
		switch c := l.text[l.pos]; {
		case dialect.IsLetter(c):
			start := l.pos
			for l.pos < len(l.text) && dialect.IsNamePart(l.text[l.pos]) {
				l.pos++
			}
			return token{kind: tName, text: string(l.text[start:l.pos]), start: start, end: l.pos}
		case dialect.IsDigit(c):
			return l.number()
		default:
			if n := signLength(l.text[l.pos:]); n > 0 {
				l.pos += n
				return token{kind: tPunct, text: string(l.text[l.pos-n : l.pos]), start: l.pos - n, end: l.pos}
			}
			l.badChars()
		}
	}
}

// space skips blanks and comments.
func (l *lexer) space() {
	for l.pos < len(l.text) {
		switch {
		case dialect.IsSpace(l.text[l.pos]):
			l.pos++
		case bytes.HasPrefix(l.text[l.pos:], []byte("(*")):
			l.comment()
		case l.slashes && bytes.HasPrefix(l.text[l.pos:], []byte("//")):
			if n := bytes.IndexByte(l.text[l.pos:], '\n'); n >= 0 {
				l.pos += n
			} else {
				l.pos = len(l.text)
			}
		case l.slashes && bytes.HasPrefix(l.text[l.pos:], []byte("/*")):
			n := bytes.Index(l.text[l.pos+2:], []byte("*/"))
			if n < 0 {
				l.errorf(codeComment, l.pos, l.pos+2, "comment without '*/'")
				l.pos = len(l.text)
				break
			}
			l.pos += n + 4
		default:
			return
		}
	}
}

// comment skips a comment with the comments inside it.
func (l *lexer) comment() {
	start, depth := l.pos, 0
	for l.pos < len(l.text) {
		switch rest := l.text[l.pos:]; {
		case bytes.HasPrefix(rest, []byte("(*")):
			depth++
			l.pos += 2
		case bytes.HasPrefix(rest, []byte("*)")):
			depth--
			l.pos += 2
			if depth == 0 {
				return
			}
		default:
			l.pos++
		}
	}
	l.errorf(codeComment, start, start+2, "comment without '*)'")
}

// number reads decimal and hexadecimal numbers up to 2^64-1; those past 2^63-1
// are the negative number with the same bits.
func (l *lexer) number() token {
	start := l.pos
	for l.pos < len(l.text) && dialect.IsNamePart(l.text[l.pos]) {
		l.pos++
	}
	text := string(l.text[start:l.pos])
	t := token{kind: tInt, start: start, end: l.pos}
	base, digits := 10, text
	if strings.HasPrefix(text, "0x") || strings.HasPrefix(text, "0X") {
		base, digits = 16, text[2:]
	}
	v, err := strconv.ParseUint(digits, base, 64)
	if err != nil {
		what := "malformed number '%s'"
		if e, ok := err.(*strconv.NumError); ok && e.Err == strconv.ErrRange {
			what = "number '%s' does not fit in 64 bits"
		}
		l.errorf(codeNumber, start, l.pos, what, clip(text))
	}
	t.val = int64(v)
	return t
}

// badChars reports a run of useless characters once.
func (l *lexer) badChars() {
	start := l.pos
	for l.pos < len(l.text) {
		c := l.text[l.pos]
		if dialect.IsNamePart(c) || dialect.IsSpace(c) || signLength(l.text[l.pos:]) > 0 {
			break
		}
		l.pos++
	}
	l.errorf(codeChar, start, l.pos, "unexpected character %s", diag.Character(l.text[start:]))
}

// signLength is the length of the sign text starts with, or 0.
func signLength(text []byte) int {
	if len(text) >= 2 {
		switch string(text[:2]) {
		case "/\\", "\\/", "=>", "==", "!=", "<>", "<<":
			return 2
		}
	}
	if strings.IndexByte("=:;|,()[]{}$%+-*&~", text[0]) >= 0 {
		return 1
	}
	return 0
}
