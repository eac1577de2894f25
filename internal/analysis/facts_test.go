package analysis

import (
	"testing"

	"fencepost/internal/ir"
	"fencepost/internal/ir/irtext"
)

// parse reads a program in the text form of ir.
func parse(t testing.TB, text string) *ir.Program {
	t.Helper()
	p, diags := irtext.Parse("test.ir", []byte(text))
	if diags.HasErrors() {
		t.Fatalf("%+v\nin\n%s", diags.All, text)
	}
	return p
}

func factsOf(t *testing.T, text string, keep func(ir.FuncID, ir.Reg) bool) (*ir.Program, *Facts) {
	t.Helper()
	p := parse(t, text)
	if errs := ir.Verify(p); len(errs) > 0 {
		t.Fatal(errs)
	}
	return p, NewFacts(p, keep)
}
