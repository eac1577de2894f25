package diagtest

import (
	"fmt"
	"strings"
	"testing"

	"fencepost/internal/diag"
	"fencepost/internal/source"
)

// recorder notes failures instead of failing.
type recorder struct {
	testing.TB
	failures []string
}

func (r *recorder) Helper()           {}
func (r *recorder) Error(args ...any) { r.failures = append(r.failures, fmt.Sprint(args...)) }
func (r *recorder) Errorf(format string, args ...any) {
	r.failures = append(r.failures, fmt.Sprintf(format, args...))
}

// TestCompare: a diagnostic meets its comment by code, line, column, words and note, and each
// of both that is left over fails.
func TestCompare(t *testing.T) {
	for _, c := range []struct{ text, failure string }{
		{"a\nb // want X0001 'wrong'", ""},
		{"a\nb // want X0001@3 'wrong' want-note 'because'", ""},
		{"a // want-end X0001 'is wrong'\nb", ""},
		{"a\nb // want X0002 'wrong'", "unexpected: X0001"},
		{"a\nb // want X0001@4 'wrong'", "unexpected: X0001"},
		{"a // want X0001 'wrong'\nb", "unexpected: X0001"},
		{"a\nb // want X0001 'right'", "unexpected: X0001"},
		{"a\nb // want X0001 'wrong' want-note 'for'", "unexpected: X0001"},
		{"a\nb // want X0001 'wrong' want X0001 'wrong'", "missing: {code:X0001"},
		{"a\nb", "nothing is expected"},
	} {
		list := &diag.List{}
		list.Errorf("X0001", source.At(source.Pos{File: "f", Line: 2, Col: 3}), "this is wrong").Note("because of it")
		r, seen := &recorder{TB: t}, map[string]bool{}
		Compare(r, c.text, list, seen)
		got := strings.Join(r.failures, "\n")
		if (got == "") != (c.failure == "") || !strings.HasPrefix(got, c.failure) {
			t.Errorf("%q: %q, want %q", c.text, got, c.failure)
		}
		if c.failure == "" && !seen["X0001"] {
			t.Errorf("%q: the code is not noted", c.text)
		}
	}
}
