package certificate_test

import (
	"bytes"
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"fencepost/internal/certificate"
	"fencepost/internal/certificate/clauses"
	"fencepost/internal/ir"
	"fencepost/internal/solver/sat"
)

// solve is a Refuter.
func solve(ctx context.Context, all [][]int32, step func([]int32, []int) error) (func(int32) bool, error) {
	s, proof := sat.NewEmbedded(), &sat.Proof{}
	s.Log(proof)
	for _, c := range all {
		var lits []sat.Lit
		for _, l := range c {
			lits = append(lits, sat.Lit(l))
		}
		s.Add(lits...)
	}
	status, err := s.Solve(ctx)
	switch {
	case err != nil:
		return nil, err
	case status == sat.Sat:
		return func(l int32) bool { return s.Value(sat.Lit(l)) }, nil
	case status != sat.Unsat:
		return nil, errors.New(status.String())
	}
	return nil, proof.Steps(ctx, nil, func(c []sat.Lit, hints []int) error {
		var out []int32
		for _, l := range c {
			out = append(out, int32(l))
		}
		return step(out, hints)
	})
}

func (q *question) proveByClauses(rounds int) ([]byte, error) {
	var file bytes.Buffer
	_, err := certificate.Clauses(context.Background(), &file, certificate.Statement{}, q.p, q.props, q.model, rounds, solve)
	return file.Bytes(), err
}

// sections reports whether a program has atomic sections, for which the rules that the checker follows may have more executions.
func sections(p *ir.Program) bool {
	return slices.ContainsFunc(p.Funcs, func(f *ir.Func) bool {
		return slices.ContainsFunc(f.Edges, func(e ir.Edge) bool { return e.Op.Kind == ir.AtomicBegin })
	})
}

// Programs are certified by clauses exactly if brute force finds no violation, but for programs that the encoder refuses.
func TestClauseProofsAgainstBruteForce(t *testing.T) {
	safe, unsafe, bounded, other := 0, 0, 0, 0
	refused := map[string]int{}
	for s := *seed; s < *seed+uint64(*programs)/3; s++ {
		questions(t, s, func(q question, wrong bool) {
			file, err := q.proveByClauses(3)
			refuted := (*certificate.Refuted)(nil)
			switch {
			case err != nil && (strings.HasPrefix(err.Error(), "there are no") || errors.Is(err, clauses.ErrTooLarge)):
				refused[err.Error()]++
				return
			case err != nil && strings.HasSuffix(err.Error(), "and it is no execution"):
				other++
				return
			case err != nil && !errors.As(err, &refuted):
				t.Fatalf("seed %d under %s: %v", s, q.model, err)
			}
			if err != nil {
				if !wrong || refuted.Beyond && !sections(q.p) {
					t.Errorf("seed %d under %s: brute force finds a violation: %v; the proof: %v, beyond the rules: %v", s, q.model, wrong, err, refuted.Beyond)
				}
				unsafe++
				return
			}
			covered, err := q.check(file)
			if err != nil {
				t.Fatalf("seed %d under %s: a proof is refused: %v", s, q.model, err)
			}
			if covered.Unroll > 0 || len(covered.Cut) > 0 {
				bounded++
				return
			}
			if wrong {
				t.Fatalf("seed %d under %s: brute force finds a violation, and there is a proof", s, q.model)
			}
			safe++
		})
	}
	t.Logf("%d safe, %d unsafe, %d bounded, %d models that are no executions; refused: %v", safe, unsafe, bounded, other, refused)
	if other*20 > unsafe {
		t.Error("many models are no executions")
	}
	if *programs >= 200 && (safe < 60 || unsafe < 30) {
		t.Error("the programs do not test both answers")
	}
}

// Whatever is changed in a proof by clauses, the rest is refused, or is a proof. A proof about one question is none about
// another one that is violated, whatever it says it is about.
func TestClauseProofMutants(t *testing.T) {
	rng := rand.New(rand.NewPCG(*seed, 61))
	made, refused, other := 0, 0, 0
	var last []byte
	for s := *seed; made < *mutants/2; s++ {
		questions(t, s, func(q question, wrong bool) {
			if wrong && last != nil {
				other++
				if covered, err := q.check(certificate.About(t, last, q.p, q.props, q.model)); err == nil && covered.Unroll == 0 && len(covered.Cut) == 0 {
					t.Fatalf("seed %d under %s: the proof of another program is accepted", s, q.model)
				}
			}
			file, err := q.proveByClauses(1)
			if err != nil {
				return
			}
			last = file
			for range 5 {
				made++
				covered, err := q.check(certificate.ChangeClauses(t, file, rng))
				if err != nil {
					refused++
				} else if wrong && covered.Unroll == 0 && len(covered.Cut) == 0 {
					t.Fatalf("seed %d under %s: a violation is certified", s, q.model)
				}
			}
			at := rng.IntN(len(file))
			bad := slices.Clone(file)
			bad[at] ^= 1 << rng.IntN(8)
			if _, err := q.check(bad); err == nil {
				t.Fatalf("seed %d under %s: a file with a changed byte %d is accepted", s, q.model, at)
			}
			if _, err := q.check(file[:at]); err == nil {
				t.Fatalf("seed %d under %s: a file without its end is accepted", s, q.model)
			}
		})
	}
	t.Logf("%d mutants, %d refused; %d proofs of other programs are refused", made, refused, other)
	if refused < made/2 {
		t.Error("most mutants are accepted")
	}
}
