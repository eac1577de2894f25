package c11_test

import (
	"errors"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"fencepost/internal/export/c11"
	"fencepost/internal/ir/irtext"
	"fencepost/internal/question/check"
	"fencepost/internal/testkit"
	"fencepost/query"
	"fencepost/verdict"
)

var (
	cRandoms = flag.Int("c.random", 30, "random programs to export to C and check there")
	seed     = flag.Uint64("c.seed", 1, "seed of the first random program")
)

// compiles compiles a text without warnings, as verifiers take it and as it runs.
func compiles(t testing.TB, text string) {
	t.Helper()
	gcc, err := exec.LookPath("gcc")
	if err != nil {
		t.Skip("no gcc here: nothing is compiled")
	}
	dir := t.TempDir()
	file := filepath.Join(dir, "exported.c")
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, run := range [][]string{{"-c"}, {"-DRUN", "-pthread"}} {
		args := append([]string{"-std=c11", "-Wall", "-Wextra", "-Werror", "-O1", "-o", filepath.Join(dir, "out"), file}, run...)
		if out, err := exec.CommandContext(t.Context(), gcc, args...).CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s\n%s", err, out, text)
		}
	}
}

// checkC returns the verdict about a text in C.
func checkC(t testing.TB, text string, opt query.CheckOptions, model string) *verdict.Result {
	t.Helper()
	opt.Liveness, opt.C.Uninitialised, opt.Timeout = query.LivenessOff, query.UninitialisedZero, 20*time.Second
	answer, err := check.Run(t.Context(), query.Input{Name: "exported.c", Text: []byte(text)}, opt.Under(query.Model(model)))
	if err != nil || answer.HasErrors() {
		t.Fatalf("%v %v\n%s", err, answer.Diagnostics, text)
	}
	return &answer.Results[0]
}

// TestCCorpus: programs of the corpus in the languages of automata and litmus tests have the same verdicts in C, and
// compile.
func TestCCorpus(t *testing.T) {
	var compared, refused, open int
	for _, c := range testkit.PartOf(t, testkit.LoadCorpus(t, filepath.Join(testkit.Root(t), "testdata", "corpus")), 10) {
		if strings.HasSuffix(c.Input.Name, ".c") {
			continue
		}
		text, diags, err := c.Export(query.ExportC, "")
		if err != nil {
			t.Fatal(err)
		}
		if diags != nil {
			t.Logf("%s: refused: %s: %s", c.Name(), diags[0].Pos, diags[0].Message)
			refused++
			continue
		}
		t.Run(c.Name(), func(t *testing.T) {
			compiles(t, text)
			results, err := c.Check(c.Options)
			if err != nil {
				t.Fatal(err)
			}
			for i := range results {
				want := &results[i]
				got := checkC(t, text, c.Options, want.Model)
				if want.Verdict == verdict.Unknown || got.Verdict == verdict.Unknown {
					t.Logf("%s: %s %s, in C %s %s", want.Model, want.Verdict, want.Reason, got.Verdict, got.Reason)
					open++
				}
				if (bad(want.Verdict) != bad(got.Verdict)) && got.Verdict != verdict.Unknown {
					t.Errorf("%s: %s, in C %s %s\n%s", want.Model, want.Verdict, got.Verdict, got.Reason, text)
				}
				compared++
			}
		})
	}
	t.Logf("%d verdicts compared, %d of them unknown on a side; %d programs refused", compared, open, refused)
}

// TestCRandom: random programs have the same violations in C as the enumerator finds.
func TestCRandom(t *testing.T) {
	var compared, found int
	reasons := map[string]int{}
	for i := range *cRandoms {
		s := *seed + uint64(i)
		pr := testkit.Profiles[s%uint64(len(testkit.Profiles))]
		pr.Heap, pr.Sync, pr.Spawn, pr.Waits = false, false, false, false
		prog, props := testkit.Generate(s, pr).Flat()
		props = testkit.OneQuestion(props, s)
		if props.Deadlock {
			continue
		}
		text, refusals := c11.Write(prog, props)
		if len(refusals) > 0 {
			reasons[refusals[0].Reason]++
			continue
		}
		if i%8 == 0 {
			compiles(t, text)
		}
		for _, m := range testkit.Models {
			want, err := testkit.Oracle(prog, props, m)
			if errors.Is(err, testkit.ErrTooBig) {
				continue
			}
			if err != nil {
				t.Fatal(err)
			}
			got := checkC(t, text, query.CheckOptions{Options: query.Defaults()}, m.String())
			if violated := len(want.Checks) > 0 || len(want.Goals) > 0 || want.Final; violated != bad(got.Verdict) {
				t.Fatalf("seed %d, %s: the enumerator says %+v, in C %s %s\n%s\n%s", s, m, want, got.Verdict, got.Reason, irtext.Print(prog), text)
			} else if violated {
				found++
			}
			compared++
		}
	}
	t.Logf("%d verdicts compared, %d of them violations; refused: %v", compared, found, reasons)
	if *cRandoms >= 30 && (found == 0 || found == compared) {
		t.Error("the random programs do not distinguish right from wrong exports")
	}
}

// bad reports whether a verdict is a violation, or a final state that was observed.
func bad(v verdict.Verdict) bool { return v == verdict.Unsafe || v == verdict.Observed }
