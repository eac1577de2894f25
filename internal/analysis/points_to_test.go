package analysis

import (
	"fmt"
	"slices"
	"sort"
	"strings"
	"testing"

	"fencepost/internal/ir"
)

const pointerProgram = `
program p flat
object a size 16
object b size 8
object c size 8
object d size 8
object e size 8

func f(arg) {
  reg p
  reg q
  reg r
  reg s
  loc L0
  loc L1
  loc L2
  loc L3
  loc L4
  loc L5
  loc L6
  loc L7
  loc L8
  L0 -> L1: p = alloc.stack 8
  L1 -> L2: q = (p +u64 (arg *s64 8))
  L2 -> L3: store.s64 [q] = (p ==u64 0)
  L3 -> L4: r = load.s64 [(&a +u64 (arg *s64 8))]
  L3 -> L4: r = &c
  L4 -> L5: store.s64 [r] = 1
  L5 -> L6: store.s64 [&b] = &d
  L6 -> L7: s = (&a -u64 &e)
  L7 -> L8: free.stack [p]
}

thread f = f(1)
`

// TestPointsTo: addresses that are copied, moved, compared or subtracted stay confined;
// addresses that are stored, or accessed as one thing among others, do not.
func TestPointsTo(t *testing.T) {
	p := parse(t, pointerProgram)
	a := NewPointsTo(p.Funcs[0])
	name := func(s Pointee) string {
		if s.Object == ir.NoObject {
			return "block"
		}
		return p.Objects[s.Object].Name
	}
	var got []string
	a.Pointees(func(s Pointee, confined bool) { got = append(got, fmt.Sprintf("%s %v", name(s), confined)) })
	sort.Strings(got)
	if want := "a true, b true, block true, c false, d false, e true"; strings.Join(got, ", ") != want {
		t.Errorf("got %s, want %s", strings.Join(got, ", "), want)
	}
	var reached []string
	for i := range p.Funcs[0].Edges {
		e := &p.Funcs[0].Edges[i]
		for _, s := range a.Reaches(e) {
			reached = append(reached, e.Op.Kind.String()+" "+name(s))
		}
	}
	if want := "store block, load a, store b, free block"; strings.Join(reached, ", ") != want {
		t.Errorf("reached %s, want %s", strings.Join(reached, ", "), want)
	}
	if n := len(a.Holders(Pointee{ir.NoObject, p.Funcs[0].Edges[0].ID})); n != 2 {
		t.Errorf("%d registers hold the block, want 2", n)
	}
}

// Sets are joined as a naive union does it, and shared sets do not change.
func TestJoin(t *testing.T) {
	set := func(bits int) (out []int) {
		for i := range 5 {
			if bits>>i&1 == 1 {
				out = append(out, i)
			}
		}
		return out
	}
	for a := range 32 {
		for b := range 32 {
			x, y := set(a), set(b)
			before, after := x, x
			if grew := join(&after, y); grew != (a|b != a) || !slices.Equal(after, set(a|b)) || !slices.Equal(before, set(a)) || !slices.Equal(y, set(b)) {
				t.Errorf("%v and %v: %v", set(a), set(b), after)
			}
		}
	}
}
