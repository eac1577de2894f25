package mover_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"testing"

	"fencepost/internal/engine"
	"fencepost/internal/engine/explicit"
	"fencepost/internal/engine/mover"
	"fencepost/internal/ir"
	"fencepost/internal/proof/encode"
	"fencepost/internal/proof/program"
	"fencepost/internal/property"
)

// reach shows so many states of an instance.
func reach(limit int64) program.Reach {
	return func(ctx context.Context, p *ir.Program, show func(program.State)) {
		explicit.Visit(ctx, p, limit, func(v explicit.View) { show(v) })
	}
}

// proveAndCompare proves a program. It fails the test if an inferred invariant is false in a state of an instance
// with sizes threads per template. It returns the outcome, nil if the program is refused, and how often an
// invariant was compared with a state. An abstracted load may read anything, which instances do not, so that there
// is no comparison with abstractions.
func proveAndCompare(t *testing.T, text string, p *ir.Program, props *property.Set, opt mover.Options, sizes ...int) (*mover.Outcome, int) {
	t.Helper()
	if !opt.NoAbstraction {
		sizes = nil
	}
	out, bad, n, err := mover.ProveAndCompare(context.Background(), p, props, opt, reach(20_000), sizes...)
	if u := (*engine.Unsupported)(nil); errors.As(err, &u) {
		return nil, 0
	}
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	for _, b := range bad {
		t.Errorf("an instance has a state that violates the invariant %s", b)
	}
	if len(bad) > 0 {
		t.Fatal(text)
	}
	return out, n
}

// TestInvariantsHoldInInstances: what is proved invariant for any number of threads holds in every
// state of instances. Candidates have been tried on no states in one program of three, and on few
// in another, so that induction alone must find out what is false.
func TestInvariantsHoldInInstances(t *testing.T) {
	needsSolver(t)
	samples := []program.Reach{nil, reach(20), reach(2000)}
	compared := 0
	for i := range *programs {
		s := *seed + 40 + uint64(i)
		r := rand.New(rand.NewPCG(s, 0x1a7))
		template := []string{anyNumber, numbered, ""}[i%3]
		text := dense(r, 1+r.IntN(2), 3+r.IntN(3), template)
		flat, props := parse(t, text)
		sizes := []int{1, 2, 3}
		if template == "" {
			sizes = sizes[:1]
		}
		_, n := proveAndCompare(t, text, flat, props, mover.Options{NoAbstraction: true, Reach: samples[i/3%3]}, sizes...)
		compared += n
	}
	t.Logf("%d comparisons of an invariant with a state", compared)
	if compared == 0 {
		t.Error("the test tests nothing")
	}
}

// TestCounts: a count of threads does not wrap around for as many threads as the proof says; a counter
// in a loop counts no threads, and wraps around.
func TestCounts(t *testing.T) {
	for _, test := range []struct {
		body   string
		proved bool
		most   int64
	}{
		{"c = fetch_add(b, 1); assert c >= 1;", true, 1<<62 - 1},
		{"loop { c = fetch_add(b, 1); assert c >= 1; }", false, 0},
	} {
		out := prove(t, "var b = 1; thread main { } thread w * n { reg c; "+test.body+" }", mover.Options{
			Arithmetic: encode.BitVectors, Reach: reach(1000),
		})
		if (out.Proof.Open() == 0) != test.proved || out.Proof.MaxThreads != test.most {
			t.Errorf("%s: %d checks open, at most %d threads", test.body, out.Proof.Open(), out.Proof.MaxThreads)
		}
	}
}
