package statement

import (
	"fmt"
	"strings"
	"testing"

	"fencepost/internal/diag"
	"fencepost/internal/source"
)

// scan returns the tokens of a text, separated by blanks, and the codes of its diagnostics.
func scan(text string, set func(*Lexer)) (tokens, codes string, l Lexer) {
	diags := &diag.List{}
	l = NewLexer(source.NewFile("t", []byte(text)), diags)
	if set != nil {
		set(&l)
	}
	var list []string
	for {
		t := l.Next()
		if t.Kind == TokenEOF {
			break
		}
		what := t.Text
		if t.Kind == TokenInt {
			what = fmt.Sprint(t.Val)
		}
		list = append(list, fmt.Sprintf("%s:%s", t.Kind, what))
	}
	for _, d := range diags.All {
		codes += d.Code + " "
	}
	return strings.Join(list, " "), strings.TrimSpace(codes), l
}

// TestTokens: names, keywords, numbers, strings, signs and comments, and what is none of them.
func TestTokens(t *testing.T) {
	for _, c := range []struct{ text, tokens, codes string }{
		{"", "", ""},
		{"x y' _z9", "name:x name:y' name:_z9", ""},
		{"thread threads", "keyword:thread name:threads", ""},
		{"0 12 0x1F 0X10 007", "number:0 number:12 number:31 number:16 number:7", ""},
		{"9223372036854775807 18446744073709551615 0xffffffffffffffff", "number:9223372036854775807 number:-1 number:-1", ""},
		{"18446744073709551616", "number:-1", CodeNumber},
		{"12a", "number:0", CodeNumber},
		{"0x", "number:0", CodeNumber},
		{"\"a b\" \"\"", "string:a b string:", ""},
		{"\"open\nx", "name:x", codeString},
		{"a:=b<-c<=d..e", "name:a sign::= name:b sign:<- name:c sign:<= name:d sign:.. name:e", ""},
		{"a // b\nc # d\ne /* f\ng */ h", "name:a name:c name:e name:h", ""},
		{"a /* b", "name:a", codeComment},
		{"a \x01\x02 b", "name:a name:b", CodeChar},
		{"\ufeffx", "name:x", ""},
		{"x\ufeff", "name:x", CodeChar},
		{"$x", "name:x", CodeChar},
	} {
		if tokens, codes, _ := scan(c.text, nil); tokens != c.tokens || codes != c.codes {
			t.Errorf("%q: %s, codes %q, want %s, %q", c.text, tokens, codes, c.tokens, c.codes)
		}
	}
	if tokens, codes, _ := scan("$x $ y", func(l *Lexer) { l.Dollars = true }); tokens != "name:$x name:y" || codes != CodeChar {
		t.Errorf("with dollars: %s, codes %q", tokens, codes)
	}
	if tokens, _, _ := scan("thread end", func(l *Lexer) { l.Keyword = func(w string) bool { return w == "end" } }); tokens != "name:thread keyword:end" {
		t.Errorf("with other keywords: %s", tokens)
	}
	if tokens, codes, l := scan("x "+strings.Repeat("\x01 ", 10000)+"y", nil); strings.Contains(tokens, "y") || !l.Failed || len(codes) > 1000 {
		t.Errorf("after many errors the lexer goes on: %d bytes of codes", len(codes))
	}
}

// TestExpectComments: the first expect comment counts, and a further one is a warning.
func TestExpectComments(t *testing.T) {
	_, codes, l := scan("x // not expect: a\n/* expect:  sc=safe\n  tso=unsafe */\n# expect: other\n", nil)
	if l.Expect != "sc=safe tso=unsafe" || l.ExpectPos.Line != 2 || l.ExpectPos.Col != 4 || codes != codeExpectTwice || l.Failed {
		t.Errorf("%q at %s, codes %q, failed %v", l.Expect, l.ExpectPos.Pos, codes, l.Failed)
	}
}

// TestTokenWords: how messages name tokens, however long they are.
func TestTokenWords(t *testing.T) {
	long := strings.Repeat("n", 100)
	for want, tok := range map[string]Token{
		"the end of the file":                  {Kind: TokenEOF},
		"a number":                             {Kind: TokenInt, Val: 3},
		"a string":                             {Kind: TokenString, Text: "s"},
		"'while'":                              {Kind: TokenKeyword, Text: "while"},
		"'" + strings.Repeat("n", 40) + "...'": {Kind: TokenName, Text: long},
	} {
		if got := tok.String(); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
	if (Token{Kind: TokenName, Text: "end"}).Is("end") || !(Token{Kind: TokenKeyword, Text: "end"}).Is("end") {
		t.Error("a name is a keyword, or a keyword is none")
	}
}

// TestSuggest: the nearest name, unless none is near.
func TestSuggest(t *testing.T) {
	for name, want := range map[string]string{
		"cuonter": "did you mean 'counter'?", "fla": "did you mean 'flag'?", "zzz": "", "x": "", strings.Repeat("c", 40): "",
	} {
		d := &diag.Diagnostic{}
		Suggest(d, name, map[string]int{"counter": 1, "flag": 2}, map[string]int{"flags": 3})
		if got := strings.Join(d.Notes, "; "); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
}

// TestNames: the name of a program after its file, and the first line of a text.
func TestNames(t *testing.T) {
	for file, want := range map[string]string{"dir/dekker.fp": "dekker", "a.b.fp": "a.b", "plain": "plain"} {
		if got := BaseName(source.NewFile(file, nil)); got != want {
			t.Errorf("%s: %s, want %s", file, got, want)
		}
	}
	if got := FirstLine([]byte("  x  =\t1; \xff\ny = 2;")); got != "x = 1; ." {
		t.Errorf("%q", got)
	}
}
