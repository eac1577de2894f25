package dual_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"fencepost/internal/pipeline"
	"fencepost/internal/question/check"
	"fencepost/verdict"
)

// shared returns a directory of public benchmarks beside the repository, and skips the test without it.
func shared(t *testing.T, name string) string {
	t.Helper()
	dir := filepath.Join("..", "..", "..", "..", "shared", "bench", name)
	if _, err := os.Stat(dir); err != nil {
		t.Skipf("%s is not there", dir)
	}
	return dir
}

// answerOf asks dual about a file.
func answerOf(t *testing.T, path string) verdict.Result {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	a, err := check.Run(context.Background(), pipeline.Input{Name: path, Text: text}, []string{"tso"}, check.Options{Engine: "dual"})
	if err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	if len(a.Results) != 1 {
		t.Fatalf("%s: %d results: %v", path, len(a.Results), a.Diagnostics)
	}
	return a.Results[0]
}

// TestReach: the programs of [BCDM15 §5] have the answers that their authors' tool gives, and a safe covers all
// executions.
func TestReach(t *testing.T) {
	dir := shared(t, "reach")
	table, err := os.ReadFile(filepath.Join(dir, "expected.tsv"))
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range strings.Split(strings.TrimSpace(string(table)), "\n")[1:] {
		cols := strings.Split(line, "\t")
		same(t, cols[0], answerOf(t, filepath.Join(dir, cols[0])), cols[4] == "reachable")
	}
}

// TestMemorax: the examples of Memorax that are not fenced break, except for the lock.
func TestMemorax(t *testing.T) {
	dir := shared(t, "rmm")
	for name, breaks := range map[string]bool{"clh": false, "dekker": true, "dijkstra": true, "peterson": true} {
		same(t, name, answerOf(t, filepath.Join(dir, name+".rmm")), breaks)
	}
}

func same(t *testing.T, name string, r verdict.Result, breaks bool) {
	t.Helper()
	switch {
	case breaks && r.Verdict != verdict.Unsafe:
		t.Errorf("%s: %s instead of unsafe", name, r.Verdict)
	case !breaks && (r.Verdict != verdict.Safe || !r.Coverage.Exhaustive):
		t.Errorf("%s: %s instead of safe for all executions", name, r.Verdict)
	}
}
