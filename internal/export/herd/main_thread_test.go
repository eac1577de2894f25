package herd_test

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"

	"fencepost/internal/question/check"
	"fencepost/internal/question/export"
	"fencepost/internal/testkit"
	"fencepost/query"
	"fencepost/verdict"
)

// asLitmus exports a program as a litmus test; why says why not.
func asLitmus(t *testing.T, in query.Input, opt query.Options) (text, why string) {
	t.Helper()
	a, err := export.Run(t.Context(), in, query.ExportOptions{Options: opt, Format: query.ExportLitmus})
	if err != nil {
		t.Fatalf("%s: %v", in.Name, err)
	}
	if a.HasErrors() {
		return "", a.Diagnostics[len(a.Diagnostics)-1].Message
	}
	return a.Text, ""
}

// verdictOf returns the verdict of a program under a model.
func verdictOf(t *testing.T, in query.Input, opt query.Options, model string) verdict.Verdict {
	t.Helper()
	a, err := check.Run(t.Context(), in, query.CheckOptions{Options: opt, Engines: query.Engines{"explicit"}, Endless: query.Endless{Liveness: query.LivenessOff}}.Under(query.Model(model)))
	if err != nil || a.HasErrors() {
		t.Fatalf("%s: %v %v\n%s", in.Name, err, a.Diagnostics, in.Text)
	}
	return a.Results[0].Verdict
}

// mainProgram returns a random program in C whose main starts and joins threads and then asserts.
func mainProgram(seed uint64) string {
	r := rand.New(rand.NewPCG(seed, 54))
	var b strings.Builder
	b.WriteString("#include <assert.h>\n#include <pthread.h>\n#include <stdatomic.h>\nint x, y;\nshort z = 1;\nunsigned char c;\n_Atomic int f;\nint a[2], r0 = 9, r1, r2 = -1;\n")
	shared := []string{"x", "y", "z", "c", "a[1]", "x", "y"}
	v := func() string { return shared[r.IntN(len(shared))] }
	stmt := func(out string) string {
		switch r.IntN(12) {
		case 0, 1, 2, 3:
			return fmt.Sprintf("%s = %d;", v(), r.IntN(3))
		case 4, 5, 6, 7:
			return fmt.Sprintf("%s = %s;", out, v())
		case 8:
			return fmt.Sprintf("atomic_fetch_add(&f, %d);", 1+r.IntN(2))
		case 9:
			return "atomic_thread_fence(memory_order_seq_cst);"
		case 10:
			return fmt.Sprintf("if (%s == %d) %s = 2; else %s = 1;", v(), r.IntN(3), v(), out)
		default:
			return fmt.Sprintf("assert(%s != %d);", v(), 2+r.IntN(2))
		}
	}
	threads := 2 + r.IntN(5)/4
	for i := range threads {
		fmt.Fprintf(&b, "void *t%d(void *arg) {\n", i)
		if r.IntN(2) == 0 { // store buffering is frequent
			fmt.Fprintf(&b, "  %s = 1;\n  r%d = %s;\n", shared[i%2], i, shared[1-i%2])
		}
		for range r.IntN(4) {
			fmt.Fprintf(&b, "  %s\n", stmt(fmt.Sprintf("r%d", i)))
		}
		b.WriteString("  return 0;\n}\n")
	}
	b.WriteString("int main(void) {\n  pthread_t h[3];\n")
	if r.IntN(2) == 0 {
		fmt.Fprintf(&b, "  %s = %d;\n", v(), r.IntN(3))
	}
	for i := range threads {
		fmt.Fprintf(&b, "  pthread_create(&h[%d], 0, t%d, 0);\n", i, i)
	}
	for _, i := range r.Perm(threads) {
		fmt.Fprintf(&b, "  pthread_join(h[%d], 0);\n", i)
	}
	for range 1 + r.IntN(2) {
		switch r.IntN(4) {
		case 0:
			fmt.Fprintf(&b, "  assert(r0 != %d || r1 != %d);\n", r.IntN(2), r.IntN(2))
		case 1:
			fmt.Fprintf(&b, "  if (%s == %d) assert(f != %d && r1 == r0);\n", v(), r.IntN(3), r.IntN(3))
		case 2:
			fmt.Fprintf(&b, "  a[0] = %s;\n  assert(!(a[0] == %d && r%d == 0));\n", v(), r.IntN(3), r.IntN(2))
		default:
			b.WriteString("  assert(!(r0 == 0 && r1 == 0));\n")
		}
	}
	b.WriteString("  return 0;\n}\n")
	return b.String()
}

// TestLitmusMain: programs whose main thread starts and joins the others have the verdicts of the originals as litmus
// tests: random ones, and those of the corpus that can be exported.
func TestLitmusMain(t *testing.T) {
	var ins []query.Input
	opts := map[string]query.Options{}
	for i := range max(1, *litmusRandoms/5) {
		in := query.Input{Name: fmt.Sprintf("random%d.c", *seed+uint64(i)), Text: []byte(mainProgram(*seed + uint64(i)))}
		ins, opts[in.Name] = append(ins, in), query.Defaults()
	}
	for _, c := range testkit.PartOf(t, testkit.LoadCorpus(t, filepath.Join(testkit.Root(t), "testdata", "corpus")), 20) {
		if strings.HasPrefix(c.Name(), "c-") {
			ins, opts[c.Input.Name] = append(ins, c.Input), c.Options.Options
		}
	}
	var compared, bad, weak int
	reasons := map[string]int{}
	for _, in := range ins {
		text, why := asLitmus(t, in, opts[in.Name])
		if why != "" {
			reasons[why]++
			continue
		}
		before := verdict.Unsafe
		for _, m := range testkit.Models {
			want := verdictOf(t, in, opts[in.Name], m.String())
			got := verdictOf(t, query.Input{Name: "exported.litmus", Text: []byte(text)}, query.Defaults(), m.String())
			if want != got {
				t.Fatalf("%s under %s is %s, its litmus test %s\n%s\n%s", in.Name, m, want, got, in.Text, text)
			}
			compared++
			if got == verdict.Unsafe {
				bad++
				if before != verdict.Unsafe {
					weak++
				}
			}
			before = got
		}
	}
	t.Logf("%d answers compared, %d unsafe, %d under a weaker model only; refused: %v", compared, bad, weak, reasons)
	if *litmusRandoms >= 100 && (compared < 40 || bad == 0 || bad == compared || weak == 0) {
		t.Error("the programs do not distinguish right from wrong exports")
	}
}
