package lex

import (
	"strings"
	"testing"
)

var gnu17 = Dialect{LineComments: true, RawStrings: true, UnicodeStrings: true, ExtendedNumbers: true, Digraphs: true, Scope: true, ExtendedNames: true}

// read returns the tokens of a text.
func read(text string, d Dialect) (s *Space, tokens []Token, problems []Problem) {
	s = NewSpace()
	l := NewLexer(s, s.Add("a.c", []byte(text), d.Trigraphs), NewNames(), &d, func(p Problem) { problems = append(problems, p) })
	for {
		var t Token
		if l.Next(&t); t.Kind == EOF {
			return s, tokens, problems
		}
		tokens = append(tokens, t)
	}
}

// TestPositions: a token's position leads back to the text that the user wrote, through
// escaped newlines and trigraphs.
func TestPositions(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"a b\n  c", "1:1=a 1:3=b 2:3=c"},
		{"a\\\nb c", "1:1=ab 2:3=c"},
		{"\\\n\\\nx \\  \n y", "3:1=x 4:2=y"},
		{"/* \n */ x // y\nz", "2:5=x 3:1=z"},
		{"??=define ??/\nX ??( ?? ???)", "1:1=# 1:4=define 2:1=X 2:3=[ 2:7=? 2:8=? 2:10=? 2:11=]"},
		{"\"a\\\nb\" R\"(\\\n)\" q", "1:1=\"ab\" 2:4=R\"(\\\n)\" 3:4=q"},
		{"x\r\ny \\\r\n z", "1:1=x 2:1=y 3:2=z"},
	} {
		d := gnu17
		d.Trigraphs = strings.Contains(c.text, "??=")
		s, tokens, _ := read(c.text, d)
		var got []string
		for i := range tokens {
			at := s.Position(tokens[i].Pos).String()
			got = append(got, strings.TrimPrefix(at, "a.c:")+"="+string(s.Text(&tokens[i])))
		}
		if all := strings.Join(got, " "); all != c.want {
			t.Errorf("%q: got %q, want %q", c.text, all, c.want)
		}
	}
}

// TestNames: a name has one number, however many there are.
func TestNames(t *testing.T) {
	n := NewNames("first", "second")
	if n.Of([]byte("second")) != 2 {
		t.Error("names given at the start are numbered from 1")
	}
	seen := map[Name]string{}
	c := n.Clone()
	for i := range 20000 {
		word := "n" + strings.Repeat("x", i%7) + string(rune('a'+i%26)) + string(rune('A'+i/26%26)) + string(rune('0'+i/676))
		id := c.Of([]byte(word))
		if old, ok := seen[id]; ok && old != word || c.String(id) != word {
			t.Fatalf("%s and %s have the number %d", old, word, id)
		}
		seen[id] = word
	}
	if n.Len() != 3 {
		t.Error("a clone changed its original")
	}
}

// TestLiterals: values of constants and strings.
func TestLiterals(t *testing.T) {
	for text, want := range map[string]int64{
		"'a'": 97, `'\377'`: -1, `'\x7f'`: 127, "'ab'": 24930, `L'\xffff'`: 65535, `u'\uffff'`: 65535, `U'\U0001F600'`: 0x1f600, `'\e'`: 27, `'\0'`: 0, "'ä'": 0xc3a4,
	} {
		if c, ok := ParseChar([]byte(text)); !ok || c.Value != want {
			t.Errorf("%s is %d, want %d", text, c.Value, want)
		}
	}
	for _, text := range []string{"''", `'\xg'`, `'\u12'`, `'\ud800'`} {
		if c, ok := ParseChar([]byte(text)); ok {
			t.Errorf("%s is accepted as %d", text, c.Value)
		}
	}
	for text, want := range map[string]Integer{
		"0": {}, "42": {Value: 42, Decimal: true}, "0x1'F": {Value: 31}, "017u": {Value: 15, Unsigned: true}, "0b101LL": {Value: 5, Longs: 2},
		"18446744073709551616": {Overflow: true, High: 1, Decimal: true}, "7ull": {Value: 7, Unsigned: true, Longs: 2, Decimal: true}, "1i": {Value: 1, Imag: true, Decimal: true},
	} {
		if n, ok := ParseInteger([]byte(text)); !ok || n != want {
			t.Errorf("%s is %+v, want %+v", text, n, want)
		}
	}
	for _, text := range []string{"09", "0x", "1lul", "1uu", "1.0", "1e5", "0b2", "1'"} {
		if n, ok := ParseInteger([]byte(text)); ok {
			t.Errorf("%s is accepted as %+v", text, n)
		}
	}
	units, ok := AppendString(nil, []byte(`u"\U0001F600ä\x1ffff"`), UTF16)
	if want := []uint32{0xd83d, 0xde00, 0xe4, 0xffff}; !ok || len(units) != 4 || units[0] != want[0] || units[1] != want[1] || units[2] != want[2] || units[3] != want[3] {
		t.Errorf("units %x", units)
	}
}
