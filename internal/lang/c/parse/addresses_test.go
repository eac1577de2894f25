package parse_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"fencepost/internal/lang/c/parse"
)

const addressed = `
struct P { int x; short y[3]; struct P *next; union { char u[5]; long v; }; };
struct P one, many[4][3]; char text[20]; int f(void), g(int); static double table[7];
`

// address returns a constant address and the object in it.
func (g *generator) address() (expr, base string) {
	i, j, k := g.IntN(4), g.IntN(3), g.IntN(9)-4
	switch g.IntN(8) {
	case 0:
		return fmt.Sprintf("&many[%d][%d].y[%d]", i, j, j), "many"
	case 1:
		return fmt.Sprintf("many[%d] + %d", i, k), "many"
	case 2:
		return fmt.Sprintf("&many[%d] - %d", i, k), "many"
	case 3:
		return fmt.Sprintf("(char *)&one.y + %d * sizeof(int)", i), "one"
	case 4:
		return fmt.Sprintf("&(&one + %d)->u[%d]", k, j), "one"
	case 5:
		return fmt.Sprintf("(long *)((char *)&many[0][%d] - __builtin_offsetof(struct P, v) + (%d ? 8 : 16))", j, i), "many"
	case 6:
		return fmt.Sprintf("(int (*)(void))((unsigned long)&%s + %d)", "table", i*8), "table"
	default:
		return fmt.Sprintf("1 ? text + %d : (char *)&table[%d]", i, j), "text"
	}
}

// TestAddresses compares constant addresses with gcc.
func TestAddresses(t *testing.T) {
	const batch = 200
	for n := range programs(1, 12) {
		g := &generator{Rand: rand.New(rand.NewPCG(uint64(n), 5))}
		text, main, want := addressed, "int printf(const char *, ...);\nint main(void) {\n", ""
		var exprs []string
		for i := range batch {
			e, base := g.address()
			exprs = append(exprs, e)
			text += fmt.Sprintf("void *x%d = (void *)(%s);\n", i, e)
			main += fmt.Sprintf("printf(\"%%ld\\n\", (long)((char *)x%d - (char *)&%s));\n", i, base)
		}
		u := parsed(t, text)
		for i := range batch {
			o := u.Lookup(fmt.Sprintf("x%d", i))
			if o == nil {
				continue
			}
			v, ok := u.Fold(o.Init.Expr)
			if !ok || v.Kind != parse.AddressValue {
				t.Fatalf("seed %d: x%d is no address", n, i)
			}
			want += itoa(v.Offset) + "\n"
		}
		got := strings.Split(output(t, text+main+"}\n"), "\n")
		for i, w := range strings.Split(want, "\n") {
			if got[i] != w {
				t.Fatalf("seed %d: gcc says %s, we say %s\n%s", n, got[i], w, exprs[i])
			}
		}
	}
}
