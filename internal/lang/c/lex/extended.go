package lex

import (
	"unicode"
	"unicode/utf8"
)

// Characters outside ASCII in identifiers, as UTF-8 or as \u1234. Both spellings of a
// character are the same name.

// extendedEnd returns the end of the extended character at an offset, or the offset if there
// is none that may stand in an identifier.
func (l *Lexer) extendedEnd(at int, first bool) int {
	if !l.dialect.ExtendedNames {
		return at
	}
	r, end := l.character(at)
	if end == at || !identifierRune(r, first) {
		return at
	}
	return end
}

// character decodes the extended character at an offset; end == at: there is none.
func (l *Lexer) character(at int) (r rune, end int) {
	text := l.text
	if text[at] != '\\' {
		r, n := utf8.DecodeRune(text[at:])
		if r == utf8.RuneError {
			return 0, at
		}
		return r, at + n
	}
	digits := 0
	switch text[at+1] {
	case 'u':
		digits = 4
	case 'U':
		digits = 8
	default:
		return 0, at
	}
	for i := range digits {
		v := hexValue(text[at+2+i])
		if v < 0 {
			return 0, at
		}
		r = r<<4 | rune(v)
	}
	if r < 0xa0 && r != '$' && r != '@' && r != '`' || r < 0 || r > unicode.MaxRune || r >= 0xd800 && r < 0xe000 {
		return 0, at
	}
	return r, at + 2 + digits
}

func hexValue(c byte) int {
	switch {
	case c >= '0' && c <= '9':
		return int(c - '0')
	case c >= 'a' && c <= 'f':
		return int(c-'a') + 10
	case c >= 'A' && c <= 'F':
		return int(c-'A') + 10
	default:
		return -1
	}
}

// identifierRune reports whether C11 and later allow a character in an identifier.
func identifierRune(r rune, first bool) bool {
	if r == '$' {
		return true
	}
	if first && unicode.In(r, combining) {
		return false
	}
	return unicode.In(r, allowed)
}

// The ranges of annex D of C11.
var allowed = &unicode.RangeTable{
	R16: []unicode.Range16{
		{0xa8, 0xa8, 1}, {0xaa, 0xaa, 1}, {0xad, 0xad, 1}, {0xaf, 0xaf, 1}, {0xb2, 0xb5, 1}, {0xb7, 0xba, 1}, {0xbc, 0xbe, 1}, {0xc0, 0xd6, 1},
		{0xd8, 0xf6, 1}, {0xf8, 0xff, 1}, {0x100, 0x167f, 1}, {0x1681, 0x180d, 1}, {0x180f, 0x1fff, 1}, {0x200b, 0x200d, 1}, {0x202a, 0x202e, 1},
		{0x203f, 0x2040, 1}, {0x2054, 0x2054, 1}, {0x2060, 0x206f, 1}, {0x2070, 0x218f, 1}, {0x2460, 0x24ff, 1}, {0x2776, 0x2793, 1},
		{0x2c00, 0x2dff, 1}, {0x2e80, 0x2fff, 1}, {0x3004, 0x3007, 1}, {0x3021, 0x302f, 1}, {0x3031, 0x303f, 1}, {0x3040, 0xd7ff, 1},
		{0xf900, 0xfd3d, 1}, {0xfd40, 0xfdcf, 1}, {0xfdf0, 0xfe44, 1}, {0xfe47, 0xfffd, 1},
	},
	R32: []unicode.Range32{
		{0x10000, 0x1fffd, 1}, {0x20000, 0x2fffd, 1}, {0x30000, 0x3fffd, 1}, {0x40000, 0x4fffd, 1}, {0x50000, 0x5fffd, 1}, {0x60000, 0x6fffd, 1},
		{0x70000, 0x7fffd, 1}, {0x80000, 0x8fffd, 1}, {0x90000, 0x9fffd, 1}, {0xa0000, 0xafffd, 1}, {0xb0000, 0xbfffd, 1}, {0xc0000, 0xcfffd, 1},
		{0xd0000, 0xdfffd, 1}, {0xe0000, 0xefffd, 1},
	},
}

var combining = &unicode.RangeTable{
	R16: []unicode.Range16{{0x300, 0x36f, 1}, {0x1dc0, 0x1dff, 1}, {0x20d0, 0x20ff, 1}, {0xfe20, 0xfe2f, 1}},
}

// extended reads an identifier with extended characters, or a stray character.
func (l *Lexer) extended(t *Token, flags Flags, from int) {
	text, at := l.text, from
	for {
		if class[text[at]]&inName != 0 && (at > from || class[text[at]]&isLetter != 0) {
			at++
			continue
		}
		if class[text[at]]&isWide == 0 && text[at] != '\\' {
			break
		}
		end := l.extendedEnd(at, at == from)
		if end == at {
			break
		}
		at = end
	}
	if at == from {
		_, end := l.character(from)
		l.finish(t, Other, flags, from, max(end, from+1))
		return
	}
	name := make([]byte, 0, at-from)
	for i := from; i < at; {
		if text[i] != '\\' {
			name = append(name, text[i])
			i++
			continue
		}
		r, end := l.character(i)
		name = utf8.AppendRune(name, r)
		i = end
	}
	l.finish(t, Identifier, flags, from, at)
	t.Name = l.names.Of(name)
}
