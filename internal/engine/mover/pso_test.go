package mover_test

import (
	"context"
	"math/rand/v2"
	"strings"
	"testing"

	"fencepost/internal/engine/mover"
	"fencepost/internal/ir"
	"fencepost/internal/memory"
	"fencepost/internal/property"
	"fencepost/internal/testkit"
	"fencepost/verdict"
)

func TestPSO(t *testing.T) {
	for _, test := range []struct {
		why, text string
		proved    bool
	}{
		{"stores in the order of nothing", "var x, y; thread s * n { y = 42; x = 1; }", false},
		{"a store-store fence", "var x, y; thread s * n { y = 42; sfence; x = 1; }", true},
		{"a fence", "var x, y; thread s * n { y = 42; fence; x = 1; }", true},
		{"a read-modify-write", "var x, y; thread s * n { reg r; y = 42; r = fetch_add(x, 1); x = 1; }", true},
		{"the same variable", "var x; thread s * n { x = 42; x = 1; }", true},
		{"on one path of two", "var x, y; thread s * n { reg r; r = x; y = 42; if (r == 0) { sfence; } x = 1; }", false},
		{"around a loop", "var x, y; thread s * n { loop { y = 42; sfence; x = 1; } }", false},
		{"a variable of one thread", "var x, y; thread s { y = 42; x = 1; } thread r * n { reg r; r = x; }", true},
		{"a variable of many threads", "var x, y; thread s * n { y = 42; x = 1; } thread r * n { reg r; r = x; }", false},
	} {
		out := prove(t, test.text, mover.Options{PSO: true, NoAbstraction: true})
		if proved := out.Verdict == verdict.ValueRobust; proved != test.proved {
			t.Errorf("%s: %s %q", test.why, out.Verdict, out.Reason)
		}
		if out := prove(t, test.text, mover.Options{NoAbstraction: true}); out.Verdict != verdict.ValueRobust {
			t.Errorf("%s under TSO: %s %q", test.why, out.Verdict, out.Reason)
		}
	}
}

// TestProofsUnderPSO: what is proved for PSO has the same final states under SC and PSO.
func TestProofsUnderPSO(t *testing.T) {
	needsSolver(t)
	var proved, weak int
	for i := range 2 * *programs {
		s := *seed + uint64(i)
		r := rand.New(rand.NewPCG(s, 0x950))
		text := ordered(r, dense(r, 2, 3+r.IntN(2), ""))
		flat, props := parse(t, text)
		asked := *props
		asked.Final = &property.Final{Quantifier: property.Exists, Cond: &property.Cond{Vars: props.Observe, Expr: ir.R(0)}}
		out, err := mover.Prove(context.Background(), flat, &asked, mover.Options{PSO: true, NoAbstraction: true})
		if err != nil {
			t.Fatalf("seed %d: %v\n%s", s, err, text)
		}
		sc, err1 := testkit.Ask(testkit.Explicit, flat, &asked, memory.SC, testkit.How{NoReduction: true})
		pso, err2 := testkit.Ask(testkit.Explicit, flat, &asked, memory.PSO, testkit.How{NoReduction: true})
		if err1 != nil || err2 != nil {
			t.Fatalf("seed %d: %v, %v\n%s", s, err1, err2, text)
		}
		d := testkit.Difference(sc, pso)
		if out.Verdict == verdict.ValueRobust {
			if proved++; d != "" {
				t.Fatalf("seed %d is proved for PSO, which differs: %s\n%s", s, d, text)
			}
		}
		if d != "" {
			weak++
		}
	}
	t.Logf("%d proved, %d differ under PSO", proved, weak)
	if proved == 0 || weak == 0 {
		t.Error("the test tests nothing")
	}
}

// ordered puts store-store fences into a program, after most of its lines.
func ordered(r *rand.Rand, text string) string {
	var b strings.Builder
	for _, line := range strings.SplitAfter(text, "\n") {
		b.WriteString(line)
		if strings.HasPrefix(line, "  ") && !strings.HasPrefix(line, "  reg ") && r.IntN(4) > 0 {
			b.WriteString("  sfence;\n")
		}
	}
	return b.String()
}
