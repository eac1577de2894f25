package transform_test

import (
	"context"
	"errors"
	"testing"

	"fencepost/internal/engine"
	"fencepost/internal/engine/explicit"
	"fencepost/internal/ir"
	"fencepost/internal/memory"
	"fencepost/internal/property"
	"fencepost/internal/transform"
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

// reached reports whether both threads get to their ends.
func reached(t *testing.T, p *ir.Program, props *property.Set, m memory.Model) bool {
	t.Helper()
	out, err := explicit.Run(context.Background(), &engine.Task{Program: p, Props: props, Model: m, Limits: engine.Limits{Workers: 1}})
	if err != nil {
		t.Fatal(err)
	}
	return len(out.Violations) > 0
}

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
// SC, what TSO can do stays the same, and only exact extensions take the store out.
func TestExtension(t *testing.T) {
	flat := flatOf(t, sb)
	props := ends(flat)
	if reached(t, flat, props, memory.SC) || !reached(t, flat, props, memory.TSO) {
		t.Fatal("the program is not store buffering")
	}
	f := flat.ThreadFunc(0)
	sigma := []ir.EdgeID{f.Edges[0].ID, f.Edges[1].ID}
	before := ir.Print(flat)
	for _, exact := range []bool{true, false} {
		x, err := transform.NewExtended(flat, props).Extend(0, sigma, exact)
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
		if ir.Print(flat) != before {
			t.Error("the program itself was changed")
		}
		text := ir.Print(x.Program)
		if back, diags := ir.Parse("x.ir", []byte(text)); diags.HasErrors() || ir.Print(back) != text {
			t.Errorf("the printed form does not parse back: %v", diags.All)
		}
	}
}

// TestExtensionNames: names of sequences are those of the original's instructions.
func TestExtensionNames(t *testing.T) {
	flat := flatOf(t, sb)
	f := flat.ThreadFunc(0)
	sigma := []ir.EdgeID{f.Edges[0].ID, f.Edges[1].ID}
	x, err := transform.NewExtended(flat, ends(flat)).Extend(0, sigma, true)
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
	if issued != 1 || made != 2 { // at the end, and behind the store with a fence
		t.Errorf("issued %d times, made %d times", issued, made)
	}
}

// TestExtensionRefuses: nothing is delayed past what drains.
func TestExtensionRefuses(t *testing.T) {
	flat := flatOf(t, "func p() {\n reg r\n a -> b: store [&x] = 1\n b -> c: fence.full @f.c:3:5-3:9\n c -> d: r = load [&y]\n}\nthread p = p()\n")
	f := flat.ThreadFunc(0)
	_, err := transform.NewExtended(flat, &property.Set{}).Extend(0, []ir.EdgeID{f.Edges[0].ID, f.Edges[1].ID, f.Edges[2].ID}, true)
	if u := (*transform.Unsupported)(nil); !errors.As(err, &u) || u.Pos.Line != 3 || u.What != "a store cannot be delayed past fence" {
		t.Errorf("%v", err)
	}
}
