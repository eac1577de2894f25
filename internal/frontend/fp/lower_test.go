package fp

import (
	"flag"
	"testing"

	"fencepost/internal/diag/diagtest"
	"fencepost/internal/frontend/statement"
	"fencepost/internal/frontend/statement/statementtest"
	"fencepost/internal/ir"
	"fencepost/internal/source"
)

var update = flag.Bool("update", false, "rewrite the expected automata")

// parse translates a program that must be right.
func parse(t *testing.T, name, text string, opt statement.Options) *statement.Unit {
	t.Helper()
	u, list := Parse(source.NewFile(name, []byte(text)), opt)
	for _, d := range list.All {
		t.Error(diagtest.Show(d))
	}
	if u.Program == nil {
		t.FailNow()
	}
	for _, err := range ir.Verify(u.Program) {
		t.Error(err)
	}
	return u
}

// TestLowering holds automata against testdata/lowering.txt.
func TestLowering(t *testing.T) {
	statementtest.Golden(t, "testdata/lowering.txt", *update, func(t *testing.T, name, program string) string {
		return statementtest.Describe(source.NewFile(name, []byte(program)), parse(t, name, program, statement.Options{}))
	})
}
