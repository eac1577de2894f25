package relation_test

import (
	"fmt"
	"math/rand"
	"strings"
	"testing"

	"fencepost/internal/render/relation"
	"fencepost/verdict"
)

func chain(o relation.HappensBefore, edges []verdict.TraceEdge) string {
	var b strings.Builder
	for i, e := range edges {
		if i == 0 {
			b.WriteString(o.Nodes[e.From].Text)
		}
		fmt.Fprintf(&b, " -%s-> %s", e.Kind, o.Nodes[e.To].Text)
	}
	return b.String()
}

func TestHappensBefore(t *testing.T) {
	for _, c := range []struct {
		name  string
		steps []string
		cycle string
		edges string
	}{
		{name: "store buffering", steps: []string{"0:x=1", "0:.", "0:y?0", "1:y=1", "1:x?0", "f3", "f0"},
			cycle: "t0 st x -po-> t0 ld y -cf-> t1 st y -po-> t1 ld x -cf-> t0 st x", edges: "[{0 1 po} {2 3 po} {1 2 cf} {3 0 cf}]"},
		{name: "message passing", steps: []string{"0:x=1", "0:y=1", "f1", "1:y?1", "1:x?0", "f0"},
			cycle: "t0 st x -po-> t0 st y -src-> t1 ld y -po-> t1 ld x -cf-> t0 st x", edges: "[{0 1 po} {2 3 po} {1 2 src} {3 0 cf}]"},
		{name: "the cycle skips a node", steps: []string{"0:z=1", "0:x=1", "0:w=1", "0:y?0", "1:y!1", "1:x?0"},
			cycle: "t0 st x -po-> t0 ld y -cf-> t1 rmw y -po-> t1 ld x -cf-> t0 st x", edges: "[{0 1 po} {1 2 po} {2 3 po} {4 5 po} {3 4 cf} {5 1 cf}]"},
		{name: "under SC", steps: []string{"0:x:=1", "1:x:=2", "1:x?2", "0:x!3"}, edges: "[{1 2 po} {0 3 po} {0 1 st} {1 3 src} {2 3 cf}]"},
		{name: "nothing"},
	} {
		t.Run(c.name, func(t *testing.T) {
			o := relation.FromSteps(script(c.steps...))
			if got := chain(o, o.Cycle); got != c.cycle {
				t.Errorf("cycle %s, want %s", got, c.cycle)
			}
			if got := fmt.Sprint(o.Edges); c.edges != "" && got != c.edges {
				t.Errorf("edges %s, want %s", got, c.edges)
			}
		})
	}
}

// There is a cycle exactly where DecisiveOf says so, and it is one: it closes, its
// program order edges go forward in a thread, and the others are in the relation.
func TestHappensBeforeCycles(t *testing.T) {
	for seed := range int64(5000) {
		w := randomRun(rand.New(rand.NewSource(seed)), seed%2 == 0)
		o := relation.FromSteps(w)
		if (len(o.Cycle) > 0) != relation.DecisiveOf(w).Cycle {
			t.Fatalf("seed %d: cycle %v, decisive %+v", seed, o.Cycle, relation.DecisiveOf(w))
		}
		known := map[verdict.TraceEdge]bool{}
		for _, e := range o.Edges {
			known[e] = true
		}
		for i, e := range o.Cycle {
			from, to := o.Nodes[e.From], o.Nodes[e.To]
			forward := e.Kind == "po" && from.Thread == to.Thread && from.Step < to.Step
			if next := o.Cycle[(i+1)%len(o.Cycle)]; next.From != e.To || !known[e] && !forward {
				t.Fatalf("seed %d: %s", seed, chain(o, o.Cycle))
			}
		}
	}
}
