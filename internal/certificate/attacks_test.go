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
	"fencepost/internal/ir"
	"fencepost/internal/replay"
	"fencepost/internal/testkit"
)

// robustness is the question whether a program is robust.
type robustness struct {
	p     *ir.Program
	model replay.Model
}

func (q *robustness) prove() ([]byte, error) {
	var file bytes.Buffer
	_, err := certificate.Attacks(context.Background(), &file, certificate.Statement{}, q.p, q.model, 20<<20)
	return file.Bytes(), err
}

func (q *robustness) check(file []byte) error {
	r, err := certificate.Open(bytes.NewReader(file))
	if err != nil {
		return err
	}
	defer r.Close()
	_, err = certificate.CheckRobust(context.Background(), r, q.p, q.model)
	return err
}

// Whatever is changed in a proof of robustness, the rest is refused, or is a proof. A set without one of its states is none. The
// states of a program that is not robust are no proof, whichever are left out. (That exactly the robust programs have proofs is
// compared with the definition where the engine is.)
func TestAttacksMutants(t *testing.T) {
	rng := rand.New(rand.NewPCG(*seed, 53))
	made, accepted, broken := 0, 0, 0
	for s := *seed; made < *mutants; s++ {
		p, _ := testkit.Generate(s, profiles[s%uint64(len(profiles))]).Flat()
		for _, model := range []replay.Model{replay.TSO, replay.PSO} {
			q := robustness{p, model}
			file, err := q.prove()
			refuted := (*certificate.Refuted)(nil)
			switch {
			case errors.As(err, &refuted):
				broken++
				states(t, rng, s, &q)
				continue
			case errors.Is(err, certificate.ErrTooLarge), err != nil && strings.HasPrefix(err.Error(), "there are no certificates"):
				continue
			case err != nil:
				t.Fatalf("seed %d under %s: %v", s, model, err)
			}
			if err := q.check(file); err != nil {
				t.Fatalf("seed %d under %s: a proof is refused: %v", s, model, err)
			}
			statement, keys, body := open(t, file)
			for range 5 {
				made++
				kind, changed := mutate(rng, keys)
				var out bytes.Buffer
				if err := certificate.WriteStates(&out, &statement, changed, body); err != nil {
					t.Fatal(err)
				}
				has := !slices.ContainsFunc(keys, func(k string) bool { return !slices.Contains(changed, k) })
				if err = q.check(out.Bytes()); err == nil && !has {
					t.Fatalf("seed %d under %s: a set without a reachable state is accepted (%s)", s, model, kind)
				} else if err == nil {
					accepted++
				}
				bad := slices.Clone(file)
				bad[rng.IntN(len(bad))] ^= 1 << rng.IntN(8)
				if q.check(bad) == nil {
					t.Fatalf("seed %d under %s: a file with a changed byte is accepted", s, model)
				}
			}
		}
	}
	t.Logf("%d mutants, %d are proofs; %d programs that are not robust", made, accepted, broken)
	if *mutants >= 100 && broken == 0 {
		t.Error("all programs are robust")
	}
}

// states looks for a proof among the states of a program that is not robust.
func states(t *testing.T, rng *rand.Rand, seed uint64, q *robustness) {
	statement, keys, err := certificate.StatesOfAttacks(q.p, q.model)
	if err != nil {
		t.Fatal(err)
	}
	for k := range 3 {
		some := keys
		if k > 0 {
			some = slices.DeleteFunc(slices.Clone(keys), func(string) bool { return rng.IntN(8) == 0 })
		}
		var out bytes.Buffer
		if err := certificate.WriteStates(&out, &statement, some, nil); err != nil {
			t.Fatal(err)
		}
		if q.check(out.Bytes()) == nil {
			t.Fatalf("seed %d under %s: a program that is not robust is certified", seed, q.model)
		}
	}
}

// A proof of one question is none of another.
func TestAttacksAnswerOneQuestion(t *testing.T) {
	for s := *seed; ; s++ {
		p, props := testkit.Generate(s, profiles[0]).Flat()
		r := robustness{p, replay.TSO}
		file, err := r.prove()
		if err != nil {
			continue
		}
		q := question{p, props, replay.TSO}
		if _, err := q.check(file); err == nil {
			t.Error("a proof of robustness is accepted as one of assertions")
		}
		other := robustness{p, replay.PSO}
		if other.check(file) == nil {
			t.Error("a proof about TSO is accepted under PSO")
		}
		if file, err = q.prove(); err != nil {
			continue
		}
		if r.check(file) == nil {
			t.Error("a proof of assertions is accepted as one of robustness")
		}
		return
	}
}
