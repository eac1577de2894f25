package read

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"modernc.org/cc/v4"
)

// Wide strings and characters, in tokens. cc knows L"text" only, and of its escapes those of one byte:
//
//   - L"text" gets its characters as they are, without escapes.
//   - U"text" becomes L"text"; where it is an operand, of the type const char32_t[n].
//   - u"text" becomes { 116, 101, ... } after the = of an array, and elsewhere an object of the type
//     const char16_t[n] with the bytes of a string.
//   - u'c' and U'c' become numbers.

// wideUnit is a character or an escape of a wide string.
type wideUnit = int64

// wideStrings replaces the wide strings and characters among tokens.
func wideStrings(tokens []ccToken) []ccToken {
	var out []ccToken
	kept := 0 // tokens[:kept] are in out
	for i := 0; i < len(tokens); i++ {
		var with []ccToken
		end := i + 1
		switch t := &tokens[i]; {
		case t.Ch == rune(cc.LONGSTRINGLITERAL):
			if units, ok := wideText(t.SrcStr()[1:]); ok {
				with = []ccToken{longString(tokens[i], units)}
			}
		case t.Ch == rune(cc.IDENTIFIER) && end < len(tokens) && (t.SrcStr() == "u" || t.SrcStr() == "U"):
			with, end = prefixed(tokens, i)
		}
		if with == nil {
			continue
		}
		out = append(append(out, tokens[kept:i]...), with...)
		kept, i = end, end-1
	}
	if kept == 0 {
		return tokens
	}
	return append(out, tokens[kept:]...)
}

// prefixed returns what a literal with the prefix u or U at i becomes, and where it ends; nil if there is none.
func prefixed(tokens []ccToken, i int) (with []ccToken, end int) {
	narrow, at := tokens[i].SrcStr() == "u", tokens[i]
	switch tokens[i+1].Ch {
	case rune(cc.CHARCONST):
		units, ok := wideText(tokens[i+1].SrcStr())
		if !ok || len(units) != 1 || narrow && units[0] > 0xffff {
			return nil, 0
		}
		if narrow {
			return madeTokens(at, "(", "(", "unsigned", "short", ")", strconv.FormatInt(units[0], 10), ")"), i + 2
		}
		return madeTokens(at, strconv.FormatInt(units[0], 10)+"u"), i + 2
	case rune(cc.STRINGLITERAL):
	default:
		return nil, 0
	}
	units, ok := wideText(tokens[i+1].SrcStr())
	for end = i + 2; ok; {
		next := afterBlanks(tokens, end)
		if next+1 < len(tokens) && tokens[next].SrcStr() == at.SrcStr() && tokens[next+1].Ch == rune(cc.STRINGLITERAL) {
			next++
		}
		if next >= len(tokens) || tokens[next].Ch != rune(cc.STRINGLITERAL) {
			break
		}
		var more []wideUnit
		more, ok = wideText(tokens[next].SrcStr())
		units, end = append(units, more...), next+1
	}
	switch before := role(tokens, i); {
	case !ok:
		return nil, 0
	case !narrow && (before == "array" || before == "member") && endsInitialiser(tokens, end):
		return []ccToken{longString(at, units)}, end
	case !narrow: // an element of L"" is signed, of U"" it is not
		return objectOf(at, "unsigned", len(units)+1, longString(at, units)), end
	case before == "array":
		return elements(at, sixteen(units)), end
	case before == "member": // of an array, or a pointer: not known here
		return nil, 0
	}
	short := sixteen(units)
	var text strings.Builder
	for _, u := range append(short, 0) {
		fmt.Fprintf(&text, `\%03o\%03o`, u&0xff, u>>8)
	}
	bytes := strings.TrimSuffix(text.String(), `\000`) // cc adds it
	literal := at
	literal.Ch = rune(cc.STRINGLITERAL)
	literal.Set(nil, []byte(`"`+bytes+`"`))
	return objectOf(at, "unsigned short", len(short)+1, literal), end
}

// endsInitialiser reports whether the token at or after i, blanks not counted, ends an initialiser.
func endsInitialiser(tokens []ccToken, i int) bool {
	i = afterBlanks(tokens, i)
	return i >= len(tokens) || strings.ContainsRune(",;}", tokens[i].Ch)
}

// role tells what a literal is: the initialiser of an "array", one of the initialisers of an object with
// "member"s, an "argument" or the initialiser of a variable, or an "operand".
func role(tokens []ccToken, i int) string {
	before := beforeBlanks(tokens, i-1)
	if before < 0 {
		return "operand"
	}
	switch tokens[before].Ch {
	case '=':
		switch left := beforeBlanks(tokens, before-1); {
		case left >= 0 && tokens[left].Ch == ']':
			return "array"
		case left > 0 && tokens[left].Ch == rune(cc.IDENTIFIER) && tokens[beforeBlanks(tokens, left-1)].Ch == '.':
			return "member"
		}
		return "argument"
	case '{':
		return "member"
	case '(':
		return "argument"
	case ',':
		depth := 0
		for k := before; k >= 0; k-- {
			switch tokens[k].Ch {
			case ')', ']', '}':
				depth++
			case '(', '[', '{':
				if depth--; depth < 0 {
					if tokens[k].Ch == '{' {
						return "member"
					}
					return "argument"
				}
			}
		}
	}
	return "operand"
}

// beforeBlanks returns the index of the last token at or before i that is not blank, negative if there is none.
func beforeBlanks(tokens []ccToken, i int) int {
	for i >= 0 && (tokens[i].Ch == ' ' || tokens[i].Ch == '\n') {
		i--
	}
	return i
}

// longString is a literal of type wchar_t[n].
func longString(at ccToken, units []wideUnit) ccToken {
	var text strings.Builder
	text.WriteString(`L"`)
	for _, u := range units {
		switch {
		case u < ' ' || u == '"' || u == '\\' || u == 0x7f:
			fmt.Fprintf(&text, `\%03o`, u)
		default:
			text.WriteRune(rune(u))
		}
	}
	at.Ch = rune(cc.LONGSTRINGLITERAL)
	at.Set(at.Sep(), []byte(text.String()+`"`))
	return at
}

// objectOf is an object of n elements in the bytes of a literal: (*(const type (*)[n])"...").
func objectOf(at ccToken, typ string, n int, literal ccToken) []ccToken {
	words := append([]string{"(", "*", "(", "const"}, strings.Fields(typ)...)
	out := madeTokens(at, append(words, "(", "*", ")", "[", strconv.Itoa(n), "]", ")")...)
	return append(append(out, literal), madeTokens(at, ")")...)
}

// elements is an initialiser with the elements of an array.
func elements(at ccToken, units []wideUnit) []ccToken {
	words := []string{"{"}
	for _, u := range units {
		words = append(words, strconv.FormatInt(u, 10), ",")
	}
	return madeTokens(at, append(words, "0", "}")...)
}

// madeTokens are tokens at the position of another one.
func madeTokens(at ccToken, words ...string) []ccToken {
	var out []ccToken
	for _, w := range words {
		t := at
		switch {
		case w[0] >= '0' && w[0] <= '9':
			t.Ch = rune(cc.PPNUMBER)
		case w[0] >= 'a' && w[0] <= 'z' || w[0] == '_':
			t.Ch = rune(cc.IDENTIFIER)
		default:
			t.Ch = rune(w[0])
		}
		t.Set([]byte(" "), []byte(w))
		out = append(out, t)
	}
	return out
}

// sixteen encodes characters as char16_t.
func sixteen(units []wideUnit) []wideUnit {
	var out []wideUnit
	for _, u := range units {
		if u > 0xffff {
			u -= 0x10000
			out = append(out, 0xd800+u>>10, 0xdc00+u&0x3ff)
		} else {
			out = append(out, u)
		}
	}
	return out
}

var simpleEscapes = map[byte]wideUnit{'n': '\n', 't': '\t', 'r': '\r', '0': 0, 'a': 7, 'b': 8, 'f': 12, 'v': 11, 'e': 27, '\\': '\\', '\'': '\'', '"': '"', '?': '?'}

// wideText returns the characters of a literal in quotes. It takes characters of Unicode only.
func wideText(text string) (units []wideUnit, ok bool) {
	if len(text) < 2 {
		return nil, false
	}
	for text = text[1 : len(text)-1]; len(text) > 0; {
		u, n := wideUnit(-1), 0
		if text[0] == '\\' && len(text) > 1 {
			u, n = escape(text)
		} else if r, size := utf8.DecodeRuneInString(text); r != utf8.RuneError {
			u, n = wideUnit(r), size
		}
		if n == 0 || u < 0 || u > utf8.MaxRune || u >= 0xd800 && u < 0xe000 {
			return nil, false
		}
		units, text = append(units, u), text[n:]
	}
	return units, true
}

// escape returns the character of an escape and its length.
func escape(text string) (u wideUnit, n int) {
	digits := func(from, most, base int) (wideUnit, int) {
		end := from
		for end < len(text) && end-from < most && strings.IndexByte("0123456789abcdefABCDEF"[:map[int]int{8: 8, 16: 22}[base]], text[end]) >= 0 {
			end++
		}
		v, err := strconv.ParseInt(text[from:end], base, 64)
		if err != nil {
			return -1, 0
		}
		return v, end
	}
	switch c := text[1]; {
	case c == 'x':
		return digits(2, len(text), 16)
	case c == 'u':
		return digits(2, 4, 16)
	case c == 'U':
		return digits(2, 8, 16)
	case c >= '0' && c <= '7':
		return digits(1, 3, 8)
	}
	if u, ok := simpleEscapes[text[1]]; ok {
		return u, 2
	}
	return -1, 0
}
