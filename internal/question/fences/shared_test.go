package fences_test

import (
	"context"
	"fencepost/internal/question/fences"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"fencepost/internal/testkit"
	"fencepost/query"
	"fencepost/verdict"
)

// fencesFor repairs a file. The pipeline itself reads the patched text again and
// fails if that is not repaired.
func fencesFor(t testing.TB, path string, forWhat query.Purpose, timeout time.Duration) *verdict.Result {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	opt := fences.Defaults(query.FenceOptions{Options: query.Defaults()})
	opt.Workers, opt.Timeout, opt.For = 1, timeout, forWhat
	answer, err := fences.Run(context.Background(), query.Input{Name: filepath.Base(path), Text: text}, opt)
	if err != nil {
		t.Fatal(err)
	}
	if answer.HasErrors() {
		t.Fatalf("refused: %+v", answer.Diagnostics)
	}
	return &answer.Results[0]
}

// table reads tab-separated lines without their head.
func table(t testing.TB, path string) [][]string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var out [][]string
	for _, line := range strings.Split(strings.TrimSpace(string(text)), "\n")[1:] {
		out = append(out, strings.Split(line, "\t"))
	}
	return out
}

// TestFencesExamples: how many fences the examples need, for robustness and for their
// assertions under TSO and PSO.
func TestFencesExamples(t *testing.T) {
	for name, want := range map[string][3]int{
		"dekker.c": {1, 1, 2}, "peterson.c": {0, 0, 0}, "spinlock.c": {0, 0, 1}, "ticket.c": {0, 0, 0},
		"dekker.fp": {2, 2, 4}, "mp.fp": {0, 0, 1}, "peterson.fp": {1, 1, 2},
	} {
		t.Run(name, func(t *testing.T) {
			text, err := os.ReadFile(filepath.Join(testkit.Root(t), "examples", name))
			if err != nil {
				t.Fatal(err)
			}
			for i, how := range []struct {
				what  query.Purpose
				model query.Model
			}{{query.ForRobustness, "tso"}, {query.ForAssertions, "tso"}, {query.ForAssertions, "pso"}} {
				opt := fences.Defaults(query.FenceOptions{Options: query.Defaults()})
				opt.Workers, opt.Timeout, opt.For, opt.Model = 1, 0, how.what, how.model
				answer, err := fences.Run(context.Background(), query.Input{Name: name, Text: text}, opt)
				if err != nil || answer.HasErrors() {
					t.Fatal(err, answer.Diagnostics)
				}
				if r := &answer.Results[0]; r.Verdict != verdict.Safe || len(r.Fences) != want[i] {
					t.Errorf("%s, %s: %s with %d fences, want %d", how.what, how.model, r.Verdict, len(r.Fences), want[i])
				}
			}
		})
	}
}

// TestFencesTrencher: as many fences as the authors' tool needs, on its benchmark.
func TestFencesTrencher(t *testing.T) {
	dir := testkit.Shared(t, "bench", "trencher")
	for _, f := range table(t, filepath.Join(dir, "expected.tsv")) {
		t.Run(f[0], func(t *testing.T) {
			r := fencesFor(t, filepath.Join(dir, f[0]), query.ForRobustness, 0)
			if r.Verdict != verdict.Safe || strconv.Itoa(len(r.Fences)) != f[4] || !r.Coverage.Exhaustive {
				t.Errorf("%s, %d fences, want %s; all executions: %v", r.Verdict, len(r.Fences), f[4], r.Coverage.Exhaustive)
			}
			if robust := r.Repair.Before == nil; robust != (f[3] == "yes") {
				t.Errorf("robust: %v, want %s", robust, f[3])
			}
			t.Logf("%d fences, %d rounds, %d states, %.1f ms", len(r.Fences), r.Repair.Rounds, r.Stats.States, 1000*r.Stats.Seconds)
		})
	}
}

// TestFencesMover: the same for the programs of [BEMT18 Table 1] that the tool answers,
// and for one on which it gives up.
func TestFencesMover(t *testing.T) {
	dir := testkit.Shared(t, "bench", "mover")
	for name, want := range map[string]int{
		"Anchor-iWSQ": 1, "FIFO-iWSQ": 1, "r+detour": 3, "r+detours": 3, "sb+detours": 5, "sb+detours+coherence": 4,
		"write+r": 4, "write+r+coherence": 4, "dc_locking": 0, "inline_pgsql": 0,
	} {
		t.Run(name, func(t *testing.T) {
			r := fencesFor(t, filepath.Join(dir, name+".txt"), query.ForRobustness, 0)
			if r.Verdict != verdict.Safe || len(r.Fences) != want {
				t.Errorf("%s, %d fences, want %d", r.Verdict, len(r.Fences), want)
			}
		})
	}
}

// TestFencesMemorax: the fewest fences that keep the forbidden states away under TSO.
func TestFencesMemorax(t *testing.T) {
	dir := testkit.Shared(t, "bench", "rmm")
	for name, want := range map[string]int{"dekker": 2, "peterson": 2, "dijkstra": 2, "clh": 0} {
		t.Run(name, func(t *testing.T) {
			r := fencesFor(t, filepath.Join(dir, name+".rmm"), query.ForAssertions, 0)
			if r.Verdict != verdict.Safe || len(r.Fences) != want || !r.Coverage.Exhaustive {
				t.Errorf("%s, %d fences, want %d", r.Verdict, len(r.Fences), want)
			}
			t.Logf("%d rounds, %d states", r.Repair.Rounds, r.Stats.States)
		})
	}
}

// Data without bounds: the answer is unknown, and nothing is proposed.
func TestFencesUnbounded(t *testing.T) {
	opt := fences.Defaults(query.FenceOptions{Options: query.Defaults()})
	opt.Workers, opt.Memory = 1, 1<<20
	in := query.Input{Name: "tickets.fp", Text: []byte(`
var turn, x, y;
thread p[i] * 2 {
  reg n, r;
  loop {
    n = n + 1;
    await turn == i;
    x = n; r = y; y = r + 1;
    turn = 1 - i;
  }
}
`)}
	answer, err := fences.Run(context.Background(), in, opt)
	if err != nil || answer.HasErrors() {
		t.Fatal(err, answer.Diagnostics)
	}
	r := &answer.Results[0]
	if r.Verdict != verdict.Unknown || r.Reason == "" || len(r.Fences) > 0 || len(r.Repair.Patches) > 0 {
		t.Errorf("%s (%s) with %d fences", r.Verdict, r.Reason, len(r.Fences))
	}
}

// A bounded check gives a bounded answer. The repaired program is not robust, so that no other engine gives a
// better one.
func TestFencesBounded(t *testing.T) {
	opt := fences.Defaults(query.FenceOptions{Options: query.Defaults()})
	opt.Workers, opt.For, opt.Model, opt.Buffer = 1, query.ForAssertions, "pso", 2
	in := query.Input{Name: "loop.fp", Text: []byte(`
var x, y, z, w;
thread p { reg r, i; while (i < 4) { z = i; r = w; i = i + 1; } x = 1; r = y; }
thread q { reg r; y = 1; r = x; }
thread s { reg r; w = 1; r = z; }
never (p:r == 0 && q:r == 0);
`)}
	answer, err := fences.Run(context.Background(), in, opt)
	if err != nil || answer.HasErrors() {
		t.Fatal(err, answer.Diagnostics)
	}
	r := &answer.Results[0]
	if r.Verdict != verdict.Safe || len(r.Fences) != 2 || r.Coverage.Exhaustive || len(r.Coverage.Bounds) == 0 {
		t.Errorf("%s (%s) with %d fences, coverage %+v", r.Verdict, r.Reason, len(r.Fences), r.Coverage)
	}
}

// BenchmarkFencesTrencher is the whole benchmark: verdicts and optimal fences.
func BenchmarkFencesTrencher(b *testing.B) {
	dir := testkit.Shared(b, "bench", "trencher")
	files := table(b, filepath.Join(dir, "expected.tsv"))
	var states int64
	for b.Loop() {
		states = 0
		for _, f := range files {
			states += fencesFor(b, filepath.Join(dir, f[0]), query.ForRobustness, 0).Stats.States
		}
	}
	b.ReportMetric(float64(states), "states")
}
