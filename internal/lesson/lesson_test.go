package lesson

import (
	"math/rand/v2"
	"strings"
	"testing"
)

const task = `// A task.
// task: Make it
// task: impossible.
// fences: at most 1
var x, y; // two
thread t { x = 1; y = "a // b"; }
#define A 1 // one
`

// TestProblem: fences, comments and blanks may change, and nothing else.
func TestProblem(t *testing.T) {
	read, ok := Read(task)
	if !ok || read.Words != "Make it impossible." || read.Fences != 1 {
		t.Fatalf("%+v", read)
	}
	with := func(old, next string) string { return strings.Replace(task, old, next, 1) }
	for answer, want := range map[string]string{
		task:                                           "",
		with("y =", "fence; y ="):                      "",
		with("y =", "\n  fence ;\n\ty ="):              "",
		with("// two", "/* other\n words */"):          "",
		with("// A task.\n", ""):                       "",
		with("fences: at most 1", "fences: at most 9"): "",
		with("y =", "atomic_thread_fence(memory_order_seq_cst); y ="): "",
		with("y =", "atomic_thread_fence(memory_order_relaxed); y ="): "only fences",
		with("x = 1;", "fence; x = 1; __sync_synchronize( );"):        "2 fences are too many: the task allows 1",
		with("x = 1", "x = 2"):                  "only fences",
		with("x = 1;", ""):                      "only fences",
		with("x = 1;", "// x = 1;\n"):           "only fences",
		with("// two\n", "// two \\\n"):         "only fences",
		with("// two\n", "// two \\ \r\n"):      "only fences",
		with("x = 1;", "if (0) fence; x = 1;"):  "only fences",
		with("a // b", "a"):                     "only fences",
		with("#define A 1", "#define A 2"):      "only fences",
		with("// one\n", "// one\n#define B\n"): "only fences",
		with("}\n#define", "} #define"):         "only fences",
		"":                                      "only fences",
		task + "thread u { }":                   "only fences",
		task + "/* open":                        "",
	} {
		if got := read.Problem(answer); want == "" && got != "" || !strings.HasPrefix(got, want) {
			t.Errorf("%s\n%q, want %q", answer, got, want)
		}
	}
	const branches = "// task: a\n// fences: at most 2\nvoid f(void) { if (n) n = 7; else n = 0; while (n) n = 1; l: n = n ? g() : h(); if (n) fence; }\n"
	for answer, want := range map[string]string{
		branches: "",
		strings.Replace(branches, "else ", "else fence; ", 1):                 `a fence stands after "else"`,
		strings.Replace(branches, "else ", "else fence; fence; ", 1):          `a fence stands after "else"`,
		strings.Replace(branches, "(n) n = 1", "(n) fence; n = 1", 1):         `a fence stands after ")"`,
		strings.Replace(branches, ": h", ": __sync_synchronize(); h", 1):      `a fence stands after ":"`,
		strings.Replace(branches, "l: ", "l: fence; ", 1):                     "",
		strings.Replace(branches, "while", "fence; while", 1):                 "",
		strings.Replace(branches, "if (n) fence; }", "if (n) }", 1):           `the fence after ")"`,
		strings.Replace(branches, "if (n) fence;", "if (n) fence; fence;", 1): "",
	} {
		read, _ := Read(branches)
		if got := read.Problem(answer); want == "" && got != "" || !strings.HasPrefix(got, want) {
			t.Errorf("%s\n%q, want %q", answer, got, want)
		}
	}
	for _, none := range []string{"", "var x;", "// task: a\n", "// fences: at most 1\n", "// task: a\n// fences: at most one\n", "// task: a\n// fences: at most 1\n// fences: at most 2\n"} {
		if _, ok := Read(none); ok {
			t.Errorf("%q is a task", none)
		}
	}
}

// TestRandomTexts: no text is a problem to the reader, and every text is an answer to itself.
func TestRandomTexts(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 3))
	pieces := strings.Split("/|*|//|/*|*/|\"|'|\\|\n|#|fence|;| |x|=|\x00|é|(|)|__sync_synchronize", "|")
	for range 20_000 {
		var b strings.Builder
		for range rng.IntN(12) {
			b.WriteString(pieces[rng.IntN(len(pieces))])
		}
		if got := (Task{Fences: 99, text: b.String()}).Problem(b.String()); got != "" {
			t.Fatalf("%q: %s", b.String(), got)
		}
	}
}
