package rf_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"fencepost/internal/engine"
	"fencepost/internal/engine/rf"
	"fencepost/internal/ir"
	"fencepost/internal/ir/irtext"
	"fencepost/internal/memory"
	"fencepost/internal/property"
	"fencepost/internal/testkit"
	"fencepost/internal/transform"
)

// blind returns a copy of a program in which exchanges have no result, and every second store is such an exchange. It
// also returns how many there are.
func blind(p *ir.Program) (*ir.Program, int) {
	out, n, stores := *p, 0, 0
	out.Funcs = slices.Clone(p.Funcs)
	for i, f := range p.Funcs {
		next := *f
		next.Edges = slices.Clone(f.Edges)
		for k := range next.Edges {
			op := &next.Edges[k].Op
			if op.Kind == ir.Store {
				if stores++; stores%2 == 0 {
					op.Kind, op.RMW, op.Sync.Order, op.Sync.Marks = ir.RMW, ir.Xchg, ir.SeqCst, ir.AsStore
				}
			}
			if op.Kind == ir.RMW && op.RMW == ir.Xchg && op.Cond == nil {
				op.Dst, op.Dst2 = ir.NoReg, ir.NoReg
				n++
			}
		}
		out.Funcs[i] = &next
	}
	return &out, n
}

// TestBlind: the classes of programs with exchanges whose result is not used, against brute force, and their final
// states, failing checks and deadlocks against the explicit engine.
func TestBlind(t *testing.T) {
	met := 0
	for i, left := *firstSeed, fewer(*programs); left > 0 && !t.Failed(); i++ {
		pr := profiles[i%len(profiles)]
		p, props := testkit.Generate(uint64(i), pr).Flat()
		p, n := blind(p)
		if errs := ir.Verify(p); len(errs) > 0 {
			t.Fatal(errs)
		}
		flat, _, err := transform.Unroll(p, &property.Set{}, 2, nil)
		if err != nil {
			t.Fatal(err)
		}
		left--
		met += n
		for _, m := range testkit.Models {
			if want, ok := testkit.NewTracker(memory.New(flat, m, memory.Options{})).ReadsFrom(*histories / 3); ok {
				_, err := classes(flat, m, want)
				if un := (*engine.Unsupported)(nil); err != nil && !errors.As(err, &un) {
					t.Errorf("seed %d, %s, %s: %v\n%s", i, pr.Name, m, err, irtext.Print(flat))
				}
			}
			props := *props
			props.Goals = nil
			if rf.Engine.Supports(&engine.Task{Program: p, Props: &props, Model: m}) != nil {
				continue
			}
			got, err := testkit.Ask(&rf.Engine, p, &props, m, testkit.How{})
			if err != nil && strings.Contains(err.Error(), "rf does not take") {
				continue
			}
			if err != nil {
				t.Fatalf("seed %d, %s, %s: %v", i, pr.Name, m, err)
			}
			want, err := testkit.Ask(testkit.Explicit, p, &props, m, testkit.How{Memory: 16 << 20})
			if errors.Is(err, testkit.ErrTooBig) {
				continue
			}
			if err != nil {
				t.Fatalf("seed %d, %s, %s: explicit: %v", i, pr.Name, m, err)
			}
			if d := testkit.Difference(want, got); d != "" {
				t.Errorf("seed %d, %s, %s: %s\n%s", i, pr.Name, m, d, irtext.Print(p))
			}
		}
	}
	if t.Logf("%d exchanges whose result is not used", met); met == 0 {
		t.Error("no exchange without a result")
	}
}
