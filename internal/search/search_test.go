package search

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"
)

// graph is a search problem over numbers.
type graph struct {
	start  []uint64
	next   func(uint64) []uint64
	report func(uint64) string
	fail   func(uint64) error
}

func encode(v uint64) []byte { return binary.AppendUvarint(nil, v) }

func decode(b []byte) uint64 { v, _ := binary.Uvarint(b); return v }

func (g *graph) Start(out *Sink) {
	for _, v := range g.start {
		out.Add(encode(v))
	}
}

func (g *graph) Expand(state []byte, out *Sink) {
	v := decode(state)
	if g.report != nil {
		if key := g.report(v); key != "" {
			out.Report(key)
		}
	}
	if g.fail != nil {
		if err := g.fail(v); err != nil {
			out.Fail(err)
		}
	}
	for _, w := range g.next(v) {
		out.Add(encode(w))
	}
}

func (g *graph) problem(workers int) Problem {
	return Problem{Worker: func() Worker { return g }, Workers: workers}
}

// random is a random graph with n nodes and its reachable part, naively.
func random(seed uint64, n int) (*graph, map[uint64]int) {
	r := rand.New(rand.NewPCG(seed, 1))
	edges := make([][]uint64, n)
	for i := range edges {
		for range r.IntN(4) {
			edges[i] = append(edges[i], uint64(r.IntN(n)))
		}
	}
	g := &graph{start: []uint64{0, uint64(n / 2)}, next: func(v uint64) []uint64 { return edges[v] }}
	dist := map[uint64]int{}
	level := append([]uint64(nil), g.start...)
	for d := 0; len(level) > 0; d++ {
		var next []uint64
		for _, v := range level {
			if _, ok := dist[v]; !ok {
				dist[v] = d
				next = append(next, edges[v]...)
			}
		}
		level = next
	}
	return g, dist
}

func TestAgainstNaive(t *testing.T) {
	for seed := range uint64(40) {
		n := 10 + int(seed)*150
		g, dist := random(seed, n)
		var transitions int64
		for v := range dist {
			transitions += int64(len(g.next(v)))
		}
		for _, workers := range []int{1, 2, 5} {
			res := Run(context.Background(), g.problem(workers))
			if res.Stop != Complete || res.States != int64(len(dist)) || res.Transitions != transitions+2 {
				t.Fatalf("seed %d, %d workers: %v, %d states, %d transitions; want %d, %d",
					seed, workers, res.Stop, res.States, res.Transitions, len(dist), transitions+2)
			}
		}
	}
}

// TestFindings: the nearest one, with a real and shortest path, whatever the
// number of workers.
func TestFindings(t *testing.T) {
	for seed := range uint64(30) {
		g, dist := random(seed, 3000)
		best := -1
		for v, d := range dist {
			if v%97 == 13 && (best < 0 || d < best) {
				best = d
			}
		}
		g.report = func(v uint64) string {
			if v%97 == 13 {
				return "hit"
			}
			return ""
		}
		for _, workers := range []int{1, 3} {
			res := Run(context.Background(), g.problem(workers))
			if best < 0 {
				if res.Stop != Complete {
					t.Fatalf("seed %d: found what is not there", seed)
				}
				continue
			}
			if res.Stop != Found || len(res.Findings) != 1 || res.Findings[0].Depth != best {
				t.Fatalf("seed %d, %d workers: %v %+v, want depth %d", seed, workers, res.Stop, res.Findings, best)
			}
			path := res.Path(res.Findings[0])
			if len(path) != best+1 || decode(path[best])%97 != 13 {
				t.Fatalf("seed %d: path %v", seed, path)
			}
			for i := 1; i < len(path); i++ {
				ok := false
				for _, w := range g.next(decode(path[i-1])) {
					ok = ok || w == decode(path[i])
				}
				if !ok {
					t.Fatalf("seed %d: no edge in the path at %d", seed, i)
				}
			}
		}
	}
}

func TestAllFindings(t *testing.T) {
	g, dist := random(7, 2000)
	want := map[string]bool{}
	for v := range dist {
		want[fmt.Sprint(v%50)] = true
	}
	g.report = func(v uint64) string { return fmt.Sprint(v % 50) }
	p := g.problem(2)
	p.All = true
	res := Run(context.Background(), p)
	if res.Stop != Complete || len(res.Findings) != len(want) || res.States != int64(len(dist)) {
		t.Fatalf("%v, %d findings, want %d", res.Stop, len(res.Findings), len(want))
	}
	for i := 1; i < len(res.Findings); i++ {
		if res.Findings[i].Depth < res.Findings[i-1].Depth {
			t.Fatal("findings are not ordered by distance")
		}
	}
}

// counter never ends.
func counter() *graph {
	return &graph{start: []uint64{0}, next: func(v uint64) []uint64 { return []uint64{2*v + 1, 2*v + 2} }}
}

func TestMemoryLimit(t *testing.T) {
	for _, workers := range []int{1, 2} {
		p := counter().problem(workers)
		p.Memory = func() int64 { return 4 << 20 }
		if res := Run(context.Background(), p); res.Stop != OutOfMemory || res.Bytes < 4<<20 {
			t.Fatalf("%v after %d bytes", res.Stop, res.Bytes)
		}
	}
}

func TestCancel(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	g := counter()
	expanded := 0
	next := g.next
	g.next = func(v uint64) []uint64 {
		if expanded++; expanded == 5000 {
			cancel()
		}
		return next(v)
	}
	if res := Run(ctx, g.problem(1)); res.Stop != OutOfTime || res.States == 0 {
		t.Fatalf("%v", res.Stop)
	}
}

func TestFailure(t *testing.T) {
	boom := errors.New("boom")
	g := counter()
	g.fail = func(v uint64) error {
		if v == 1000 {
			return boom
		}
		return nil
	}
	if res := Run(context.Background(), g.problem(2)); res.Stop != Failed || !errors.Is(res.Err, boom) {
		t.Fatalf("%v %v", res.Stop, res.Err)
	}
}

func TestPanicInWorkerReachesCaller(t *testing.T) {
	g := counter()
	g.fail = func(v uint64) error {
		if v == 100000 {
			panic("BUG: worker")
		}
		return nil
	}
	defer func() {
		if r := recover(); r == nil || fmt.Sprint(r) != "BUG: worker" {
			t.Fatalf("recovered %v", r)
		}
	}()
	Run(context.Background(), g.problem(3))
}

func TestTooLargeState(t *testing.T) {
	big := Problem{Worker: func() Worker { return bigWorker{} }, Workers: 1}
	if res := Run(context.Background(), big); !errors.Is(res.Err, ErrTooLarge) {
		t.Fatalf("%v", res.Err)
	}
}

type bigWorker struct{}

func (bigWorker) Start(out *Sink)          { out.Add(make([]byte, 2<<20)) }
func (bigWorker) Expand(_ []byte, _ *Sink) {}

// TestVisitedAgainstMap quick-checks the set against a Go map: states of all
// lengths, many of them repeated.
func TestVisitedAgainstMap(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 3))
	k, twin := &Sink{v: newVisited(0), parent: noParent}, map[string]bool{}
	v := k.v
	for range 200000 {
		state := make([]byte, r.IntN(5)*r.IntN(9))
		for i := range state {
			state[i] = byte(r.IntN(4))
		}
		before := v.states()
		k.Add(state)
		k.flush()
		if isNew := v.states() > before; isNew == twin[string(state)] {
			t.Fatalf("state %v: new %v", state, isNew)
		}
		twin[string(state)] = true
	}
	if v.states() != int64(len(twin)) {
		t.Fatalf("%d states, want %d", v.states(), len(twin))
	}
}

// TestHashIsStable: the order of a search with one worker must not depend on the
// process.
func TestHashIsStable(t *testing.T) {
	for _, c := range []struct {
		in   string
		want uint64
	}{{"", 0x96ebbe173ff72a30}, {"fencepost", 0xe930a3167eb5cc08}, {"a state of more than sixteen bytes", 0x246e9b69baf7ccf6}} {
		if hash([]byte(c.in)) != c.want {
			t.Errorf("hash of %q is %#x", c.in, hash([]byte(c.in)))
		}
	}
	seen := map[uint64]string{}
	for i := range 100000 {
		s := fmt.Sprint(i)
		h := hash([]byte(s))
		if old, ok := seen[h]; ok {
			t.Fatalf("%q and %q collide", s, old)
		}
		seen[h] = s
	}
}
