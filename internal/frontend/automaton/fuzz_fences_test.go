package automaton

import (
	"testing"

	"fencepost/internal/ir"
	"fencepost/internal/source"
)

// FuzzFences: a text with a fence at every place is read again, and has as many more
// fences as places have steps.
func FuzzFences(f *testing.F) {
	for i, file := range []string{"testdata/lowering.txt", "testdata/trencher.txt", "testdata/memorax.txt"} {
		for _, text := range fuzzSections(f, file) {
			f.Add([]byte(text), uint8(i))
		}
	}
	parsers := []language{Parse, ParseTrencher, ParseMemorax}
	f.Fuzz(func(t *testing.T, text []byte, which uint8) {
		parse := parsers[int(which)%len(parsers)]
		file := source.NewFile("fuzz", text)
		u, _ := parse(file, Options{Places: true})
		if u.Program == nil {
			return
		}
		for _, err := range ir.Verify(u.Program) {
			t.Fatal(err)
		}
		want := fenceSteps(u.Program)
		var all []ir.FenceAt
		for i, p := range u.Places {
			all = append(all, ir.FenceAt{Place: ir.PlaceID(i), Kind: ir.FullFence})
			want += len(p.Edges)
		}
		changed := source.Apply(file, u.Write(all))
		again, list := parse(source.NewFile("fuzz", changed), Options{})
		if again.Program == nil {
			t.Fatalf("refused: %v\n%s", list.All, changed)
		}
		if got := fenceSteps(again.Program); got != want {
			t.Fatalf("%d fences, want %d\n%s", got, want, changed)
		}
	})
}

func fenceSteps(p *ir.Program) int {
	n := 0
	for _, f := range p.Funcs {
		for i := range f.Edges {
			if f.Edges[i].Op.Kind == ir.Fence {
				n++
			}
		}
	}
	return n
}
