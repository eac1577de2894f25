package testkit_test

import (
	"os"
	"path/filepath"
	"testing"

	"fencepost/internal/engine/explicit"
	"fencepost/internal/ir"
	"fencepost/internal/ir/irtext"
	"fencepost/internal/property"
	"fencepost/internal/testkit"
	"fencepost/internal/transform"
)

// TestRegressions compares the engine with the enumerator on programs that once had a wrong
// answer, as printed ir. Shrunk programs that random testing finds are added here.
func TestRegressions(t *testing.T) {
	paths, err := filepath.Glob(filepath.Join(testkit.Root(t), "testdata", "regress", "*.ir"))
	if err != nil || len(paths) == 0 {
		t.Fatalf("no regressions (%v)", err)
	}
	for _, path := range paths {
		t.Run(filepath.Base(path), func(t *testing.T) {
			text, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			p, diags := irtext.Parse(filepath.Base(path), text)
			if diags.HasErrors() {
				t.Fatalf("%+v", diags.All)
			}
			flat := p
			if p.Form == ir.Structured {
				if flat, err = transform.Run(p, transform.Options{Unroll: 2}, nil); err != nil {
					t.Fatal(err)
				}
			}
			if errs := ir.Verify(flat); len(errs) > 0 {
				t.Fatal(errs)
			}
			props := observeAll(flat)
			for _, m := range testkit.Models {
				want, err := testkit.Oracle(flat, props, m)
				if err != nil {
					t.Fatal(err)
				}
				got, err := testkit.Ask(&explicit.Engine, flat, props, m, testkit.How{})
				if err != nil {
					t.Fatal(err)
				}
				if d := testkit.Difference(want, got); d != "" {
					t.Errorf("%s: %s", m, d)
				}
			}
		})
	}
}

// observeAll returns properties about everything: all registers, all memory, checks,
// deadlock.
func observeAll(p *ir.Program) *property.Set {
	props := &property.Set{Checks: true, Deadlock: true}
	for t, th := range p.Threads {
		for r, reg := range p.Funcs[th.Func].Regs {
			props.Observe = append(props.Observe, property.Var{Name: th.Name + ":" + reg.Name, Thread: ir.ThreadID(t), Reg: ir.Reg(r)})
		}
	}
	for _, o := range p.Objects {
		for off := int64(0); off+int64(o.Unit) <= o.Size; off += int64(o.Unit) {
			addr := o.Addr + uint64(off)
			props.Observe = append(props.Observe, property.Var{Name: p.LocationName(addr, o.Unit), Thread: ir.NoThread, Addr: addr, Type: o.Type})
		}
	}
	return props
}
