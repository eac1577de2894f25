package preprocess_test

import (
	"strings"
	"testing"

	"fencepost/internal/gcc"
	"fencepost/internal/lang/c/preprocess"
)

// run preprocesses a text, which can include h.h.
func run(t testing.TB, text, header string) *preprocess.Result {
	t.Helper()
	s, err := gcc.Parse(nil)
	if err != nil {
		t.Fatal(err)
	}
	opt := preprocess.ForGCC(s)
	opt.MaxTokens = 1 << 20
	opt.Read = func(name string) ([]byte, bool) {
		return []byte(header), name == "h.h" || name == "a.c" && header == ""
	}
	return preprocess.Run("a.c", []byte(text), opt)
}

// problems lists what is said about a text: position, macros that it came out of, message.
func problems(r *preprocess.Result) string {
	var b strings.Builder
	for _, p := range r.Problems {
		b.WriteString(r.Space.Position(p.Pos).String() + ": ")
		for from := p.From; from != 0; from = r.Expansions[from].Parent {
			b.WriteString("[" + r.Names.String(r.Expansions[from].Macro) + "] ")
		}
		b.WriteString(p.Kind.String() + ": " + p.Message)
		if p.Note != "" {
			b.WriteString(" (" + p.Note + ")")
		}
		b.WriteString("\n")
	}
	return b.String()
}

// TestMessages: one mistake has one message, with the position in the user's text.
func TestMessages(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"x\n#if 1\n", "a.c:2:2: syntax: this #if has no #endif\n"},
		{"#endif\n", "a.c:1:2: syntax: there is no #if before this #endif\n"},
		{"#inclde <x>\n", "a.c:1:2: syntax: there is no directive #inclde (did you mean #include?)\n"},
		{"#embed <x>\n", "a.c:1:2: unsupported: the directive #embed is not supported\n"},
		{"#include <x.h>\n", "a.c:1:10: missing file: include file not found: <x.h>\n"},
		{"#include \"y.h\"\n", "a.c:1:10: missing file: include file not found: \"y.h\"\n"},
		{"#define F(a) a\n\n  F(1, 2)\n", "a.c:3:3: syntax: macro F takes 1 arguments, and gets 2\n"},
		{"#define F(a, b) a\nF(1)\n", "a.c:2:1: syntax: macro F needs 2 arguments, and gets 1\n"},
		{"#define F(a) a\nF(1\n", "a.c:2:1: syntax: the arguments of macro F have no end\n"},
		{"#define P(a, b) a ## b\n#define Q P(+, x)\nQ\n", "a.c:2:13: [P] [Q] syntax: + and x do not make a token when ## pastes them\n"},
		{"#if 1 +\n#endif\n", "a.c:1:8: syntax: the expression of #if ends too early\n"},
		{"#if 1 / 0\n#endif\n", "a.c:1:7: syntax: division by zero in #if\n"},
		{"#if (1\n#endif\n", "a.c:1:7: syntax: a ) is missing in the expression\n"},
		{"#if 1 2\n#endif\n", "a.c:1:7: syntax: this does not continue the expression: 2\n"},
		{"#define X (\n#if X\n#endif\n", "a.c:2:6: syntax: the expression of #if ends too early\n"},
		{"a\\\nb /*\nc\n", "a.c:2:3: syntax: this comment has no end\n"},
		{"#error it's wrong\n", "a.c:1:2: syntax: #error it's wrong\n"},
		{"#define A 1\n#define A 2\n", "a.c:2:9: warning: macro A is defined once more, with another meaning\n"},
		{"#define L(x) x x\n#define M(x) L(L(L(L(L(L(L(L(x))))))))\n#define N(x) M(M(M(M(x))))\nN(N(1))\n", "a.c:2:30: unsupported: the program becomes too large when its macros are expanded\n"},
		{"#include \"a.c\"\n", "a.c:1:10: syntax: files include each other 200 deep: this does not seem to end\n"},
	} {
		header := ""
		if strings.Contains(c.text, "a.c") {
			header = c.text
		}
		r := run(t, c.text, header)
		if strings.Contains(c.text, "a.c") {
			s, _ := gcc.Parse(nil)
			opt := preprocess.ForGCC(s)
			opt.Read = func(string) ([]byte, bool) { return []byte(c.text), true }
			r = preprocess.Run("a.c", []byte(c.text), opt)
		}
		got := problems(r)
		if got != c.want {
			t.Errorf("%q:\ngot  %swant %s", c.text, got, c.want)
		}
	}
}

// TestExpansions: a token knows where it was written, and through which macros it came.
func TestExpansions(t *testing.T) {
	r := run(t, "#include \"h.h\"\n#define TWICE(e) ONCE(e) e\nint a = TWICE(x) ;\n", "#define ONCE(e) (e + one)\n")
	var got []string
	for i := range r.Tokens {
		tok := &r.Tokens[i]
		line := string(r.Space.Text(tok)) + " " + r.Space.Position(tok.Pos).String() + " " + r.Space.Position(r.Outermost(tok)).String()
		for from := tok.From; from != 0; from = r.Expansions[from].Parent {
			line += " " + r.Names.String(r.Expansions[from].Macro)
			if r.Expansions[from].IsArgument {
				line += "()"
			}
		}
		got = append(got, line)
	}
	want := `int a.c:3:1 a.c:3:1
a a.c:3:5 a.c:3:5
= a.c:3:7 a.c:3:7
( h.h:1:17 a.c:3:9 ONCE TWICE
x a.c:3:15 a.c:3:9 ONCE() TWICE
+ h.h:1:20 a.c:3:9 ONCE TWICE
one h.h:1:22 a.c:3:9 ONCE TWICE
) h.h:1:25 a.c:3:9 ONCE TWICE
x a.c:3:15 a.c:3:9 TWICE()
; a.c:3:18 a.c:3:18
 a.c:4:1 a.c:4:1`
	if all := strings.Join(got, "\n"); all != want {
		t.Errorf("got\n%s\nwant\n%s", all, want)
	}
}

// TestPragmas: macros are expanded in some pragmas, and pragmas stand between the tokens.
func TestPragmas(t *testing.T) {
	r := run(t, "#define N 4\na\n#pragma pack(N)\nb _Pragma(\"foo N\") c\n#define F(x) x\nF(d\n#pragma omp\ne)\n", "")
	var got []string
	for i := range r.Tokens {
		if tok := &r.Tokens[i]; tok.Kind.String() == "pragma" {
			got = append(got, "<"+strings.Join(spelled(r, r.Pragmas[tok.Name]), " ")+">")
		} else {
			got = append(got, string(r.Space.Text(tok)))
		}
	}
	if all, want := strings.Join(got, " "), "a <pack ( 4 )> b <foo N> c d <omp> e "; all != want {
		t.Errorf("got %q, want %q", all, want)
	}
}

// FuzzPreprocess: no text makes the preprocessor panic or run without end, and every token
// has a position in a file.
func FuzzPreprocess(f *testing.F) {
	for _, c := range cases {
		f.Add(c, "#ifndef H\n#define H\n#endif\n")
	}
	f.Fuzz(func(t *testing.T, text, header string) {
		r := run(t, text, header)
		for i := range r.Tokens {
			if r.Space.File(r.Outermost(&r.Tokens[i])) == nil {
				t.Fatalf("token %d of %q has no file", i, text)
			}
		}
	})
}

// BenchmarkPreprocess reads a large file.
func BenchmarkPreprocess(b *testing.B) {
	var text strings.Builder
	text.WriteString("#define MAX(a, b) ((a) > (b) ? (a) : (b))\n#define LIMIT 100\n")
	for range 2500 {
		text.WriteString("static int function_with_a_name(int first, struct node *second)\n{\n\tint result = 0; /* a comment */\n\tfor (int i = 0; i < LIMIT; i++) {\n\t\tresult += MAX(first, second->value[i]); // more\n\t}\n\treturn result;\n}\n")
	}
	b.SetBytes(int64(text.Len()))
	for b.Loop() {
		if run(b, text.String(), "").HasErrors() {
			b.Fatal("errors")
		}
	}
}
