package litmus

import (
	"fmt"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"fencepost/internal/diag"
	"fencepost/internal/source"
)

var (
	wantMark = regexp.MustCompile(`want(-end|-note)? (?:((?:LT|C)\d{4})(?:@(\d+))? )?'((?:[^'\\]|\\.)*)'`)
	unquote  = strings.NewReplacer(`\'`, `'`, `\\`, `\`)
)

// expectation is one want mark.
type expectation struct {
	code      string
	line, col int
	message   string
	note      string
}

func expectations(text string) []expectation {
	var wants []expectation
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		for _, m := range wantMark.FindAllStringSubmatch(line, -1) {
			if m[1] == "-note" {
				wants[len(wants)-1].note = unquote.Replace(m[4])
				continue
			}
			w := expectation{code: m[2], line: i + 1, message: unquote.Replace(m[4])}
			if m[1] == "-end" {
				w.line = len(lines)
			}
			w.col, _ = strconv.Atoi(m[3])
			wants = append(wants, w)
		}
	}
	return wants
}

func (w expectation) meets(d diag.Diagnostic) bool {
	return d.Code == w.code && d.Span.Line == w.line && (w.col == 0 || d.Span.Col == w.col) &&
		strings.Contains(d.Message, w.message) && strings.Contains(strings.Join(d.Notes, "\n"), w.note)
}

// TestErrors holds the diagnostics of testdata/errors.txt against the comments
// there.
func TestErrors(t *testing.T) {
	seen := map[string]bool{}
	for _, s := range sections(t, "testdata/errors.txt") {
		t.Run(s.name, func(t *testing.T) {
			u, list := Parse(source.NewFile(s.name, []byte(s.text)), Options{})
			wants := expectations(s.text)
			if len(wants) == 0 {
				t.Fatal("nothing is expected")
			}
			if list.HasErrors() != (u.Program == nil) || list.HasErrors() != (u.Props == nil) {
				t.Error("a program beside errors, or neither")
			}
			for _, d := range list.All {
				i := 0
				for i < len(wants) && !wants[i].meets(d) {
					i++
				}
				if i == len(wants) {
					t.Errorf("unexpected: %s", show(d))
					continue
				}
				seen[d.Code] = true
				wants = append(wants[:i], wants[i+1:]...)
			}
			for _, w := range wants {
				t.Errorf("missing: %+v", w)
			}
		})
	}
	for _, code := range []string{codeDepth, codeTooLarge} { // TestLimits
		seen[code] = true
	}
	checkCodes(t, seen)
}

// checkCodes demands that every code is tested and documented.
func checkCodes(t *testing.T, tested map[string]bool) {
	t.Helper()
	src, err := os.ReadFile("codes.go")
	if err != nil {
		t.Fatal(err)
	}
	doc, err := os.ReadFile("../../../docs/languages/litmus.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range regexp.MustCompile(`LT\d{4}`).FindAllString(string(src), -1) {
		if !tested[c] {
			t.Errorf("no test expects %s", c)
		}
		if !strings.Contains(string(doc), "`"+c+"`") {
			t.Errorf("docs/languages/litmus.md does not list %s", c)
		}
	}
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
