package diagtest

import (
	"fmt"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"fencepost/internal/diag"
)

// Expectations are written in comments: want CODE 'words' on the line of the diagnostic,
// want CODE@COLUMN 'words' for a column, want-end CODE 'words' for one at the end of the
// text, and want-note 'words' after another one for its note.

var (
	wantMark = regexp.MustCompile(`want(-end|-note)? (?:([A-Z]+\d{4})(?:@(\d+))? )?'((?:[^'\\]|\\.)*)'`)
	unquote  = strings.NewReplacer(`\'`, `'`, `\\`, `\`)
)

// expectation is one want comment.
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

// Compare demands that the diagnostics about a text are the ones that its comments expect,
// and adds their codes to seen. A text without expectations fails.
func Compare(t testing.TB, text string, list *diag.List, seen map[string]bool) {
	t.Helper()
	wants := expectations(text)
	if len(wants) == 0 {
		t.Error("nothing is expected")
		return
	}
	for _, d := range list.All {
		i := 0
		for i < len(wants) && !wants[i].meets(d) {
			i++
		}
		if i == len(wants) {
			t.Errorf("unexpected: %s", Show(d))
			continue
		}
		seen[d.Code] = true
		wants = append(wants[:i], wants[i+1:]...)
	}
	for _, w := range wants {
		t.Errorf("missing: %+v", w)
	}
}

// Show returns a diagnostic in one line.
func Show(d diag.Diagnostic) string {
	return fmt.Sprintf("%s %s %s %q", d.Code, d.Span.Pos, d.Message, d.Notes)
}

// CheckCodes demands that every code of a Go file is tested, and listed in a manual in
// docs/languages, which lies three directories above the test's. The pattern says what a
// code is.
func CheckCodes(t testing.TB, codes, pattern, manual string, tested map[string]bool) {
	t.Helper()
	src, err := os.ReadFile(codes)
	if err != nil {
		t.Fatal(err)
	}
	doc, err := os.ReadFile("../../../docs/languages/" + manual)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range regexp.MustCompile(pattern).FindAllString(string(src), -1) {
		if !tested[c] {
			t.Errorf("no test expects %s", c)
		}
		if !strings.Contains(string(doc), "`"+c+"`") {
			t.Errorf("docs/languages/%s does not list %s", manual, c)
		}
	}
}
