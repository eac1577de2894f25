package explicit_test

import (
	"context"
	"testing"

	"fencepost/internal/engine/explicit"
	"fencepost/internal/ir"
	"fencepost/internal/ir/irtext"
	"fencepost/internal/memory"
	"fencepost/internal/testkit"
)

// TestVisit: the states that Visit shows include exactly the final states of the engine, and every
// location that a thread can be at outside of sections.
func TestVisit(t *testing.T) {
	var ended int
	for seed := range uint64(40) {
		p := testkit.Generate(seed, testkit.Profile{Name: "core"})
		flat, props := p.Flat()
		want, err := testkit.Ask(&explicit.Engine, flat, props, memory.SC, testkit.How{NoReduction: true})
		if err != nil {
			t.Fatal(err)
		}
		seen := make([]map[ir.Loc]bool, len(flat.Threads))
		for i := range seen {
			seen[i] = map[ir.Loc]bool{}
		}
		finals := map[string]bool{}
		all := explicit.Visit(context.Background(), flat, 1<<20, func(v explicit.View) {
			over := true
			for i := range flat.Threads {
				l, started := v.At(ir.ThreadID(i))
				seen[i][l] = true
				over = over && started && len(flat.ThreadFunc(ir.ThreadID(i)).Out(l)) == 0
			}
			if over {
				var key []byte
				for _, x := range props.Observe {
					value := v.Reg(max(x.Thread, 0), x.Reg)
					if x.IsMemory() {
						value = v.Read(x.Addr, x.Type)
					}
					key = append(key, byte(value), byte(value>>8), ',')
				}
				finals[string(key)] = true
			}
		})
		if !all {
			t.Fatalf("seed %d: not all states", seed)
		}
		if len(finals) != len(want.Finals) {
			t.Errorf("seed %d: %d final states, the engine has %d\n%s", seed, len(finals), len(want.Finals), irtext.Print(flat))
		}
		ended += len(finals)
		for i := range seen {
			if !seen[i][flat.ThreadFunc(ir.ThreadID(i)).Entry] {
				t.Errorf("seed %d: thread %d is never at its entry", seed, i)
			}
		}
		few := 0
		if explicit.Visit(context.Background(), flat, 3, func(explicit.View) { few++ }) && few > 3 {
			t.Errorf("seed %d: a limit of 3 states shows %d and calls them all", seed, few)
		}
	}
	if ended == 0 {
		t.Error("no program ended")
	}
}
