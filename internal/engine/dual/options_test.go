package dual_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"fencepost/internal/engine"
	"fencepost/internal/engine/dual"
	"fencepost/internal/ir/irtext"
)

// TestOptions: the answers are the same without each of the parts that make the search fast. Without them
// the search may be too slow for an answer, so most programs are small.
func TestOptions(t *testing.T) {
	variants := map[string]dual.Options{
		"no words":              {NoWords: true},
		"no values":             {NoValues: true},
		"small steps":           {SmallSteps: true},
		"late":                  {Late: true},
		"no pairs":              {NoPairs: true},
		"small steps, no pairs": {SmallSteps: true, NoPairs: true},
		"small steps, late":     {SmallSteps: true, Late: true},
		"small steps, no words": {SmallSteps: true, NoWords: true},
		"nothing":               {SmallSteps: true, NoWords: true, NoValues: true, NoPairs: true},
	}
	limits := engine.Limits{States: 4000}
	for name, opt := range variants {
		e := dual.New(opt)
		count := map[string]int{}
		for i := range *programs / 2 {
			seed := *firstSeed + uint64(i)
			p, pr := generate(seed, loopFree)
			flat, props := p.Flat()
			list, err := questions(flat, props, rand.New(rand.NewPCG(seed, 1)))
			if err != nil {
				continue
			}
			for _, q := range list[:min(len(list), 4)] {
				got, err := safely(&e, flat, q.props, limits)
				if err != nil {
					t.Fatalf("%s: profile %s, seed %d, %s: %v\n%s", name, pr.Name, seed, q.text, err, irtext.Print(flat))
				}
				if count[got]++; (got == found || got == notFound) && got != q.want {
					t.Fatalf("%s: profile %s, seed %d, %s: dual says %s, explicit says %s\n%s", name, pr.Name, seed, q.text, got, q.want, irtext.Print(flat))
				}
			}
		}
		t.Logf("%s: %v", name, count)
		if count[found] == 0 || count[notFound] == 0 {
			t.Errorf("%s: too few definite answers: %v", name, count)
		}
	}
}

// TestOptionsLooping is the same for programs with loops.
func TestOptionsLooping(t *testing.T) {
	variants := map[string]dual.Options{"no words": {NoWords: true}, "no values": {NoValues: true}, "small steps": {SmallSteps: true}, "late": {Late: true}, "no pairs": {NoPairs: true}}
	limits := engine.Limits{States: 4000}
	count := map[string]int{}
	for i := range *looping {
		seed := *firstSeed + uint64(i)
		p, _ := generate(seed, slices.Concat(withLoops, starting))
		flat, props := p.Flat()
		props.Deadlock = false
		want, err := safely(&dual.Engine, flat, props, limits)
		if err != nil {
			t.Fatal(err)
		}
		for name, opt := range variants {
			e := dual.New(opt)
			got, err := safely(&e, flat, props, limits)
			if err != nil {
				t.Fatalf("%s, seed %d: %v\n%s", name, seed, err, irtext.Print(flat))
			}
			if count[got]++; got != want && (got == found || got == notFound) && (want == found || want == notFound) {
				t.Fatalf("%s, seed %d: %s instead of %s\n%s", name, seed, got, want, irtext.Print(flat))
			}
		}
	}
	t.Log(count)
	if count[found] == 0 || count[notFound] == 0 {
		t.Errorf("too few definite answers: %v", count)
	}
}
