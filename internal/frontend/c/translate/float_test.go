package translate_test

import (
	"fmt"
	"math"
	"math/rand"
	"os/exec"
	"strconv"
	"strings"
	"testing"

	"fencepost/internal/testkit"
	"fencepost/verdict"
)

// Programs that compute with float and double, generated and compiled with gcc, must compute the
// same here. A program mixes the bits of what it computes into a checksum; gcc's values are asserted.
// NaNs count as one number: gcc chooses which operand of a sum comes first.

const floatPreamble = `#include <stdarg.h>
#include <math.h>
#include <string.h>
struct mixed { float f; double d[2]; short s; };
union number { double d; float f[2]; unsigned long u; unsigned i[2]; };
static unsigned long mixd(double d) {
  union number n;
  n.d = d;
  return d == d ? n.u : 12345;
}
static unsigned long mixf(float f) {
  unsigned u;
  memcpy(&u, &f, sizeof u);
  return f == f ? u : 12345;
}
static double vadd(int n, ...) {
  va_list ap;
  double s = n;
  va_start(ap, n);
  while (n-- > 0) s = s / 3 + va_arg(ap, double);
  va_end(ap);
  return s;
}
`

// numberTypes are the integer types of these programs, which have no enumeration.
var numberTypes = intTypes[:len(intTypes)-1]

// floatGenerator makes one program. All names begin with its prefix, so that gcc can compile many
// at once.
type floatGenerator struct {
	r        *rand.Rand
	prefix   string
	out      strings.Builder
	floats   []string // lvalues of type float or double
	integers []string
	fresh    int
}

func (g *floatGenerator) pick(list ...string) string { return list[g.r.Intn(len(list))] }

func (g *floatGenerator) name() string {
	g.fresh++
	return fmt.Sprintf("%sv%d", g.prefix, g.fresh)
}

// constant returns a constant of type float or double, in decimal or hexadecimal. It is not 0.0: gcc 12
// makes -(double)i of 0.0 - i, which is -0.0 for i == 0.
func (g *floatGenerator) constant() string {
	var v float64
	switch g.r.Intn(6) {
	case 0:
		v = float64(g.r.Intn(20))
	case 1:
		v = g.r.NormFloat64()
	case 2:
		v = math.Ldexp(1+g.r.Float64(), g.r.Intn(280)-140)
	case 3:
		v = float64(g.r.Uint64())
	case 4:
		v = math.Ldexp(g.r.Float64(), g.r.Intn(1900)-950)
		return strconv.FormatFloat(v, 'e', -1, 64)
	default:
		return g.pick("1.0", "0.1", "0.1f", "16777216.0f", "3.4028234e38f", "1e-45f", "1e-310", "9007199254740993.0", "4294967296.0", "9.223372036854775807e18", "1e22", ".5", "2.", "1.e1f")
	}
	v = max(math.Abs(v), 1e-37)
	text := strconv.FormatFloat(v, "ex"[g.r.Intn(2)], g.r.Intn(12), 64)
	return text + g.pick("", "f", "F")
}

// float returns an expression of type float or double, mostly: a conditional or a sum with an
// integer has the type that C gives it.
func (g *floatGenerator) float(d int) string {
	if d == 0 {
		if g.r.Intn(4) == 0 {
			return g.constant()
		}
		return g.pick(g.floats...)
	}
	x, n := func() string { return g.float(d - 1) }, func() string { return g.integer(d - 1) }
	switch g.r.Intn(18) {
	case 16:
		return fmt.Sprintf("%s%s(%s)", g.pick("fabs", "floor", "ceil", "trunc", "round", "rint", "sqrt"), g.pick("", "f"), x())
	case 17:
		return fmt.Sprintf("%s%s(%s, %s)", g.pick("fmin", "fmax", "copysign", "fdim"), g.pick("", "f"), x(), x())
	case 0, 1, 2, 3:
		return fmt.Sprintf("(%s %s %s)", x(), g.pick("+", "-", "*", "/"), x())
	case 4, 5:
		return fmt.Sprintf("(%s %s %s)", x(), g.pick("+", "-", "*", "/"), n())
	case 6:
		return fmt.Sprintf("(%s %s %s)", n(), g.pick("+", "-", "*", "/"), x())
	case 7:
		return fmt.Sprintf("(%s%s)", g.pick("-", "+"), x())
	case 8, 9:
		return fmt.Sprintf("((%s)%s)", g.pick("float", "double"), g.pick(x(), n()))
	case 10:
		return fmt.Sprintf("(%s ? %s : %s)", n(), x(), g.pick(x(), n()))
	case 11:
		return fmt.Sprintf("%sf(%s, %s)", g.prefix, x(), g.pick(x(), n()))
	case 12:
		return fmt.Sprintf("vadd(%d, (double)%s, (float)%s)", 1+g.r.Intn(2), x(), x())
	case 13:
		return fmt.Sprintf("((struct mixed){ %s, .s = %s, .d = { [1] = %s } }).%s", x(), n(), x(), g.pick("f", "d[0]", "d[1]"))
	case 14:
		v := g.name()
		return fmt.Sprintf("({ %s %s = %s; %s %s= %s; %s; })", g.pick("float", "double"), v, x(), v, g.pick("+", "-", "*", "/"), x(), v)
	default:
		return fmt.Sprintf("(%s ?: %s)", g.pick(g.floats...), x())
	}
}

// integer returns an expression of integer type.
func (g *floatGenerator) integer(d int) string {
	if d == 0 {
		return g.pick(g.integers...)
	}
	x, n := func() string { return g.float(d - 1) }, func() string { return g.integer(d - 1) }
	switch g.r.Intn(8) {
	case 0, 1:
		return fmt.Sprintf("(%s %s %s)", x(), g.pick("<", ">", "<=", ">=", "==", "!="), g.pick(x(), n()))
	case 2, 3:
		// Of constants gcc computes what C leaves undefined in its own way.
		return fmt.Sprintf("((%s)(%s + %s))", g.pick(numberTypes...), g.pick(g.floats...), x())
	case 4:
		return fmt.Sprintf("(!%s)", x())
	case 5:
		return fmt.Sprintf("(%s %s %s)", x(), g.pick("&&", "||"), g.pick(x(), n()))
	case 6:
		return fmt.Sprintf("(%s %s %s)", n(), g.pick("+", "-", "*"), n())
	default:
		return g.pick(g.integers...)
	}
}

func (g *floatGenerator) statement(d int) {
	v, i, p := g.pick(g.floats...), g.pick(g.integers...), g.prefix
	line := func(format string, args ...any) { fmt.Fprintf(&g.out, "  "+format+"\n", args...) }
	switch g.r.Intn(13) {
	case 0, 1, 2:
		line("%s = %s;", v, g.float(2))
	case 3, 4:
		line("%s %s= %s;", v, g.pick("+", "-", "*", "/"), g.pick(g.float(1), g.integer(1)))
	case 5:
		line("%s;", g.pick(v+"++", v+"--", "++"+v, "--"+v))
	case 6:
		line("%s = %s + %s;", i, v, g.float(1)) // converted to an integer
	case 7:
		line("%s %s= %s + %s;", i, g.pick("+", "-", "*"), v, g.float(1))
	case 8:
		line("%sn.%s = %s; %s", p, g.pick("d", "f[0]", "f[1]"), g.float(1), fmt.Sprintf("%ssum += %sn.u * 3;", p, p))
		line("if (%sn.d != %sn.d || %sn.f[0] != %sn.f[0] || %sn.f[1] != %sn.f[1]) %sn.u = 1; else %ssum ^= %sn.u;", p, p, p, p, p, p, p, p, p)
	case 9:
		if d > 0 {
			line("for (%s %sx = 0; %sx < %d; %sx += %s) {", g.pick("float", "double"), p, p, 1+g.r.Intn(3), p, g.pick("0.5f", "0.75", "1"))
			g.statement(d - 1)
			line("}")
		}
	case 10:
		if d > 0 {
			line("if (%s) {", g.pick(g.float(1), g.integer(2)))
			g.statement(d - 1)
			line("} else {")
			g.statement(d - 1)
			line("}")
		}
	case 11:
		line("%sm.s = %s + %s; %sm.d[%s & 1] = %s;", p, v, g.float(1), p, i, g.integer(1))
	default:
		line("%ssum = %ssum * 31 + mix%s(%s);", p, p, g.pick("d", "f"), g.float(2))
	}
}

// program writes a program whose entry is PREFIXrun and whose answer PREFIXsum.
func (g *floatGenerator) program() string {
	p := g.prefix
	fmt.Fprintf(&g.out, "unsigned long %ssum;\nstatic union number %sn;\n", p, p)
	fmt.Fprintf(&g.out, "static struct mixed %sm = { %s, { %s * 3, %s - %s }, %d };\n", p, g.constant(), g.constant(), g.constant(), g.constant(), g.r.Intn(99))
	fmt.Fprintf(&g.out, "static float %sa[3] = { [1] = %s, %d };\n", p, g.constant(), g.r.Intn(100))
	fmt.Fprintf(&g.out, "static %s %sf(%s x, %s y) { return x %s y * %s; }\n", g.pick("float", "double"), p, g.pick("float", "double"), g.pick("float", "double"), g.pick("+", "-"), g.constant())
	g.floats = []string{p + "m.f", p + "m.d[0]", p + "m.d[1]", p + "a[0]", p + "a[1]"}
	for range 3 {
		f, i := g.name(), g.name()
		fmt.Fprintf(&g.out, "%s %s = %s%s;\n%s %s = %d;\n", g.pick("float", "double"), f, g.pick("", "-"), g.constant(), g.pick(numberTypes...), i, g.r.Intn(200)-100)
		g.floats, g.integers = append(g.floats, f), append(g.integers, i)
	}
	fmt.Fprintf(&g.out, "void %srun(void) {\n", p)
	for range 2 {
		f, i := g.name(), g.name()
		fmt.Fprintf(&g.out, "  %s %s = %s; %s %s = %s;\n", g.pick("float", "double"), f, g.float(1), g.pick(numberTypes...), i, g.integer(1))
		g.floats, g.integers = append(g.floats, f), append(g.integers, i)
	}
	for range 8 {
		g.statement(2)
	}
	for _, v := range g.floats {
		fmt.Fprintf(&g.out, "  %ssum = %ssum * 31 + mixd(%s);\n", p, p, v)
	}
	for _, v := range g.integers {
		fmt.Fprintf(&g.out, "  %ssum = %ssum * 31 + (unsigned long)%s;\n", p, p, v)
	}
	g.out.WriteString("}\n")
	return g.out.String()
}

// TestFloatsMatchGcc compares a few programs, 2,000 with -fp.slow.
func TestFloatsMatchGcc(t *testing.T) {
	gcc, err := exec.LookPath("gcc")
	if err != nil {
		t.Skip("no gcc here: generated C is not compared")
	}
	const batch = 20
	batches := 1
	if testkit.Slow() {
		batches = 100
	}
	for b := range batches {
		var text, calls, asserts strings.Builder
		text.WriteString(floatPreamble)
		for i := range batch {
			p := fmt.Sprintf("p%d_", i)
			g := &floatGenerator{r: rand.New(rand.NewSource(int64(b*batch + i))), prefix: p}
			text.WriteString(g.program())
			fmt.Fprintf(&calls, "  %srun(); printf(\"%%lu\\n\", %ssum);\n", p, p)
		}
		values := strings.Fields(testkit.OutputOf(t, gcc, fmt.Sprintf("#include <stdio.h>\n%sint main(void) {\n%s  return 0;\n}\n", text.String(), calls.String())))
		if len(values) != batch {
			t.Fatalf("gcc's programs print %d values", len(values))
		}
		for i, v := range values {
			fmt.Fprintf(&asserts, "  p%d_run(); assert(p%d_sum == %sul);\n", i, i, v)
		}
		full := fmt.Sprintf("#include <assert.h>\n%sint main(void) {\n%s", text.String(), asserts.String())
		if got := testkit.CheckC(t, full+"  return 0;\n}\n"); got != verdict.Safe {
			t.Fatalf("batch %d: %s, want safe with gcc's values\n%s  return 0;\n}\n", b, got, full)
		}
		if b == 0 {
			if got := testkit.CheckC(t, full+"  assert(p0_sum != p0_sum + p1_sum - p1_sum);\n}\n"); got != verdict.Unsafe {
				t.Fatalf("a wrong value: %s, want unsafe", got)
			}
		}
	}
}

// TestFloatConditions: constants of floating point are conditions in constant expressions.
func TestFloatConditions(t *testing.T) {
	if got := testkit.CheckC(t, `
void __VERIFIER_assert(int);
double g = 0.5 ? 1.0 : 2.0;
int h = 0.5 && 1, i = 0.0 || 0.0f, k = !0.25;
_Static_assert(0.5 ? 1 : 0, "yes");
_Static_assert(0.5 || 0, "yes");
enum { A = 0.5 - 0.5 ? 3 : 4 };
int a[0.5 ? 3 : 4], b[!0.5 + 1];
static int choose(int v) { switch (v) { case 0.5 ? 1 : 2: return 1; } return 0; }
int main(void) {
  __VERIFIER_assert(g == 1.0 && h == 1 && i == 0 && k == 0 && A == 4 && choose(1) == 1 && choose(2) == 0);
  __VERIFIER_assert(sizeof a == 3 * sizeof(int) && sizeof b == sizeof(int));
  return 0;
}
`); got != verdict.Safe {
		t.Error(got)
	}
}
