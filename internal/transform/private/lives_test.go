package private

import (
	"flag"
	"math/rand/v2"
	"slices"
	"testing"

	"fencepost/internal/analysis"
	"fencepost/internal/ir"
	"fencepost/internal/ir/irtext"
	"fencepost/internal/transform/looptest"
)

var (
	lifePrograms = flag.Int("fp.lives", 3000, "how many random functions TestLivesAgainstExecutions takes")
	lifeSeed     = flag.Uint64("fp.liveseed", 1, "seed of TestLivesAgainstExecutions")
)

// TestLivesAgainstExecutions: a function whose registers are split does the same, and there is nothing left to split.
func TestLivesAgainstExecutions(t *testing.T) {
	r := rand.New(rand.NewPCG(*lifeSeed, 1))
	split, more := 0, 0
	for n := range *lifePrograms {
		text := "program test flat\nobject x size 8\nobject y size 8\nfunc f() {\n reg a\n reg b\n reg c\n" +
			looptest.Random(r) + "}\nthread f = f()\n"
		p, diags := irtext.Parse("test.ir", []byte(text))
		if diags.HasErrors() {
			t.Fatalf("%v\n%s", diags.All, text)
		}
		f := splitLives(p.Funcs[0])
		if f == nil {
			continue
		}
		split++
		more += len(f.Regs) - len(p.Funcs[0].Regs)
		out := *p
		out.Funcs = []*ir.Func{f}
		out.Seal()
		if errs := ir.Verify(&out); len(errs) > 0 {
			t.Fatalf("program %d: %v\n%s", n, errs, irtext.Print(&out))
		}
		for range 4 {
			seed := r.Uint64()
			want, ended := looptest.Observe(p.Funcs[0], seed, 300)
			got, same := looptest.Observe(f, seed, 300)
			if ended != same || !slices.Equal(got, want) {
				t.Fatalf("program %d: %v, and with a register for each life %v\n%s%s", n, want, got, text, irtext.Print(&out))
			}
		}
		if again := splitLives(f); again != nil && liveRegisters(f, again) > 0 {
			t.Fatalf("program %d: registers with two lives are left\n%s", n, irtext.Print(&out))
		}
	}
	if split < *lifePrograms/2 || more < 2*split {
		t.Errorf("%d functions of %d have changed, with %d more registers: something is never tried", split, *lifePrograms, more)
	}
}

// liveRegisters returns how many of the new registers are live anywhere.
func liveRegisters(f, again *ir.Func) int {
	live, n := analysis.Liveness(again), 0
	for r := len(f.Regs); r < len(again.Regs); r++ {
		for l := range again.Locs {
			if live(ir.Loc(l), ir.Reg(r)) {
				n++
				break
			}
		}
	}
	return n
}
