package testkit

import (
	"testing"

	"fencepost/internal/ir"
	"fencepost/internal/ir/irtext"
	"fencepost/internal/transform"
)

// FlatIR returns the flat form of a program, printed without its head, on the objects x, y and z of a cell each.
func FlatIR(t testing.TB, text string) *ir.Program {
	t.Helper()
	p, diags := irtext.Parse("test.ir", []byte("program p structured\nobject x size 8\nobject y size 8\nobject z size 8\n"+text))
	if diags.HasErrors() {
		t.Fatal(diags.All)
	}
	flat, err := transform.Run(p, transform.Options{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return flat
}
