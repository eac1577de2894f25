package lazy_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"fencepost/internal/engine"
	"fencepost/internal/engine/explicit"
	"fencepost/internal/engine/lazy"
	"fencepost/internal/ir"
	"fencepost/internal/ir/irtext"
	"fencepost/internal/memory"
	"fencepost/internal/property"
	"fencepost/internal/testkit"
)

const sb = `func p() {
 reg r
 a -> b: store [&x] = 1
 b -> c: r = load [&y]
 c -> d: assume (r == 0)
}
func q() {
 reg s
 a -> b: store [&y] = 1
 b -> c: s = load [&x]
 c -> d: assume (s == 0)
}
thread p = p()
thread q = q()
`

// reached reports whether the goal of the properties is reachable under a memory model.
func reached(t *testing.T, p *ir.Program, props *property.Set, m memory.Model) bool {
	t.Helper()
	out, err := explicit.Run(context.Background(), &engine.Task{Program: p, Props: props, Model: m, Limits: engine.Limits{Workers: 1}})
	if err != nil {
		t.Fatal(err)
	}
	return len(out.Violations) > 0
}

// ends returns properties with one goal: all threads are at their ends.
func ends(p *ir.Program) *property.Set {
	var at []property.At
	for t := range p.Threads {
		f := p.ThreadFunc(ir.ThreadID(t))
		for l := range f.Locs {
			if f.Ends(ir.Loc(l)) {
				at = append(at, property.At{Thread: ir.ThreadID(t), Locs: []ir.Loc{ir.Loc(l)}})
			}
		}
	}
	return &property.Set{Goals: []property.Goal{{Name: "both", At: at}}}
}

// TestExtension: the example of [BCDM15 Fig. 1, Fig. 3]. The goal becomes reachable under
// SC and stays reachable under TSO, and only an exact extension removes the store.
func TestExtension(t *testing.T) {
	flat := testkit.FlatIR(t, sb)
	props := ends(flat)
	if reached(t, flat, props, memory.SC) || !reached(t, flat, props, memory.TSO) {
		t.Fatal("the program is not store buffering")
	}
	f := flat.ThreadFunc(0)
	sigma := []ir.EdgeID{f.Edges[0].ID, f.Edges[1].ID}
	before := irtext.Print(flat)
	for _, exact := range []bool{true, false} {
		x, err := lazy.NewExtended(flat, props).Extend(0, sigma, exact)
		if err != nil {
			t.Fatal(err)
		}
		if !reached(t, x.Program, x.Props, memory.SC) || !reached(t, x.Program, x.Props, memory.TSO) {
			t.Errorf("exact %v: the goal is not reachable", exact)
		}
		_, _, there := x.Program.EdgeByID(sigma[0])
		if there == exact {
			t.Errorf("exact %v, but the store is there: %v", exact, there)
		}
		if irtext.Print(flat) != before {
			t.Error("the program itself was changed")
		}
		text := irtext.Print(x.Program)
		if back, diags := irtext.Parse("x.ir", []byte(text)); diags.HasErrors() || irtext.Print(back) != text {
			t.Errorf("the printed form does not parse back: %v", diags.All)
		}
	}
}

// TestExtensionNames: the name of a sequence lists instructions of the original program.
func TestExtensionNames(t *testing.T) {
	flat := testkit.FlatIR(t, sb)
	f := flat.ThreadFunc(0)
	sigma := []ir.EdgeID{f.Edges[0].ID, f.Edges[1].ID}
	x, err := lazy.NewExtended(flat, ends(flat)).Extend(0, sigma, true)
	if err != nil {
		t.Fatal(err)
	}
	if got := x.Name(sigma); got != "0 1" {
		t.Errorf("%q", got)
	}
	var issued, made int
	for i := range x.Program.ThreadFunc(0).Edges {
		e := &x.Program.ThreadFunc(0).Edges[i]
		switch {
		case e.Op.Kind == ir.Store && x.Of[e.ID] == ir.NoEdge:
			made++
			if got := x.Name([]ir.EdgeID{e.ID}); got != "^0" {
				t.Errorf("a store that is made is called %q", got)
			}
		case e.Op.Kind != ir.Store && x.Of[e.ID] == sigma[0]:
			issued++
		}
	}
	if issued != 1 || made != 2 { // at the end, and after the store with a fence
		t.Errorf("issued %d times, made %d times", issued, made)
	}
}

// TestExtensionRefuses: no store is delayed past an operation that drains the buffer.
func TestExtensionRefuses(t *testing.T) {
	flat := testkit.FlatIR(t, "func p() {\n reg r\n a -> b: store [&x] = 1\n b -> c: fence.full @f.c:3:5-3:9\n c -> d: r = load [&y]\n}\nthread p = p()\n")
	f := flat.ThreadFunc(0)
	_, err := lazy.NewExtended(flat, &property.Set{}).Extend(0, []ir.EdgeID{f.Edges[0].ID, f.Edges[1].ID, f.Edges[2].ID}, true)
	if u := (*engine.Unsupported)(nil); !errors.As(err, &u) || u.Pos.Line != 3 || u.What != "a store cannot be delayed past fence" {
		t.Errorf("%v", err)
	}
}

// TestExtensionOverlap: a load takes each byte from the newest buffered store that writes
// the byte, and the other bytes from memory in one step. The other thread's store comes
// between the load and the buffered stores.
func TestExtensionOverlap(t *testing.T) {
	for _, c := range []struct {
		name, stores, load string
		r, x               int64 // the loaded value, and the final value of x
		// all: no byte comes from memory. SC has that execution too, and the sequence goes
		// on to another load.
		all bool
	}{
		{"one byte", "store.u8 [&x] = 1", "r = load.u32 [&x]", 0x01, 0x04040401, false},
		{"a byte further up", "store.u8 [(&x+2)] = 1", "r = load.u32 [&x]", 0x010000, 0x04010404, false},
		{"the store begins before the load", "store.u16 [&x] = 0x0201", "r = load.u16 [(&x+1)]", 0x02, 0x04040201, false},
		{"the newest of two", "store.u16 [&x] = 0x0201; store.u8 [(&x+1)] = 3", "r = load.u32 [&x]", 0x0301, 0x04040301, false},
		{"the older is wholly hidden", "store.u8 [(&x+1)] = 3; store.u16 [&x] = 0x0201", "r = load.u32 [&x]", 0x0201, 0x04040201, false},
		{"two that leave a hole", "store.u8 [&x] = 1; store.u8 [(&x+2)] = 2", "r = load.u32 [&x]", 0x020001, 0x04020401, false},
		{"signed", "store.u8 [(&x+1)] = 0xff", "r = load.s16 [&x]", -256, 0x0404ff04, false},
		{"a register", "v = 7; store.u8 [&x] = v", "r = load.u32 [&x]", 7, 0x04040407, false},
		{"an await", "store.u8 [&x] = 1", "r = await.u32 [&x] when (seen == 1)", 1, 0x04040401, false},
		{"an abstract load", "store.u8 [&x] = 1", "r = aload.u32 [&x] when (r == (seen + 1)) range 0..3", 2, 0x04040401, false},
		{"computed addresses", "store.u16 [(&x +u64 i)] = 0x0201; store.u8 [((&x+1) +u64 i)] = 3", "r = load.u32 [(&x +u64 i)]", 0x0301, 0x04040301, false},
		{"computed addresses, before", "store.u16 [(&x +u64 i)] = 0x0201", "r = load.u16 [((&x+1) +u64 i)]", 0x02, 0x04040201, false},
		{"the load changes its address", "store.u8 [(&x +u64 r)] = 1", "r = load.u32 [(&x +u64 r)]", 1, 0x04040401, false},
		{"together they have all", "store.u16 [&x] = 0x0201; store.u8 [(&x+1)] = 3; store.u16 [(&x+2)] = 5", "r = load.u32 [&x]", 0x050301, 0x050301, true},
		{"together they have all, computed", "store.u16 [(&x +u64 i)] = 0x0201; store.u16 [((&x+2) +u64 i)] = 5", "r = load.u32 [(&x +u64 i)]", 0x050201, 0x050201, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			var b strings.Builder
			b.WriteString("func p() {\n reg r\n reg i\n reg v\n reg u\n")
			stores := strings.Split(c.stores, "; ")
			for i, s := range append(stores, c.load, "u = load.u8 [&y]", "assume (u == 0)") {
				fmt.Fprintf(&b, " a%d -> a%d: %s\n", i, i+1, s)
			}
			b.WriteString("}\nfunc q() {\n a -> b: store.u32 [&x] = 0x04040404\n b -> c: store.u8 [&y] = 1\n}\nthread p = p()\nthread q = q()\n")
			flat := testkit.FlatIR(t, b.String())
			props := ends(flat)
			x, r := flat.Objects[0].Addr, flat.ThreadFunc(0)
			props.Goals[0].With = &property.Cond{
				Vars: []property.Var{{Name: "x", Thread: ir.NoThread, Addr: x, Type: ir.Type{Bits: 32}}, {Name: "r", Thread: 0, Reg: 0}},
				Expr: ir.Binary(ir.LAnd, ir.S64, ir.Binary(ir.Eq, ir.S64, ir.R(0), ir.Int(c.x)), ir.Binary(ir.Eq, ir.S64, ir.R(1), ir.Int(c.r))),
			}
			if got := reached(t, flat, props, memory.SC); got != c.all || !reached(t, flat, props, memory.TSO) {
				t.Fatalf("reachable under SC: %v", got)
			}
			var sigma []ir.EdgeID
			for i := range r.Edges {
				if e := &r.Edges[i]; len(sigma) > 0 || e.Op.Kind == ir.Store {
					sigma = append(sigma, e.ID)
				}
			}
			if c.all { // up to the load of y
				sigma = sigma[:len(sigma)-1]
			} else {
				sigma = sigma[:len(sigma)-2]
			}
			for _, exact := range []bool{true, false} {
				x, err := lazy.NewExtended(flat, props).Extend(0, sigma, exact)
				if err != nil {
					t.Fatal(err)
				}
				if !reached(t, x.Program, x.Props, memory.SC) || !reached(t, x.Program, x.Props, memory.TSO) {
					t.Errorf("exact %v: not reachable in\n%s", exact, irtext.Print(x.Program))
				}
				loads := 0
				for i := range x.Program.ThreadFunc(0).Edges {
					if e := &x.Program.ThreadFunc(0).Edges[i]; e.Pass == "extend" && (e.Op.Kind == ir.Load || e.Op.Kind == ir.Await || e.Op.Kind == ir.AbstractLoad) {
						loads++
					}
				}
				if loads != 1 && !(c.all && loads == 2 && strings.Contains(c.stores, "i)")) {
					t.Errorf("exact %v: %d loads on the line of\n%s", exact, loads, irtext.Print(x.Program))
				}
			}
		})
	}
}
