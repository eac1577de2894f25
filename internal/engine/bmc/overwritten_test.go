package bmc_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"fencepost/internal/ir"
	"fencepost/internal/ir/irtext"
	"fencepost/internal/property"
	"fencepost/internal/testkit"
	"fencepost/internal/transform"
)

// TestOverwrittenMutex: plain stores to a mutex wait in the buffer like others, and operations on the mutex read
// memory, past the buffer. A recursive mutex is the hard case: a thread that has it takes it again while its own store
// to it still waits. With rounds such a program takes seconds.
func TestOverwrittenMutex(t *testing.T) {
	var asked, found, weak atomic.Int64
	inParallel(*programs, func(i int) {
		seed := *firstSeed + uint64(i)
		text := overwritingProgram(seed)
		if i < len(overwriting) {
			text = overwriting[i]
		}
		p, diags := irtext.Parse("test", []byte(text))
		if diags.HasErrors() {
			t.Errorf("seed %d: %v", seed, diags.All)
			return
		}
		props := &property.Set{Checks: true, Deadlock: true, Goals: pairsSeen(p)}
		p = transform.SplitFailures(p) // as programs come to engines: a call that fails drains nothing
		var sc testkit.Answers
		for _, m := range testkit.Models {
			want, err := testkit.Ask(testkit.Explicit, p, props, m, testkit.How{Memory: 16 << 20})
			if errors.Is(err, testkit.ErrTooBig) {
				continue
			}
			if err != nil {
				t.Errorf("seed %d, %s: explicit: %v", seed, m, err)
				return
			}
			got, err := testkit.Ask(ordered(1), p, props, m, testkit.How{})
			if err != nil {
				t.Errorf("seed %d, %s: %v\n%s", seed, m, err, irtext.Print(p))
				return
			}
			if what := testkit.Difference(want, got); what != "" {
				t.Errorf("seed %d, %s: %s\n%s", seed, m, what, irtext.Print(p))
				return
			}
			asked.Add(1)
			if want.Found() {
				found.Add(1)
			}
			if m == testkit.Models[0] {
				sc = want
			} else if testkit.Difference(sc, want) != "" {
				weak.Add(1)
			}
		}
	})
	t.Logf("%d questions answered, %d with violations, %d with others than under SC", asked.Load(), found.Load(), weak.Load())
	if *programs > 20 && (found.Load() == 0 || weak.Load() == 0) {
		t.Error("the programs tell nothing apart")
	}
}

// overwriting has programs in which a thread takes or gives back a recursive mutex that it has, while its stores to the
// mutex and to x wait.
var overwriting = []string{
	relocking("store.u64 [&m] = 0 in m", "r0 = trylock.recursive [&m]"),
	relocking("store.u64 [&m] = 2 in m", "r0 = lock.recursive [&m]"),
	relocking("store.u32 [&m] = 0 in m", "r0 = lock.recursive [&m]"),
	relocking("store.u64 [&m] = -1 in m", "r0 = lock.recursive [&m]"),
	relocking("r0 = lock.recursive [&m]", "store.u64 [&m] = 1 in m", "unlock.recursive [&m]"),
}

func relocking(steps ...string) string {
	var b strings.Builder
	b.WriteString("program relocking flat\nobject m\nobject x\nobject y\nfunc t0() {\n  reg r0\n  reg r1\n")
	for i, op := range slices.Concat([]string{"lock.recursive [&m]", "store [&x] = 1 in x"}, steps, []string{"r1 = load [&y] in y"}) {
		fmt.Fprintf(&b, "  %d -> %d: %s\n", i, i+1, op)
	}
	b.WriteString(`}
func t1() {
  reg r0
  reg r1
  0 -> 1: store [&y] = 1 in y
  1 -> 2: fence
  2 -> 3: r1 = load [&x] in x
}
thread t0 = t0()
thread t1 = t1()
`)
	return b.String()
}

// pairsSeen has a goal for each pair of values that the first two threads can have read last.
func pairsSeen(p *ir.Program) []property.Goal {
	var goals []property.Goal
	for a := range int64(2) {
		for b := range int64(2) {
			g := property.Goal{Name: fmt.Sprint(a, b), With: &property.Cond{Expr: ir.Int(1)}}
			for t, val := range []int64{a, b} {
				f := p.Funcs[p.Threads[t].Func]
				g.At = append(g.At, property.At{Thread: ir.ThreadID(t), Locs: []ir.Loc{ir.Loc(len(f.Locs) - 1)}})
				g.With.Vars = append(g.With.Vars, property.Var{Name: f.Regs[1].Name, Thread: ir.ThreadID(t), Reg: 1, Type: ir.S64})
				g.With.Expr = ir.Binary(ir.And, ir.S64, g.With.Expr, ir.Binary(ir.Eq, ir.S64, ir.R(ir.Reg(t)), ir.Int(val)))
			}
			goals = append(goals, g)
		}
	}
	return goals
}

// overwritingProgram is a random program of two or three threads that use a mutex and store to its word: that it is
// free, destroyed, taken by one of them, once or twice. The last step of a thread is a load.
func overwritingProgram(seed uint64) string {
	r := rand.New(rand.NewPCG(seed, 0x3a7e))
	kind := []string{"", ".recursive", ".recursive", ".errorcheck"}[r.IntN(4)]
	words := []int64{0, 0, -1, 1, 2, 1<<32 | 1, 1<<32 | 2}
	step := func() string {
		switch k := r.IntN(12); {
		case k < 3:
			return fmt.Sprintf("r0 = %s%s [&m]", []string{"lock", "lock", "trylock"}[k], kind)
		case k < 4:
			return fmt.Sprintf("unlock%s [&m]", kind)
		case k < 6:
			return fmt.Sprintf("store.u64 [&m] = %d in m", words[r.IntN(len(words))])
		case k < 7:
			return fmt.Sprintf("store.u32 [&m] = %d in m", r.IntN(3))
		default:
			v := []string{"x", "y"}[r.IntN(2)]
			return fmt.Sprintf("store [&%s] = 1 in %s", v, v)
		}
	}
	var b strings.Builder
	threads := 2 + r.IntN(4)/3
	b.WriteString("program overwritten flat\nobject m\nobject x\nobject y\n")
	for i := range threads {
		fmt.Fprintf(&b, "func t%d() {\n  reg r0\n  reg r1\n", i)
		at := 0
		next := func(op string) {
			fmt.Fprintf(&b, "  %d -> %d: %s\n", at, at+1, op)
			at++
		}
		if r.IntN(2) == 0 {
			next("lock" + kind + " [&m]")
		}
		for range 1 + r.IntN(6-threads) {
			next(step())
		}
		next([]string{"r1 = load [&x] in x", "r1 = load [&y] in y", "r1 = load [&y] in y", "r1 = load.u64 [&m] in m"}[(r.IntN(3)+i)%4])
		b.WriteString("}\n")
	}
	for i := range threads {
		fmt.Fprintf(&b, "thread t%d = t%d()\n", i, i)
	}
	return b.String()
}
