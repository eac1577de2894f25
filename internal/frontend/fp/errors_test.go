package fp

import (
	"testing"

	"fencepost/internal/diag/diagtest"
	"fencepost/internal/frontend/statement"
	"fencepost/internal/frontend/statement/statementtest"
	"fencepost/internal/source"
)

// TestErrors compares the diagnostics about testdata/errors.txt with the comments there.
func TestErrors(t *testing.T) {
	seen := map[string]bool{}
	for name, text := range statementtest.Sections(t, "testdata/errors.txt") {
		t.Run(name, func(t *testing.T) {
			u, list := Parse(source.NewFile(name, []byte(text)), statement.Options{Ghosts: true})
			if list.HasErrors() != (u.Program == nil) || list.HasErrors() != (u.Props == nil) {
				t.Error("a program beside errors, or neither")
			}
			diagtest.Compare(t, text, list, seen)
		})
	}
	for _, code := range []string{statement.CodeDepth, statement.CodeTooLarge} { // TestLimits
		seen[code] = true
	}
	diagtest.CheckCodes(t, "../statement/codes.go", `FP\d{4}`, "fp.md", seen)
}
