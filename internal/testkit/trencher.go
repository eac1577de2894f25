package testkit

import (
	"os"
	"path/filepath"
	"testing"

	"fencepost/internal/frontend/statement"
	"fencepost/internal/frontend/trencher"
	"fencepost/internal/ir"
	"fencepost/internal/property"
	"fencepost/internal/source"
	"fencepost/internal/transform"
)

// LoadTrencher returns the flat program of a file of Trencher, and its properties.
func LoadTrencher(t testing.TB, path string) (*ir.Program, *property.Set) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	u, diags := trencher.Parse(source.NewFile(filepath.Base(path), text), statement.Options{})
	if diags.HasErrors() {
		t.Fatal(diags.All)
	}
	flat, err := transform.Run(u.Program, transform.Options{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return flat, u.Props
}
