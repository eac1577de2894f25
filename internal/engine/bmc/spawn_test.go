package bmc_test

import (
	"testing"

	"fencepost/internal/engine"
	"fencepost/internal/engine/smc"
	"fencepost/internal/ir"
	"fencepost/internal/ir/irtext"
	"fencepost/internal/property"
	"fencepost/internal/testkit"
)

// TestSharedSpawns: which thread a spawn starts depends on what other threads have started,
// and where there is none left the thread does not get further.
func TestSharedSpawns(t *testing.T) {
	const text = `program shared flat
object x size 8
object y size 8
func start(k) {
  reg h
  0 -> 1: h = spawn {u, v}(k)
}
func third() {
  reg h
  0 -> 1: h = spawn {v, w}(7)
}
func child(k) {
  reg r
  0 -> 1: r = rmw.xchg [&x], k seq_cst
  1 -> 2: store [&y] = (r + (10 * k))
}
thread a = start(1)
thread b = start(2)
thread c = third()
thread u = child(0) spawned
thread v = child(0) spawned
thread w = child(0) spawned
`
	p, errs := irtext.Parse("shared", []byte(text))
	if errs.HasErrors() {
		t.Fatal(errs)
	}
	var watch []property.Var
	for i := range p.Objects {
		o := &p.Objects[i]
		watch = append(watch, property.Var{Name: o.Name, Thread: ir.NoThread, Addr: o.Addr, Type: ir.S64})
	}
	for i, th := range p.Threads {
		f := p.ThreadFunc(ir.ThreadID(i))
		watch = append(watch, property.Var{Name: th.Name + ":0", Thread: ir.ThreadID(i), Reg: ir.Reg(len(f.Regs) - 1)})
	}
	props := &property.Set{Checks: true, Deadlock: true, Observe: watch}
	for _, m := range testkit.Models {
		want, err := testkit.Ask(testkit.Explicit, p, props, m, testkit.How{NoReduction: true})
		if err != nil {
			t.Fatal(err)
		}
		for name, ask := range map[string]*engine.Engine{"explicit": testkit.Explicit, "smc": &smc.Engine} {
			got, err := testkit.Ask(ask, p, props, m, testkit.How{})
			if err != nil {
				t.Fatal(err)
			}
			if d := testkit.Difference(want, got); d != "" {
				t.Errorf("%s, %s: %s", name, m, d)
			}
		}
		got, err := testkit.Ask(complete(1), p, props, m, testkit.How{})
		if err != nil {
			t.Fatal(err)
		}
		if d := testkit.Difference(want, got); d != "" {
			t.Errorf("%s: %s", m, d)
		}
		if len(want.Finals) < 10 {
			t.Errorf("%s: only %d final states", m, len(want.Finals))
		}
	}
}
