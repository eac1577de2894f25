package parse_test

import (
	"strings"
	"testing"
)

// TestMessages: one mistake has one message, with the position in the user's text and the
// macro that it came out of.
func TestMessages(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"int f(void) { return coutner; }\nint counter;\n", "a.c:1:22: syntax: coutner is not declared\n"},
		{"int counter;\nint f(void) { return coutner + coutner; }\n", "a.c:2:22: syntax: coutner is not declared (did you mean counter?)\n"},
		{"int f(void) { retrun 0; }\nint g(void) { return b 2; }\n", "a.c:1:15: syntax: retrun is not declared (did you mean return?)\na.c:2:22: syntax: b is not declared\n"},
		{"struct s { int value; } v;\nint f(void) { return v.valeu; }\n", "a.c:2:24: syntax: struct s has no member valeu (did you mean value?)\n"},
		{"typedef int word;\nwrod x;\nint y;\n", "a.c:2:1: syntax: there is no type wrod (did you mean word?)\n"},
		{"int a\nint b;\n", "a.c:2:1: syntax: ',' or ';' is expected before 'int'\n"},
		{"int f(void) { int x = 1 int y; return x; }\n", "a.c:1:25: syntax: ',' or ';' is expected before 'int'\n"},
		{"#define ADD(x) (x +)\nint f(int a) { return ADD(a); }\nint g(void) { return b; }\n", "a.c:1:20: [ADD] syntax: an expression is expected before ')'\na.c:3:22: syntax: b is not declared\n"},
		{"int f(int a, int b);\nint g(void) { return f(1); }\n", "a.c:2:23: syntax: f needs 2 arguments, and gets 1\n"},
		{"struct s; struct s v[2];\n", "a.c:1:21: syntax: the elements of this array have an incomplete type: struct s\n"},
		{"int f(void) { goto out; }\n", "a.c:1:20: syntax: there is no label out\n"},
		{"int f(void) { break; }\n", "a.c:1:15: syntax: break stands outside of a loop or switch\n"},
		{"asm goto(\"\" : : : : l);\nint a\n;", "a.c:1:21: syntax: assembly outside of a function jumps to no label\n"},
		{"int f(void) { const int x = 1; x = 2; return x; }\n", "a.c:1:34: syntax: the left side is const\n"},
		{"struct s { int a; } v;\nint f(void) { return v + 1; }\n", "a.c:2:24: syntax: the operands of '+' do not fit: struct s and int\n"},
		{"_Static_assert(sizeof(int) == 8, \"int is small\");\n", "a.c:1:1: syntax: a static assertion fails: int is small\n"},
		{"int f(void) { int g(void) { return 1; } return g(); }\n", "a.c:1:19: unsupported: nested functions are not supported\n"},
		{"typedef int v4 __attribute__((vector_size(16)));\nv4 a, b;\nint f(void) { return 1; }\nv4 g(void) { return a + b; }\n", "a.c:4:21: unsupported: operations on vectors are not supported\n"},
		{"struct __attribute__((ms_struct)) s { int a; };\n", "a.c:1:23: unsupported: the attribute ms_struct is not supported\n"},
		{"_Decimal64 d;\n", "a.c:1:1: unsupported: the type '_Decimal64' is not supported\n"},
		{"int x = \"abc;\nint y;\n", "a.c:1:9: syntax: this quote has no end on its line\n"},
		{"int f(void) {\n", "a.c:1:13: syntax: '{' has no end\n"},
		{"int a[2] = { [5] = 1 };\n", "a.c:1:14: syntax: there is no element with this index\n"},
		{"int n; int x = n;\n", "a.c:1:16: syntax: the initializer of an object with static storage must be a constant\n"},
		{"int n; static int (*p)[n]; typedef int T[n]; int f(void) { T a; return p[1][0]; }\n", "a.c:1:21: syntax: the lengths in the type of p must be constants\na.c:1:40: syntax: the lengths in the type of T must be constants\n"},
		{"int x; char x;\n", "a.c:1:13: syntax: x is declared as char, and was int before\n"},
	} {
		_, says := parseDefault(c.text)
		if says != c.want {
			t.Errorf("%s\ngot  %s\nwant %s", c.text, says, c.want)
		}
	}
}

// TestMessagesC23: what C23 has has its own mistakes.
func TestMessagesC23(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"constexpr int *p = (int *)8;\n", "a.c:1:20: syntax: a pointer that is constexpr must be null\n"},
		{"constexpr int q;\n", "a.c:1:15: syntax: q is constexpr, and needs an initializer\n"},
		{"int f(int v) { constexpr int r = v; return r; }\n", "a.c:1:34: syntax: the initializer of an object that is constexpr must be a constant\n"},
		{"extern constexpr int t = 4;\n", "a.c:1:22: syntax: t cannot be constexpr\n"},
		{"constexpr int k = 1;\nint f(void) { k = 2; return k; }\n", "a.c:2:17: syntax: the left side is const\n"},
		{"enum E : unsigned char { A = 256 };\n", "a.c:1:26: syntax: the value of A does not fit unsigned char\n"},
		{"enum E : unsigned char { A = 255, B };\n", "a.c:1:35: syntax: the value of B does not fit unsigned char\n"},
		{"enum F : float { B };\n", "a.c:1:10: syntax: the type of an enum must be an integer\n"},
		{"enum F : bool { B };\n", "a.c:1:10: unsupported: enums of the type bool are not supported\n"},
		{"enum G : short { M };\nenum G : short { K };\n", "a.c:2:6: syntax: enum G is defined twice\n"},
		{"enum G : short;\nenum G : int { K };\n", "a.c:2:6: syntax: enum G has another type elsewhere\n"},
		{"int f(void) { auto x; return 0; }\n", "a.c:1:21: syntax: a variable without a type needs an initializer\n"},
	} {
		_, says := parseAs(c.text, "-std=c2x")
		if says != c.want {
			t.Errorf("%s\ngot  %s\nwant %s", c.text, says, c.want)
		}
	}
}

// TestLazy: the body of a function is parsed when it is asked for, and sees only what is declared
// before it.
func TestLazy(t *testing.T) {
	u := parsedOnly(t, "int f(void) { return later; }\nint g(void) { return f(); }\nint later;\n")
	if len(u.Problems) > 0 {
		t.Fatalf("a body was parsed: %v", u.Problems)
	}
	if u.Body(u.Lookup("g")) == nil || len(u.Problems) > 0 {
		t.Fatalf("g has problems: %v", u.Problems)
	}
	if u.Body(u.Lookup("f")) != nil || len(u.Problems) != 1 || !strings.Contains(u.Problems[0].Message, "later is not declared") {
		t.Fatalf("f has the problems %v", u.Problems)
	}
}

// TestInitializers: lists set the parts that C says they set.
func TestInitializers(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"struct { int a; struct { int b, c; } d; int e; } x = { 1, 2, 3, 4 };", "0=1 4=2 8=3 12=4"},
		{"struct { int a; struct { int b, c; } d; int e; } x = { .d.b = 2, 3, 4 };", "4=2 8=3 12=4"},
		{"struct { int a; struct { int b, c; } d; int e; } x = { .d = { .c = 3 }, 4 };", "8=3 12=4"},
		{"int x[] = { [2] = 5, 6, [0] = 1 };", "8=5 12=6 0=1"},
		{"int x[2][2] = { 1, 2, 3, 4 };", "0=1 4=2 8=3 12=4"},
		{"int x[2][2] = { { 1 }, 3, 4 };", "0=1 8=3 12=4"},
		{"struct { int k[2]; int z; } x[2] = { [0].k[1] = 5, 6, 7 };", "4=5 8=6 12=7"},
		{"union { int a; char b[4]; } x = { .b = { 1, 2 } };", "0=1 1=2"},
		{"struct { int a; union { int b; char c; }; int d; } x = { .c = 5, 6 };", "4=5 8=6"},
		{"int x[6] = { [1 ... 3] = 7, 8 };", "4=7*3 16=8"},
		{"struct { struct { } e; int a; struct { int b[2]; } c; } x = { 1, 2, 3, 4 };", "0=2 4=3 8=4"},
		{"struct { char s[3]; struct { char t[2]; } u; } x = { { 1, 2 }, 'a', 'b' };", "0=1 1=2 3=97 4=98"},
		{"struct { int a, b; } x = { b: 2, a: 1 };", "4=2 0=1"},
		{"struct { int : 5; int a : 3; int b; } x = { 1, 2 };", "0=1 4=2"},
	} {
		u := parsedOnly(t, c.text)
		var got []string
		for _, item := range u.Lookup("x").Init.Items {
			v, ok := u.Fold(item.Expr)
			if !ok {
				t.Fatalf("%s: no constant", c.text)
			}
			s := itoa(item.Offset) + "=" + itoa(v.Int.Int64())
			if item.Count > 1 {
				s += "*" + itoa(item.Count)
			}
			got = append(got, s)
		}
		if all := strings.Join(got, " "); all != c.want || len(u.Problems) > 0 {
			t.Errorf("%s: got %s, want %s %v", c.text, all, c.want, u.Problems)
		}
	}
}

// TestDeep: deep and long expressions are read; what is deeper than any program is refused.
func TestDeep(t *testing.T) {
	deep := func(n int) string {
		return "int f(int x) { return " + strings.Repeat("(", n) + "x" + strings.Repeat(")", n) + "; }\n"
	}
	for _, text := range []string{deep(20000), "int f(int x) { return x" + strings.Repeat(" + x", 100000) + "; }\n", "int f(int x) { return x" + strings.Repeat(" ? x : x", 20000) + "; }\n"} {
		if _, says := parseDefault(text); says != "" {
			t.Error(says)
		}
	}
	if _, says := parseDefault(deep(200000)); !strings.Contains(says, "nested too deeply") || strings.Count(says, "\n") != 1 {
		t.Errorf("200,000 parentheses: %q", says)
	}
}

// FuzzParse: no text makes the parser panic or run without end.
func FuzzParse(f *testing.F) {
	f.Add(declarations)
	f.Add("int main(void) { for (int i = 0; i < 3; i++) { x: if (i) goto x; else continue; } switch (1) { case 1 ... 2: default: ; } return ({ int y = 1; y; }); }\n")
	f.Add("struct s { int a : 3; struct { int b; }; } v = { .b = 1, }; int f(a, b) int a; char b; { asm volatile (\"nop\" : \"=r\"(a) : \"r\"(b) : \"memory\"); return _Generic(a, int: 1, default: 2); }\n")
	f.Add("typedef int t; t *f(t t) { return (void *)&(int[]){ [1 ... 2] = sizeof(t), }; } enum e { A, B = A + 1 } __attribute__((packed)); [[nodiscard]] int (*(*g)(void))[3];\n")
	f.Fuzz(func(t *testing.T, text string) { parseDefault(text) })
}

// BenchmarkParse parses a large file with all its functions.
func BenchmarkParse(b *testing.B) {
	text := largeFile()
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		if _, says := parseDefault(text); says != "" {
			b.Fatal(says)
		}
	}
}

// BenchmarkDeclarations parses a large file without the bodies of its functions.
func BenchmarkDeclarations(b *testing.B) {
	text := largeFile()
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		if u := parsedOnly(b, text); len(u.Problems) > 0 {
			b.Fatal(u.Problems)
		}
	}
}

func largeFile() string {
	var text strings.Builder
	text.WriteString("#define MAX(a, b) ((a) > (b) ? (a) : (b))\n#define LIMIT 100\nstruct node { int value[LIMIT]; struct node *next; };\n")
	for i := range 2500 {
		text.WriteString("static int function_" + itoa(int64(i)) + "(int first, struct node *second)\n{\n\tint result = 0; /* a comment */\n\tfor (int i = 0; i < LIMIT; i++) {\n\t\tresult += MAX(first, second->value[i]); // more\n\t}\n\treturn result;\n}\n")
	}
	return text.String()
}
