package translate_test

import (
	"fmt"
	"math/rand"
	"os"
	"os/exec"
	"strings"
	"testing"

	"fencepost/internal/testkit"
	"fencepost/verdict"
)

// Sequential C, generated and compiled with gcc, must compute the same here. A
// program adds what it computes to a checksum; gcc's value is asserted, and then
// a wrong one.

var intTypes = []string{
	"char", "signed char", "unsigned char", "short", "unsigned short", "int", "unsigned", "long", "unsigned long", "long long", "_Bool",
	"enum small",
}

// generator makes one program. All names begin with its prefix, so that gcc can
// compile many at once.
type generator struct {
	r       *rand.Rand
	prefix  string
	out     strings.Builder
	scalars []string // lvalues of integer type
	written []string // variables that statements may change
	inFunc  bool     // called by expressions: must not change what they read
	fixed   bool     // no arrays of variable size
	funcs   []string
	structs []string // functions from and to struct pair
	fresh   int
	depth   int
}

func (g *generator) name() string {
	g.fresh++
	return fmt.Sprintf("%sv%d", g.prefix, g.fresh)
}

func (g *generator) pick(list []string) string { return list[g.r.Intn(len(list))] }

func (g *generator) constant() string {
	switch g.r.Intn(6) {
	case 0:
		return fmt.Sprint(g.r.Intn(10))
	case 1:
		return fmt.Sprintf("0x%xu", g.r.Uint32())
	case 2:
		return fmt.Sprintf("%dL", g.r.Int63())
	case 3:
		return fmt.Sprintf("'%c'", 'a'+rune(g.r.Intn(26)))
	case 4:
		return fmt.Sprintf("(-%d)", g.r.Intn(1<<20))
	}
	return g.pick([]string{"2147483647", "(-2147483647-1)", "18446744073709551615ul", "255", "65535", "sizeof(long)", "sizeof(struct pair)"})
}

// expr has no side effects: C leaves the order of operands open.
func (g *generator) expr(d int) string {
	if d == 0 {
		if g.r.Intn(3) == 0 {
			return g.constant()
		}
		return g.pick(g.scalars)
	}
	x := func() string { return g.expr(d - 1) }
	switch g.r.Intn(23) {
	case 0, 1, 2:
		return fmt.Sprintf("(%s %s %s)", x(), g.pick([]string{"+", "-", "*"}), x())
	case 3, 4:
		return fmt.Sprintf("(%s %s %s)", x(), g.pick([]string{"&", "|", "^"}), x())
	case 5:
		return fmt.Sprintf("(%s %s ((%s & 15) + 1))", x(), g.pick([]string{"/", "%"}), x())
	case 6:
		return fmt.Sprintf("(%s %s (%s & %d))", x(), g.pick([]string{"<<", ">>"}), x(), 31)
	case 7, 8:
		return fmt.Sprintf("(%s %s %s)", x(), g.pick([]string{"<", ">", "<=", ">=", "==", "!="}), x())
	case 9:
		return fmt.Sprintf("(%s %s %s)", x(), g.pick([]string{"&&", "||"}), x())
	case 10:
		return fmt.Sprintf("(%s ? %s : %s)", x(), x(), x())
	case 11:
		return fmt.Sprintf("(%s%s)", g.pick([]string{"-", "~", "!", "+"}), x())
	case 12, 13:
		return fmt.Sprintf("((%s)%s)", g.pick(intTypes), x())
	case 14:
		if len(g.funcs) > 0 {
			return fmt.Sprintf("%s(%s, %s)", g.pick(g.funcs), x(), x())
		}
	case 15, 16:
		return fmt.Sprintf("%s[%s & 3]", g.prefix+"arr", x())
	case 17:
		return fmt.Sprintf("((struct pair){ .b = %s, %s, %s, .a = %s }).%s", x(), x(), x(), x(), g.pick([]string{"a", "b", "c[0]", "c[1]", "c[2]"}))
	case 18:
		v := g.name()
		return fmt.Sprintf("({ %s %s = %s; %s %s= %s; %s; })", g.pick(intTypes), v, x(), v, g.pick([]string{"+", "^", "-"}), x(), v)
	case 19:
		return fmt.Sprintf("(%s ?: %s)", g.pick(g.scalars), x()) // cc fails on constants here
	case 20:
		if len(g.structs) > 0 {
			return fmt.Sprintf("%s(%s, %s).%s", g.pick(g.structs), g.prefix+"st", x(), g.pick([]string{"a", "b", "c[2]"}))
		}
	case 21:
		return fmt.Sprintf("vsum(%d, (long)%s, (long)%s)", 1+g.r.Intn(2), x(), x())
	case 22:
		return fmt.Sprintf("((struct bits){ %s, .d = %s, .b = %s }).%s", x(), x(), x(), g.pick(bitFields))
	}
	return g.pick(g.scalars)
}

func (g *generator) line(format string, args ...any) {
	g.out.WriteString(strings.Repeat("  ", g.depth+1))
	fmt.Fprintf(&g.out, format+"\n", args...)
}

func (g *generator) statement(d int) {
	v := g.pick(g.written)
	switch n := g.r.Intn(19); {
	case n < 4:
		g.line("%s = %s;", v, g.expr(2))
	case n == 4:
		g.line("%s %s= %s;", v, g.pick([]string{"+", "-", "*", "&", "|", "^"}), g.expr(1))
	case n == 5:
		g.line("%s;", g.pick([]string{v + "++", v + "--", "++" + v, "--" + v}))
	case n == 6 && !g.inFunc:
		g.line("%sptr = &%sarr[%s & 3]; *%sptr += %s; %ssum += (unsigned long)(%sptr - %sarr);", g.prefix, g.prefix, g.expr(1),
			g.prefix, g.expr(1), g.prefix, g.prefix, g.prefix)
	case n == 7 && !g.inFunc:
		g.line("%ssum = %ssum * 31 + (unsigned long)(%s++ + 1);", g.prefix, g.prefix, v)
	case n == 12 && !g.inFunc:
		g.line("%ssum += (unsigned long)(%s %s (%s = %s, %s));", g.prefix, g.expr(1), g.pick([]string{"&&", "||"}), v, g.expr(1), g.expr(1))
	case n == 15 && !g.inFunc:
		g.line("%sst = %s(%s ? %sst : (struct pair){ .b = %s }, %s);", g.prefix, g.pick(g.structs), g.expr(1), g.prefix, g.expr(1), g.expr(1))
	case n == 16 && !g.inFunc && !g.fixed && d == 2:
		size, i := g.name(), g.name()
		g.line("{ int %s = %d + (%s & 3); short %s_a[%s]; for (int %s = 0; %s < %s; %s++) %s_a[%s] = %s * 3;", size, 1+g.r.Intn(3), g.expr(1), size, size, i, i, size, i, size, i, i)
		g.line("  %s = %s_a[%s - 1] + sizeof(%s_a); }", v, size, size, size)
	case n == 17 && d > 0:
		g.line("switch (%s) {", g.expr(1))
		g.line("case -100 ... 5: %s = %s; break;", v, g.expr(1))
		g.line("default: ;")
		g.block(d - 1)
		g.line("case 6 ... 100: %s = %s;", v, g.expr(1))
		g.line("}")
	case n == 18 && !g.inFunc:
		g.line("{ struct bits %sl = %sbf; %sl.%s = %s; %sbf = %sl; }", g.prefix, g.prefix, g.prefix, g.pick(bitFields), g.expr(1), g.prefix, g.prefix)
	case n == 8 && d > 0:
		g.line("if (%s) {", g.expr(2))
		g.block(d - 1)
		g.line("} else {")
		g.block(d - 1)
		g.line("}")
	case n == 9 && d > 0:
		i := g.name()
		g.line("for (int %s = 0; %s < %d; %s++) {", i, i, 1+g.r.Intn(4), i)
		g.block(d - 1)
		g.line("  if (%s) %s;", g.expr(1), g.pick([]string{"break", "continue"}))
		g.line("}")
	case n == 10 && d > 0:
		g.line("switch (%s & 3) {", g.expr(1))
		g.line("case 0:")
		g.block(d - 1)
		g.line("case 1: %s = %s; break;", v, g.expr(1))
		g.line("default:")
		g.block(d - 1)
		g.line("}")
	case n == 11 && d > 0:
		i := g.name()
		g.line("int %s = %d;", i, 1+g.r.Intn(3))
		g.line("%s {", g.pick([]string{"while (" + i + "-- > 0)", "while (--" + i + " >= 0)"}))
		g.block(d - 1)
		g.line("}")
	case g.inFunc:
		g.line("%s = %s;", v, g.expr(2))
	default:
		g.line("%ssum = %ssum * 31 + (unsigned long)%s;", g.prefix, g.prefix, g.expr(2))
	}
}

func (g *generator) block(d int) {
	g.depth++
	for range 1 + g.r.Intn(3) {
		g.statement(d)
	}
	g.depth--
}

const preamble = `#include <stdarg.h>
struct pair { signed char a; long b; unsigned short c[3]; };
union word { unsigned long l; unsigned char b[8]; short s[4]; };
enum small { ZERO, ONE, TWO = 7 };
struct bits { unsigned a : 3; int b : 5; _Bool c : 1; long d : 31; unsigned char : 0; short e : 9; unsigned long f : 20; enum small g : 4; };
static long vsum(int n, ...) {
  va_list ap;
  long s = n;
  va_start(ap, n);
  while (n-- > 0) s = s * 7 + va_arg(ap, long);
  va_end(ap);
  return s;
}
`

var bitFields = []string{"a", "b", "c", "d", "e", "f", "g"}

// program writes a program whose entry is PREFIXrun and whose answer PREFIXsum.
func (g *generator) program() string {
	p := g.prefix
	fmt.Fprintf(&g.out, "unsigned long %ssum;\n", p)
	fmt.Fprintf(&g.out, "static %s %sarr[4] = { [1] = %d, %d };\n", "int", p, g.r.Intn(100), -g.r.Intn(100))
	fmt.Fprintf(&g.out, "static int *%sptr = &%sarr[2];\n", p, p)
	fmt.Fprintf(&g.out, "static struct pair %sst = { .b = %d, .c = { 1, 2 } };\nstatic union word %sun;\n", p, g.r.Intn(1000), p)
	fmt.Fprintf(&g.out, "static struct bits %sbf = { 5, -7, .f = %d, .g = 3 };\n", p, g.r.Intn(1<<20))
	for _, b := range bitFields {
		g.scalars = append(g.scalars, p+"bf."+b)
	}
	g.scalars = append(g.scalars, p+"st.a", p+"st.b", p+"st.c[1]", p+"un.b[2]", p+"un.s[1]", p+"un.l", "(*"+p+"ptr)")
	for range 4 {
		n := g.name()
		fmt.Fprintf(&g.out, "%s %s = %d;\n", g.pick(intTypes), n, g.r.Intn(200)-100)
		g.scalars = append(g.scalars, n)
	}
	globals := g.scalars
	for range 2 {
		f := g.name()
		fmt.Fprintf(&g.out, "static %s %s(%s x, %s y) {\n", g.pick(intTypes), f, g.pick(intTypes), g.pick(intTypes))
		g.scalars = append(append([]string(nil), globals...), "x", "y")
		g.written, g.inFunc = []string{"x", "y"}, true
		g.block(1)
		g.line("return %s;", g.expr(2))
		g.out.WriteString("}\n")
		g.funcs = append(g.funcs, f)
	}
	for range 2 {
		f := g.name()
		fmt.Fprintf(&g.out, "static struct pair %s(struct pair s, %s x) {\n", f, g.pick(intTypes))
		g.scalars = append(append([]string(nil), globals...), "x", "s.a", "s.b", "s.c[1]")
		g.written, g.inFunc = []string{"x", "s.a", "s.b", "s.c[0]", "s.c[2]"}, true
		g.block(1)
		g.line("return s;")
		g.out.WriteString("}\n")
		g.structs = append(g.structs, f)
	}
	fmt.Fprintf(&g.out, "void %srun(void) {\n", p)
	g.scalars, g.inFunc = globals, false
	for range 3 {
		n := g.name()
		g.line("%s %s = %s;", g.pick(intTypes), n, g.expr(1))
		g.scalars = append(g.scalars, n)
	}
	g.written = g.scalars
	for range 8 {
		g.statement(2)
	}
	for _, v := range g.scalars {
		g.line("%ssum = %ssum * 31 + (unsigned long)%s;", p, p, v)
	}
	g.out.WriteString("}\n")
	return g.out.String()
}

func TestDifferentialGCC(t *testing.T) {
	gcc, err := exec.LookPath("gcc")
	if err != nil {
		t.Skip("no gcc here: generated C is not compared")
	}
	count := 12
	if testkit.Slow() {
		count = 2000
	}
	if s := os.Getenv("FENCEPOST_C_PROGRAMS"); s != "" {
		fmt.Sscan(s, &count)
	}
	var all, calls strings.Builder
	all.WriteString("#include <stdio.h>\n" + preamble)
	var programs []string
	for i := range count {
		g := &generator{r: rand.New(rand.NewSource(int64(i))), prefix: fmt.Sprintf("p%d_", i)}
		programs = append(programs, g.program())
		all.WriteString(programs[i])
		fmt.Fprintf(&calls, "  p%d_run(); printf(\"%%lu\\n\", p%d_sum);\n", i, i)
	}
	fmt.Fprintf(&all, "int main(void) {\n%s  return 0;\n}\n", calls.String())
	values := strings.Fields(testkit.OutputOf(t, gcc, all.String()))
	for i, text := range programs {
		check := func(want verdict.Verdict, condition string) {
			full := fmt.Sprintf("#include <assert.h>\n%s%sint main(void) { p%d_run(); assert(p%d_sum %s %sul); return 0; }\n",
				preamble, text, i, i, condition, values[i])
			if got := testkit.CheckC(t, full); got != want {
				t.Errorf("program %d (%s gcc's value): %s, want %s\n%s", i, condition, got, want, full)
			}
		}
		check(verdict.Safe, "==")
		check(verdict.Unsafe, "!=")
		if t.Failed() {
			return
		}
	}
}
