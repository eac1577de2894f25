package elf_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"fencepost/internal/testkit"
)

// throwingProgram makes programs of C++ that throw exceptions of several types, if volatile variables have some values,
// through functions with handlers and destructors. They write down what they do, as a number.
type throwingProgram struct {
	r     *rand.Rand
	b     strings.Builder
	funcs int // that are made so far
	marks int
}

// Types that are thrown, with an expression of each; and types of handlers.
var (
	thrownValues = []string{"1", "2L", "'c'", "A(3)", "B(4)", "C(5)", "D(6)", "&object", "static_cast<const A *>(&object)", "static_cast<A *>(nullptr)", "E::one"}
	handlerTypes = []string{"int", "const long &", "char", "A &", "B", "const C &", "D", "X &", "A *", "const A *", "const void *", "E"}
)

const throwingHead = `volatile int in[4];
static unsigned h;
NI void put(int k) { h = (h * 31 + k) % 1000003; }
struct X { int x = 9; };
struct A { int a; explicit A(int a) : a(a) { put(1); } A(const A &o) : a(o.a + 1) { put(2); } ~A() { put(3); } };
struct B : A { explicit B(int a) : A(a) {} };
struct C : X, B { explicit C(int a) : B(a) {} };
struct D : private A { explicit D(int a) : A(a) {} };
enum class E { one, two };
static C object(8);
static int value(int v) { return v; }
static int value(const A &v) { return v.a; }
static int value(const D &) { return 77; }
static int value(const C &v) { return 100 + v.a; }
static int value(const X &v) { return v.x; }
static int value(const A *v) { return v ? v->a : 5; }
static int value(const void *v) { return v != nullptr; }
static int value(E e) { return 50 + (int)e; }
struct G { int k; explicit G(int k) : k(k) { put(4); } ~G() { put(k); } };
struct H { int k; explicit H(int k) : k(k) {} ~H() { try { if (k & 1) throw k; put(k); } catch (int v) { put(v + 1); } } };
`

func (g *throwingProgram) put(depth int, format string, args ...any) {
	fmt.Fprintf(&g.b, strings.Repeat("  ", depth)+format+"\n", args...)
}

func (g *throwingProgram) mark() int {
	g.marks++
	return 10 + g.marks%80
}

// block makes some statements. handled says that they are in a handler.
func (g *throwingProgram) block(depth int, handled bool) {
	for range 1 + g.r.IntN(2) {
		g.statement(depth, handled)
	}
}

func (g *throwingProgram) statement(depth int, handled bool) {
	condition := func() string { return fmt.Sprintf("in[%d] == %d", g.r.IntN(4), g.r.IntN(3)) }
	n := g.r.IntN(12)
	if g.marks > 12 { // it is large enough
		n = g.r.IntN(4)
	}
	switch {
	case n < 2:
		g.put(depth, "put(%d);", g.mark())
	case n < 4:
		g.put(depth, "if (%s) throw %s;", condition(), thrownValues[g.r.IntN(len(thrownValues))])
	case n == 4 && handled:
		g.put(depth, "if (%s) throw;", condition())
	case n == 5:
		g.put(depth, "%s g%d(%d);", []string{"G", "H"}[g.r.IntN(2)], g.marks, g.mark())
	case n < 8 && g.funcs > 0:
		g.put(depth, "put(f%d(a + %d));", g.r.IntN(g.funcs), g.r.IntN(5))
	case n == 8 && depth < 2:
		g.put(depth, "for (int i%d = 0; i%d < 2; i%d++) {", depth, depth, depth)
		g.block(depth+1, handled)
		if g.r.IntN(2) == 0 {
			g.put(depth+1, "if (%s) %s;", condition(), []string{"break", "continue"}[g.r.IntN(2)])
		}
		g.block(depth+1, handled)
		g.put(depth, "}")
	case depth < 2:
		g.try(depth)
	default:
		g.put(depth, "put(a);")
	}
}

// try makes a block with handlers. A handler for a type stands before those for its bases, or not.
func (g *throwingProgram) try(depth int) {
	g.put(depth, "try {")
	g.block(depth+1, false)
	for _, i := range g.r.Perm(len(handlerTypes))[:1+g.r.IntN(2)] {
		g.put(depth, "} catch (%s e) {", handlerTypes[i])
		g.put(depth+1, "put(value(e));")
		g.block(depth+1, true)
	}
	if g.r.IntN(3) == 0 {
		g.put(depth, "} catch (...) {")
		g.block(depth+1, true)
	}
	g.put(depth, "}")
}

// program makes a program. It ends with CHECK(HASH) unless an exception ends it.
func (g *throwingProgram) program() string {
	g.b.WriteString(throwingHead)
	for range 2 {
		inline := []string{"NI ", "static ", "static inline __attribute__((always_inline)) "}[g.r.IntN(3)]
		if quiet := g.r.IntN(12) == 0; quiet {
			g.put(0, "%sint f%d(int a) noexcept {", inline, g.funcs)
		} else {
			g.put(0, "%sint f%d(int a) {", inline, g.funcs)
		}
		g.block(1, false)
		g.try(1)
		g.put(1, "return %d;", g.mark())
		g.put(0, "}")
		g.funcs++
	}
	g.put(0, "int main() {")
	for i := range 4 {
		g.put(1, "in[%d] = %d;", i, g.r.IntN(3))
	}
	last := "..."
	if g.r.IntN(6) == 0 {
		last = "int"
	}
	g.put(1, "try { put(f%d(%d)); } catch (A &e) { put(e.a); } catch (%s) { put(7); }", g.funcs-1, g.r.IntN(5), last)
	g.b.WriteString("#ifdef SHOW\n  printf(\"%u\\n\", h);\n#else\n  assert(h == HASH);\n#endif\n}\n")
	return g.b.String()
}

// TestExceptionsGenerated: generated programs that throw exceptions do what they do on the processor: the way of the
// exceptions, as a number, or an end by std::terminate. One program in 40 is for make test.
func TestExceptionsGenerated(t *testing.T) {
	asked, ended, unknown := 0, 0, 0
	for seed := range 200 {
		if !testkit.InPart(t, strconv.Itoa(seed), 40) {
			continue
		}
		r := rand.New(rand.NewPCG(uint64(seed), 51))
		g := &throwingProgram{r: r}
		text := "#include <cstdio>\n" + exceptionHead + g.program()
		compilers := cppCompilers()
		if len(compilers) == 0 {
			t.Skip("no g++ and no clang++ here")
		}
		cc := compilers[r.IntN(min(2, len(compilers)))]
		level := exceptionLevels[r.IntN(len(exceptionLevels))]
		form := compiledForms[r.IntN(len(compiledForms))]
		out, err := exec.Command(compileCpp(t, []byte(text), cc, "-DSHOW", "-O1")).Output()
		var exit *exec.ExitError
		if err != nil && !errors.As(err, &exit) {
			t.Fatal(err)
		}
		hash, want := strings.TrimSpace(string(out)), []string{"safe", "unsafe"}
		if err != nil {
			hash, want = "0", []string{"unsafe", "unsafe"}
			ended++
		}
		for i, more := range []string{"", "+1"} {
			command := append([]string{cc, level, "-DHASH=" + hash + "u" + more}, form...)
			got, why := askFile(t, compileCpp(t, []byte(text), command...), "sc")
			asked++
			switch {
			case got == "unknown":
				unknown++
				t.Logf("seed %d, %s %s: unknown (%s)", seed, filepath.Base(cc), strings.Join(command[1:], " "), why)
			case got != want[i]:
				t.Errorf("seed %d, %s %s: %s (%s), want %s\n%s", seed, filepath.Base(cc), strings.Join(command[1:], " "), got, why, want[i], text)
			}
		}
	}
	t.Logf("%d answers, %d programs end by std::terminate, %d answers are unknown", asked, ended, unknown)
}
