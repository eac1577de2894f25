package certificate_test

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"fencepost/internal/certificate"
	"fencepost/internal/ir"
	"fencepost/internal/ir/irtext"
	"fencepost/internal/property"
	"fencepost/internal/replay"
	"fencepost/internal/testkit"
	"fencepost/internal/transform"
)

var c11Programs = flag.Int("fp.c11", 90, "random programs under c11")

// randomC11 visits random programs under c11, with their classes by brute force on the definition.
func randomC11(t *testing.T, visit func(seed uint64, r *testkit.C11Program, p *ir.Program, want map[string]*testkit.C11Class, dataRace bool)) {
	for at := range uint64(*c11Programs) {
		seed := *seed + at
		sizes := [][2]int{{2, 4}, {3, 2}, {2, 3}, {3, 3}, {4, 2}}[seed%5]
		r := testkit.WeakC11(seed, sizes[0], sizes[1])
		want, dataRace, ok := r.Classes(600)
		if !ok {
			continue
		}
		p, diags := irtext.Parse("random", []byte(r.Text()))
		if diags.HasErrors() {
			t.Fatalf("seed %d: %v\n%s", seed, diags, r.Text())
		}
		visit(seed, r, transform.C11(p, false), want, dataRace)
	}
}

// The tree has the executions that brute force finds, each once, and there is a data race exactly if brute force finds
// one. Happens-before is that of replay's matrices.
func TestClassesAgainstBruteForce(t *testing.T) {
	programs, classes, racy, nodes := 0, 0, 0, 0
	randomC11(t, func(seed uint64, r *testkit.C11Program, p *ir.Program, want map[string]*testkit.C11Class, dataRace bool) {
		got, found, size, err := certificate.AllClasses(p, &property.Set{Checks: true}, replay.C11)
		if err != nil || found != dataRace {
			t.Fatalf("seed %d: race %v, want %v (%v)\n%s", seed, found, dataRace, err, r.Text())
		}
		programs, nodes = programs+1, nodes+size
		if dataRace {
			racy++
			return
		}
		for class, n := range got {
			if n > 1 {
				t.Fatalf("seed %d: %d times %s\n%s", seed, n, class, r.Text())
			}
		}
		if len(got) != len(want) {
			t.Fatalf("seed %d: %d executions, want %d\n%s", seed, len(got), len(want), r.Text())
		}
		classes += len(want)
	})
	t.Logf("%d programs, %d classes, %d with races, %d nodes", programs, classes, racy, nodes)
}

// A final state is certified to be out of reach exactly if no class of brute force has it. With other threads chosen, a
// tree says the same; cut off, longer, or with a thread that cannot go on, it is refused.
func TestClassesOfFinals(t *testing.T) {
	rng := rand.New(rand.NewPCG(*seed, 11))
	safe, unsafe, refused, still := 0, 0, 0, 0
	randomC11(t, func(seed uint64, r *testkit.C11Program, p *ir.Program, want map[string]*testkit.C11Class, dataRace bool) {
		if dataRace {
			return
		}
		values := make([]int, r.Locs)
		for l := range values {
			values[l] = rng.IntN(3)
		}
		text := ""
		var all *ir.Expr = ir.Int(1)
		cond := &property.Cond{}
		for l, v := range values {
			text += fmt.Sprintf("v%d=%d ", l, v)
			cond.Vars = append(cond.Vars, property.Var{Name: fmt.Sprintf("v%d", l), Thread: ir.NoThread, Addr: p.Objects[l].Addr, Type: ir.S64})
			all = ir.Binary(ir.LAnd, ir.S64, all, ir.Binary(ir.Eq, ir.S64, ir.R(ir.Reg(l)), ir.Int(int64(v))))
		}
		cond.Expr, cond.Text = all, text
		reached := false
		for _, c := range want {
			reached = reached || slices.Contains(c.Finals, text)
		}
		q := question{p, &property.Set{Final: &property.Final{Quantifier: property.Never, Cond: cond}}, replay.C11}
		var file bytes.Buffer
		_, err := certificate.Classes(context.Background(), &file, certificate.Statement{}, q.p, q.props, q.model, 0)
		refuted := (*certificate.Refuted)(nil)
		if reached != errors.As(err, &refuted) || !reached && err != nil {
			t.Fatalf("seed %d: %s is reached: %v; the proof: %v\n%s", seed, text, reached, err, r.Text())
		}
		if reached {
			unsafe++
			return
		}
		safe++
		if _, err := q.check(file.Bytes()); err != nil {
			t.Fatalf("seed %d: a proof is refused: %v", seed, err)
		}
		for range 3 {
			if mutant := certificate.ChangeClasses(t, file.Bytes(), rng); mutant != nil {
				if _, err := q.check(mutant); errors.As(err, &refuted) {
					t.Fatalf("seed %d: another order of threads refutes: %v", seed, err)
				} else if err != nil {
					refused++
				} else {
					still++
				}
			}
		}
	})
	t.Logf("%d safe, %d unsafe; of changed proofs %d are refused, %d are proofs", safe, unsafe, refused, still)
	if *c11Programs >= 90 && (safe < 10 || unsafe < 10 || refused < 10) {
		t.Error("the programs do not test all answers")
	}
}
