package lin

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"math/rand/v2"
	"os"
	"slices"
	"testing"

	"fencepost/internal/certificate"
	"fencepost/internal/memory"
	"fencepost/query"
	"fencepost/verdict"
)

var proved = flag.Int("fp.proved", 6, "random objects per model for which proofs are made")

// written returns a certificate about one client.
func written(t *testing.T, all [][]certificate.Imposed) []byte {
	var file bytes.Buffer
	if err := certificate.WriteHistories(&file, &certificate.Statement{}, all); err != nil {
		t.Fatal(err)
	}
	return file.Bytes()
}

// accepts returns nil if the checker accepts a certificate about one client.
func accepts(t *testing.T, q *question, model memory.Model, c *client, file []byte) error {
	r, err := certificate.Open(bytes.NewReader(file))
	if err != nil {
		return err
	}
	defer r.Close()
	again := *q
	again.rules = true
	s, err := again.search(t.Context(), model)
	if err != nil {
		t.Fatal(err)
	}
	s.proofs = &proofs{reader: r, coverage: verdict.Coverage{Exhaustive: true}}
	wrong, failed, err := s.inClient(t.Context(), c)
	switch {
	case err != nil:
		return err
	case wrong != nil || failed:
		return errRefused
	}
	return r.End()
}

// TestBruteCertified: a client of a random object has a certificate exactly if brute force finds every history explained.
// Changed certificates are refused. Where a history has no explanation, no proof says that it cannot be.
func TestBruteCertified(t *testing.T) {
	right, wrong, mutants := 0, 0, 0
	for _, model := range []memory.Model{memory.SC, memory.TSO, memory.PSO, memory.C11} {
		for k := range *proved {
			seed, returns := uint64(k), query.Return("")
			if model == memory.TSO || model == memory.PSO {
				returns = []query.Return{"", query.ReturnOpen, query.ReturnDrains}[k%3]
			}
			b, ends, q, c := randomQuestion(seed, model, returns)
			if ends && b.stuck {
				continue
			}
			if k%2 == 1 { // the same code as a specification in a file
				q.opt.SpecFile = query.Input{Name: "spec.c", Text: q.in.Text}
			}
			s, err := q.search(t.Context(), model)
			if err != nil {
				t.Fatal(err)
			}
			s.kept = []*keptClient{}
			found, _, err := s.inClient(t.Context(), c)
			if err != nil {
				t.Fatal(err)
			}
			if b.wrong {
				wrong++
				cannotProve(t, s, found)
				continue
			}
			all := [][]certificate.Imposed{}
			for _, k := range s.kept {
				one, err := k.prove(t.Context(), query.Options{Unroll: 8})
				if err != nil {
					t.Fatalf("seed %d under %s, --return %q: %v\n%s\n%s", seed, model, returns, err, q.in.Text, k.c)
				}
				all = append(all, one)
			}
			if err := accepts(t, q, model, c, written(t, all)); err != nil {
				t.Fatalf("seed %d under %s, --return %q: refused: %v\n%s\n%s", seed, model, returns, err, q.in.Text, c)
			}
			right++
			rng := rand.New(rand.NewPCG(seed, 55))
			for range 3 {
				changed, what := changeHistories(rng, all)
				mutants++
				if err := accepts(t, q, model, c, written(t, changed)); err == nil {
					t.Fatalf("seed %d under %s, --return %q: accepted: %s\n%s\n%s", seed, model, returns, what, q.in.Text, c)
				}
			}
		}
	}
	t.Logf("%d right, %d wrong, %d mutants", right, wrong, mutants)
	if right < *proved || wrong < *proved/2 {
		t.Error("the objects do not test both answers")
	}
}

// cannotProve sees to it that what the calls of a client return without explanation is not proved away.
func cannotProve(t *testing.T, s *search, f *found) {
	x := s.in(f.client)
	k := &keptClient{clientSearch: x}
	if _, err := x.results(t.Context(), x.c.programOrder(), false); err != nil {
		t.Fatal(err)
	}
	if _, err := k.prove(t.Context(), query.Options{Unroll: 8}); !errors.Is(err, certificate.ErrUnexplained) {
		t.Fatalf("a history without explanation: %v\n%s", err, f.client)
	}
	if _, err := x.results(t.Context(), f.order, false); err != nil {
		t.Fatal(err)
	}
	less := slices.DeleteFunc(slices.Clone(x.values[f.order]), func(r []int64) bool { return slices.Equal(r, f.results) })
	if len(less) == len(x.values[f.order]) {
		t.Fatalf("the results that go wrong are none\n%s", f.client)
	}
	refuted := (*certificate.Refuted)(nil)
	if _, err := x.made(f.order, less, false, query.Options{Unroll: 8}).Prove(t.Context(), ""); !errors.As(err, &refuted) {
		t.Fatalf("a client never returns what it can return: %v\n%s", err, f.client)
	}
}

// changeHistories returns a changed certificate, and what has been changed.
func changeHistories(rng *rand.Rand, all [][]certificate.Imposed) ([][]certificate.Imposed, string) {
	out := make([][]certificate.Imposed, len(all))
	for i := range all {
		for _, one := range all[i] {
			one.Results, one.Proof = slices.Clone(one.Results), slices.Clone(one.Proof)
			for k := range one.Results {
				one.Results[k] = slices.Clone(one.Results[k])
			}
			out[i] = append(out[i], one)
		}
	}
	i := rng.IntN(len(out))
	one := &out[i][rng.IntN(len(out[i]))]
	switch what := rng.IntN(6); {
	case what == 0 && len(one.Results) > 0:
		k := rng.IntN(len(one.Results))
		one.Results = slices.Delete(one.Results, k, k+1)
		return out, "results are missing"
	case what == 1 && len(one.Results) > 0 && len(one.Results[0]) > 0:
		one.Results[0][rng.IntN(len(one.Results[0]))]++
		return out, "results are changed"
	case what == 2:
		one.Order ^= 1 << rng.IntN(64)
		return out, "an order is changed"
	case what == 3:
		one.Proof[rng.IntN(len(one.Proof))] ^= 1 << rng.IntN(8)
		return out, "a proof is changed"
	case what == 4:
		out[i] = slices.DeleteFunc(out[i], func(a certificate.Imposed) bool { return a.Order == one.Order })
		return out, "an order is missing"
	default:
		return append(out, nil), "there is one client more"
	}
}

// TestCertifiedFiles: objects whose calls free blocks, or wait for ever.
func TestCertifiedFiles(t *testing.T) {
	for _, name := range []string{"freeing.h", "blocking_lost.h"} {
		text, err := os.ReadFile("testdata/small/" + name)
		if err != nil {
			t.Fatal(err)
		}
		opt := query.LinOptions{Options: query.Defaults(), Models: query.Models{query.TSO}, Calls: 2}
		opt.Certified = true
		answer, err := Run(t.Context(), query.Input{Name: name, Text: text}, opt)
		if err != nil {
			t.Fatal(err)
		}
		if r := answer.Results[0]; r.Verdict != verdict.Safe || r.Coverage.Certificate == nil {
			t.Errorf("%s: %s, %s", name, r.Verdict, r.Reason)
		}
	}
}

// TestCertified: an object has a certificate for all of its clients, which is about this object.
func TestCertified(t *testing.T) {
	const counter = "#include <stdatomic.h>\natomic_int n;\nint add(void) { return atomic_fetch_add(&n, 1); }\n"
	const loses = "#include <stdatomic.h>\natomic_int n;\nint add(void) { int v = n; n = v + 1; return v; }\n"
	for _, model := range []query.Model{query.TSO, query.C11} {
		var file bytes.Buffer
		opt := query.LinOptions{Options: query.Defaults(), Models: query.Models{model}, Calls: 2}
		opt.Certificate = &file
		answer, err := Run(context.Background(), query.Input{Name: "object.h", Text: []byte(counter)}, opt)
		if err != nil {
			t.Fatal(err)
		}
		if r := answer.Results[0]; r.Verdict != verdict.Safe || r.Coverage.Certificate == nil || file.Len() == 0 {
			t.Fatalf("%s: %s, %v", r.Verdict, r.Reason, r.Coverage.Certificate)
		}
		for text, want := range map[string]bool{counter: true, loses: false} {
			r, err := certificate.Open(bytes.NewReader(file.Bytes()))
			if err != nil {
				t.Fatal(err)
			}
			got, err := VerifyCertificate(t.Context(), query.Input{Name: "object.h", Text: []byte(text)}, r, func(*query.Options, string) {})
			if err != nil || len(got.Checks) != 1 || (got.Checks[0].Err == nil) != want {
				t.Errorf("%s: %v, %v", model, err, got.Checks)
			}
			r.Close()
		}
	}
}

// TestCertifiedSpecification: the proof that an object does what a file says is about that file, which the one who
// verifies gives.
func TestCertifiedSpecification(t *testing.T) {
	const object = "#include <stdatomic.h>\natomic_int n;\nint add(void) { return atomic_fetch_add(&n, 1) & 1; }\n"
	const spec = "int n;\nint add(void) { return n++ % 2; }\n"
	const other = "int n;\nint add(void) { return ++n % 2; }\n"
	var file bytes.Buffer
	opt := query.LinOptions{Options: query.Defaults(), Models: query.Models{query.TSO}, Calls: 3, SpecFile: query.Input{Name: "spec.c", Text: []byte(spec)}}
	opt.Certificate = &file
	answer, err := Run(t.Context(), query.Input{Name: "object.h", Text: []byte(object)}, opt)
	if err != nil {
		t.Fatal(err)
	}
	if r := answer.Results[0]; r.Verdict != verdict.Safe || r.Coverage.Certificate == nil {
		t.Fatalf("%s: %s", r.Verdict, r.Reason)
	}
	for text, want := range map[string]bool{spec: true, other: false, "": false} {
		r, err := certificate.Open(bytes.NewReader(file.Bytes()))
		if err != nil {
			t.Fatal(err)
		}
		in := query.Input{Name: "object.h", Text: []byte(object)}
		if text != "" {
			in.More = []query.File{{Name: "spec.c", Text: []byte(text)}}
		}
		got, err := VerifyCertificate(t.Context(), in, r, func(*query.Options, string) {})
		r.Close()
		if ok := err == nil && len(got.Checks) == 1 && got.Checks[0].Err == nil; ok != want {
			t.Errorf("specification %q: %v, %v", text, err, got.Checks)
		}
	}
}
