package dual_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"testing"

	"fencepost/internal/engine"
	"fencepost/internal/engine/dual"
	"fencepost/internal/engine/robust"
	"fencepost/internal/ir/irtext"
	"fencepost/internal/memory"
	"fencepost/internal/property"
	"fencepost/internal/testkit"
)

// TestRobust: programs that are robust against TSO have the answers of SC, also if they store in loops.
func TestRobust(t *testing.T) {
	count := map[string]int{}
	for i := range *looping {
		seed := *firstSeed + uint64(i)
		p, pr := generate(seed, append(withLoops, testkit.Profile{Name: "fenced loops", Loops: true, FenceAll: true}))
		flat, props := p.Flat()
		task := &engine.Task{Program: flat, Props: &property.Set{}, Model: memory.TSO, Limits: engine.Limits{Workers: 1, States: 20_000}}
		if robust.Engine.Supports(task) != nil {
			continue
		}
		out, err := robust.Engine.Run(context.Background(), task)
		if err != nil {
			t.Fatal(err)
		}
		if len(out.Violations) > 0 || out.Unknown != "" || !out.Coverage.Exhaustive {
			continue
		}
		all, err := testkit.Ask(testkit.Explicit, flat, props, memory.SC, testkit.How{Memory: 8 << 20})
		if errors.Is(err, testkit.ErrTooBig) {
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		answer := map[bool]string{true: found, false: notFound}
		list := endings(props, all.Finals, 4, rand.New(rand.NewPCG(seed, 3)))
		list = append(list, question{&property.Set{Checks: true}, answer[len(all.Checks) > 0], "checks"})
		for _, q := range list {
			got, err := safely(&dual.Engine, flat, q.props, limited)
			if err != nil {
				t.Fatal(err)
			}
			if count[got]++; got != q.want && got != refused && got != unknown {
				t.Fatalf("profile %s, seed %d, %s: dual says %s, SC has %s\n%s", pr.Name, seed, q.text, got, q.want, irtext.Print(flat))
			}
		}
	}
	t.Log(count)
	if count[found] == 0 || count[notFound] == 0 {
		t.Errorf("too few definite answers: %v", count)
	}
}
