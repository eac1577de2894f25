package search

import (
	"bytes"
	"context"
	"slices"
	"testing"
)

// rankedGraph ranks the nodes of a graph.
type rankedGraph struct {
	*graph
	rank func(uint64) int
}

func (g *rankedGraph) Start(out *Sink) {
	for _, v := range g.start {
		out.Rank = g.rank(v)
		out.Add(encode(v))
	}
}

func (g *rankedGraph) Expand(state []byte, out *Sink) {
	v := decode(state)
	if key := g.report(v); key != "" {
		out.Report(key)
	}
	for _, w := range g.next(v) {
		// A rank that depends on the way: the lowest one counts.
		out.Rank = out.LevelRank() + g.rank(w)
		out.Add(encode(w))
	}
}

// TestRanked: a ranked search visits what a search without ranks visits; with any number of workers it
// is the same search, and what it finds has a real path.
func TestRanked(t *testing.T) {
	for seed := range uint64(60) {
		after := int64(seed % 2 * 500)
		plain, dist := random(seed, 3000)
		plain.report = func(uint64) string { return "" }
		g := &rankedGraph{plain, func(v uint64) int { return int(v * 7919 % 100) }}
		problem := func(workers int) Problem {
			return Problem{Worker: func() Worker { return g }, Workers: workers, Ranked: true, RankedAfter: after}
		}
		if res := Run(context.Background(), problem(1)); res.Stop != Complete || res.States != int64(len(dist)) {
			t.Fatalf("seed %d: %v, %d states, want %d", seed, res.Stop, res.States, len(dist))
		}
		plain.report = func(v uint64) string {
			if v%50 == 49 {
				return "found"
			}
			return ""
		}
		var first *Result
		for _, workers := range []int{1, 2, 5} {
			res := Run(context.Background(), problem(workers))
			if first == nil {
				first = res
			}
			if res.States != first.States || res.Depth != first.Depth || len(res.Findings) != len(first.Findings) {
				t.Fatalf("seed %d, %d workers: %d states, depth %d; with one %d, depth %d", seed, workers, res.States, res.Depth, first.States, first.Depth)
			}
			for _, f := range res.Findings {
				path := res.Path(f)
				for i, state := range path[1:] {
					ok := false
					for _, w := range plain.next(decode(path[i])) {
						ok = ok || w == decode(state)
					}
					if !ok {
						t.Fatalf("seed %d: the path has a step that is none", seed)
					}
				}
			}
		}
	}
}

// TestRankedAfter: a search whose ranks do not count yet is the search without ranks.
func TestRankedAfter(t *testing.T) {
	for seed := range uint64(30) {
		plain, dist := random(seed, 3000)
		plain.report = func(v uint64) string {
			if v%50 == 49 {
				return "found"
			}
			return ""
		}
		g := &rankedGraph{plain, func(v uint64) int { return int(v * 7919 % 100) }}
		want := Run(context.Background(), Problem{Worker: func() Worker { return plain }, Workers: 1})
		got := Run(context.Background(), Problem{Worker: func() Worker { return g }, Workers: 1, Ranked: true, RankedAfter: int64(len(dist)) + 1})
		if got.States != want.States || got.Depth != want.Depth || len(got.Findings) != len(want.Findings) {
			t.Fatalf("seed %d: %d states, depth %d; without ranks %d, depth %d", seed, got.States, got.Depth, want.States, want.Depth)
		}
		for i, f := range got.Findings {
			if !slices.EqualFunc(got.Path(f), want.Path(want.Findings[i]), bytes.Equal) {
				t.Fatalf("seed %d: another path than without ranks", seed)
			}
		}
	}
}

// TestLowestFirst: states with the lowest rank come first, so a search that is led to what it looks for
// expands little else.
func TestLowestFirst(t *testing.T) {
	g := &rankedGraph{&graph{start: []uint64{1}}, func(v uint64) int { return int(1000 - v) }}
	g.next = func(v uint64) []uint64 {
		if v > 1000 {
			return nil
		}
		return []uint64{v + 1, v + 2000*v}
	}
	g.report = func(v uint64) string {
		if v == 1000 {
			return "found"
		}
		return ""
	}
	ranked := Run(context.Background(), Problem{Worker: func() Worker { return (*absolute)(g) }, Workers: 1, Ranked: true})
	if ranked.Stop != Found || ranked.Depth > 1002 {
		t.Errorf("%v at depth %d", ranked.Stop, ranked.Depth)
	}
}

// absolute ranks nodes whatever the way to them.
type absolute rankedGraph

func (g *absolute) Start(out *Sink) { (*rankedGraph)(g).Start(out) }

func (g *absolute) Expand(state []byte, out *Sink) {
	v := decode(state)
	if key := g.report(v); key != "" {
		out.Report(key)
	}
	for _, w := range g.next(v) {
		out.Rank = 5000
		if w <= 1000 {
			out.Rank = g.rank(w)
		}
		out.Add(encode(w))
	}
}
