package pb

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"testing"
)

// naive tries every set.
func naive(p *Problem) (sets [][]int, cost int64) {
	for bits := range 1 << len(p.Costs) {
		var set []int
		var sum int64
		for i, c := range p.Costs {
			if bits>>i&1 != 0 {
				set = append(set, i)
				sum += c
			}
		}
		hits := true
		for _, c := range p.Clauses {
			hits = hits && slices.ContainsFunc(c, func(i int) bool { return bits>>i&1 != 0 })
		}
		switch {
		case !hits || len(sets) > 0 && sum > cost:
		case len(sets) == 0 || sum < cost:
			sets, cost = [][]int{set}, sum
		default:
			sets = append(sets, set)
		}
	}
	slices.SortFunc(sets, slices.Compare[[]int])
	return sets, cost
}

func random(r *rand.Rand) *Problem {
	p := &Problem{Costs: make([]int64, 1+r.IntN(9))}
	most := 1 + r.IntN(4)
	for i := range p.Costs {
		p.Costs[i] = 1 + r.Int64N(int64(most))
	}
	for range r.IntN(8) {
		var c []int
		for range 1 + r.IntN(4) {
			c = append(c, r.IntN(len(p.Costs)))
		}
		p.Clauses = append(p.Clauses, c)
	}
	return p
}

func TestAgainstNaive(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for n := range 4000 {
		p := random(r)
		want, cost := naive(p)
		set, got, ok, _ := p.Minimum(t.Context())
		if !ok || got != cost || !slices.Equal(set, want[0]) {
			t.Fatalf("%d: %+v: got %v for %d (%v), want %v for %d", n, p, set, got, ok, want[0], cost)
		}
		all, more, _ := p.All(t.Context(), 1<<20)
		if more || !slices.EqualFunc(all, want, slices.Equal[[]int]) {
			t.Fatalf("%d: %+v: got %v, want %v", n, p, all, want)
		}
	}
}

func TestEmptyClause(t *testing.T) {
	p := &Problem{Costs: []int64{1}, Clauses: [][]int{{0}, {}}}
	if _, _, ok, _ := p.Minimum(t.Context()); ok {
		t.Error("an empty clause was hit")
	}
	if all, more, _ := p.All(t.Context(), 10); len(all) > 0 || more {
		t.Errorf("an empty clause was hit by %v", all)
	}
}

func TestLimit(t *testing.T) {
	p := &Problem{Costs: []int64{1, 1, 1}, Clauses: [][]int{{0, 1, 2}}}
	if all, more, _ := p.All(t.Context(), 2); len(all) != 2 || !more {
		t.Errorf("%v, more %v", all, more)
	}
	if all, more, _ := p.All(t.Context(), 3); len(all) != 3 || more {
		t.Errorf("%v, more %v", all, more)
	}
}

// BenchmarkMinimum: the size of the larger problem that libraries were measured on,
// with 100 items and 400 clauses, as windows of a straight line of code are.
func BenchmarkMinimum(b *testing.B) {
	r := rand.New(rand.NewPCG(3, 4))
	p := &Problem{Costs: make([]int64, 100)}
	for i := range p.Costs {
		p.Costs[i] = 1 + r.Int64N(9)
	}
	for range 400 {
		from := r.IntN(95)
		var c []int
		for i := from; i < min(100, from+2+r.IntN(8)); i++ {
			c = append(c, i)
		}
		p.Clauses = append(p.Clauses, c)
	}
	for b.Loop() {
		p.Minimum(b.Context())
	}
}

// A search ends with its context. This one would take long: the edges of a graph are to be hit in
// which each node has few neighbours.
func TestCanceled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	p := &Problem{}
	for i := range 400 {
		p.Costs = append(p.Costs, 1)
		for _, step := range []int{7, 61, 153} {
			p.Clauses = append(p.Clauses, []int{i, (i*3 + step) % 400})
		}
	}
	if set, _, _, err := p.Minimum(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("%v, %v", set, err)
	}
	if sets, _, err := p.All(ctx, 1); !errors.Is(err, context.Canceled) {
		t.Errorf("%v, %v", sets, err)
	}
}
