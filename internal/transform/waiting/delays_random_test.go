package waiting

import (
	"flag"
	"math/rand/v2"
	"slices"
	"testing"

	"fencepost/internal/ir/irtext"
	"fencepost/internal/transform/looptest"
)

var (
	delayPrograms = flag.Int("fp.delays", 3000, "how many random functions TestDelaysAgainstExecutions takes")
	delaySeed     = flag.Uint64("fp.delayseed", 1, "seed of TestDelaysAgainstExecutions")
)

// TestDelaysAgainstExecutions: a function without its delays does the same as with them, apart from what it computes: it
// loads, stores and checks the same, in the same order, whatever the loads find, and comes to an end if the other does.
func TestDelaysAgainstExecutions(t *testing.T) {
	r := rand.New(rand.NewPCG(*delaySeed, 0))
	loops, branches, ended := 0, 0, 0
	for n := range *delayPrograms {
		text := "program test flat\nobject x size 8\nobject y size 8\nfunc f() {\n reg a\n reg b\n reg c\n" +
			looptest.Random(r) + "}\nfunc g() {\n a -> b: store [&x] = 5\n}\nthread f = f()\nthread g = g()\n"
		p, diags := irtext.Parse("test.ir", []byte(text))
		if diags.HasErrors() {
			t.Fatalf("%v\n%s", diags.All, text)
		}
		out, err := Delays(p, nil, nil)
		if err != nil {
			t.Fatal(err)
		}
		gone := len(p.Funcs[0].Edges) - len(out.Funcs[0].Edges)
		if out.Funcs[0] == p.Funcs[0] {
			continue
		}
		if gone > 1 {
			branches++
		}
		loops++
		for range 4 {
			seed := r.Uint64()
			want, end := looptest.Observe(p.Funcs[0], seed, 400)
			got, same := looptest.Observe(out.Funcs[0], seed, 400)
			if end {
				ended++
			}
			// Where both are cut off, one may be further than the other.
			short := min(len(got), len(want))
			if end != same && end || end && len(got) != len(want) || !slices.Equal(got[:short], want[:short]) {
				t.Fatalf("program %d: with the delays %v (ended: %v), without %v (ended: %v)\n%s%s", n, want, end, got, same, text, irtext.Print(out))
			}
		}
	}
	if loops < *delayPrograms/50 || branches == 0 || ended == 0 {
		t.Errorf("%d functions of %d have changed, %d in several places, %d executions came to an end: something is never tried",
			loops, *delayPrograms, branches, ended)
	}
}
