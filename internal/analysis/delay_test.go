package analysis

import (
	"slices"
	"testing"

	"fencepost/internal/ir"
)

// TestUndrained lists the loads that a store at the first edge can be delayed past.
func TestUndrained(t *testing.T) {
	tests := []struct {
		name, body string
		want       []ir.EdgeID
	}{
		{"plain", "b -> c: r = load [&y]\n c -> d: r = load [&y]", []ir.EdgeID{1, 2}},
		{"fence", "b -> c: fence\n c -> d: r = load [&y]", nil},
		{"store-store fence", "b -> c: fence.ss\n c -> d: r = load [&y]", []ir.EdgeID{2}},
		{"one path is fenced", "b -> c: fence\n b -> c: nop\n c -> d: await [&y] when seen", []ir.EdgeID{3}},
		{"rmw", "b -> c: r = rmw.add [&y], 1\n c -> d: r = load [&y]", nil},
		{"mutex", "b -> c: lock [&y]\n c -> d: r = load [&y]", nil},
		{"owned recursive mutex", "b -> c: lock.recursive [&y]\n c -> d: r = load [&y]", []ir.EdgeID{2}},
		{"loop", "b -> a: r = aload [&y]", []ir.EdgeID{1}},
		{"before", "z -> a: r = load [&y]", nil},
	}
	for _, tt := range tests {
		p, _ := factsOf(t, "object x\nobject y\nfunc f {\n reg r\n a -> b: store [&x] = 1\n "+tt.body+"\n}\nthread f\n", nil)
		f := p.Funcs[0]
		reached := Undrained(f, f.Edges[0].To, nil)
		var got []ir.EdgeID
		for i := range f.Edges {
			if e := &f.Edges[i]; reached[e.From] && e.Op.Reads() && !Drains(&e.Op) {
				got = append(got, e.ID)
			}
		}
		if !slices.Equal(got, tt.want) {
			t.Errorf("%s: got %v, want %v", tt.name, got, tt.want)
		}
	}
}

// TestUndrainedStops: edges that stop reports are not taken.
func TestUndrainedStops(t *testing.T) {
	p, _ := factsOf(t, "object x\nfunc f {\n a -> b: store [&x] = 1\n b -> c: store [&x] = 2\n c -> d: nop\n}\nthread f\n", nil)
	f := p.Funcs[0]
	reached := Undrained(f, f.Edges[0].To, func(e *ir.Edge) bool { return e.Op.Kind == ir.Store })
	if want := []bool{false, true, false, false}; !slices.Equal(reached, want) {
		t.Errorf("got %v, want %v", reached, want)
	}
}
