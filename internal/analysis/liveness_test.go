package analysis

import (
	"fmt"
	"math/rand"
	"strings"
	"testing"

	"fencepost/internal/ir"
)

// liveNames lists the live registers at every location.
func liveNames(p *ir.Program, fs *Facts, f ir.FuncID) string {
	var b strings.Builder
	for l, loc := range p.Funcs[f].Locs {
		fmt.Fprintf(&b, "%s:", loc.Name)
		for _, r := range fs.Live(f, ir.Loc(l)) {
			fmt.Fprintf(&b, "%s", p.Funcs[f].Regs[r].Name)
			if !fs.IsLive(f, ir.Loc(l), r) {
				b.WriteString("?")
			}
		}
		b.WriteString(" ")
	}
	return strings.TrimSpace(b.String())
}

func TestLive(t *testing.T) {
	const regs = "object x\nfunc f(p) {\n reg a, b, c\n"
	tests := []struct{ body, want string }{
		{"0 -> 1: a = load [&x]\n 1 -> 2: b = a + 1\n 2 -> 3: store [&x] = b", "0: 1:a 2:b 3:"},
		{"0 -> 1: a = b\n 0 -> 2: a = c\n 1 -> 3: nop\n 2 -> 3: nop\n 3 -> 4: return a", "0:bc 1:a 2:a 3:a 4:"},
		{"0 -> 1: assume p\n 1 -> 0: a = a + 1\n 0 -> 2: return a", "0:pa 1:pa 2:"},
		{"0 -> 1: assume p\n 1 -> 0: a = a + 1\n 0 -> 2: return b", "0:pb 1:pb 2:"},
		{"0 -> 1: a = b + 1\n 1 -> 2: c = a\n 2 -> 0: store [&x] = p", "0:p 1:p 2:p"},
		{"0 -> 1: a = havoc when a < b\n 1 -> 2: assume a", "0:b 1:a 2:"},
		{"0 -> 1: a = aload [&x] when a < seen + b\n 1 -> 2: assume a", "0:b 1:a 2:"},
		{"0 -> 1: a, b = rmw.cas [&x], a, c\n 1 -> 2: threadexit b", "0:ac 1:b 2:"},
		{"0 -> 1: a = join b\n 1 -> 2: return a", "0:b 1:a 2:"},
		{"0 -> 1: bound \"k\"\n 1 -> 2: return a", "0: 1:a 2:"},
		{"0 -> 1: exit\n 1 -> 2: return a", "0: 1:a 2:"},
	}
	for _, tt := range tests {
		p, fs := factsOf(t, regs+tt.body+"\n}\nthread f\n", nil)
		if got := liveNames(p, fs, 0); got != tt.want {
			t.Errorf("%s: got %s, want %s", tt.body, got, tt.want)
		}
	}
	p, fs := factsOf(t, regs+tests[0].body+"\n}\nthread f\n", func(f ir.FuncID, r ir.Reg) bool { return f == 0 && r == 1 })
	if got, want := liveNames(p, fs, 0), "0:a 1:a 2:ab 3:a"; got != want {
		t.Errorf("with a kept: got %s, want %s", got, want)
	}
}

// TestLiveManyRegisters compares bit sets of several words with a search for a use of each
// register.
func TestLiveManyRegisters(t *testing.T) {
	for seed := range int64(50) {
		rnd := rand.New(rand.NewSource(seed))
		f := &ir.Func{Name: "f"}
		for i := range 150 {
			f.Regs = append(f.Regs, ir.Register{Name: fmt.Sprint("r", i)})
		}
		for i := range 12 {
			f.Locs = append(f.Locs, ir.Location{Name: fmt.Sprint("l", i)})
		}
		for i := range 30 {
			op := ir.NewOp(ir.Assign)
			if op.Val = ir.R(ir.Reg(rnd.Intn(150))); i%3 == 0 {
				op.Kind = ir.Assume
			} else {
				op.Dst = ir.Reg(rnd.Intn(150))
			}
			f.Edges = append(f.Edges, ir.Edge{ID: ir.EdgeID(i), From: ir.Loc(rnd.Intn(12)), To: ir.Loc(rnd.Intn(12)), Op: op})
		}
		p := &ir.Program{Name: "p", Form: ir.Flat, Main: ir.NoThread, Funcs: []*ir.Func{f}, NextEdge: 30}
		p.Seal()
		fs := NewFacts(p, nil)
		for l := range f.Locs {
			for r := range f.Regs {
				if got, want := fs.IsLive(0, ir.Loc(l), ir.Reg(r)), usedLater(f, ir.Loc(l), ir.Reg(r)); got != want {
					t.Fatalf("seed %d: register %d at %d: live %v, want %v", seed, r, l, got, want)
				}
			}
		}
	}
}

// usedLater follows the value of a register: an assignment carries it on, another operation uses it.
func usedLater(f *ir.Func, l ir.Loc, r ir.Reg) bool {
	type point struct {
		loc ir.Loc
		reg ir.Reg
	}
	seen := map[point]bool{{l, r}: true}
	for work := []point{{l, r}}; len(work) > 0; {
		at := work[0]
		work = work[1:]
		for i := range f.Edges {
			e := &f.Edges[i]
			if e.From != at.loc {
				continue
			}
			var next []point
			if e.Op.Val.Reg == at.reg {
				if e.Op.Kind != ir.Assign {
					return true
				}
				next = append(next, point{e.To, e.Op.Dst})
			}
			if e.Op.Dst != at.reg {
				next = append(next, point{e.To, at.reg})
			}
			for _, p := range next {
				if !seen[p] {
					seen[p] = true
					work = append(work, p)
				}
			}
		}
	}
	return false
}
