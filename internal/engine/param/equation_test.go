package param

import (
	"context"
	"testing"

	"fencepost/internal/solver/smt"
)

// TestMarkingEquation: one token cannot be in two places; a token that comes back can
// be in each of them.
func TestMarkingEquation(t *testing.T) {
	if !smt.Available() {
		t.Skip("no SMT solver is installed")
	}
	n := newNet()
	a, b, c := n.place("a", noGroup), n.place("b", noGroup), n.place("c", noGroup)
	many := n.place("many", noGroup)
	n.Places[a].Init, n.Places[many].Init = 1, Omega
	n.add("t", []int32{a}, []int32{b})
	n.add("u", []int32{b}, []int32{c})
	e := newEquation(context.Background(), n)
	if e == nil {
		t.Fatal("the solver does not start")
	}
	defer e.close()
	for _, test := range []struct {
		m    marking
		want bool
	}{
		{marking{{b, 1}}, true}, {marking{{c, 1}}, true}, {marking{{b, 1}, {c, 1}}, false}, {marking{{a, 2}}, false}, {marking{{c, 1}, {many, 9}}, true},
	} {
		if got := e.mayCover(test.m); got != test.want {
			t.Errorf("%v: %v", test.m, got)
		}
	}
}
