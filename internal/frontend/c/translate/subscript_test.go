package translate_test

import (
	"fmt"
	"math/rand"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"fencepost/internal/testkit"
	"fencepost/verdict"
)

// boundsTypes are the objects that subscripts are tried on.
const boundsTypes = `#include <stdlib.h>
struct in { short h; int a[2]; char c[3]; };
struct out { int x[2]; struct in n; struct in v[2]; int m[2][3]; struct { int u[2]; int after; }; union { int y[2]; long k; }; struct in w; };
struct tail { int n; int t[2]; };
struct out g, arr[2];
struct tail tails[2];
int rows[2][2][3], ix[5] = {-1, 0, 1, 2, 3};
`

// shape is a type as far as expressions need it.
type shape struct {
	length  int // of an array
	elem    *shape
	members map[string]*shape
	names   []string
}

func scalarShape() *shape                { return &shape{} }
func arrayShape(n int, of *shape) *shape { return &shape{length: n, elem: of} }

func structShape(members ...any) *shape {
	s := &shape{members: map[string]*shape{}}
	for i := 0; i < len(members); i += 2 {
		s.members[members[i].(string)] = members[i+1].(*shape)
		s.names = append(s.names, members[i].(string))
	}
	return s
}

func ints(n int) *shape { return arrayShape(n, scalarShape()) }

var (
	inShape   = structShape("h", scalarShape(), "a", ints(2), "c", ints(3))
	outShape  = structShape("x", ints(2), "n", inShape, "v", arrayShape(2, inShape), "m", arrayShape(2, ints(3)), "u", ints(2), "y", ints(2), "w", inShape)
	tailShape = structShape("n", scalarShape(), "t", ints(2))
)

// access returns a random expression below a named one. With addressOnly it may end in a row.
func access(r *rand.Rand, text string, s *shape, addressOnly bool) string {
	for {
		switch {
		case s.members != nil:
			name := s.names[r.Intn(len(s.names))]
			text, s = text+"."+name, s.members[name]
		case s.elem != nil:
			i := r.Intn(s.length)
			if r.Intn(3) == 0 {
				i = r.Intn(s.length+3) - 1
			}
			index := fmt.Sprintf("ix[%d]", i+1)
			if i+1 > 4 || r.Intn(2) == 0 {
				index = fmt.Sprint(i)
			}
			text, s = text+"["+index+"]", s.elem
			if s.elem != nil && addressOnly && r.Intn(3) == 0 {
				return text // a row
			}
		default:
			return text
		}
	}
}

// boundsStatement is a random statement with subscripts.
func boundsStatement(r *rand.Rand) string {
	addressOnly := r.Intn(4) == 0
	var text string
	switch r.Intn(9) {
	case 0:
		text = access(r, "g", outShape, addressOnly)
	case 1:
		text = access(r, "arr", arrayShape(2, outShape), addressOnly)
	case 2:
		text = access(r, "rows", arrayShape(2, arrayShape(2, ints(3))), addressOnly)
	case 3:
		text = "p->" + strings.TrimPrefix(access(r, "", outShape, addressOnly), ".")
	case 4:
		text = "q->" + strings.TrimPrefix(access(r, "", tailShape, addressOnly), ".")
	case 5:
		text = access(r, "tails", arrayShape(2, tailShape), addressOnly)
	case 6:
		text = access(r, "l", ints(3), addressOnly)
	case 7:
		text = access(r, "s", outShape, addressOnly)
	default:
		text = access(r, "(*row)", ints(3), addressOnly)
	}
	if addressOnly {
		return fmt.Sprintf("char *e = (char *)&%s; (void)e;", text)
	}
	if r.Intn(2) == 0 {
		return text + " = 1;"
	}
	return fmt.Sprintf("int e = %s; (void)e;", text)
}

// TestBoundsGCC: subscripts out of declared arrays are errors where gcc's sanitizers
// see them, and only there.
func TestBoundsGCC(t *testing.T) {
	gcc, err := exec.LookPath("gcc")
	if err != nil {
		t.Skip("no gcc here: subscripts are not compared")
	}
	count := 60
	if s := os.Getenv("FENCEPOST_C_PROGRAMS"); s != "" {
		fmt.Sscan(s, &count)
	}
	const body = "  struct out *p = &arr[0]; struct tail *q = &tails[0]; int (*row)[3] = &rows[0][0], l[3] = {0}; struct out s = {0};\n" +
		"  (void)p; (void)q; (void)row; (void)l; (void)s;\n"
	var all strings.Builder
	all.WriteString(boundsTypes)
	var statements []string
	r := rand.New(rand.NewSource(1))
	for i := range count {
		statements = append(statements, boundsStatement(r))
		fmt.Fprintf(&all, "void f%d(void) {\n%s  %s\n}\n", i, body, statements[i])
	}
	all.WriteString("int main(int argc, char **argv) {\n  switch (atoi(argv[1])) {\n")
	for i := range count {
		fmt.Fprintf(&all, "  case %d: f%d(); break;\n", i, i)
	}
	all.WriteString("  }\n  return 0;\n}\n")
	dir := t.TempDir()
	src, bin := filepath.Join(dir, "all.c"), filepath.Join(dir, "all")
	if err := os.WriteFile(src, []byte(all.String()), 0o644); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command(gcc, "-O0", "-w", "-fsanitize=address,bounds", "-fno-sanitize-recover=all", "-o", bin, src).CombinedOutput(); err != nil {
		t.Skipf("no sanitizers here: %v\n%s", err, out)
	}
	wrong := 0
	for i, s := range statements {
		want := verdict.Safe
		if err := exec.Command(bin, fmt.Sprint(i)).Run(); err != nil {
			want = verdict.Unsafe
			wrong++
		}
		text := fmt.Sprintf("%sint main(void) {\n%s  %s\n  return 0;\n}\n", boundsTypes, body, s)
		if got := testkit.CheckC(t, text); got != want {
			t.Errorf("%s: %s, want %s", s, got, want)
		}
	}
	if wrong == 0 || wrong == count {
		t.Errorf("%d of %d programs are wrong: the comparison says nothing", wrong, count)
	}
	t.Logf("%d programs, %d of them wrong", count, wrong)
}
