package transform_test

import (
	"strings"
	"testing"

	"fencepost/internal/ir/irtext"
	"fencepost/internal/transform"
)

// TestExchanges: an exchange loses its result exactly if no one uses it.
func TestExchanges(t *testing.T) {
	p, diags := irtext.Parse("exchanges.ir", []byte(`program exchanges flat
object x size 8
func t() {
  reg r
  reg s
  L0 -> L1: r = rmw.xchg [&x], 1 seq_cst
  L1 -> L2: s = rmw.xchg [&x], 2 seq_cst
  L2 -> L3: store [&x] = s
  L3 -> L4: r = rmw.add [&x], 3 seq_cst
  L4 -> L5: s = rmw.xchg [&x], 4 seq_cst
}
thread t = t()
`))
	if diags.HasErrors() {
		t.Fatal(diags.All)
	}
	for observed, want := range map[bool]string{false: " rmw.xchg [&x], 1;s = rmw.xchg [&x], 2; rmw.xchg [&x], 4", true: "r = rmw.xchg [&x], 1;s = rmw.xchg [&x], 2;s = rmw.xchg [&x], 4"} {
		out := irtext.Print(pass(t, p, "exchanges", transform.Options{Observed: observed}))
		var got []string
		for line := range strings.Lines(out) {
			if _, op, ok := strings.Cut(line, ": "); ok && strings.Contains(op, "xchg") {
				op, _, _ = strings.Cut(op, " seq_cst")
				if !strings.Contains(op, "=") {
					op = " " + op
				}
				got = append(got, op)
			}
		}
		if text := strings.Join(got, ";"); text != want {
			t.Errorf("observed %v: %q, want %q", observed, text, want)
		}
	}
}
