package read

import (
	"io/fs"
	"slices"
	"strings"
	"testing"

	"modernc.org/cc/v4"

	"fencepost/internal/diag"
	"fencepost/internal/source"
)

// TestDeclaredNames: what cc finds in our headers is in a part that has the name.
func TestDeclaredNames(t *testing.T) {
	text := "#define _GNU_SOURCE\n"
	err := fs.WalkDir(headers, "include", func(name string, d fs.DirEntry, err error) error {
		name = strings.TrimPrefix(name, "include/")
		if !d.IsDir() && name != predefinedName && !strings.HasPrefix(name, "fencepost/linux") {
			text += "#include <" + name + ">\n"
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{text, "#include <fencepost/linux.h>\n"} {
		f := source.NewFile("main.c", []byte(text))
		diags := &diag.List{}
		ast := NewInput([]*source.File{f}, Options{WholeHeaders: true}, diags).Parse(f, "", "")
		if ast == nil {
			t.Fatal(diags.All[0].Message)
		}
		n := 0
		check := func(name string, node cc.Node) {
			at := node.Position()
			header, ours := strings.CutPrefix(at.Filename, HeaderDir+"/")
			if !ours {
				return
			}
			n++
			h := ourHeader(header)
			found := slices.ContainsFunc(h.parts, func(p *part) bool {
				return p.line <= at.Line && at.Line < p.line+p.lines && (p.names == nil || slices.Contains(p.names, name) && slices.Contains(h.byName[name], p))
			})
			if !found {
				t.Errorf("%s: no part has %s", at, name)
			}
		}
		for name, nodes := range ast.Scope.Nodes {
			for _, node := range nodes {
				if s, ok := node.(*cc.StructOrUnionSpecifier); ok && s.Case != cc.StructOrUnionSpecifierDef {
					continue // a user who mentions it declares it as well
				}
				check(name, node)
			}
		}
		for name, m := range ast.Macros {
			check(name, m)
		}
		if n < 100 {
			t.Errorf("only %d names", n)
		}
	}
}

// TestSplit: parts of headers, their lines and names.
func TestSplit(t *testing.T) {
	for _, test := range []struct{ text, want string }{
		{"int a;\n\n/* b */ int c(void); // d\nstruct e;\n", "1 a|3 c|4 e"},
		{"#ifdef A\nint a; int b;\n#endif\n", "1 *|2 a b|3 *"},
		{"#define M(x) \\\n  x /* y\n */ z\nint a;\n", "1 M|4 a"},
		{"typedef struct s { int x; enum { E, F = 2 } y; union { int p; } u; } t, *u[2];\n", "1 s E F t u"},
		{"typedef int (*f)(int g), h;\ntypedef _Atomic(int) i;\n", "1 f h|2 i"},
		{"static inline int f(int x) {\n  { return x; }\n}\nint g(int y), k(void);\n", "1 f|4 g k"},
		{"void (*signal(int s, void (*)(int)))(int);\n", "1 signal s"},
		{"struct a {\n#ifdef B\n  int b;\n#endif\n};\n", "1 *"},
		{"extern char *s; /* a\n b */ int c;\nvoid d(void) __attribute__((__noreturn__));\n", "1 s|2 c|3 d"},
		{"enum e { A = sizeof(int), B };\nint x[2], y = 3;\nint *z(void), w;\n", "1 e A B|2 x y|3 z w"},
	} {
		var got []string
		for _, p := range split([]byte(test.text)) {
			names := strings.Join(p.names, " ")
			if p.names == nil {
				names = "*"
			}
			got = append(got, string(rune('0'+p.line))+" "+names)
		}
		if strings.Join(got, "|") != test.want {
			t.Errorf("%s\nwant %s\ngot  %s", test.text, test.want, strings.Join(got, "|"))
		}
	}
}

// TestPastedDeclarations: a declaration that a pasting macro makes is in every selection, and one whose
// name a macro changes has both names.
func TestPastedDeclarations(t *testing.T) {
	x := newHeader([]byte("#define TWO(f) int f(void); int f##l(void);\nTWO(a);\nint b;\n"))
	y := newHeader([]byte("#define a(x) b(x)\nint a(int);\n"))
	if len(y.byName["b"]) != 1 {
		t.Errorf("%+v", y.byName)
	}
	if p := x.parts; len(p) != 3 || p[0].names == nil || p[1].names != nil || p[2].names == nil {
		t.Errorf("%+v", p)
	}
}
