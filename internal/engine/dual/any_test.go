package dual_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"fencepost/internal/engine"
	"fencepost/internal/engine/dual"
	"fencepost/internal/ir"
	"fencepost/internal/ir/irtext"
	"fencepost/internal/memory"
	"fencepost/internal/property"
	"fencepost/internal/testkit"
)

// templates has the profiles of programs whose first thread becomes a template.
var templates = []testkit.Profile{
	{Name: "plain", Plain: true}, {Name: "core"}, {Name: "sync", Sync: true}, {Name: "sections", Sections: true}, {Name: "loops", Loops: true},
	{Name: "plain loops", Plain: true, Loops: true}, {Name: "choices", Choices: true},
}

// asTemplate returns a program in which thread 0 stands for any number of threads.
func asTemplate(p *ir.Program) *ir.Program {
	q := *p
	q.Threads = slices.Clone(p.Threads)
	q.Threads[0].Unbounded = true
	return &q
}

// instance returns the program with some copies of thread 0. The second one and those after it follow the other threads.
func instance(p *ir.Program, n int) *ir.Program {
	q := *p
	q.Threads = slices.Clone(p.Threads)
	for i := 1; i < n; i++ {
		th := p.Threads[0]
		th.Name = fmt.Sprintf("%s#%d", th.Name, i)
		q.Threads = append(q.Threads, th)
	}
	return &q
}

// anyQuestions returns questions about a program with a template: its checks, and whether two instances, or an instance and
// another thread, can be at certain locations. Each question has a twin for instances.
func anyQuestions(p *ir.Program, r *rand.Rand) (any, fixed []*property.Set, least []int) {
	add := func(first, second property.Set, n int) {
		any, fixed, least = append(any, &first), append(fixed, &second), append(least, n)
	}
	add(property.Set{Checks: true}, property.Set{Checks: true}, 1)
	loc := func(t int) []ir.Loc { return []ir.Loc{ir.Loc(r.IntN(len(p.ThreadFunc(ir.ThreadID(t)).Locs)))} }
	goal := func(at ...property.At) property.Set { return property.Set{Goals: []property.Goal{{At: at}}} }
	for range 3 {
		a, b := loc(0), loc(0)
		add(goal(property.At{Thread: 0, Locs: a}, property.At{Thread: 0, Locs: b}),
			goal(property.At{Thread: 0, Locs: a}, property.At{Thread: ir.ThreadID(len(p.Threads)), Locs: b}), 2)
	}
	if len(p.Threads) > 1 {
		at := []property.At{{Thread: 0, Locs: loc(0)}, {Thread: 1, Locs: loc(1)}}
		add(goal(at...), goal(at...), 1)
	}
	return any, fixed, least
}

// TestAny: what is not possible for any number of instances is not possible for 1 to 3 of them, and what is possible with some
// number of them is found with that number.
func TestAny(t *testing.T) {
	count := map[string]int{}
	limits := engine.Limits{Memory: 8 << 20, Buffer: 4}
	for i := range *looping {
		seed := *firstSeed + uint64(i)
		p, pr := generate(seed, templates)
		flat, _ := p.Flat()
		any, fixed, least := anyQuestions(flat, rand.New(rand.NewPCG(seed, 5)))
		for k, props := range any {
			task := &engine.Task{Program: asTemplate(flat), Props: props, Model: memory.TSO, Limits: engine.Limits{States: 3000}}
			a, err := dual.Decide(context.Background(), task, nil)
			if err != nil {
				count[refused]++
				continue
			}
			fails := func(n int, name, what string) {
				t.Fatalf("profile %s, seed %d, question %d: dual says %+v for any number, %s says %s for %d\n%s", pr.Name, seed, k, *a, name, what, n, irtext.Print(flat))
			}
			switch {
			case a.Unknown != "":
				count[unknown]++
			case a.Possible:
				count[found]++
				n := max(a.Enough, least[k])
				got, err := safely(&dual.Engine, instance(flat, n), fixed[k], engine.Limits{States: 20_000})
				if err != nil {
					t.Fatal(err)
				}
				if got == notFound {
					fails(n, "dual", got)
				}
				if n > 3 {
					continue
				}
				if got, err := safely(testkit.Explicit, instance(flat, n), fixed[k], limits); err != nil || got == notFound {
					fails(n, "explicit", got)
				}
			default:
				count[notFound]++
				for n := least[k]; n <= 3; n++ {
					got, err := safely(testkit.Explicit, instance(flat, n), fixed[k], limits)
					if err != nil {
						t.Fatal(err)
					}
					if got == found {
						fails(n, "explicit", got)
					}
				}
			}
		}
	}
	t.Log(count)
	if count[found] == 0 || count[notFound] == 0 {
		t.Errorf("too few definite answers: %v", count)
	}
}
