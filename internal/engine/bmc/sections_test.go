package bmc_test

import (
	"context"
	"slices"
	"testing"

	"fencepost/internal/engine"
	"fencepost/internal/engine/bmc"
	"fencepost/internal/ir"
	"fencepost/internal/ir/irtext"
	"fencepost/internal/memory"
	"fencepost/internal/property"
	"fencepost/query"
	"fencepost/verdict"
)

// TestDeadlockBesideGoal: a goal lets a thread stop inside a section while a store of the other
// waits in its buffer. That is no deadlock that bounded model checking encodes, and none that it
// may report from the values that memory has after the store: the store never reaches it.
func TestDeadlockBesideGoal(t *testing.T) {
	const text = `program beside flat
object x size 8
object y size 8
func a() {
  0 -> 1: store.u8 [&y+1] = 1
}
func b() {
  reg r
  0 -> 1: atomicbegin
  1 -> 2: r = rmw.xchg.u8 [&y+2], 2 seq_cst
  2 -> 3: r = await [&y] when (seen == 0)
  3 -> 4: atomicend
}
thread t0 = a()
thread t1 = b()
`
	p, errs := irtext.Parse("beside", []byte(text))
	if errs.HasErrors() {
		t.Fatal(errs)
	}
	// The goal cannot be reached: it also wants t0 at a location that is not there.
	unreached := property.Goal{At: []property.At{{Thread: 0, Locs: nil}, {Thread: 1, Locs: []ir.Loc{2}}}}
	task := &engine.Task{
		Program: p, Props: &property.Set{Deadlock: true, Goals: []property.Goal{unreached}}, Model: memory.TSO, KeepGoing: true,
		Limits: engine.Limits{Workers: 1, Buffer: 4, Unroll: 2},
	}
	e := bmc.New(bmc.Options{Rounds: 3, Clock: 3, Queue: 4})
	if err := e.Supports(task); err != nil {
		t.Fatal(err)
	}
	out, err := e.Run(context.Background(), task)
	if err != nil {
		t.Fatal(err)
	}
	if len(out.Violations) > 0 || out.Unknown == "" {
		t.Errorf("%d violations, unknown %q; want none, and that this is not decided", len(out.Violations), out.Unknown)
	}
}

// TestBoundInsideSection: a loop inside an atomic section that is cut off is named as a bound, in both
// encodings. The program is unsafe with five iterations.
func TestBoundInsideSection(t *testing.T) {
	in := fp(`
		var x, y, most = 5;
		thread a {
			reg n, r, k, m;
			k = y;
			m = most;
			atomic { while (n < m && k == 0) { n = n + 1; x = n; } }
			r = y;
			assert r == k || r == 0;
		}
		thread b { reg s; s = x; y = 1; if (s == 5) { y = 2; } }`)
	for _, encoding := range []query.Encoding{bmc.Order, bmc.Rounds} {
		for _, model := range []string{"sc", "tso", "pso"} {
			opt := bounds{unroll: 2}.options()
			opt.BMC.Encoding = encoding
			if encoding == bmc.Rounds {
				opt.BMC.Rounds, opt.BMC.Clock, opt.BMC.Queue = 12, 12, 12
			}
			got := ask(t, in, model, opt)
			hit := slices.ContainsFunc(got.Coverage.Bounds, func(b verdict.Bound) bool { return b.Name == "unroll" && b.Hit })
			if got.Verdict != verdict.Safe || got.Coverage.Exhaustive || !hit {
				t.Errorf("%s under %s: %s, %+v; want safe up to the bound of unrolling", encoding, model, got.Verdict, got.Coverage)
			}
			opt.Unroll = 5
			if got := ask(t, in, model, opt); got.Verdict != verdict.Unsafe {
				t.Errorf("%s under %s: %s (%s); want unsafe", encoding, model, got.Verdict, got.Reason)
			}
		}
	}
}
