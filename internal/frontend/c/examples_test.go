package c_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"fencepost/internal/frontend/c"
	"fencepost/internal/pipeline"
	"fencepost/internal/source"
)

// TestExamples: every C program in examples gets the verdicts its comment expects.
func TestExamples(t *testing.T) {
	paths, err := filepath.Glob(filepath.Join("..", "..", "..", "examples", "*.c"))
	if err != nil || len(paths) < 4 {
		t.Fatalf("%d examples (%v)", len(paths), err)
	}
	for _, p := range paths {
		t.Run(filepath.Base(p), func(t *testing.T) {
			text, err := os.ReadFile(p)
			if err != nil {
				t.Fatal(err)
			}
			expect := strings.Fields(parse(t, c.Options{}, source.NewFile(p, text)).Expect)
			if len(expect) == 0 {
				t.Fatal("no expectation")
			}
			for _, pair := range expect {
				model, want, _ := strings.Cut(pair, "=")
				opt := pipeline.Defaults()
				opt.Workers = 1
				a, err := pipeline.Check(context.Background(), pipeline.Input{Name: filepath.Base(p), Text: text}, []string{model}, opt)
				if err != nil || a.HasErrors() {
					t.Fatalf("%v %+v", err, a.Diagnostics)
				}
				if got := a.Results[0].Verdict.String(); got != want {
					t.Errorf("%s: %s, want %s", model, got, want)
				}
			}
		})
	}
}
