package robust_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"fencepost/internal/engine"
	"fencepost/internal/engine/robust"
	"fencepost/internal/frontend/automaton"
	"fencepost/internal/ir"
	"fencepost/internal/source"
	"fencepost/internal/testkit"
	"fencepost/internal/transform"
)

// TestTrencher: the verdicts of the authors' tool on their benchmark.
func TestTrencher(t *testing.T) {
	dir := testkit.Shared(t, "bench", "trencher")
	table, err := os.ReadFile(filepath.Join(dir, "expected.tsv"))
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range strings.Split(strings.TrimSpace(string(table)), "\n")[1:] {
		f := strings.Split(line, "\t")
		t.Run(f[0], func(t *testing.T) {
			text, err := os.ReadFile(filepath.Join(dir, f[0]))
			if err != nil {
				t.Fatal(err)
			}
			u, diags := automaton.ParseTrencher(source.NewFile(f[0], text), automaton.Options{})
			if diags.HasErrors() {
				t.Fatal(diags.All)
			}
			flat, err := transform.Run(u.Program, transform.Options{}, nil)
			if err != nil {
				t.Fatal(err)
			}
			out, err := robust.Run(context.Background(), &engine.Task{Program: flat, Props: u.Props, Limits: engine.Limits{Workers: 1, Memory: 1 << 30}})
			if err != nil {
				t.Fatal(err)
			}
			got := "yes"
			if len(out.Violations) > 0 {
				got = "no"
			} else if out.Unknown != "" {
				got = out.Unknown
			}
			t.Logf("%s: %s, %d states, %.3f s", f[0], got, out.Stats.States, out.Stats.Seconds)
			if got != f[3] {
				t.Errorf("robust: %s, want %s", got, f[3])
			}
		})
	}
}

// What the search does not know is refused with its place.
func TestUnsupported(t *testing.T) {
	p, diags := ir.Parse("test.ir", []byte("program b structured\nobject b size 8\nfunc f() {\n  a -> c: free [&b] @f.c:3:5-3:9\n}\nthread t = f()\n"))
	if diags.HasErrors() {
		t.Fatal(diags.All)
	}
	flat, err := transform.Run(p, transform.Options{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	err = robust.Engine.Supports(&engine.Task{Program: flat})
	if u := (*engine.Unsupported)(nil); !errors.As(err, &u) || u.Pos == nil || u.Pos.Line != 3 || u.What != "robust does not take free" {
		t.Errorf("%v", err)
	}
}
