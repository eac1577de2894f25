package mover_test

import (
	"context"
	"math/rand/v2"
	"strings"
	"testing"

	"fencepost/internal/engine/mover"
	"fencepost/internal/ir"
	"fencepost/internal/memory"
	"fencepost/internal/proof/encode"
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

// TestBlocksUnderPSO: a store to a block must reach memory before the block ends, and only then do other threads end it.
func TestBlocksUnderPSO(t *testing.T) {
	needsSolver(t)
	const (
		heap  = "int *volatile g; void *v(void *p) { g = malloc(sizeof *g); while (!x) ; free(g); return 0; }\n"
		stack = "int *volatile g; void *v(void *p) { int l; g = &l; while (!x) ; return 0; }\n"
		write = "void *w(void *p) { int *q; while (!(q = g)) ; *q = 1; STORE return 0; }\n"
		main  = "int main(void) { pthread_t t; pthread_create(&t, 0, v, 0); pthread_create(&t, 0, w, 0); return 0; }"
		alone = "void *v(void *p) { int *q = malloc(sizeof *q); x = *q; __sync_synchronize(); free(q); y = 1; return 0; }\n" +
			"void *w(void *p) { READ return 0; }\n"
	)
	for _, test := range []struct {
		why, text string
		proved    bool
	}{
		{"a block that another thread frees", heap + strings.Replace(write, "STORE", "x = 1;", 1) + main, false},
		{"a block that another thread frees, in order", heap + strings.Replace(write, "STORE", "__atomic_store_n(&x, 1, __ATOMIC_RELEASE);", 1) + main, true},
		{"a block that ends with its function", stack + strings.Replace(write, "STORE", "x = 1;", 1) + main, false},
		{"a free that a store overtakes", strings.Replace(alone, "READ", "x = y;", 1) + main, false},
		{"a free that a store overtakes unseen", strings.Replace(alone, "READ", "x = 0;", 1) + main, true},
	} {
		flat, props, private := parseC(t, "#include <stdlib.h>\n"+cHead+test.text)
		out, err := mover.Prove(context.Background(), flat, props, mover.Options{PSO: true, Arithmetic: encode.BitVectors, Private: private, Reach: reach(1000)})
		if err != nil {
			t.Errorf("%s: %v", test.why, err)
			continue
		}
		if proved := out.Verdict != verdict.Unknown; proved != test.proved {
			t.Errorf("%s: %s %q, %d open", test.why, out.Verdict, out.Reason, out.Proof.Open())
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
