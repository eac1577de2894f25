package testkit_test

import (
	"errors"
	"testing"

	"fencepost/internal/engine/explicit"
	"fencepost/internal/ir"
	"fencepost/internal/ir/irtext"
	"fencepost/internal/source"
	"fencepost/internal/testkit"
	"fencepost/internal/transform"
)

// TestWeaker: a program in which a fence is removed, or a read-modify-write is divided, is
// valid and has every final state of the original.
func TestWeaker(t *testing.T) {
	changed, more := 0, 0
	for seed := range uint64(*programs / 4) {
		pr := testkit.Profiles[seed%uint64(len(testkit.Profiles))]
		flat, props := testkit.Generate(seed, pr).Flat()
		for _, f := range flat.Funcs {
			for i := range f.Edges {
				e := &f.Edges[i]
				var weaker *ir.Program
				switch e.Op.Kind {
				case ir.Fence:
					weaker = transform.WithoutFences(flat, []source.Span{e.Pos})
				case ir.RMW:
					weaker = transform.WithoutRMW(flat, e.Pos)
				default:
					continue
				}
				changed++
				if errs := ir.Verify(weaker); len(errs) > 0 {
					t.Fatalf("seed %d: %v\n%s", seed, errs[0], irtext.Print(weaker))
				}
				for _, m := range testkit.Models {
					a, err := testkit.Ask(&explicit.Engine, flat, props, m, testkit.How{Buffer: 3, Memory: 16 << 20})
					if errors.Is(err, testkit.ErrTooBig) {
						continue
					}
					if err != nil {
						t.Fatal(err)
					}
					b, err := testkit.Ask(&explicit.Engine, weaker, props, m, testkit.How{Buffer: 4, Memory: 16 << 20})
					if errors.Is(err, testkit.ErrTooBig) {
						continue
					}
					if err != nil {
						t.Fatal(err)
					}
					if !testkit.Subset(a.Finals, b.Finals) {
						t.Fatalf("profile %s, seed %d, %s: the weaker program loses final states\n%s\n%s", pr.Name, seed, m, irtext.Print(flat), irtext.Print(weaker))
					}
					if len(b.Finals) > len(a.Finals) {
						more++
					}
				}
			}
		}
	}
	t.Logf("%d weaker programs, %d have more final states under some model", changed, more)
	if changed < 50 || more == 0 {
		t.Error("the programs do not test what they should")
	}
}
