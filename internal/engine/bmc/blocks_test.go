package bmc_test

import (
	"errors"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"

	"fencepost/internal/ir/irtext"
	"fencepost/internal/testkit"
)

// heapProgram is a random program in which a block goes from one thread to others, all of
// which use it, free it and allocate more.
func heapProgram(seed uint64) *testkit.Program {
	r := rand.New(rand.NewPCG(seed, 0xb10c))
	some := func(n int) []testkit.Stmt {
		var out []testkit.Stmt
		for range n {
			p := r.IntN(2) // r0 has a block, r1 has one sometimes
			s := testkit.Stmt{Size: 8, Reg: p, Reg2: p, Var: 2, Val: int64(1 + r.IntN(2))}
			switch k := r.IntN(17); {
			case k < 4:
				s.Kind = testkit.Free
			case k < 7:
				s.Kind = testkit.Deref
			case k < 9:
				s.Kind, s.Reg = testkit.LoadAt, 2
			case k < 12:
				s.Kind, s.Reg, s.Val = testkit.Alloc, 1, int64(8*(1+r.IntN(5)/4))
			case k < 13:
				s.Kind = []testkit.Kind{testkit.Fence, testkit.SSFence}[r.IntN(2)]
			case k < 14:
				s.Kind = testkit.Store
			case k < 15:
				s.Kind, s.Var = testkit.StoreReg, 1
			case k < 16:
				s.Kind, s.Val = testkit.Incr, int64(4*(1+r.IntN(2)))
			default:
				s.Kind, s.Reg = testkit.Load, 2
			}
			out = append(out, s)
		}
		return out
	}
	p := &testkit.Program{Seed: seed}
	first := []testkit.Stmt{{Kind: testkit.Alloc, Val: 8}}
	if r.IntN(2) == 0 {
		first = append(first, testkit.Stmt{Kind: testkit.Deref, Size: 8, Val: 1})
	}
	first = append(first, testkit.Stmt{Kind: testkit.StoreReg, Size: 8})
	p.Threads = append(p.Threads, append(first, some(1+r.IntN(3))...))
	for range 1 + r.IntN(5)/4 {
		p.Threads = append(p.Threads, []testkit.Stmt{
			{Kind: testkit.Load, Size: 8},
			{Kind: testkit.If, Else: some(1 + r.IntN(4))},
		})
	}
	return p
}

// TestBlocks: programs in which several threads use and free a block have the answers of the
// explicit engine, including errors of stores and frees when they reach memory.
func TestBlocks(t *testing.T) {
	var mu sync.Mutex
	seen := map[string]int{}
	n := *programs * 3 / 2
	inParallel(n, func(i int) {
		seed := *firstSeed + 40 + uint64(i) // so that a few programs have every error
		p := heapProgram(seed)
		flat, props := p.Flat()
		for _, m := range testkit.Models {
			want, err := testkit.Ask(testkit.Explicit, flat, props, m, testkit.How{Memory: 16 << 20})
			if errors.Is(err, testkit.ErrTooBig) {
				continue
			}
			if err != nil {
				t.Errorf("seed %d, %s: explicit: %v", seed, m, err)
				return
			}
			got, err := testkit.Ask(complete(1), flat, props, m, testkit.How{})
			if err != nil {
				t.Errorf("seed %d, %s: %v\n%s", seed, m, err, irtext.Print(flat))
				return
			}
			if d := testkit.Difference(want, got); d != "" {
				t.Errorf("seed %d, %s: %s\n%s", seed, m, d, irtext.Print(flat))
				return
			}
			mu.Lock()
			for _, c := range want.Checks {
				class, edge, _ := strings.Cut(c, "@")
				if edge == "-1" {
					class += " on the way to memory"
				}
				seen[class]++
			}
			mu.Unlock()
		}
	})
	t.Logf("%d programs: %v", n, seen)
	for _, class := range []string{"use-after-free", "double-free", "invalid-free", "use-after-free on the way to memory", "double-free on the way to memory"} {
		if seen[class] == 0 {
			t.Errorf("no program has the error %s: it was not tested", class)
		}
	}
}
