package read_test

import (
	"fmt"
	"strings"
	"testing"

	"fencepost/internal/frontend/c/translate"
	"fencepost/internal/frontend/c/translate/library"
	"fencepost/internal/ir"
	"fencepost/internal/source"
	"fencepost/internal/testkit"
)

// marked is the output of a preprocessor for main.c, in whose fifth line a macro of a
// header is used, and of queue.h.
const marked = `# 0 "main.c"
# 0 "<built-in>"
# 1 "/usr/include/assert.h" 1 3 4
extern void __assert_fail (const char *, const char *, unsigned int, const char *);
# 1 "main.c" 2
# 1 "queue.h" 1


static int get(int *p) { return *p; }
# 3 "main.c" 2
int x;
int main(void) { x = 1; int r = get(&x);

# 5 "main.c" 3 4
 ((
# 5 "main.c"
 r == 1
# 5 "main.c" 3 4
 ) ? (void) 0 : __assert_fail (
# 5 "main.c"
 "r == 1"
# 5 "main.c" 3 4
 , "main.c", 5, 0));
# 6 "main.c"
  return 0;
}
`

// TestLineMarks: positions in the output of a preprocessor are positions in the files it was
// made from, and these can be quoted.
func TestLineMarks(t *testing.T) {
	unit := testkit.TranslateC(t, translate.Options{}, source.NewFile("main.i.c", []byte(marked)))
	files := map[string]*source.File{}
	for _, f := range unit.Included {
		files[f.Name] = f
	}
	seen := map[string]bool{}
	for _, f := range unit.Program.Funcs {
		for i := range f.Edges {
			e := &f.Edges[i]
			text := "?"
			if file := files[e.Pos.File]; file != nil {
				text = strings.Join(strings.Fields(file.Slice(e.Pos)), " ")
			}
			seen[fmt.Sprintf("%s %s: %s", e.Op.Kind, e.Pos.Pos, text)] = true
		}
	}
	for _, want := range []string{
		"store main.c:4:18: x = 1", "call main.c:4:29: r = get(&x)", "load queue.h:3:26: return *p;", "return main.c:6:3: return 0;",
	} {
		if !seen[want] {
			t.Errorf("there is no %q among %v", want, seen)
		}
	}
	bad := strings.Replace(marked, "return *p;", "return *q;", 1)
	_, diags := translate.Program([]*source.File{source.NewFile("main.i.c", []byte(bad))}, library.New(), translate.Options{})
	if got := testkit.Messages(diags); !strings.Contains(got, "queue.h:3:") {
		t.Errorf("an error in queue.h is reported as %s", got)
	}
}

// TestLineMarksAndFences: where fences are to be written, positions are positions in the file
// that is given, and no header is included too late.
func TestLineMarksAndFences(t *testing.T) {
	file := source.NewFile("main.i.c", []byte(marked))
	unit := testkit.TranslateC(t, translate.Options{Sites: true}, file)
	for i, p := range unit.Sites {
		if p.Pos.File != "main.i.c" {
			t.Errorf("a fence site at %s", p.Pos.Pos)
		}
		if p.ReadOnly {
			continue
		}
		for _, e := range unit.Write([]ir.FenceAt{{Site: ir.SiteID(i), Kind: ir.FullFence}}, translate.C11) {
			if strings.Contains(e.Text, "include") || strings.Contains(e.Text, "atomic_thread_fence") {
				t.Errorf("the edit %+v", e)
			}
		}
	}
	if len(unit.Sites) < 3 {
		t.Errorf("%d fence sites", len(unit.Sites))
	}
}
