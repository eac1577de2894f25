package explorer_test

import (
	"slices"
	"strings"
	"testing"

	"fencepost/internal/explorer"
)

// TestShapes: which models allow the outcome that each shape of the catalogue asks about.
func TestShapes(t *testing.T) {
	for name, allowed := range map[string]string{
		"sb.fp": "tso pso", "mp.fp": "pso", "lb.fp": "", "iriw.fp": "",
		"sb-fences.fp": "", "r.fp": "tso pso", "s.fp": "pso", "2+2w.fp": "pso", "wrc.fp": "", "isa2.fp": "pso", "corr.fp": "", "sb-rmw.fp": "",
	} {
		at := slices.IndexFunc(explorer.Examples(), func(p explorer.Program) bool { return p.Name == name })
		if at < 0 {
			t.Errorf("no example %s", name)
			continue
		}
		p := explorer.Examples()[at]
		if lines := strings.Split(p.Text, "\n"); !strings.HasPrefix(lines[0], "// ") || !strings.HasSuffix(lines[1], "?") {
			t.Errorf("%s does not begin with a sentence and its question", name)
		}
		var got []string
		for _, m := range []string{"sc", "tso", "pso"} {
			answer := asked[*explorer.SearchAnswer](t, "check", explorer.Request{Name: p.Name, Text: p.Text, Model: m})
			if len(answer.Findings) != 1 {
				t.Errorf("%s under %s: %+v", name, m, answer.Diagnostics)
			} else if answer.Findings[0].Verdict == "unsafe" {
				got = append(got, m)
			}
		}
		if words := strings.Join(got, " "); words != allowed {
			t.Errorf("%s is allowed under %q, want %q", name, words, allowed)
		}
	}
}
