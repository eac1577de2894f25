package lex

import (
	"bytes"
	"unicode/utf8"
)

// The values of literals.

// Integer is the value of an integer constant.
type Integer struct {
	Value    uint64
	High     uint64 // bits above the lowest 64
	Overflow bool   // High is not 0
	Unsigned bool   // a suffix says so
	Longs    int    // how often a suffix says long
	Decimal  bool
	Imag     bool
}

// ParseInteger returns the value of an integer constant. It reports false if the text is none.
func ParseInteger(text []byte) (Integer, bool) {
	n := Integer{}
	base, at := uint64(10), 0
	switch {
	case len(text) > 2 && text[0] == '0' && text[1]|0x20 == 'x':
		base, at = 16, 2
	case len(text) > 2 && text[0] == '0' && text[1]|0x20 == 'b':
		base, at = 2, 2
	case len(text) > 0 && text[0] == '0':
		base = 8
	default:
		n.Decimal = true
	}
	digits := 0
	for ; at < len(text); at++ {
		c := text[at]
		if c == '\'' && digits > 0 {
			continue
		}
		v := hexValue(c)
		if v < 0 || uint64(v) >= base {
			break
		}
		digits++
		n.add(base, uint64(v))
	}
	if digits == 0 || text[at-1] == '\'' {
		return n, false
	}
	return n, n.suffix(text[at:])
}

func (n *Integer) add(base, digit uint64) {
	const half = 1<<32 - 1
	low := (n.Value&half)*base + digit
	mid := (n.Value>>32)*base + low>>32
	n.Value = mid<<32 | low&half
	high := n.High*base + mid>>32
	n.Overflow = n.Overflow || high != 0
	n.High = high
}

// suffix reads the suffix of an integer constant.
func (n *Integer) suffix(s []byte) bool {
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case 'u', 'U':
			if n.Unsigned {
				return false
			}
			n.Unsigned = true
		case 'l', 'L':
			if n.Longs > 0 {
				return false
			}
			if n.Longs = 1; i+1 < len(s) && s[i+1] == s[i] {
				n.Longs = 2
				i++
			}
		case 'i', 'j', 'I', 'J':
			if n.Imag {
				return false
			}
			n.Imag = true
		default:
			return false
		}
	}
	return true
}

// Width is the size of the elements of a string or character constant.
type Width uint8

// The widths, by the prefix: none or u8, u, U, L.
const (
	Narrow Width = iota
	UTF8
	UTF16
	UTF32
	WChar
)

func (w Width) String() string { return [...]string{"", "u8", "u", "U", "L"}[w] }

// Bytes returns the size of an element.
func (w Width) Bytes() int {
	switch w {
	case Narrow, UTF8:
		return 1
	case UTF16:
		return 2
	default:
		return 4
	}
}

// prefixOf splits a literal into its width, whether it is raw, and the quoted rest.
func prefixOf(text []byte) (w Width, raw bool, rest []byte) {
	quote := bytes.IndexAny(text, `"'`)
	if quote < 0 {
		return Narrow, false, nil
	}
	prefix := text[:quote]
	if n := len(prefix); n > 0 && prefix[n-1] == 'R' {
		raw, prefix = true, prefix[:n-1]
	}
	switch string(prefix) {
	case "u8":
		w = UTF8
	case "u":
		w = UTF16
	case "U":
		w = UTF32
	case "L":
		w = WChar
	}
	return w, raw, text[quote:]
}

// Character is the value of a character constant.
type Character struct {
	Value    int64
	Width    Width
	Unsigned bool
	Count    int // of characters between the quotes
}

// ParseChar returns the value of a character constant, in which char is signed.
func ParseChar(text []byte) (Character, bool) {
	w, _, rest := prefixOf(text)
	c := Character{Width: w}
	if len(rest) < 3 || rest[0] != '\'' {
		return c, false
	}
	units, ok := decode(nil, rest[1:len(rest)-1], w)
	if !ok || len(units) == 0 {
		return c, false
	}
	c.Count = len(units)
	switch w {
	case Narrow:
		v := uint32(0)
		for _, u := range units {
			v = v<<8 | u&0xff
		}
		if c.Value = int64(int32(v)); len(units) == 1 {
			c.Value = int64(int8(v))
		}
	case UTF8:
		c.Value, c.Unsigned = int64(units[len(units)-1]), true
	case UTF16:
		c.Value, c.Unsigned = int64(units[len(units)-1]), true
	case UTF32:
		c.Value, c.Unsigned = int64(units[len(units)-1]), true
	case WChar:
		c.Value = int64(int32(units[len(units)-1]))
	}
	return c, true
}

// StringWidth returns the width of a string literal.
func StringWidth(text []byte) Width {
	w, _, _ := prefixOf(text)
	return w
}

// AppendString appends the elements of a string literal, without the final null character,
// as a string of a width: neighbours of a wide string are wide. It reports false if an escape
// is wrong.
func AppendString(units []uint32, text []byte, w Width) ([]uint32, bool) {
	quoted, raw, ok := unquoted(text)
	switch {
	case !ok:
		return units, false
	case raw:
		return encodeAll(units, quoted, w), true
	}
	return decode(units, quoted, w)
}

// unquoted returns what stands between the quotes of a string literal, or between the parentheses of a raw one.
func unquoted(text []byte) (quoted []byte, raw, ok bool) {
	_, raw, rest := prefixOf(text)
	if len(rest) < 2 {
		return nil, raw, false
	}
	rest = rest[1 : len(rest)-1]
	if !raw {
		return rest, false, true
	}
	open, end := bytes.IndexByte(rest, '('), bytes.LastIndexByte(rest, ')')
	if open < 0 || end < open {
		return nil, true, false
	}
	return rest[open+1 : end], true, true
}

func encodeAll(units []uint32, text []byte, w Width) []uint32 {
	for len(text) > 0 {
		n := 0
		units, n = encodeFirst(units, text, w)
		text = text[n:]
	}
	return units
}

// encodeFirst appends the first character of a text in UTF-8, and returns its length.
func encodeFirst(units []uint32, text []byte, w Width) ([]uint32, int) {
	if w.Bytes() == 1 || text[0] < utf8.RuneSelf {
		return append(units, uint32(text[0])), 1
	}
	r, n := utf8.DecodeRune(text)
	if r == utf8.RuneError && n == 1 {
		return append(units, uint32(text[0])), 1
	}
	return encode(units, r, w), n
}

// encode appends a character.
func encode(units []uint32, r rune, w Width) []uint32 {
	switch {
	case w.Bytes() == 1:
		for _, b := range utf8.AppendRune(nil, r) {
			units = append(units, uint32(b))
		}
	case w == UTF16 && r > 0xffff:
		r -= 0x10000
		units = append(units, 0xd800+uint32(r>>10), 0xdc00+uint32(r&0x3ff))
	default:
		units = append(units, uint32(r))
	}
	return units
}

// simple are the escapes of one letter.
var simple = [256]byte{
	'n': '\n', 't': '\t', 'r': '\r', 'a': '\a', 'b': '\b', 'f': '\f', 'v': '\v', 'e': 27, 'E': 27, '\\': '\\', '\'': '\'', '"': '"', '?': '?',
	'(': '(', '{': '{', '[': '[', '%': '%',
}

// decode appends the elements of a text with escapes.
func decode(units []uint32, text []byte, w Width) ([]uint32, bool) {
	ok := true
	for i := 0; i < len(text); {
		if text[i] != '\\' {
			n := 0
			units, n = encodeFirst(units, text[i:], w)
			i += n
			continue
		}
		if i++; i == len(text) {
			return units, false
		}
		c := text[i]
		switch {
		case c >= '0' && c <= '7':
			v := uint32(0)
			for n := 0; n < 3 && i < len(text) && text[i] >= '0' && text[i] <= '7'; n++ {
				v = v<<3 | uint32(text[i]-'0')
				i++
			}
			units = append(units, v&mask(w))
		case c == 'x':
			v, digits := uint32(0), 0
			for i++; i < len(text) && hexValue(text[i]) >= 0; i++ {
				v = v<<4 | uint32(hexValue(text[i]))
				digits++
			}
			ok = ok && digits > 0
			units = append(units, v&mask(w))
		case c == 'u' || c == 'U':
			digits := 4
			if c == 'U' {
				digits = 8
			}
			r, n := rune(0), 0
			for i++; n < digits && i < len(text) && hexValue(text[i]) >= 0; n, i = n+1, i+1 {
				r = r<<4 | rune(hexValue(text[i]))
			}
			if n < digits || !utf8.ValidRune(r) || r < 0xa0 && r != '$' && r != '@' && r != '`' {
				return units, false
			}
			units = encode(units, r, w)
		case simple[c] != 0:
			units = append(units, uint32(simple[c]))
			i++
		default: // gcc warns, and drops the backslash
			n := 0
			units, n = encodeFirst(units, text[i:], w)
			i += n
		}
	}
	return units, ok
}

func mask(w Width) uint32 {
	switch w.Bytes() {
	case 1:
		return 0xff
	case 2:
		return 0xffff
	default:
		return 0xffffffff
	}
}

// Unquote returns the bytes of a narrow string literal.
func Unquote(text []byte) ([]byte, bool) {
	units, ok := AppendString(nil, text, Narrow)
	out := make([]byte, len(units))
	for i, u := range units {
		out[i] = byte(u)
	}
	return out, ok
}

// Unescape returns the text of a string literal for _Pragma: without its quotes, and with
// \" and \\ as what they stand for.
func Unescape(text []byte) ([]byte, bool) {
	rest, raw, ok := unquoted(text)
	if raw || !ok {
		return rest, ok
	}
	out := make([]byte, 0, len(rest))
	for i := 0; i < len(rest); i++ {
		if rest[i] == '\\' && i+1 < len(rest) && (rest[i+1] == '\\' || rest[i+1] == '"') {
			i++
		}
		out = append(out, rest[i])
	}
	return out, true
}
