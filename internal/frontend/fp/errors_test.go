package fp

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"fencepost/internal/diag"
	"fencepost/internal/frontend/statement"
	"fencepost/internal/frontend/statement/statementtest"
	"fencepost/internal/source"
)

var (
	wantMark = regexp.MustCompile(`// want(-end|-note)? (?:(FP\d{4})(?:@(\d+))? )?'((?:[^'\\]|\\.)*)'`)
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

// TestErrors holds the diagnostics of testdata/errors.txt against the comments
// there.
func TestErrors(t *testing.T) {
	seen := map[string]bool{}
	for name, text := range statementtest.Sections(t, "testdata/errors.txt") {
		t.Run(name, func(t *testing.T) {
			u, list := Parse(source.NewFile(name, []byte(text)), statement.Options{})
			wants := expectations(text)
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
	for _, code := range []string{statement.CodeDepth, statement.CodeTooLarge} { // TestLimits
		seen[code] = true
	}
	statementtest.CheckCodes(t, "../statement/codes.go", "fp.md", seen)
}

func show(d diag.Diagnostic) string {
	return fmt.Sprintf("%s %s %s %q", d.Code, d.Span.Pos, d.Message, d.Notes)
}
