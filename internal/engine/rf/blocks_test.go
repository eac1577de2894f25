package rf_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"fencepost/internal/engine"
	"fencepost/internal/engine/rf"
	"fencepost/internal/ir/irtext"
	"fencepost/internal/memory"
	"fencepost/internal/replay"
	"fencepost/internal/testkit"
)

// TestFreed: programs that allocate and free have a violation exactly if the explicit engine finds one, and
// its execution replays.
func TestFreed(t *testing.T) {
	violated, safe := 0, 0
	profiles := []testkit.Profile{{Name: "heap", Heap: true}, {Name: "reuse", Reuse: true}, {Name: "both", Heap: true, Reuse: true},
		{Name: "inside-heap", Inside: true, Heap: true}, {Name: "inside-reuse", Inside: true, Reuse: true}, {Name: "inside-both", Inside: true, Heap: true, Reuse: true}}
	for i := range fewer(*compared / 2) {
		seed := uint64(*firstSeed + i)
		flat, props := testkit.Generate(seed, profiles[seed%uint64(len(profiles))]).Flat()
		props.Goals = nil
		for _, m := range testkit.Models {
			task := &engine.Task{Program: flat, Props: props, Model: m}
			if rf.Engine.Supports(task) != nil {
				continue
			}
			out, err := rf.Engine.Run(context.Background(), task)
			if err != nil {
				t.Fatalf("seed %d, %s: %v\n%s", seed, m, err, irtext.Print(flat))
			}
			if out.Unknown != "" && len(out.Violations) == 0 {
				if !strings.Contains(out.Unknown, "section") {
					t.Errorf("seed %d, %s: %s\n%s", seed, m, out.Unknown, irtext.Print(flat))
				}
				continue
			}
			want, err := testkit.Ask(testkit.Explicit, flat, props, m, testkit.How{Memory: 16 << 20})
			if errors.Is(err, testkit.ErrTooBig) {
				continue
			}
			if err != nil {
				t.Fatal(err)
			}
			if len(out.Violations) == 0 {
				safe++
				if want.Found() {
					t.Fatalf("seed %d, %s: rf finds nothing, explicit %+v\n%s", seed, m, want, irtext.Print(flat))
				}
				continue
			}
			violated++
			rm, _ := replay.ParseModel(m.String())
			if v := &out.Violations[0]; v.Kind == engine.CheckFailed {
				name := v.Class.String()
				if !slices.ContainsFunc(want.Checks, func(c string) bool { return len(c) >= len(name) && c[:len(name)] == name }) {
					t.Fatalf("seed %d, %s: rf finds %s, explicit %v\n%s", seed, m, name, want.Checks, irtext.Print(flat))
				}
				if err := replay.Replay(flat, props, rm, v.Witness, replay.Expect{Target: replay.TargetCheck, Class: v.Class, Edge: v.Edge}); err != nil {
					t.Fatalf("seed %d, %s: %v\n%s", seed, m, err, irtext.Print(flat))
				}
			}
		}
	}
	t.Logf("%d with a violation, %d without", violated, safe)
	if violated == 0 || safe == 0 && !testing.Short() {
		t.Errorf("%d with a violation, %d without", violated, safe)
	}
}

// recycling returns a random program without errors whose sections free blocks and then allocate: each block is freed by
// the thread that allocates it, or by the one that takes it out of the last variable.
func recycling(seed uint64) *testkit.Program {
	r := rand.New(rand.NewPCG(seed, 78))
	p := &testkit.Program{Seed: seed}
	statement := func(kinds ...testkit.Kind) testkit.Stmt {
		s := testkit.Stmt{Kind: kinds[r.IntN(len(kinds))], Var: r.IntN(testkit.Vars - 1), Size: 8, Reg: r.IntN(testkit.Regs), Val: int64(r.IntN(3))}
		switch s.Kind {
		case testkit.Swap:
			s.Var = testkit.Vars - 1
		case testkit.Scratch:
			if r.IntN(2) == 0 {
				s.Body = []testkit.Stmt{{Kind: testkit.LoadAt, Reg: (s.Reg + 1) % testkit.Regs, Reg2: s.Reg}, {Kind: testkit.Deref, Reg: s.Reg, Val: s.Val}}[r.IntN(2):][:1]
			}
		}
		return s
	}
	for range 2 + r.IntN(2) {
		var thread []testkit.Stmt
		for range 1 + r.IntN(2) {
			if r.IntN(3) == 0 {
				thread = append(thread, statement(testkit.Swap, testkit.Scratch, testkit.Load, testkit.Store))
				continue
			}
			var body []testkit.Stmt
			for range 2 + r.IntN(2) {
				body = append(body, statement(testkit.Swap, testkit.Swap, testkit.Scratch, testkit.Load, testkit.Store))
			}
			thread = append(thread, testkit.Stmt{Kind: testkit.Atomic, Body: body})
		}
		p.Threads = append(p.Threads, thread)
	}
	return p
}

// TestRecycled: exactly the classes that brute force finds, each once, of programs whose sections free blocks and
// then allocate. None is refused.
func TestRecycled(t *testing.T) {
	for _, m := range testkit.Models {
		t.Run(m.String(), func(t *testing.T) {
			total, checks := 0, int64(0)
			for i, left := *firstSeed, fewer(*programs); left > 0 && !t.Failed(); i++ {
				p, _ := recycling(uint64(i)).Flat()
				want, ok := testkit.NewTracker(memory.New(p, m, memory.Options{})).ReadsFrom(*histories / 5)
				if !ok {
					continue
				}
				left--
				n, err := classes(p, m, want)
				if err != nil {
					t.Errorf("seed %d: %v\n%s", i, err, irtext.Print(p))
				}
				total += len(want)
				checks += n.Checks
			}
			t.Logf("%d classes, %.1f checks per class", total, float64(checks)/float64(max(1, total)))
		})
	}
}
