package automaton

import (
	"bytes"
	"strconv"
	"strings"
	"unicode/utf8"

	"fencepost/internal/diag"
	"fencepost/internal/source"
)

// lexer makes tokens on demand. Once enough errors were found it pretends that
// the file ends, which ends the parser too.
type lexer struct {
	file  *source.File
	text  []byte
	pos   int
	diags *diag.List

	keyword func(string) bool // nil: the keywords of .fp
	dollars bool              // names may begin with '$'

	expect    string // text of the first expect comment
	expectPos source.Span
	failed    bool // an error was found
	stopped   bool
}

// byteOrderMark is U+FEFF in UTF-8.
const byteOrderMark = "\ufeff"

// newLexer starts at the beginning of a file, after the mark some editors put there
// to say that the text is UTF-8.
func newLexer(f *source.File, diags *diag.List) lexer {
	l := lexer{file: f, text: f.Text, diags: diags}
	if bytes.HasPrefix(f.Text, []byte(byteOrderMark)) {
		l.pos = len(byteOrderMark)
	}
	return l
}

func (l *lexer) errorf(code string, start, end int, format string, args ...any) *diag.Diagnostic {
	l.failed = true
	return l.diags.Errorf(code, l.file.Span(start, end), format, args...)
}

// next is the next token.
func (l *lexer) next() token {
	for {
		l.space()
		if l.stopped || l.diags.Full() {
			l.pos = len(l.text)
		}
		if l.pos >= len(l.text) {
			return token{kind: tEOF, start: len(l.text), end: len(l.text)}
		}
		c := l.text[l.pos]
		switch {
		case isLetter(c), c == '$' && l.dollars && l.pos+1 < len(l.text) && isNamePart(l.text[l.pos+1]):
			return l.name()
		case isDigit(c):
			return l.number()
		case c == '"':
			if t, ok := l.str(); ok {
				return t
			}
		default:
			if n := signLength(l.text[l.pos:]); n > 0 {
				l.pos += n
				return token{kind: tPunct, text: shared(l.text[l.pos-n : l.pos]), start: l.pos - n, end: l.pos}
			}
			l.badChars()
		}
	}
}

// space skips blanks and comments.
func (l *lexer) space() {
	for l.pos < len(l.text) {
		rest := l.text[l.pos:]
		switch c := rest[0]; {
		case c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f' || c == '\v':
			l.pos++
		case c == '#':
			l.lineComment(1)
		case bytes.HasPrefix(rest, []byte("//")):
			l.lineComment(2)
		case bytes.HasPrefix(rest, []byte("/*")):
			n := bytes.Index(rest[2:], []byte("*/"))
			if n < 0 {
				l.errorf(codeComment, l.pos, l.pos+2, "comment without '*/'")
				l.pos = len(l.text)
				return
			}
			l.comment(l.pos+2, l.pos+2+n)
			l.pos += n + 4
		default:
			return
		}
	}
}

func (l *lexer) lineComment(sign int) {
	end := len(l.text)
	if n := bytes.IndexByte(l.text[l.pos:], '\n'); n >= 0 {
		end = l.pos + n
	}
	l.comment(l.pos+sign, end)
	l.pos = end
}

// comment looks for "expect: ..." in a comment.
func (l *lexer) comment(start, end int) {
	body := bytes.TrimSpace(l.text[start:end])
	rest, ok := bytes.CutPrefix(body, []byte("expect:"))
	if !ok {
		return
	}
	at := start + bytes.Index(l.text[start:end], body)
	span := l.file.Span(at, at+len(body))
	if l.expectPos.IsValid() {
		l.diags.Warnf(codeExpectTwice, span, "only the first expect comment counts").
			Note("the first is at %s", l.expectPos.Pos)
		return
	}
	l.expect, l.expectPos = strings.Join(strings.Fields(string(rest)), " "), span
}

func (l *lexer) name() token {
	start := l.pos
	l.pos++
	for l.pos < len(l.text) && isNamePart(l.text[l.pos]) {
		l.pos++
	}
	t := token{kind: tName, text: shared(l.text[start:l.pos]), start: start, end: l.pos}
	keyword := l.keyword
	if keyword == nil {
		keyword = isKeyword
	}
	if keyword(t.text) {
		t.kind = tKeyword
	}
	return t
}

// number reads decimal and hexadecimal numbers up to 2^64-1; those past 2^63-1
// are the negative number with the same bits.
func (l *lexer) number() token {
	start := l.pos
	for l.pos < len(l.text) && isNamePart(l.text[l.pos]) {
		l.pos++
	}
	text := l.text[start:l.pos]
	t := token{kind: tInt, start: start, end: l.pos}
	base, digits := 10, text
	if len(text) > 1 && text[0] == '0' && (text[1] == 'x' || text[1] == 'X') {
		base, digits = 16, text[2:]
	}
	for _, c := range digits {
		if !isDigit(c) && !(base == 16 && (c|0x20 >= 'a' && c|0x20 <= 'f')) {
			l.errorf(codeNumber, start, l.pos, "malformed number '%s'", clip(string(text)))
			return t
		}
	}
	digits = bytes.TrimLeft(digits, "0")
	if len(digits) == 0 {
		if base == 16 && len(text) == 2 {
			l.errorf(codeNumber, start, l.pos, "malformed number '%s'", text)
		}
		return t
	}
	// The length is looked at first: numbers may be megabytes long.
	v, err := uint64(0), strconv.ErrRange
	if len(digits) <= 20 {
		v, err = strconv.ParseUint(string(digits), base, 64)
	}
	if err != nil {
		l.errorf(codeNumber, start, l.pos, "number '%s' does not fit in 64 bits", clip(string(text)))
	}
	t.val = int64(v)
	return t
}

func (l *lexer) str() (token, bool) {
	start := l.pos
	for i := l.pos + 1; i < len(l.text) && l.text[i] != '\n'; i++ {
		if l.text[i] == '"' {
			l.pos = i + 1
			return token{kind: tString, text: string(l.text[start+1 : i]), start: start, end: l.pos}, true
		}
	}
	end := start + 1
	for end < len(l.text) && l.text[end] != '\n' {
		end++
	}
	l.errorf(codeString, start, end, "string without closing '\"'")
	l.pos = end
	return token{}, false
}

// badChars reports a run of useless characters once.
func (l *lexer) badChars() {
	start := l.pos
	for l.pos < len(l.text) {
		c := l.text[l.pos]
		if isNamePart(c) || c <= ' ' && isSpace(c) || c == '"' || c == '#' || signLength(l.text[l.pos:]) > 0 {
			break
		}
		l.pos++
	}
	if l.pos == start { // a quote that starts nothing
		l.pos++
	}
	r, size := utf8.DecodeRune(l.text[start:])
	what := strconv.QuoteRune(r)
	if r == utf8.RuneError && size <= 1 {
		what = "byte 0x" + strconv.FormatUint(uint64(l.text[start]), 16)
	}
	l.errorf(codeChar, start, l.pos, "unexpected character %s", what)
}

func isSpace(c byte) bool {
	return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f' || c == '\v'
}

func isDigit(c byte) bool  { return c >= '0' && c <= '9' }
func isLetter(c byte) bool { return c == '_' || c|0x20 >= 'a' && c|0x20 <= 'z' }

func isNamePart(c byte) bool { return isLetter(c) || isDigit(c) || c == '\'' }

// signLength is the length of the sign text starts with, or 0.
func signLength(text []byte) int {
	if len(text) >= 2 {
		switch string(text[:2]) {
		case ":=", "<-", "<=", ">=", "==", "!=", "&&", "||", "<<", ">>", "..":
			return 2
		}
	}
	if strings.IndexByte("+-*/%&|^~!<>=?:;,.(){}[]", text[0]) >= 0 {
		return 1
	}
	return 0
}
