package translate_test

import (
	"fmt"
	"math/rand"
	"os/exec"
	"strings"
	"testing"

	"fencepost/internal/testkit"
	"fencepost/verdict"
)

// Integers of 128 bits, in generated programs, must have the values that gcc computes. A program assigns
// expressions to its variables; gcc compiles many programs at once and prints the assignments with
// assertions.

// wideGenerator makes one program. All names begin with its prefix.
type wideGenerator struct {
	r      *rand.Rand
	prefix string
}

var wideVariables = []struct{ name, typ string }{
	{"a", "unsigned __int128"}, {"b", "unsigned __int128"}, {"c", "__int128"}, {"d", "__int128"}, {"s.v", ""}, {"e", "long"}, {"f", "unsigned"}, {"g", "short"},
}

const widePreamble = `
struct wide { char tag; __int128 v; };
static unsigned __int128 twist(unsigned __int128 x, int n, __int128 y) { return n & 1 ? x ^ y : x + (y >> 3); }
static struct wide make(__int128 v) { struct wide w = { 1, v }; return w; }
static int truth(__int128 v) { if (v) return 1; return 0; }
`

func (g *wideGenerator) pick(list ...string) string { return list[g.r.Intn(len(list))] }

func (g *wideGenerator) variable() string {
	return g.prefix + wideVariables[g.r.Intn(len(wideVariables))].name
}

func (g *wideGenerator) constant() string {
	switch g.r.Intn(4) {
	case 0:
		return fmt.Sprintf("(%d)", g.r.Intn(20)-10)
	case 1:
		return fmt.Sprintf("0x%xUL", g.r.Uint64())
	case 2:
		return fmt.Sprintf("((unsigned __int128)0x%xUL << %d)", g.r.Uint64(), g.r.Intn(128))
	}
	return fmt.Sprintf("((__int128)%dL)", g.r.Int63()-1<<62)
}

// expr has no side effects.
func (g *wideGenerator) expr(d int) string {
	if d == 0 {
		if g.r.Intn(3) == 0 {
			return g.constant()
		}
		return g.variable()
	}
	x := func() string { return g.expr(d - 1) }
	switch g.r.Intn(13) {
	case 0, 1, 2:
		return fmt.Sprintf("(%s %s %s)", x(), g.pick("+", "-", "*"), x())
	case 3:
		return fmt.Sprintf("(%s %s %s)", x(), g.pick("&", "|", "^"), x())
	case 4, 5:
		return fmt.Sprintf("((__int128)%s %s (%s | 1))", x(), g.pick("/", "%"), x())
	case 6:
		return fmt.Sprintf("((unsigned __int128)%s %s (%s | 1))", x(), g.pick("/", "%"), x())
	case 7:
		return fmt.Sprintf("((%s)%s %s (%s & 127))", g.pick("__int128", "unsigned __int128"), x(), g.pick("<<", ">>"), x())
	case 8:
		return fmt.Sprintf("(%s %s %s)", x(), g.pick("<", "<=", ">", ">=", "==", "!=", "&&", "||"), x())
	case 9:
		return fmt.Sprintf("(%s%s)", g.pick("-", "~", "!", "+"), x())
	case 10:
		return fmt.Sprintf("((%s)%s)", g.pick("int", "unsigned long", "short", "__int128", "unsigned __int128", "_Bool"), x())
	case 11:
		return fmt.Sprintf("(%s ? %s : %s)", x(), x(), x())
	}
	return g.pick("twist("+x()+", "+x()+", "+x()+")", "make("+x()+").v", "truth("+x()+")")
}

// program returns the variables and the statements.
func (g *wideGenerator) program() (globals, statements string) {
	var b, s strings.Builder
	fmt.Fprintf(&b, "static struct wide %ss = { 1, %s };\n", g.prefix, g.constant())
	for _, v := range wideVariables {
		if v.typ != "" {
			fmt.Fprintf(&b, "static %s %s%s = %s;\n", v.typ, g.prefix, v.name, g.constant())
		}
	}
	for range 6 {
		v := g.variable()
		switch g.r.Intn(4) {
		case 0:
			fmt.Fprintf(&s, "  DO(%s %s= %s)\n", v, g.pick("+", "-", "*", "&", "|", "^"), g.expr(1))
		case 1:
			fmt.Fprintf(&s, "  DO(%s)\n", g.pick(v+"++", v+"--", "++"+v, "--"+v))
		default:
			fmt.Fprintf(&s, "  DO(%s = %s)\n", v, g.expr(3))
		}
		fmt.Fprintf(&s, "  value(\"%s\", %s);\n", v, v)
	}
	return b.String(), s.String()
}

func TestWideGCC(t *testing.T) {
	gcc, err := exec.LookPath("gcc")
	if err != nil {
		t.Skip("no gcc here: integers of 128 bits are not compared")
	}
	count := 5
	if testkit.Slow() {
		count = 2000
	}
	const batch = 10
	for first := 0; first < count && !t.Failed(); first += batch {
		wideBatch(t, gcc, first, min(batch, count-first))
	}
}

// wideBatch compares some programs, which gcc compiles together.
func wideBatch(t *testing.T, gcc string, first, count int) {
	var globals, statements strings.Builder
	for i := first; i < first+count; i++ {
		g := &wideGenerator{r: rand.New(rand.NewSource(int64(i))), prefix: fmt.Sprintf("p%d_", i)}
		b, s := g.program()
		globals.WriteString(b)
		statements.WriteString(s)
	}
	text := `#include <stdio.h>
#define DO(statement) statement; puts(#statement ";");
static void value(const char *what, __int128 is) {
  printf("assert((unsigned long)%s == 0x%lxUL && (unsigned long)((__int128)%s >> 64) == 0x%lxUL);\n", what, (unsigned long)is, what, (unsigned long)(is >> 64));
}
` + widePreamble + globals.String() + "int main(void) {\n" + statements.String() + "  return 0;\n}\n"
	full := "#include <assert.h>\n" + widePreamble + globals.String() + "int main(void) {\n" + testkit.OutputOf(t, gcc, text) + "  return 0;\n}\n"
	if got := testkit.CheckC(t, full); got != verdict.Safe {
		t.Errorf("programs %d to %d: %s, want safe\n%s", first, first+count-1, got, full)
	}
}
