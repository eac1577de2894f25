package certificate_test

import (
	"bytes"
	"context"
	"errors"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"fencepost/internal/certificate"
	"fencepost/internal/ir"
	"fencepost/internal/ir/irtext"
	"fencepost/internal/property"
	"fencepost/internal/replay"
	"fencepost/internal/testkit"
)

// noClasses reports whether an error says that a program has no tree.
func noClasses(err error) bool {
	return err != nil && (strings.Contains(err.Error(), "no classes") || errors.Is(err, certificate.ErrTooLarge) || errors.Is(err, replay.ErrTooLong))
}

// The tree of a program under SC, TSO and PSO has the final states and the failing checks that brute force finds, and no
// class twice.
func TestClassesOfMachines(t *testing.T) {
	compared, without, classes, nodes, fails := 0, 0, 0, 0, 0
	for s := *seed; s < *seed+uint64(*programs)/2; s++ {
		flat, props := testkit.Generate(s, profiles[s%uint64(len(profiles))]).Flat()
		asked := &property.Set{Checks: true, Observe: props.Observe}
		for _, m := range testkit.Models {
			model, err := replay.ParseModel(m.String())
			if err != nil {
				t.Fatal(err)
			}
			want, err := replay.Enumerate(flat, asked, model, replay.Limits{States: 6000})
			if err != nil {
				t.Fatal(err)
			}
			if want.Truncated {
				break
			}
			finals, checks, found, size, err := certificate.EndsOfClasses(flat, asked, model)
			if noClasses(err) {
				without++
				continue
			}
			if err != nil {
				t.Fatalf("seed %d under %s: %v\n%s", s, model, err, irtext.Print(flat))
			}
			if (len(checks) == 0) != (len(want.Violations) == 0) {
				t.Fatalf("seed %d under %s: failing checks %v, want %v\n%s", s, model, checks, want.Violations, irtext.Print(flat))
			}
			for v := range checks { // an execution ends at the first one
				if !slices.Contains(want.Violations, v) {
					t.Fatalf("seed %d under %s: failing check %v, want %v\n%s", s, model, v, want.Violations, irtext.Print(flat))
				}
			}
			got := slices.Sorted(maps.Keys(finals))
			if len(checks) == 0 && !slices.Equal(got, want.Finals) || slices.ContainsFunc(got, func(f string) bool { return !slices.Contains(want.Finals, f) }) {
				t.Fatalf("seed %d under %s: final states %q, want %q\n%s", s, model, got, want.Finals, irtext.Print(flat))
			}
			for class, n := range found {
				if n > 1 && !mayRepeat(flat) {
					t.Fatalf("seed %d under %s: %d times %s\n%s", s, model, n, class, irtext.Print(flat))
				}
			}
			compared, classes, nodes, fails = compared+1, classes+len(found), nodes+size, fails+len(checks)
		}
	}
	t.Logf("%d compared, %d without a tree, %d classes, %d nodes, %d failing checks", compared, without, classes, nodes, fails)
	if *programs >= 100 && (compared < 60 || fails < 5) {
		t.Error("the programs do not test much")
	}
}

// mayRepeat reports whether threads choose: executions that differ in choices alone can have one name.
func mayRepeat(p *ir.Program) bool {
	for _, f := range p.Funcs {
		for i := range f.Edges {
			if k := f.Edges[i].Op.Kind; k == ir.Havoc || k == ir.AbstractLoad {
				return true
			}
		}
		for l := range f.Locs {
			if len(f.Out(ir.Loc(l))) > 1 {
				return true
			}
		}
	}
	return false
}

// Programs without goals are certified by classes exactly if brute force finds no violation, and changed proofs are
// refused, or are proofs.
func TestClassesOfMachinesCertified(t *testing.T) {
	rng := rand.New(rand.NewPCG(*seed, 12))
	safe, unsafe, without, refused, still := 0, 0, 0, 0, 0
	for s := *seed; s < *seed+uint64(*programs)/2; s++ {
		questions(t, s, func(q question, wrong bool) {
			q.props.Goals = nil
			if wrong && !wrongWithoutGoals(t, q) {
				return
			}
			var file bytes.Buffer
			_, err := certificate.Classes(context.Background(), &file, certificate.Statement{}, q.p, q.props, q.model, 800)
			refuted := (*certificate.Refuted)(nil)
			switch {
			case noClasses(err) || q.props.Empty() || errors.Is(err, replay.ErrLoop):
				without++
				return
			case err != nil && !errors.As(err, &refuted), wrong != (err != nil):
				t.Fatalf("seed %d under %s: brute force finds a violation: %v; the proof: %v\n%s", s, q.model, wrong, err, irtext.Print(q.p))
			case wrong:
				unsafe++
				return
			}
			safe++
			if _, err := q.check(file.Bytes()); err != nil {
				t.Fatalf("seed %d under %s: a proof is refused: %v", s, q.model, err)
			}
			for range 3 {
				mutant := certificate.ChangeClasses(t, file.Bytes(), rng)
				if mutant == nil {
					continue
				}
				if _, err := q.check(mutant); errors.As(err, &refuted) {
					t.Fatalf("seed %d under %s: another order of threads refutes: %v", s, q.model, err)
				} else if err != nil {
					refused++
				} else {
					still++
				}
			}
		})
	}
	t.Logf("%d safe, %d unsafe, %d without a tree; of changed proofs %d are refused, %d are proofs", safe, unsafe, without, refused, still)
	if *programs >= 100 && (safe < 30 || unsafe < 15 || refused < 20) {
		t.Error("the programs do not test all answers")
	}
}

// wrongWithoutGoals reports whether brute force finds a violation when goals are not asked about.
func wrongWithoutGoals(t *testing.T, q question) bool {
	out, err := replay.Enumerate(q.p, q.props, q.model, replay.Limits{States: 6000})
	if err != nil {
		t.Fatal(err)
	}
	return len(out.Violations) > 0 || out.Final || out.Deadlock && q.props.Deadlock || out.Endless && q.props.Endless
}

// A loop with a fence that only reads waits as one without: whether it ends is not decided by a tree.
func TestClassesOfLoopsWithFences(t *testing.T) {
	for _, between := range []string{"", " b -> c: fence.full\n", " b -> c: assume (r == r)\n"} {
		last := "c"
		if between == "" {
			last = "b"
		}
		text := "program waits flat\nobject x size 8\nfunc t0() {\n reg r\n a -> b: r = load [&x]\n" + between +
			" " + last + " -> a: assume (r == 0)\n " + last + " -> d: assume (r != 0)\n}\nthread t0 = t0()\n"
		p, diags := irtext.Parse("waits.ir", []byte(text))
		if diags.HasErrors() {
			t.Fatal(diags.All)
		}
		for _, m := range testkit.Models {
			model, err := replay.ParseModel(m.String())
			if err != nil {
				t.Fatal(err)
			}
			_, err = certificate.Classes(t.Context(), &bytes.Buffer{}, certificate.Statement{}, p, &property.Set{Deadlock: true, Endless: true}, model, 800)
			if !errors.Is(err, replay.ErrLoop) {
				t.Errorf("%s, %q: %v", model, between, err)
			}
		}
	}
}
