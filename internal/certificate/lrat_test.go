package certificate_test

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"fencepost/internal/certificate"
	"fencepost/internal/solver/sat"
)

// pigeons says that n+1 pigeons have holes of their own among n.
func pigeons(n int) [][]int32 {
	var all [][]int32
	in := func(pigeon, hole int) int32 { return int32(pigeon*n + hole + 1) }
	for p := range n + 1 {
		var some []int32
		for h := range n {
			some = append(some, in(p, h))
			for q := range p {
				all = append(all, []int32{-in(p, h), -in(q, h)})
			}
		}
		all = append(all, some)
	}
	return all
}

// random3 returns random clauses of three literals.
func random3(r *rand.Rand, vars, n int) [][]int32 {
	all := make([][]int32, n)
	for i := range all {
		for range 3 {
			all[i] = append(all[i], int32((1+r.IntN(vars))*(1-2*r.IntN(2))))
		}
	}
	return all
}

// refutation asks the solver, with clauses that come between two questions, and returns the clauses and the proof that
// the assumptions of the last one cannot hold; nil if they can.
func refutation(t *testing.T, clauses, more [][]int32, assume []int32) ([][]int32, []byte) {
	t.Helper()
	s, proof := sat.NewEmbedded(), &sat.Proof{}
	s.Log(proof)
	add := func(list [][]int32) {
		for _, c := range list {
			var lits []sat.Lit
			for _, l := range c {
				lits = append(lits, sat.Lit(l))
			}
			s.Add(lits...)
		}
	}
	add(clauses)
	if more != nil {
		if _, err := s.Solve(context.Background()); err != nil {
			t.Fatal(err)
		}
		add(more)
	}
	var lits []sat.Lit
	for _, l := range assume {
		lits = append(lits, sat.Lit(l))
	}
	status, err := s.Solve(context.Background(), lits...)
	if err != nil {
		t.Fatal(err)
	}
	if status != sat.Unsat {
		return nil, nil
	}
	var out bytes.Buffer
	if err := proof.Write(&out, lits...); err != nil {
		t.Fatal(err)
	}
	var inputs [][]int32
	for _, c := range proof.Inputs() {
		var ints []int32
		for _, l := range c {
			ints = append(ints, int32(l))
		}
		inputs = append(inputs, ints)
	}
	return inputs, out.Bytes()
}

// plainly is a second checker: each clause of a proof follows by unit propagation, whatever its hints are.
func plainly(clauses [][]int32, proof []byte, goal []int32) bool {
	known := slices.Clone(clauses)
	for line := range strings.Lines(string(proof)) {
		var clause []int32
		for _, f := range strings.Fields(line)[1:] {
			var l int32
			fmt.Sscan(f, &l)
			if l == 0 {
				break
			}
			clause = append(clause, l)
		}
		if !propagates(known, clause) {
			return false
		}
		known = append(known, clause)
	}
	return propagates(known, goal)
}

// propagates reports whether the negation of a clause leads to a clause that is false.
func propagates(known [][]int32, clause []int32) bool {
	isTrue := map[int32]bool{}
	for _, l := range clause {
		isTrue[-l] = true
	}
	for changed := true; changed; {
		changed = false
		for _, c := range known {
			var left []int32
			for _, l := range c {
				if !isTrue[-l] && !slices.Contains(left, l) {
					left = append(left, l)
				}
			}
			if len(left) == 0 {
				return true
			}
			if len(left) == 1 && !isTrue[left[0]] {
				isTrue[left[0]], changed = true, true
			}
		}
	}
	return false
}

// Every answer of the solver that there is no model has a proof that both checkers accept. Without one of the clauses
// that it needs it is refused.
func TestLRAT(t *testing.T) {
	rng := rand.New(rand.NewPCG(*seed, 60))
	proofs, lines, refused, still, weaker := 0, 0, 0, 0, 0
	for k := range *programs {
		vars := 5 + rng.IntN(25)
		clauses := random3(rng, vars, vars*4+rng.IntN(vars))
		var more [][]int32
		var assume []int32
		switch {
		case k%40 == 0:
			clauses = pigeons(2 + k/40%4)
		case k%3 == 1:
			more = random3(rng, vars, vars/2)
		case k%3 == 2:
			v := 1 + rng.IntN(vars-1)
			assume = []int32{int32(v), int32(-1 - v)}
		}
		inputs, proof := refutation(t, clauses, more, assume)
		if proof == nil {
			continue
		}
		var goal []int32
		for _, l := range assume {
			goal = append(goal, -l)
		}
		if err := certificate.CheckLRAT(inputs, bytes.NewReader(proof), goal); err != nil {
			t.Fatalf("formula %d: %v\n%s", k, err, proof)
		}
		if !plainly(inputs, proof, goal) {
			t.Fatalf("formula %d: the second checker refuses", k)
		}
		proofs, lines = proofs+1, lines+bytes.Count(proof, []byte("\n"))
		for range 5 {
			bad := bytes.Fields(bytes.ReplaceAll(proof, []byte("\n"), []byte(" \x01 ")))
			at := rng.IntN(len(bad))
			switch rng.IntN(3) {
			case 0:
				bad = slices.Delete(bad, at, at+1)
			case 1:
				bad[at] = fmt.Append(nil, rng.IntN(40)-15)
			default:
				bad = slices.Insert(bad, at, fmt.Append(nil, 1+rng.IntN(30)))
			}
			mutant := bytes.ReplaceAll(bytes.Join(bad, []byte(" ")), []byte(" \x01"), []byte("\n"))
			if certificate.CheckLRAT(inputs, bytes.NewReader(mutant), goal) != nil {
				refused++
				continue
			}
			still++
		}
		// Of clauses that have a model without one of them, nothing is accepted.
		at := rng.IntN(len(inputs))
		fewer := slices.Clone(inputs)
		fewer[at] = []int32{1, -1} // the numbers of the others stay
		if satisfiable(fewer, assume) {
			weaker++
			if certificate.CheckLRAT(fewer, bytes.NewReader(proof), goal) == nil {
				t.Fatalf("formula %d: a proof without clause %d is accepted\n%s", k, at+1, proof)
			}
		}
	}
	t.Logf("%d proofs of %d lines; of changed proofs %d are refused, %d are proofs; %d of formulas with a model", proofs, lines, refused, still, weaker)
	if *programs >= 200 && (proofs < 30 || refused < 30 || weaker < 5) {
		t.Error("the formulas do not test much")
	}
}

// satisfiable asks a fresh solver.
func satisfiable(clauses [][]int32, assume []int32) bool {
	s := sat.NewEmbedded()
	for _, c := range clauses {
		var lits []sat.Lit
		for _, l := range c {
			lits = append(lits, sat.Lit(l))
		}
		s.Add(lits...)
	}
	var lits []sat.Lit
	for _, l := range assume {
		lits = append(lits, sat.Lit(l))
	}
	status, err := s.Solve(context.Background(), lits...)
	return err != nil || status != sat.Unsat
}

// A formula with a model has no proof, however long the list of steps.
func TestLRATOfModels(t *testing.T) {
	clauses := [][]int32{{1, 2}, {-1, 2}}
	for _, proof := range []string{"", "3 0 1 2 0\n", "3 -2 0 1 2 0\n4 0 3 1 0\n", "3 0 0\n", "3 2 0 1 2 0\n4 0 3 0\n", "1 0 1 0\n", "3 d 1 0\n3 0 1 0\n", "3 2 0 2 1 0\n3 0 3 0\n", "3 0 -1 0\n", "3 2 0 1 0\n", "3 0 9 0\n", "3 0 1", "x 0 0\n"} {
		if err := certificate.CheckLRAT(clauses, strings.NewReader(proof), nil); err == nil {
			t.Errorf("a formula with a model is refuted by %q", proof)
		}
	}
	if err := certificate.CheckLRAT(clauses, strings.NewReader("3 2 0 1 2 0\n"), []int32{2}); err != nil {
		t.Error(err)
	}
}
