package robust_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"fencepost/internal/engine"
	"fencepost/internal/engine/robust"
	"fencepost/internal/frontend/statement"
	"fencepost/internal/frontend/trencher"
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
			u, diags := trencher.Parse(source.NewFile(f[0], text), statement.Options{})
			if diags.HasErrors() {
				t.Fatal(diags.All)
			}
			flat, err := transform.Run(u.Program, transform.Options{}, nil)
			if err != nil {
				t.Fatal(err)
			}
			for _, c := range []struct {
				engine *engine.Engine
				want   string
			}{{&robust.Engine, f[3]}, {&robust.TRF, f[5]}} {
				out, err := c.engine.Run(context.Background(), &engine.Task{Program: flat, Props: u.Props, Limits: engine.Limits{Workers: 1, Memory: 1 << 30}})
				if err != nil {
					t.Fatal(err)
				}
				got := "yes"
				if len(out.Violations) > 0 {
					got = "no"
				} else if out.Unknown != "" {
					got = out.Unknown
				}
				t.Logf("%s %s: %s, %d states, %.3f s, %+v", c.engine.Name, f[0], got, out.Stats.States, out.Stats.Seconds, *out.Stats.Filters)
				if got != c.want {
					t.Errorf("%s: %s, want %s", c.engine.Name, got, c.want)
				}
			}
		})
	}
}
