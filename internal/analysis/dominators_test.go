package analysis

import (
	"math/rand"
	"testing"

	"fencepost/internal/ir"
)

const dominatorLocs = 7

// randomFunc makes an automaton of dominatorLocs locations; some edges end the thread.
func randomFunc(rnd *rand.Rand, ends bool) *ir.Func {
	f := &ir.Func{Name: "f", Locs: make([]ir.Location, dominatorLocs), Entry: ir.Loc(rnd.Intn(dominatorLocs))}
	for i := range 11 {
		kind := ir.Nop
		if ends && rnd.Intn(6) == 0 {
			kind = ir.Return
		}
		f.Edges = append(f.Edges, ir.Edge{
			ID: ir.EdgeID(i), From: ir.Loc(rnd.Intn(dominatorLocs)), To: ir.Loc(rnd.Intn(dominatorLocs)), Op: ir.NewOp(kind),
		})
	}
	return f
}

// reach lists what from reaches without passing a location, -1 for none. The last element
// says whether it reaches the end of the thread.
func reach(f *ir.Func, from, without ir.Loc) (seen [dominatorLocs + 1]bool) {
	for work := []ir.Loc{from}; len(work) > 0; work = work[1:] {
		l := work[0]
		if l == without || seen[l] {
			continue
		}
		seen[l] = true
		if f.Ends(l) {
			seen[dominatorLocs] = true
		}
		for _, i := range f.Out(l) {
			if e := &f.Edges[i]; e.Op.Terminal() {
				seen[dominatorLocs] = true
			} else {
				work = append(work, e.To)
			}
		}
	}
	return seen
}

// TestDominators compares dominators with what can be reached when a location is removed,
// and components with mutual reachability.
func TestDominators(t *testing.T) {
	for seed := range int64(300) {
		f := randomFunc(rand.New(rand.NewSource(seed)), false)
		dom, comp := Dominators(f), Components(f, nil)
		live := reach(f, f.Entry, -1)
		for a := range ir.Loc(dominatorLocs) {
			without, from := reach(f, f.Entry, a), reach(f, a, -1)
			for b := range ir.Loc(dominatorLocs) {
				if got, want := dom.Dominates(a, b), live[b] && !without[b]; got != want {
					t.Fatalf("seed %d: %d dominates %d: %v, want %v", seed, a, b, got, want)
				}
				if got, want := comp[a] >= 0 && comp[a] == comp[b], live[a] && from[b] && reach(f, b, -1)[a]; got != want {
					t.Fatalf("seed %d: %d and %d in one component: %v, want %v", seed, a, b, got, want)
				}
			}
		}
	}
}

// TestPostdominators compares the nearest postdominator with what keeps a location from the
// end of the thread when it is removed.
func TestPostdominators(t *testing.T) {
	found := 0
	for seed := range int64(300) {
		f := randomFunc(rand.New(rand.NewSource(seed)), true)
		post := Postdominators(f)
		postdominates := func(a, b ir.Loc) bool { return reach(f, b, -1)[dominatorLocs] && !reach(f, b, a)[dominatorLocs] }
		for b := range ir.Loc(dominatorLocs) {
			// The nearest strict postdominator is postdominated by all others.
			want := ir.Loc(-1)
			for a := range ir.Loc(dominatorLocs) {
				if a != b && postdominates(a, b) && (want < 0 || postdominates(want, a)) {
					want = a
				}
			}
			if post[b] != want {
				t.Fatalf("seed %d: postdominator of %d: %d, want %d", seed, b, post[b], want)
			}
			if want >= 0 {
				found++
			}
		}
	}
	if found < 300 {
		t.Errorf("only %d postdominators", found)
	}
}
