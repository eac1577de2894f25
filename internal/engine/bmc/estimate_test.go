package bmc

import (
	"strings"
	"testing"

	"fencepost/internal/ir/irtext"
)

// TestEstimate: loops multiply their instructions, and rounds all of them.
func TestEstimate(t *testing.T) {
	const text = `
program loops flat
object x
func f() {
  reg i, j, k
  l0 -> l1: k = load [&x]
  l1 -> l2: assume i < k
  l2 -> l2: j = j + 1
  l2 -> l1: i = i + 1
  l1 -> l3: assume i >= k
}
thread a = f()
thread b = f()
`
	p, diags := irtext.Parse("test.ir", []byte(text))
	if diags.HasErrors() {
		t.Fatal(diags)
	}
	// per thread: two instructions outside loops, two in the outer and one in the inner loop
	for _, tt := range []struct {
		opt  Options
		want float64
	}{
		{Options{Unroll: 1, Rounds: 1}, 2 * (2 + 2*2 + 4)},
		{Options{Unroll: 2, Rounds: 5}, 2 * 5 * (2 + 2*3 + 9)},
		{Options{}, 2 * DefaultRounds * (2 + 2*(DefaultUnroll+1) + (DefaultUnroll+1)*(DefaultUnroll+1))},
	} {
		if got := Estimate(p, tt.opt); got != tt.want {
			t.Errorf("%+v: got %v, want %v", tt.opt, got, tt.want)
		}
	}
	known, diags := irtext.Parse("test.ir", []byte(strings.ReplaceAll(text, "k = load [&x]", "k = 3")))
	if diags.HasErrors() {
		t.Fatal(diags)
	}
	// the head of the outer loop is come to four times, whatever the bound is
	if got, want := Estimate(known, Options{Unroll: 1, Rounds: 1}), 2.0*(2+2*4+4*2); got != want {
		t.Errorf("a loop that goes round three times: got %v, want %v", got, want)
	}
}
