package property_test

import (
	"testing"

	"fencepost/internal/frontend/c/translate"
	"fencepost/internal/ir"
	"fencepost/internal/property"
	"fencepost/internal/source"
	"fencepost/internal/testkit"
	"fencepost/internal/transform"
)

// TestSet: a set is empty if no execution can violate anything, and shows final states if it
// observes something.
func TestSet(t *testing.T) {
	for name, c := range map[string]struct {
		set          property.Set
		empty, shows bool
	}{
		"nothing":   {property.Set{}, true, false},
		"checks":    {property.Set{Checks: true}, false, false},
		"goals":     {property.Set{Goals: []property.Goal{{}}}, false, false},
		"final":     {property.Set{Final: &property.Final{}}, false, false},
		"deadlock":  {property.Set{Deadlock: true}, false, false},
		"invariant": {property.Set{Invariants: []property.Invariant{{}}}, true, false},
		"observed":  {property.Set{Observe: []property.Var{{}}}, true, true},
		"whole":     {property.Set{Whole: true}, true, true},
	} {
		if c.set.Empty() != c.empty || c.set.ShowsFinals() != c.shows {
			t.Errorf("%s: empty %v, shows final states %v", name, c.set.Empty(), c.set.ShowsFinals())
		}
	}
}

// TestCond: a condition is about its variables in order, and mentions memory if one of them is
// a cell.
func TestCond(t *testing.T) {
	register := property.Var{Name: "p:r", Thread: 0, Reg: 3}
	cell := property.Var{Name: "x", Thread: ir.NoThread, Addr: 64, Type: ir.S64}
	less := ir.Binary(ir.Lt, ir.S64, ir.R(0), ir.R(1))
	c := &property.Cond{Vars: []property.Var{register, cell}, Expr: less}
	if !c.Eval([]int64{1, 2}) || c.Eval([]int64{2, 1}) {
		t.Error("the variables are exchanged")
	}
	if !c.MentionsMemory() || (&property.Cond{Vars: []property.Var{register}}).MentionsMemory() {
		t.Error("memory is the cell x")
	}
	if g := (property.Goal{}); g.MentionsMemory() {
		t.Error("a goal without a condition mentions memory")
	}
	if g := (property.Goal{With: c}); !g.MentionsMemory() {
		t.Error("a goal does not mention the memory of its condition")
	}
	for q, want := range map[property.Quantifier]string{property.Exists: "exists", property.Never: "never", property.Forall: "forall"} {
		if q.String() != want {
			t.Errorf("%s, want %s", q, want)
		}
	}
}

// state is a final state.
type state struct {
	memory  map[uint64]int64 // bytes
	regs    map[ir.Reg]int64
	results map[ir.ThreadID]int64
	blocks  []property.Block
	cells   []uint64
}

func (s *state) Memory(addr uint64, t ir.Type) int64 {
	var v uint64
	for i := t.Size() - 1; i >= 0; i-- {
		v = v<<8 | uint64(s.memory[addr+uint64(i)])&0xff
	}
	return t.Wrap(int64(v))
}
func (s *state) Register(_ ir.ThreadID, r ir.Reg) int64 { return s.regs[r] }
func (s *state) Result(t ir.ThreadID) int64             { return s.results[t] }
func (s *state) Blocks() []property.Block               { return s.blocks }
func (s *state) Cells() []uint64                        { return s.cells }

// TestObserver: variables that are observed, in their order; with whole states also objects,
// blocks and results, in which addresses are names.
func TestObserver(t *testing.T) {
	text := "#include <stdlib.h>\nint x, a[3];\nint *p;\nint main(void) {\n  p = malloc(4);\n  x = 7;\n  a[1] = 5;\n  return 0;\n}\n"
	u := testkit.TranslateC(t, translate.Options{}, source.NewFile("f.c", []byte(text)))
	flat, err := transform.Run(u.Program, transform.Options{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	at := map[string]uint64{}
	for _, id := range u.Objects {
		at[flat.Objects[id].Name] = uint64(flat.Objects[id].Addr)
	}
	site := ir.NoEdge
	for i := range flat.Funcs[0].Edges {
		if e := &flat.Funcs[0].Edges[i]; e.Op.Kind == ir.Alloc {
			site = e.ID
		}
	}
	if site == ir.NoEdge || at["x"] == 0 || at["p"] == 0 {
		t.Fatalf("site %d, objects %v", site, at)
	}
	end := func(block uint64) *state {
		s := &state{memory: map[uint64]int64{at["x"]: 7, at["a"] + 4: 5, block: 9}, regs: map[ir.Reg]int64{2: -1}}
		for i := range uint64(8) {
			s.memory[at["p"]+i] = int64(block >> (8 * i) & 0xff)
		}
		s.blocks = []property.Block{{Addr: block, Size: 4, Site: site, Order: 1}}
		return s
	}
	const one, other = 1 << 40, 1<<40 + 1<<16

	observed := property.NewObserver(flat, &property.Set{Observe: []property.Var{
		{Name: "main:r", Thread: 0, Reg: 2}, {Name: "x", Thread: ir.NoThread, Addr: at["x"], Type: ir.S32},
	}})
	if got := observed.Text(end(one)); got != "main:r=-1 x=7" {
		t.Errorf("observed: %s", got)
	}
	whole := property.NewObserver(flat, &property.Set{Whole: true, Objects: u.Objects})
	got := whole.Text(end(one))
	if want := "p=&malloc@f.c:5 x=7 a[0]=0 a[1]=5 a[2]=0 malloc@f.c:5=9"; got != want {
		t.Errorf("whole:\n%s, want\n%s", got, want)
	}
	if again := whole.Text(end(other)); again != got {
		t.Errorf("at another address:\n%s, not\n%s", again, got)
	}
	changed := end(one)
	changed.memory[one] = 8
	if whole.Text(changed) == got {
		t.Error("another value in the block has the same text")
	}
	freed := end(one)
	freed.blocks[0].Freed = true
	if text := whole.Text(freed); text == got {
		t.Errorf("a freed block has the same text: %s", text)
	}
}
