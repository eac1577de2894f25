package dual_test

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"fencepost/internal/budget"
	"fencepost/internal/engine"
	"fencepost/internal/engine/dual"
	"fencepost/internal/memory"
	"fencepost/internal/pipeline"
	"fencepost/internal/question/check"
	"fencepost/query"
	"fencepost/verdict"
)

// shared returns a directory of public benchmarks beside the repository, and skips the test without it.
func shared(t testing.TB, name string) string {
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
	return resultOf(t, path, string(text), query.CheckOptions{Engines: query.Engines{"dual"}})
}

// resultOf asks about a program under TSO.
func resultOf(t *testing.T, name, text string, opt query.CheckOptions) verdict.Result {
	t.Helper()
	a, err := check.Run(context.Background(), query.Input{Name: name, Text: []byte(text)}, opt.Under("tso"))
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	if len(a.Results) != 1 {
		t.Fatalf("%s: %d results: %v", name, len(a.Results), a.Diagnostics)
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

// benchmarks returns the files of public benchmarks beside the repository, as directory and name.
func benchmarks(t testing.TB) []string {
	var out []string
	for _, dir := range []string{"reach", "rmm", "trencher"} {
		for _, ext := range []string{"*.txt", "*.rmm"} {
			files, err := filepath.Glob(filepath.Join(shared(t, dir), ext))
			if err != nil {
				t.Fatal(err)
			}
			out = append(out, files...)
		}
	}
	return out
}

// TestBenchmarks: dual decides every program of the public benchmarks with little work, each safe covers all executions,
// and no answer contradicts the explicit engine with bounded buffers.
func TestBenchmarks(t *testing.T) {
	asked := 0
	for _, path := range benchmarks(t) {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		in := query.Input{Name: path, Text: text}
		ctx, stop := workLimit(20_000 * budget.Millisecond)
		a, err := check.Run(ctx, in, query.CheckOptions{Engines: query.Engines{"dual"}}.Under("tso"))
		stop()
		if err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		if slices.ContainsFunc(a.Diagnostics, func(d verdict.Diagnostic) bool { return d.Code == "FP0900" }) {
			continue // it asks for robustness only
		}
		if len(a.Results) != 1 {
			t.Fatalf("%s: %v", path, a.Diagnostics)
		}
		asked++
		r := &a.Results[0]
		if r.Verdict != verdict.Unsafe && (r.Verdict != verdict.Safe || !r.Coverage.Exhaustive) {
			t.Errorf("%s: %s %s", path, r.Verdict, r.Reason)
		}
		opt := query.CheckOptions{Engines: query.Engines{"explicit"}}
		opt.Buffer, opt.Memory = 4, 4<<20
		e := resultOf(t, path, string(text), opt)
		if r.Verdict == verdict.Safe && e.Verdict == verdict.Unsafe || r.Verdict == verdict.Unsafe && e.Verdict == verdict.Safe && e.Coverage.Exhaustive {
			t.Errorf("%s: dual says %s, explicit %s", path, r.Verdict, e.Verdict)
		}
	}
	if asked < 20 {
		t.Errorf("only %d programs ask something", asked)
	}
}

// BenchmarkParts measures the programs of the public benchmarks with all parts of the search, and without each: elements, and
// predecessors that were tried. A search ends after 200,000 units of work.
func BenchmarkParts(b *testing.B) {
	variants := []struct {
		name string
		opt  dual.Options
	}{{"all", dual.Options{}}, {"no-words", dual.Options{NoWords: true}}, {"no-values", dual.Options{NoValues: true}}, {"late", dual.Options{Late: true}}, {"no-pairs", dual.Options{NoPairs: true}}, {"small-steps", dual.Options{SmallSteps: true}}}
	for _, v := range variants {
		b.Run(v.name, func(b *testing.B) {
			var elements, tried, undecided int64
			for range b.N {
				elements, tried, undecided = 0, 0, 0
				for _, path := range benchmarks(b) {
					task := taskOf(b, path)
					if task.Props.Empty() {
						continue
					}
					ctx, stop := workLimit(2000 * budget.Millisecond)
					e := dual.New(v.opt)
					out, err := e.Run(ctx, task)
					stop()
					if err != nil {
						b.Fatal(err)
					}
					elements, tried = elements+out.Stats.States, tried+out.Stats.Transitions
					if out.Unknown != "" {
						undecided++
					}
				}
			}
			b.ReportMetric(float64(elements), "elements")
			b.ReportMetric(float64(tried), "tried")
			b.ReportMetric(float64(undecided), "undecided")
		})
	}
}

// taskOf returns the question about a file, as check asks it.
func taskOf(b *testing.B, path string) *engine.Task {
	b.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		b.Fatal(err)
	}
	run := pipeline.Open(query.Input{Name: path, Text: text})
	if err := run.Read(context.Background(), pipeline.ReadOptions{Options: query.Defaults()}); err != nil {
		b.Fatal(err)
	}
	flat, err := run.Flatten(query.Defaults())
	if err != nil {
		b.Fatal(err)
	}
	return &engine.Task{Program: flat, Props: run.Props, Model: memory.TSO, Limits: engine.Limits{Workers: 1}}
}
