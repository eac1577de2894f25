package statement

import (
	"bytes"
	"strconv"
	"strings"

	"fencepost/internal/diag"
	"fencepost/internal/source"
)

// Lexer makes tokens on demand. Once enough errors were found it pretends that
// the file ends, which ends the parser too.
type Lexer struct {
	File  *source.File
	Text  []byte
	Pos   int
	Diags *diag.List

	Keyword func(string) bool // nil: the keywords of .fp
	Dollars bool              // names may begin with '$'

	Expect    string // text of the first expect comment
	ExpectPos source.Span
	Failed    bool // an error was found
	Stopped   bool
}

// byteOrderMark is U+FEFF in UTF-8.
const byteOrderMark = "\ufeff"

// NewLexer starts at the beginning of a file, after the mark some editors put there
// to say that the text is UTF-8.
func NewLexer(f *source.File, diags *diag.List) Lexer {
	l := Lexer{File: f, Text: f.Text, Diags: diags}
	if bytes.HasPrefix(f.Text, []byte(byteOrderMark)) {
		l.Pos = len(byteOrderMark)
	}
	return l
}

// Errorf reports an error and remembers that there was one.
func (l *Lexer) Errorf(code string, start, end int, format string, args ...any) *diag.Diagnostic {
	l.Failed = true
	return l.Diags.Errorf(code, l.File.Span(start, end), format, args...)
}

// Next is the next token.
func (l *Lexer) Next() Token {
	for {
		l.space()
		if l.Stopped || l.Diags.Full() {
			l.Pos = len(l.Text)
		}
		if l.Pos >= len(l.Text) {
			return Token{Kind: TokenEOF, Start: len(l.Text), End: len(l.Text)}
		}
		c := l.Text[l.Pos]
		switch {
		case isLetter(c), c == '$' && l.Dollars && l.Pos+1 < len(l.Text) && isNamePart(l.Text[l.Pos+1]):
			return l.name()
		case IsDigit(c):
			return l.number()
		case c == '"':
			if t, ok := l.str(); ok {
				return t
			}
		default:
			if n := signLength(l.Text[l.Pos:]); n > 0 {
				l.Pos += n
				return Token{Kind: TokenPunct, Text: shared(l.Text[l.Pos-n : l.Pos]), Start: l.Pos - n, End: l.Pos}
			}
			l.badChars()
		}
	}
}

// space skips blanks and comments.
func (l *Lexer) space() {
	for l.Pos < len(l.Text) {
		rest := l.Text[l.Pos:]
		switch c := rest[0]; {
		case c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f' || c == '\v':
			l.Pos++
		case c == '#':
			l.LineComment(1)
		case bytes.HasPrefix(rest, []byte("//")):
			l.LineComment(2)
		case bytes.HasPrefix(rest, []byte("/*")):
			n := bytes.Index(rest[2:], []byte("*/"))
			if n < 0 {
				l.Errorf(codeComment, l.Pos, l.Pos+2, "comment without '*/'")
				l.Pos = len(l.Text)
				return
			}
			l.comment(l.Pos+2, l.Pos+2+n)
			l.Pos += n + 4
		default:
			return
		}
	}
}

// LineComment skips a comment up to the end of the line. Its sign has the given length.
func (l *Lexer) LineComment(sign int) {
	end := len(l.Text)
	if n := bytes.IndexByte(l.Text[l.Pos:], '\n'); n >= 0 {
		end = l.Pos + n
	}
	l.comment(l.Pos+sign, end)
	l.Pos = end
}

// comment looks for "expect: ..." in a comment.
func (l *Lexer) comment(start, end int) {
	body := bytes.TrimSpace(l.Text[start:end])
	rest, ok := bytes.CutPrefix(body, []byte("expect:"))
	if !ok {
		return
	}
	at := start + bytes.Index(l.Text[start:end], body)
	span := l.File.Span(at, at+len(body))
	if l.ExpectPos.IsValid() {
		l.Diags.Warnf(codeExpectTwice, span, "only the first expect comment counts").
			Note("the first is at %s", l.ExpectPos.Pos)
		return
	}
	l.Expect, l.ExpectPos = strings.Join(strings.Fields(string(rest)), " "), span
}

func (l *Lexer) name() Token {
	start := l.Pos
	l.Pos++
	for l.Pos < len(l.Text) && isNamePart(l.Text[l.Pos]) {
		l.Pos++
	}
	t := Token{Kind: TokenName, Text: shared(l.Text[start:l.Pos]), Start: start, End: l.Pos}
	keyword := l.Keyword
	if keyword == nil {
		keyword = isKeyword
	}
	if keyword(t.Text) {
		t.Kind = TokenKeyword
	}
	return t
}

// number reads decimal and hexadecimal numbers up to 2^64-1; those past 2^63-1
// are the negative number with the same bits.
func (l *Lexer) number() Token {
	start := l.Pos
	for l.Pos < len(l.Text) && isNamePart(l.Text[l.Pos]) {
		l.Pos++
	}
	text := l.Text[start:l.Pos]
	t := Token{Kind: TokenInt, Start: start, End: l.Pos}
	base, digits := 10, text
	if len(text) > 1 && text[0] == '0' && (text[1] == 'x' || text[1] == 'X') {
		base, digits = 16, text[2:]
	}
	for _, c := range digits {
		if !IsDigit(c) && !(base == 16 && (c|0x20 >= 'a' && c|0x20 <= 'f')) {
			l.Errorf(CodeNumber, start, l.Pos, "malformed number '%s'", Clip(string(text)))
			return t
		}
	}
	digits = bytes.TrimLeft(digits, "0")
	if len(digits) == 0 {
		if base == 16 && len(text) == 2 {
			l.Errorf(CodeNumber, start, l.Pos, "malformed number '%s'", text)
		}
		return t
	}
	// The length is looked at first: numbers may be megabytes long.
	v, err := uint64(0), strconv.ErrRange
	if len(digits) <= 20 {
		v, err = strconv.ParseUint(string(digits), base, 64)
	}
	if err != nil {
		l.Errorf(CodeNumber, start, l.Pos, "number '%s' does not fit in 64 bits", Clip(string(text)))
	}
	t.Val = int64(v)
	return t
}

func (l *Lexer) str() (Token, bool) {
	start := l.Pos
	for i := l.Pos + 1; i < len(l.Text) && l.Text[i] != '\n'; i++ {
		if l.Text[i] == '"' {
			l.Pos = i + 1
			return Token{Kind: TokenString, Text: string(l.Text[start+1 : i]), Start: start, End: l.Pos}, true
		}
	}
	end := start + 1
	for end < len(l.Text) && l.Text[end] != '\n' {
		end++
	}
	l.Errorf(codeString, start, end, "string without closing '\"'")
	l.Pos = end
	return Token{}, false
}

// badChars reports a run of useless characters once.
func (l *Lexer) badChars() {
	start := l.Pos
	for l.Pos < len(l.Text) {
		c := l.Text[l.Pos]
		if isNamePart(c) || c <= ' ' && IsSpace(c) || c == '"' || c == '#' || signLength(l.Text[l.Pos:]) > 0 {
			break
		}
		l.Pos++
	}
	if l.Pos == start { // a quote that starts nothing
		l.Pos++
	}
	l.Errorf(CodeChar, start, l.Pos, "unexpected character %s", diag.Character(l.Text[start:]))
}

// IsSpace reports whether c is blank.
func IsSpace(c byte) bool {
	return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f' || c == '\v'
}

// IsDigit reports whether c is a decimal digit.
func IsDigit(c byte) bool  { return c >= '0' && c <= '9' }
func isLetter(c byte) bool { return c == '_' || c|0x20 >= 'a' && c|0x20 <= 'z' }

func isNamePart(c byte) bool { return isLetter(c) || IsDigit(c) || c == '\'' }

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
