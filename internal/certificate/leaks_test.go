package certificate_test

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"slices"
	"testing"

	"fencepost/internal/certificate"
	"fencepost/internal/property"
	"fencepost/internal/replay"
	"fencepost/internal/testkit"
)

// leaking returns the question about memory leaks of a random program under each model, if no check fails. lost says whether
// a block is lost in some final state, of which there must be one.
func leaking(t *testing.T, s uint64, visit func(q question, lost bool)) {
	blocks := []testkit.Profile{{Name: "heap", Heap: true}, {Name: "inside-heap", Inside: true, Heap: true}, {Name: "reuse", Reuse: true}, {Name: "heap-spawn", Heap: true, Spawn: true}}
	flat, _ := testkit.Generate(s, blocks[s%uint64(len(blocks))]).Flat()
	for _, m := range testkit.Models {
		model, err := replay.ParseModel(m.String())
		if err != nil {
			t.Fatal(err)
		}
		asked := &property.Set{Checks: true, Leaks: true, Deadlock: s%2 == 0}
		want, err := replay.Enumerate(flat, asked, model, replay.Limits{States: 4000})
		if err != nil {
			t.Fatal(err)
		}
		if want.Truncated || len(want.Violations) > 0 || want.Deadlock && asked.Deadlock || len(want.Finals) == 0 {
			return
		}
		visit(question{flat, asked, model}, slices.ContainsFunc(want.Finals, func(text string) bool { return text != "" }))
	}
}

// Programs are certified exactly if brute force finds no final state in which a block is lost. Changed proofs, and parts of
// the states of programs with leaks, are refused.
func TestLeaksAgainstBruteForce(t *testing.T) {
	rng := rand.New(rand.NewPCG(*seed, 54))
	free, leaks, made := 0, 0, 0
	for s := *seed; s < *seed+uint64(*programs)/2; s++ {
		leaking(t, s, func(q question, lost bool) {
			file, err := q.prove()
			refuted := (*certificate.Refuted)(nil)
			if err != nil && !errors.As(err, &refuted) || lost != (err != nil) {
				t.Fatalf("seed %d under %s: brute force finds a leak: %v; the proof: %v", s, q.model, lost, err)
			}
			less := question{q.p, &property.Set{Checks: true, Deadlock: q.props.Deadlock}, q.model}
			if lost {
				leaks++
				if file, err = less.prove(); err != nil {
					t.Fatal(err)
				}
			} else if _, err := q.check(file); err != nil {
				t.Fatalf("seed %d under %s: a proof is refused: %v", s, q.model, err)
			} else {
				free++
			}
			statement, keys, body := open(t, file)
			if err := statement.About(q.p, q.props, q.model); err != nil {
				t.Fatal(err)
			}
			for range 3 {
				made++
				kind, changed := mutate(rng, keys)
				if lost && made%2 == 0 {
					kind, changed = "nothing", keys
				}
				var out bytes.Buffer
				if err := certificate.WriteStates(&out, &statement, changed, body); err != nil {
					t.Fatal(err)
				}
				has := !lost && !slices.ContainsFunc(keys, func(k string) bool { return !slices.Contains(changed, k) })
				if _, err := q.check(out.Bytes()); err == nil && !has {
					t.Fatalf("seed %d under %s: no proof, and accepted (%s)", s, q.model, kind)
				}
			}
			if _, err := less.check(file); err == nil && !lost {
				t.Fatalf("seed %d under %s: a proof about leaks is accepted for another question", s, q.model)
			}
		})
	}
	t.Logf("%d without leaks, %d with leaks, %d mutants", free, leaks, made)
	if *programs >= 100 && (free < 20 || leaks < 20) {
		t.Error("the programs do not test both answers")
	}
}
