package certificate_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"fencepost/internal/certificate"
	"fencepost/internal/ir"
	"fencepost/internal/ir/irtext"
	"fencepost/internal/property"
	"fencepost/internal/replay"
	"fencepost/internal/testkit"
)

// sent returns a value after it was written as text and read again, as between processes.
func sent[T any](t *testing.T, v T) T {
	t.Helper()
	text, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	var out T
	if err := json.Unmarshal(text, &out); err != nil {
		t.Fatal(err)
	}
	return out
}

// inParts makes a proof in parts: in any order, several at a time, up to any limit.
func inParts(t *testing.T, p *ir.Program, props *property.Set, model replay.Model, rng *rand.Rand) (*certificate.Made, int) {
	parts, made, runs := []certificate.Part{certificate.Whole}, &certificate.Made{}, 0
	for len(parts) > 0 && !made.Over() {
		var more *certificate.Made
		var left []certificate.Part
		var err error
		k := 1 + rng.IntN(len(parts))
		if rng.IntN(8) == 0 {
			k = min(3, len(parts))
			more, left, err = certificate.Split(t.Context(), p, props, model, parts[:k], 2*k)
		} else {
			limit := certificate.PartsLimit{Nodes: rng.IntN(12), Workers: rng.IntN(3)}
			ctx, cancel := context.WithCancel(t.Context())
			if rng.IntN(5) == 0 && limit.Workers < 2 { // a run whose time is over at once visits a node all the same
				cancel()
			}
			more, left, err = certificate.Make(ctx, p, props, model, parts[:k], limit)
			cancel()
		}
		if err != nil {
			t.Fatal(err)
		}
		more, left = sent(t, more), sent(t, left)
		made.Add(more)
		parts = append(parts[k:], left...)
		rng.Shuffle(len(parts), func(i, j int) { parts[i], parts[j] = parts[j], parts[i] })
		if runs++; runs > 20_000 {
			t.Fatal("no end")
		}
	}
	return made, runs
}

// comparePart has a proof made in parts and compares it with that of one run.
func comparePart(t *testing.T, seed uint64, p *ir.Program, props *property.Set, model replay.Model, rng *rand.Rand) (proof bool, runs int) {
	var file bytes.Buffer
	_, err := certificate.Classes(t.Context(), &file, certificate.Statement{}, p, props, model, 800)
	if errors.Is(err, certificate.ErrTooLarge) {
		return false, 0
	}
	made, runs := inParts(t, p, props, model, rng)
	refuted := (*certificate.Refuted)(nil)
	switch {
	case errors.As(err, &refuted):
		if made.Refuted == nil && made.None == "" {
			t.Fatalf("seed %d under %s: one run finds %v, parts find nothing\n%s", seed, model, err, irtext.Print(p))
		}
		return false, runs
	case err != nil:
		if made.None == "" && made.Refuted == nil {
			t.Fatalf("seed %d under %s: one run has no proof (%v), parts have one\n%s", seed, model, err, irtext.Print(p))
		}
		return false, runs
	case made.Over():
		t.Fatalf("seed %d under %s: one run has a proof, parts have none: %v %s\n%s", seed, model, made.Refuted, made.None, irtext.Print(p))
	}
	if math.Abs(made.Share-1) > 1e-9 {
		t.Fatalf("seed %d under %s: the shares come to %v", seed, model, made.Share)
	}
	var merged bytes.Buffer
	if err := certificate.WriteMade(&merged, certificate.Statement{}, p, props, model, made); err != nil {
		t.Fatalf("seed %d under %s: %v", seed, model, err)
	}
	if !bytes.Equal(merged.Bytes(), file.Bytes()) {
		t.Fatalf("seed %d under %s: parts, %d nodes, have another proof than one run\n%s", seed, model, made.Nodes, irtext.Print(p))
	}
	// One that lacks a part is none.
	if n := len(made.Pieces); n > 1 {
		k := rng.IntN(n)
		made.Pieces = append(made.Pieces[:k:k], made.Pieces[k+1:]...)
		if err := certificate.WriteMade(&merged, certificate.Statement{}, p, props, model, made); err == nil {
			t.Fatalf("seed %d under %s: a part is missing, which nobody sees", seed, model)
		}
	}
	return true, runs
}

// Proofs made in parts equal those of one run, byte for byte, however they are divided.
func TestParts(t *testing.T) {
	rng := rand.New(rand.NewPCG(*seed, 21))
	proofs, none, runs := 0, 0, 0
	compare := func(s uint64, p *ir.Program, props *property.Set, model replay.Model) {
		proof, n := comparePart(t, s, p, props, model, rng)
		runs += n
		if proof {
			proofs++
		} else {
			none++
		}
	}
	for s := *seed; s < *seed+uint64(*programs)/2; s++ {
		questions(t, s, func(q question, wrong bool) {
			q.props.Goals = nil
			compare(s, q.p, q.props, q.model)
		})
	}
	randomC11(t, func(s uint64, _ *testkit.C11Program, p *ir.Program, _ map[string]*testkit.C11Class, _ bool) {
		compare(s, p, &property.Set{Checks: true}, replay.C11)
	})
	t.Logf("%d proofs are equal, %d questions without one; %d runs", proofs, none, runs)
	if *programs >= 100 && (proofs < 60 || none < 20) {
		t.Error("the programs do not test both")
	}
}
