package mover_test

import (
	"context"
	"errors"
	"flag"
	"slices"
	"testing"

	"fencepost/internal/engine"
	"fencepost/internal/engine/mover"
	"fencepost/internal/ir"
	"fencepost/internal/ir/irtext"
	"fencepost/internal/memory"
	"fencepost/internal/property"
	"fencepost/internal/solver/smt"
	"fencepost/internal/testkit"
	"fencepost/verdict"
)

var (
	programs = flag.Int("fp.programs", 10, "random programs to prove")
	seed     = flag.Uint64("fp.seed", 1, "the first seed")
)

func needsSolver(t *testing.T) {
	t.Helper()
	if !smt.Available() {
		t.Skipf("notice: %v", smt.ErrMissing)
	}
}

// What is proved must be so: a random program with a proof has the same final
// states under SC and TSO, in shared variables and in what the program asks about,
// which for two programs of three is all registers.
// Values repeat, so that the relaxed store order matters. A program proved with read
// abstractions has under TSO no more than the abstracted one has under SC.
func TestProofsAreSound(t *testing.T) {
	needsSolver(t)
	profiles := []testkit.Profile{
		{Name: "plain", Plain: true}, {Name: "core"}, {Name: "plain", Plain: true}, {Name: "goal", Goal: true},
		{Name: "overlap-plain", Overlap: true, Plain: true}, {Name: "overlap", Overlap: true},
	}
	var proved, weak, abstracted, unknown, unsupported int
	for i := range *programs {
		p := testkit.Generate(*seed+uint64(i), profiles[i%len(profiles)])
		flat, props := p.Flat()
		shared := *props
		if i%3 == 0 {
			shared.Observe = slices.DeleteFunc(slices.Clone(props.Observe), func(v property.Var) bool { return !v.IsMemory() })
		} else {
			// A condition that mentions all registers, true where the last one is.
			cond := &property.Cond{Vars: props.Observe, Expr: ir.R(ir.Reg(len(props.Observe) - 1))}
			shared.Final = &property.Final{Quantifier: property.Exists, Cond: cond}
		}
		out, err := mover.Prove(context.Background(), flat, &shared, mover.Options{})
		if u := (*engine.Unsupported)(nil); errors.As(err, &u) {
			unsupported++
			continue
		}
		if err != nil {
			t.Fatalf("seed %d: %v\n%s", p.Seed, err, irtext.Print(flat))
		}
		tso, err := testkit.Ask(testkit.Explicit, flat, &shared, memory.TSO, testkit.How{NoReduction: true})
		if err != nil {
			t.Fatalf("seed %d: %v\n%s", p.Seed, err, irtext.Print(flat))
		}
		sc, err := testkit.Ask(testkit.Explicit, flat, &shared, memory.SC, testkit.How{NoReduction: true})
		if err != nil {
			t.Fatalf("seed %d: %v\n%s", p.Seed, err, irtext.Print(flat))
		}
		switch out.Verdict {
		case verdict.ValueRobust:
			proved++
			if d := testkit.Difference(sc, tso); d != "" {
				t.Fatalf("seed %d is proved value-robust, but TSO differs: %s\n%s", p.Seed, d, irtext.Print(flat))
			}
		case verdict.Abstracted:
			abstracted++
			abstract, err := testkit.Ask(testkit.Explicit, out.Program, &shared, memory.SC, testkit.How{NoReduction: true})
			if err == nil && !testkit.Subset(tso.Finals, abstract.Finals) {
				t.Fatalf("seed %d: abstracted, but TSO reaches %q and the abstraction %q\n%s", p.Seed, tso.Finals, abstract.Finals, irtext.Print(flat))
			}
		default:
			unknown++
		}
		if testkit.Difference(sc, tso) != "" {
			weak++
		}
	}
	t.Logf("%d proved, %d abstracted, %d not proved, %d unsupported; %d differ under TSO", proved, abstracted, unknown, unsupported, weak)
	if proved == 0 || weak == 0 {
		t.Errorf("the test tests nothing: %d programs proved, %d programs that differ", proved, weak)
	}
}
