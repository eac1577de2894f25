package preprocess_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"fencepost/internal/testkit"
)

// TestRandom compares random programs with gcc: macros of all kinds that use each other, #,
// ##, __VA_OPT__, conditions, files that include each other, comments and line breaks
// everywhere.
func TestRandom(t *testing.T) {
	programs := 60
	if testkit.Slow() {
		programs = 4000
	}
	dir := t.TempDir()
	failed := 0
	for seed := range programs {
		g := &generator{Rand: rand.New(rand.NewPCG(uint64(seed), 7))}
		for i := range 3 {
			name := fmt.Sprintf("h%d.h", i)
			if err := os.WriteFile(filepath.Join(dir, name), []byte(g.header(i)), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		text := g.program()
		std := []string{"-std=gnu17", "-std=gnu17", "-std=c17", "-std=gnu2x", "-std=gnu89", "-std=c99"}[g.IntN(6)]
		if !agree(t, dir, text, std, "-I", ".") {
			t.Fatalf("seed %d", seed)
		}
		if ours(t, dir, "a.c", []string{std, "-I", "."}).failed {
			failed++
		}
	}
	if failed*3 > programs*2 {
		t.Errorf("%d of %d programs are wrong, and say little", failed, programs)
	}
}

// generator makes programs.
type generator struct {
	*rand.Rand
	b     strings.Builder
	depth int
}

// generated is a macro: the number of its parameters, -1 if it is not function-like.
type generated struct {
	name     string
	params   int
	variadic bool
}

// A name has the same number of parameters in all its definitions.
var generatedMacros = []generated{
	{"A", -1, false}, {"B", -1, false}, {"C", 0, false}, {"D", 1, false}, {"E", 1, false}, {"F", 2, false}, {"G", 2, false}, {"H", 3, false},
	{"I", 1, true}, {"J", 2, true},
}

var generatedNames = []string{"A", "B", "C", "D", "E", "F", "G", "H", "I", "J"}

func (g *generator) pick(words ...string) string { return words[g.IntN(len(words))] }

func (g *generator) blank() string {
	return g.pick("", "", "", " ", " ", " ", "  ", "\t", "/**/", " /* x */ ")
}

// wide is white space that may contain line breaks.
func (g *generator) wide() string {
	if g.IntN(12) == 0 {
		return g.pick("\n", " \n ", "// c\n", "/*\n*/", "\\\n", " \\\n ")
	}
	return g.blank()
}

func (g *generator) header(i int) string {
	g.b.Reset()
	guarded := g.IntN(3) > 0
	if guarded {
		fmt.Fprintf(&g.b, "#ifndef H%d\n#define H%d\n", i, i)
	} else if g.IntN(2) == 0 {
		g.b.WriteString("#pragma once\n")
	}
	for range g.IntN(3) {
		g.define()
	}
	g.b.WriteString("h __LINE__ __INCLUDE_LEVEL__ __FILE__\n")
	g.line()
	if guarded {
		g.b.WriteString("#endif\n")
		if g.IntN(5) == 0 {
			g.line()
		}
	}
	return g.b.String()
}

func (g *generator) program() string {
	g.b.Reset()
	for range 4 + g.IntN(6) {
		g.define()
	}
	for range 4 + g.IntN(10) {
		g.item(0)
	}
	return g.b.String()
}

// item writes a line or a directive.
func (g *generator) item(depth int) {
	switch n := g.IntN(20); {
	case n < 3:
		g.define()
	case n == 3:
		fmt.Fprintf(&g.b, "#undef %s\n", g.pick(generatedNames...))
	case n == 4:
		fmt.Fprintf(&g.b, "#include %s\n", g.pick(`"h0.h"`, `"h1.h"`, `<h2.h>`, `"h2.h"`))
	case n == 5 && depth < 3:
		g.condition(depth)
	case n == 6:
		fmt.Fprintf(&g.b, "#line %d%s\n", 1+g.IntN(500), g.pick("", "", ` "x.c"`))
	case n == 7:
		fmt.Fprintf(&g.b, "#pragma foo %s\n", g.pick(generatedNames...))
	default:
		g.line()
	}
}

func (g *generator) condition(depth int) {
	switch g.IntN(4) {
	case 0:
		fmt.Fprintf(&g.b, "#%s %s\n", g.pick("ifdef", "ifndef"), g.pick(generatedNames...))
	default:
		fmt.Fprintf(&g.b, "#if %s\n", g.expression(3))
	}
	g.item(depth + 1)
	for range g.IntN(3) {
		fmt.Fprintf(&g.b, "#elif %s\n", g.expression(2))
		g.item(depth + 1)
	}
	if g.IntN(2) == 0 {
		g.b.WriteString("#else\n")
		g.item(depth + 1)
	}
	g.b.WriteString("# endif // x\n")
}

// expression is one for #if.
func (g *generator) expression(depth int) string {
	if depth == 0 {
		switch g.IntN(8) {
		case 0:
			return "defined " + g.pick(generatedNames...)
		case 1:
			return "defined(" + g.pick(generatedNames...) + ")"
		case 2:
			return g.pick(`'a'`, `'\n'`, `'\377'`, `L'x'`, `'\x41'`)
		case 3:
			return g.pick(`__has_include("h0.h")`, `__has_include(<none.h>)`, "__LINE__", "__COUNTER__", "xyz", "__INCLUDE_LEVEL__")
		default:
			return g.pick("0", "1", "2", "-1", "3u", "0x7fffffffffffffff", "18446744073709551615u", "07", "0xffu", "63", "5")
		}
	}
	a, b := g.expression(depth-1), g.expression(depth-1)
	switch g.IntN(9) {
	case 0:
		return "!(" + a + ")"
	case 1:
		return "~(" + a + ")"
	case 2:
		return "(" + a + ") ? (" + b + ") : " + g.expression(depth-1)
	case 3:
		return "- (" + a + ")"
	default:
		return "(" + a + g.blank() + ")" + g.pick("+", "-", "*", "/", "%", "<<", ">>", "<", ">", "<=", ">=", "==", "!=", "&", "|", "^", "&&", "||") + g.blank() + "(" + b + ")"
	}
}

// define writes a definition.
func (g *generator) define() {
	m := generatedMacros[g.IntN(len(generatedMacros))]
	var params []string
	for i := range max(0, m.params) {
		params = append(params, string(rune('x'+i)))
	}
	if m.variadic {
		params[m.params-1] = g.pick("...", "...", "r...")
	}
	fmt.Fprintf(&g.b, "#undef %s\n#%sdefine %s", m.name, g.pick("", "", " "), m.name)
	if m.params >= 0 {
		g.b.WriteString("(" + strings.Join(params, g.pick(",", ", ")) + ")")
	}
	g.b.WriteString(" ")
	for i, p := range params {
		if p == "..." {
			params[i] = "__VA_ARGS__"
		}
		params[i] = strings.TrimSuffix(params[i], "...")
	}
	g.body(&m, params, 1+g.IntN(7), false)
	g.b.WriteString("\n")
}

// body writes the body of a macro.
func (g *generator) body(m *generated, params []string, length int, optional bool) {
	for i := range length {
		if i > 0 {
			g.b.WriteString(g.pick(" ", " ", " ", "", "  ", "/**/"))
		}
		switch n := g.IntN(16); {
		case n < 5 && len(params) > 0:
			g.b.WriteString(g.pick(params...))
		case n == 5 && len(params) > 0:
			g.b.WriteString(" #" + g.blank() + g.pick(params...))
		case n == 6 && len(params) > 0 && g.IntN(3) == 0:
			fmt.Fprintf(&g.b, " p%s##%s%s", g.blank(), g.blank(), g.pick(params...))
		case n == 7 && len(params) > 1 && g.IntN(4) == 0:
			fmt.Fprintf(&g.b, " %s##%s%s", g.pick(params...), g.blank(), g.pick(params...))
		case n == 8 && m.variadic:
			fmt.Fprintf(&g.b, ",%s##%s%s", g.blank(), g.blank(), params[len(params)-1])
		case n == 9 && m.variadic && !optional:
			g.b.WriteString(g.pick("", "", " #", " q ## ") + "__VA_OPT__(")
			g.body(m, params, g.IntN(4), true)
			g.b.WriteString(g.pick(")", ")", ") ## s"))
		case n < 12:
			m := generatedMacros[g.IntN(len(generatedMacros))]
			if g.b.WriteString(m.name); m.params >= 0 && g.IntN(4) > 0 {
				g.b.WriteString("(")
				for i := range m.params {
					if i > 0 {
						g.b.WriteString(",")
					}
					g.b.WriteString(g.pick(append(params, "1", "", "A", "D(2)")...))
				}
				g.b.WriteString(")")
			}
		default:
			g.b.WriteString(g.pick("1", "a", "+", "-", "(u)", "=", "b", `"s\n"`, "'c'", ";", "__LINE__", "__COUNTER__", ".", "L "))
		}
	}
}

// line writes a line that uses macros.
func (g *generator) line() {
	for range 1 + g.IntN(5) {
		g.use()
		g.b.WriteString(g.wide())
	}
	g.b.WriteString(";\n")
}

func (g *generator) use() {
	if g.IntN(5) == 0 || g.depth > 3 {
		g.b.WriteString(g.pick("1 ", "a ", "+ ", `"q\"" `, "b ", "'x' ", ".5 ", `"w" `, "- ", "__LINE__ ", "x", "p"))
		return
	}
	m := generatedMacros[g.IntN(len(generatedMacros))]
	g.b.WriteString(m.name)
	if m.params < 0 || g.IntN(12) == 0 {
		g.b.WriteString(" ")
		return
	}
	count := m.params
	if m.variadic {
		if count += g.IntN(3) - 1; count < 1 {
			count = 1
		}
	}
	g.b.WriteString(g.wide() + "(")
	g.depth++
	for i := range count {
		if i > 0 {
			g.b.WriteString(",")
		}
		g.b.WriteString(g.wide())
		for range g.IntN(3) {
			switch g.IntN(6) {
			case 0:
				g.b.WriteString("b (")
				g.use()
				g.b.WriteString("," + g.pick("a", "1") + ")")
			case 1, 2:
				g.use()
			default:
				g.b.WriteString(g.pick("a", "b1", "7", "c_", "x", " p ", "A", "B"))
			}
			g.b.WriteString(g.wide())
		}
	}
	g.depth--
	g.b.WriteString(")")
}
