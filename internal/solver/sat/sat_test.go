package sat_test

import (
	"bytes"
	"context"
	"errors"
	"math/rand/v2"
	"testing"
	"time"

	"fencepost/internal/solver/sat"
)

// solvers returns the embedded solver, and others that are installed.
func solvers(t *testing.T) map[string]func() sat.Solver {
	all := map[string]func() sat.Solver{"embedded": func() sat.Solver { return sat.NewEmbedded() }}
	for _, name := range []string{"cadical", "minisat"} {
		if _, err := sat.NewProcess(name); err != nil {
			t.Logf("%s is not installed", name)
			continue
		}
		all[name] = func() sat.Solver { p, _ := sat.NewProcess(name); return p }
	}
	return all
}

// satisfied tries all values of n variables.
func satisfied(n int, clauses [][]sat.Lit) bool {
	for m := range 1 << n {
		if holds(clauses, func(l sat.Lit) bool { return (m>>(max(l, -l)-1)&1 == 1) == (l > 0) }) {
			return true
		}
	}
	return false
}

func holds(clauses [][]sat.Lit, value func(sat.Lit) bool) bool {
	for _, c := range clauses {
		ok := false
		for _, l := range c {
			ok = ok || value(l)
		}
		if !ok {
			return false
		}
	}
	return true
}

// TestRandomFormulas: answers agree with enumeration, models satisfy the clauses,
// assumptions are for one call, and clauses can be added between calls.
func TestRandomFormulas(t *testing.T) {
	for name, fresh := range solvers(t) {
		rounds := 1000
		if name != "embedded" {
			rounds = 30
		}
		r := rand.New(rand.NewPCG(1, 2))
		both := [2]int{}
		for range rounds {
			n := 3 + r.IntN(8)
			var clauses [][]sat.Lit
			s := fresh()
			random := func() sat.Lit { return sat.Lit(1+r.IntN(n)) * sat.Lit(1-2*r.IntN(2)) }
			add := func() {
				c := []sat.Lit{random(), random(), random()}
				clauses = append(clauses, c[:2+r.IntN(4)/2])
				s.Add(clauses[len(clauses)-1]...)
			}
			for range n * 3 {
				add()
			}
			for range 4 {
				a := []sat.Lit{random(), random()}
				want := satisfied(n, append(clauses[:len(clauses):len(clauses)], a[:1], a[1:]))
				got, err := s.Solve(context.Background(), a...)
				if err != nil {
					t.Fatalf("%s: %v", name, err)
				}
				if (got == sat.Sat) != want || got == sat.Interrupted {
					t.Fatalf("%s: %s, want %v for %v with %v", name, got, want, clauses, a)
				}
				if want && !holds(append(clauses[:len(clauses):len(clauses)], a[:1], a[1:]), s.Value) {
					t.Fatalf("%s: no model of %v with %v", name, clauses, a)
				}
				if want {
					both[1]++
				} else {
					both[0]++
				}
				for range r.IntN(2) { // about variables that may have been eliminated
					add()
				}
			}
		}
		if both[0] < rounds/4 || both[1] < rounds/4 {
			t.Errorf("%s: %d unsat and %d sat: the formulas are too easy to guess", name, both[0], both[1])
		}
	}
}

// pigeons puts n+1 pigeons into n holes: no solver of this kind can refute that
// fast.
func pigeons(s sat.Solver, n int) {
	at := func(p, h int) sat.Lit { return sat.Lit(p*n + h + 1) }
	for p := range n + 1 {
		var c []sat.Lit
		for h := range n {
			c = append(c, at(p, h))
			for q := range p {
				s.Add(-at(p, h), -at(q, h))
			}
		}
		s.Add(c...)
	}
}

// TestInterrupted: a solver gives up when its time is over and can be asked again.
func TestInterrupted(t *testing.T) {
	for name, fresh := range solvers(t) {
		s := fresh()
		pigeons(s, 12)
		ctx, cancel := context.WithTimeout(context.Background(), 50*time.Millisecond)
		got, err := s.Solve(ctx)
		cancel()
		if err != nil || got != sat.Interrupted {
			t.Errorf("%s: %v, %v; want interrupted", name, got, err)
		}
	}
}

func TestNoSuchSolver(t *testing.T) {
	if _, err := sat.NewProcess("a-solver-nobody-has"); !errors.Is(err, sat.ErrNoSolver) {
		t.Errorf("got %v", err)
	}
}

func TestDIMACS(t *testing.T) {
	var f sat.Formula
	f.Add(1, -2)
	f.Add(3)
	var out bytes.Buffer
	if err := f.WriteDIMACS(&out, -4); err != nil {
		t.Fatal(err)
	}
	if want := "p cnf 4 3\n1 -2 0\n3 0\n-4 0\n"; out.String() != want {
		t.Errorf("got %q, want %q", out.String(), want)
	}
}
