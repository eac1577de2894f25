package suite_test

import (
	"archive/tar"
	"compress/gzip"
	"context"
	"io"
	"os"
	"path/filepath"
	"testing"

	"fencepost"
	"fencepost/internal/testkit"
	"fencepost/query"
	"fencepost/verdict"
)

// compare runs a directory of tests under all models against a table, and asks
// for an execution, which replays, for every outcome that SC forbids. A test with
// such an outcome under TSO is not robust; of many tests, some are asked about that.
func compare(t *testing.T, dir, table string, tests int) {
	t.Helper()
	opt := query.SuiteOptions{Paths: []string{dir}, Expect: table}
	opt.Options, opt.Models = query.Defaults(), query.AllModels()
	opt.Witnesses = true
	forbidden, robust, asked := 0, 0, 0
	opt.Done = func(test *verdict.LitmusTest) {
		for _, d := range test.Diagnostics {
			t.Errorf("%s: %s", d.Pos, d.Message)
		}
		if test.Failure != "" {
			t.Error(test.Failure)
		}
		weak := ""
		for i := range test.Results {
			r := &test.Results[i]
			if r.Model != "sc" && (!r.Coverage.Exhaustive || (r.Litmus.Positive > 0) != (r.Witness != nil)) {
				t.Errorf("%s under %s: coverage %+v, witness of the condition: %v", test.Name, r.Model, r.Coverage, r.Witness != nil)
			}
			for _, o := range r.Litmus.Outcomes {
				if (o.SC == verdict.SCForbids) != (o.Witness != nil) || o.SC == verdict.SCUnknown {
					t.Errorf("%s under %s: %s is %s under SC, with an execution: %v", test.Name, r.Model, o.State, o.SC, o.Witness != nil)
				}
				if o.Witness != nil {
					forbidden++
				}
				if o.SC == verdict.SCForbids && r.Model == "tso" {
					weak = o.State
				}
			}
		}
		if tests > 1000 && !testkit.InPart(t, test.Name, 8) {
			return
		}
		asked++
		if isRobust(t, test.File) {
			robust++
			if weak != "" {
				t.Errorf("%s: robust, but TSO allows %s", test.Name, weak)
			}
		}
	}
	sum, err := fencepost.LitmusSuite(context.Background(), opt)
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range sum.Differences {
		t.Errorf("%s %s: %s", d.File, d.Model, d.Message)
	}
	if sum.Tests != tests || sum.Expected != 3*tests {
		t.Errorf("%d tests and %d answers compared, want %d and %d", sum.Tests, sum.Expected, tests, 3*tests)
	}
	if asked < min(tests, 300) || robust < asked/4 || robust > 3*asked/4 {
		t.Errorf("%d of %d tests are robust: too much alike", robust, asked)
	}
	if forbidden < tests {
		t.Errorf("only %d outcomes that SC forbids", forbidden)
	}
}

// isRobust asks for robustness against TSO. The pipeline fails on an attack that
// does not replay or whose execution lacks the cycle.
func isRobust(t *testing.T, name string) bool {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	opt := query.RobustOptions{Options: query.Defaults()}
	opt.Workers, opt.KeepGoing = 1, true
	answer, err := fencepost.Robust(context.Background(), query.Input{Name: name, Text: text}, opt)
	if err != nil {
		t.Fatal(err)
	}
	if answer.HasErrors() || answer.Results[0].Verdict == verdict.Unknown {
		t.Fatalf("%s: %+v", name, answer)
	}
	return answer.Results[0].Verdict == verdict.Safe
}

// TestArchive runs the tests kept with the code: every tenth test of
// TestSharedLitmus.
func TestArchive(t *testing.T) {
	dir := t.TempDir()
	n := unpack(t, filepath.Join(testkit.Root(t), "testdata", "litmus", "x86.tar.gz"), dir)
	compare(t, filepath.Join(dir, "x86"), filepath.Join(dir, "expected.tsv"), n-1)
}

// TestSharedLitmus runs all tests whose answers were computed independently,
// where they lie beside the repository.
func TestSharedLitmus(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	compare(t, testkit.Shared(t, "litmus", "x86"), testkit.Shared(t, "litmus", "expected.tsv"), 3067)
}

// unpack writes the files of an archive and returns how many there are.
func unpack(t *testing.T, archive, dir string) int {
	t.Helper()
	f, err := os.Open(archive)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for r := tar.NewReader(z); ; n++ {
		head, err := r.Next()
		if err == io.EOF {
			return n
		}
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(dir, filepath.FromSlash(head.Name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, text, 0o644); err != nil {
			t.Fatal(err)
		}
	}
}
