package rf_test

import (
	"math/rand/v2"
	"testing"

	"fencepost/internal/ir"
	"fencepost/internal/ir/irtext"
	"fencepost/internal/memory"
	"fencepost/internal/testkit"
)

// units returns a random program of three or four threads whose sections read and write two or three variables, so
// that several are revisited while the write of another is not possible.
func units(seed uint64) *testkit.Program {
	r := rand.New(rand.NewPCG(seed, 77))
	p := &testkit.Program{Seed: seed}
	vars := 2 + r.IntN(2)
	access := func(kinds ...testkit.Kind) testkit.Stmt {
		s := testkit.Stmt{Kind: kinds[r.IntN(len(kinds))], Var: r.IntN(vars), Size: 8, Reg: r.IntN(3), Reg2: r.IntN(3),
			Val: int64(r.IntN(3)), Val2: int64(r.IntN(3)), RMW: []ir.RMWKind{ir.FetchAdd, ir.Cas, ir.Xchg}[r.IntN(3)]}
		if s.Kind == testkit.If {
			body := s
			body.Kind, body.Var = []testkit.Kind{testkit.Store, testkit.Load, testkit.Rmw}[r.IntN(3)], r.IntN(vars)
			s.Val, s.Body = 0, []testkit.Stmt{body}
		}
		return s
	}
	for range 3 + r.IntN(2) {
		var thread []testkit.Stmt
		for range 1 + r.IntN(2) {
			if r.IntN(5) < 3 {
				var body []testkit.Stmt
				for range 2 + r.IntN(3) {
					body = append(body, access(testkit.Load, testkit.Load, testkit.Rmw, testkit.Rmw, testkit.Store, testkit.If))
				}
				thread = append(thread, testkit.Stmt{Kind: testkit.Atomic, Body: body})
			} else {
				thread = append(thread, access(testkit.Load, testkit.Store, testkit.Store, testkit.Rmw))
			}
		}
		p.Threads = append(p.Threads, thread)
	}
	return p
}

// TestUnits: exactly the classes that brute force finds, each once, of programs with many sections that read several
// variables and write.
func TestUnits(t *testing.T) {
	for _, m := range testkit.Models {
		total, checks := 0, int64(0)
		for i, left := *firstSeed, fewer(*programs); left > 0 && !t.Failed(); i++ {
			p, _ := units(uint64(i)).Flat()
			want, ok := testkit.NewTracker(memory.New(p, m, memory.Options{})).ReadsFrom(*histories / 10)
			if !ok {
				continue
			}
			left--
			n, err := classes(p, m, want)
			if err != nil {
				t.Errorf("seed %d, %s: %v\n%s", i, m, err, irtext.Print(p))
			}
			total += len(want)
			checks += n.Checks
		}
		t.Logf("%s: %d classes, %.1f checks per class", m, total, float64(checks)/float64(max(1, total)))
	}
}
