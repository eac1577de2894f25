package lex

import "bytes"

// Dialect says which tokens a version of C has.
type Dialect struct {
	Trigraphs       bool
	LineComments    bool // with //
	RawStrings      bool
	UnicodeStrings  bool // u8"", u"", U"", u'', U''
	UTF8Chars       bool // u8''
	DigitSeparators bool
	ExtendedNumbers bool // a number goes on after p+
	Digraphs        bool
	Scope           bool // :: is one token
	ExtendedNames   bool // characters outside ASCII in names
}

// Lexer reads the tokens of one file.
type Lexer struct {
	File *File
	// Directive makes the end of a line end the tokens; Angled makes <name> one token.
	Directive, Angled bool

	text    []byte
	at      int
	fresh   bool // no token of the line was read yet
	names   *Names
	space   *Space
	dialect *Dialect
	report  func(Problem)
}

// NewLexer returns the lexer of a file, which is part of the space.
func NewLexer(s *Space, f *File, n *Names, d *Dialect, report func(Problem)) *Lexer {
	return &Lexer{File: f, text: f.text, fresh: true, names: n, space: s, dialect: d, report: report}
}

// classes of bytes
const (
	isBlank = 1 << iota
	isLetter
	isDigit
	isWide // part of a character outside ASCII

	inName = isLetter | isDigit
)

var class = func() (t [256]uint8) {
	for _, c := range " \t\f\v\r\x00" {
		t[c] = isBlank
	}
	for c := 'a'; c <= 'z'; c++ {
		t[c], t[c-'a'+'A'] = isLetter, isLetter
	}
	t['_'], t['$'] = isLetter, isLetter
	for c := '0'; c <= '9'; c++ {
		t[c] = isDigit
	}
	for c := 0x80; c <= 0xff; c++ {
		t[c] = isWide
	}
	return t
}()

// At returns the position of the next byte.
func (l *Lexer) At() Pos { return l.File.Base + Pos(l.at) }

func (l *Lexer) problem(at int, kind Trouble, message string) {
	l.report(Problem{Pos: l.File.Base + Pos(at), Kind: kind, Message: message})
}

// Next reads the next token into t.
func (l *Lexer) Next(t *Token) {
	text, at := l.text, l.at
	flags := Flags(0)
	if l.fresh {
		flags, l.fresh = LineStart, false
	}
blanks:
	for {
		switch c := text[at]; {
		case c == ' ' || c == '\t':
			at++
			flags |= Spaced
		case c == '\n':
			if l.Directive {
				l.finish(t, EOF, flags, at, at)
				return
			}
			at++
			flags = LineStart
		case c == '/' && text[at+1] == '*':
			end := bytes.Index(text[at+2:], []byte("*/"))
			if end < 0 {
				l.problem(at, Syntax, "this comment has no end")
				at = len(text) - 2
			} else {
				at += end + 4
			}
			flags |= Spaced
		case c == '/' && text[at+1] == '/' && l.dialect.LineComments:
			at += bytes.IndexByte(text[at:], '\n')
			flags |= Spaced
		case c == '/' && text[at+1] == '/' && text[at+2] != '*' && !l.Directive && !l.dialect.LineComments:
			l.problem(at, Syntax, "C89 has no comments with //")
			at += bytes.IndexByte(text[at:], '\n')
		case class[c]&isBlank != 0:
			if c == 0 && at == len(text)-1 {
				l.fresh = flags&LineStart != 0
				l.finish(t, EOF, flags, at, at)
				return
			}
			at++
			flags |= Spaced
		default:
			break blanks
		}
	}
	c := text[at]
	switch {
	case class[c]&isLetter != 0:
		l.word(t, flags, at)
	case class[c]&isDigit != 0 || c == '.' && class[text[at+1]]&isDigit != 0:
		l.finish(t, Number, flags, at, l.numberEnd(at+1))
	case c == '"' || c == '\'':
		l.quoted(t, flags, at, at)
	case class[c]&isWide != 0 || c == '\\':
		l.extended(t, flags, at)
	default:
		l.punctuator(t, flags, at)
	}
}

func (l *Lexer) finish(t *Token, kind Kind, flags Flags, from, to int) {
	pos := l.File.Base + Pos(from)
	*t = Token{Kind: kind, Flags: flags, Pos: pos, text: pos, Len: uint32(to - from)}
	l.at = to
}

// word reads an identifier, or a literal with a prefix.
func (l *Lexer) word(t *Token, flags Flags, from int) {
	text, at, hash := l.text, from, uint32(hashStart)
	for class[text[at]]&inName != 0 {
		hash = (hash ^ uint32(text[at])) * hashFactor
		at++
	}
	switch c := text[at]; {
	case c == '"' || c == '\'':
		if l.prefix(t, flags, from, at) {
			return
		}
	case class[c]&isWide != 0 || c == '\\':
		if l.extendedEnd(at, false) > at {
			l.extended(t, flags, from)
			return
		}
	}
	l.finish(t, Identifier, flags, from, at)
	t.Name = l.names.find(text[from:at], hash)
}

// prefix reads a literal with a prefix, if the word before the quote is one.
func (l *Lexer) prefix(t *Token, flags Flags, from, quote int) bool {
	if quote-from > 3 {
		return false
	}
	word, char := string(l.text[from:quote]), l.text[quote] == '\''
	raw := false
	if n := len(word); word[n-1] == 'R' && !char && l.dialect.RawStrings {
		raw, word = true, word[:n-1]
	}
	switch word {
	case "":
	case "L":
	case "u", "U":
		if !l.dialect.UnicodeStrings {
			return false
		}
	case "u8":
		if !l.dialect.UnicodeStrings || char && !l.dialect.UTF8Chars {
			return false
		}
	default:
		return false
	}
	if raw {
		l.raw(t, flags, from, quote)
	} else {
		l.quoted(t, flags, from, quote)
	}
	return true
}

// quoted reads a string or a character constant.
func (l *Lexer) quoted(t *Token, flags Flags, from, quote int) {
	text, end := l.text, l.text[quote]
	kind := String
	if end == '\'' {
		kind = Char
	}
	for at := quote + 1; ; at++ {
		switch c := text[at]; {
		case c == end:
			l.finish(t, kind, flags, from, at+1)
			return
		case c == '\\' && text[at+1] != '\n':
			at++
		case c == '\n':
			l.finish(t, Other, flags, from, at)
			return
		}
	}
}

// raw reads a raw string. Its text is that of the file, with the escaped newlines.
func (l *Lexer) raw(t *Token, flags Flags, from, quote int) {
	text := l.text
	open := quote + 1
	for open-quote <= 17 && bytes.IndexByte([]byte(" ()\\\t\v\f\n\x00\""), text[open]) < 0 {
		open++
	}
	if text[open] != '(' {
		l.problem(from, Syntax, "the delimiter of this raw string is wrong")
		l.finish(t, Other, flags, from, quote+1)
		return
	}
	end := append(append([]byte{')'}, text[quote+1:open]...), '"')
	n := bytes.Index(text[open:], end)
	if l.Directive && n >= 0 && bytes.IndexByte(text[open:open+n], '\n') >= 0 {
		n = -1 // a directive ends with its line
	}
	if n < 0 {
		l.problem(from, Syntax, "this raw string has no end")
		stop := len(text) - 2
		if l.Directive {
			stop = open + bytes.IndexByte(text[open:], '\n')
		}
		l.finish(t, Other, flags, from, stop)
		return
	}
	stop := open + n + len(end)
	l.finish(t, String, flags, from, stop)
	if len(l.File.cuts) == 0 {
		return
	}
	if original := l.File.original(uint32(from), uint32(stop)); len(original) != stop-from {
		if at := l.space.Keep(original); at != 0 {
			*t = t.Spelled(at, len(original))
		}
	}
}

// numberEnd returns the end of a preprocessing number that goes on at an offset.
func (l *Lexer) numberEnd(at int) int {
	text := l.text
	for {
		c := text[at]
		switch {
		case class[c]&inName != 0 || c == '.':
			at++
		case c == '+' || c == '-':
			switch text[at-1] {
			case 'e', 'E':
				at++
			case 'p', 'P':
				if !l.dialect.ExtendedNumbers {
					return at
				}
				at++
			default:
				return at
			}
		case c == '\'' && l.dialect.DigitSeparators && class[text[at+1]]&inName != 0:
			at += 2
		case class[c]&isWide != 0 || c == '\\':
			end := l.extendedEnd(at, false)
			if end == at {
				return at
			}
			at = end
		default:
			return at
		}
	}
}

// One reads a text that shall be one token, without blanks or comments. It reports false if
// it is none.
func One(text []byte, n *Names, d *Dialect) (Token, bool) {
	if len(text) == 0 {
		return Token{}, false
	}
	l := Lexer{File: &File{}, text: append(text, "\n\x00"...), names: n, dialect: d, report: func(Problem) {}}
	var t Token
	l.Next(&t)
	return t, t.Kind != EOF && t.Flags&Spaced == 0 && l.at == len(text) && (t.Kind != Other || len(text) == 1)
}
