package litmus

import (
	"fmt"
	"strings"
	"testing"

	"fencepost/internal/diag/diagtest"
	"fencepost/internal/source"
)

// TestErrors compares the diagnostics about testdata/errors.txt with the comments there.
func TestErrors(t *testing.T) {
	seen := map[string]bool{}
	for _, s := range sections(t, "testdata/errors.txt") {
		t.Run(s.name, func(t *testing.T) {
			u, list := Parse(source.NewFile(s.name, []byte(s.text)), Options{})
			if list.HasErrors() != (u.Program == nil) || list.HasErrors() != (u.Props == nil) {
				t.Error("a program beside errors, or neither")
			}
			diagtest.Compare(t, s.text, list, seen)
		})
	}
	for _, code := range []string{codeDepth, codeTooLarge} { // TestLimits
		seen[code] = true
	}
	diagtest.CheckCodes(t, "codes.go", `LT\d{4}`, "litmus.md", seen)
}

// TestLimits: what is too large is said to be, in little time.
func TestLimits(t *testing.T) {
	const n = 100000
	test := func(init, head, code, cond string) string {
		return fmt.Sprintf("X86_64 t\n{ %s }\n%s ;\n%s\n%s\n", init, head, code, cond)
	}
	threads := make([]string, maxThreads+1)
	for i := range threads {
		threads[i] = fmt.Sprintf("P%d", i)
	}
	arrays := ""
	for i := range 1 + maxMemory/8/maxElements {
		arrays += fmt.Sprintf("int64_t a%d[%d];", i, maxElements)
	}
	for name, c := range map[string]struct{ code, text string }{
		"threads":      {codeTooLarge, test("", strings.Join(threads, "|"), "", "exists true")},
		"instructions": {codeTooLarge, test("", "P0", strings.Repeat("nop;", n), "exists true")},
		"memory":       {codeTooLarge, test(arrays, "P0", "nop;", "exists true")},
		"atoms":        {codeTooLarge, test("", "P0", "nop;", "exists x=1"+strings.Repeat(` /\ x=1`, n))},
		"parentheses":  {codeDepth, test("", "P0", "nop;", "exists "+strings.Repeat("(", n))},
		"negations":    {codeDepth, test("", "P0", "nop;", "exists "+strings.Repeat("~", n))},
		"implications": {codeDepth, test("", "P0", "nop;", "exists x=1"+strings.Repeat("=> x=1", n))},
		"comments":     {codeComment, strings.Repeat("(*", n)},
	} {
		t.Run(name, func(t *testing.T) {
			_, list := Parse(source.NewFile(name, []byte(c.text)), Options{})
			if len(list.All) == 0 || !strings.Contains(fmt.Sprint(list.All), c.code) {
				t.Errorf("got %.500v, want %s", list.All, c.code)
			}
		})
	}
}
