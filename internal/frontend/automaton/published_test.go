package automaton_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"fencepost/internal/diag"
	"fencepost/internal/engine"
	"fencepost/internal/engine/explicit"
	"fencepost/internal/frontend/automaton"
	"fencepost/internal/ir"
	"fencepost/internal/memory"
	"fencepost/internal/source"
	"fencepost/internal/testkit"
	"fencepost/internal/transform"
)

// parser is one of the languages.
type parser func(*source.File, automaton.Options) (*automaton.Unit, *diag.List)

// load translates a published file, which must have no errors.
func load(t *testing.T, path string, parse parser) *automaton.Unit {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	u, list := parse(source.NewFile(filepath.Base(path), text), automaton.Options{})
	for _, d := range list.All {
		if d.Severity == diag.Error {
			t.Errorf("%s: %s %s", d.Span.Pos, d.Code, d.Message)
		} else {
			t.Logf("%s: %s %s", d.Span.Pos, d.Code, d.Message)
		}
	}
	if u.Program == nil {
		t.FailNow()
	}
	for _, err := range ir.Verify(u.Program) {
		t.Error(err)
	}
	return u
}

// reached reports whether the goal or a check is hit under the model.
func reached(t *testing.T, u *automaton.Unit, m memory.Model, buffer int) bool {
	t.Helper()
	flat, err := transform.Run(u.Program, transform.Options{Unroll: 8}, nil)
	if err != nil {
		t.Fatal(err)
	}
	out, err := explicit.Run(context.Background(), &engine.Task{
		Program: flat, Props: u.Props, Model: m, Limits: engine.Limits{Buffer: buffer, Workers: 1, Memory: 1 << 30},
	})
	if err != nil {
		t.Fatal(err)
	}
	if out.Unknown != "" {
		t.Fatalf("%s: %s", m, out.Unknown)
	}
	for _, v := range out.Violations {
		if v.Kind != engine.GoalReached {
			t.Errorf("%s: %s %s", m, v.Kind, v.Class)
		}
	}
	if len(out.Violations) == 0 && !out.Coverage.Exhaustive {
		t.Errorf("%s: not everything was searched: %+v", m, out.Coverage)
	}
	// A no is also asked of the enumerator, where it can cope.
	if len(out.Violations) == 0 {
		if o, err := testkit.Oracle(flat, u.Props, m); err == nil && len(o.Goals) > 0 {
			t.Errorf("%s: the enumerator reaches the goal", m)
		}
	}
	t.Logf("%s: reached %v, buffers up to %d (%+v), %d states, %.3f s", m, len(out.Violations) > 0, buffer, out.Coverage, out.Stats.States, out.Stats.Seconds)
	return len(out.Violations) > 0
}

// TestPublishedParse: every published input translates.
func TestPublishedParse(t *testing.T) {
	dir := testkit.Shared(t, "bench")
	count := 0
	for pattern, parse := range map[string]parser{
		"trencher/*.txt": automaton.ParseTrencher, "reach/*.txt": automaton.ParseTrencher,
		"mover/*.txt": automaton.ParseTrencher, "rmm/*.rmm": automaton.ParseMemorax,
	} {
		files, err := filepath.Glob(filepath.Join(dir, pattern))
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			t.Run(strings.TrimPrefix(file, dir+"/"), func(t *testing.T) { load(t, file, parse) })
			count++
		}
	}
	if count < 40 {
		t.Errorf("only %d inputs", count)
	}
}

// TestTrencherReach reproduces the answers of the reachability benchmark of
// [BCDM15], with at most four entries in the buffer of a thread that stores in a
// cycle. Where the answer is no, the bound must not have been met.
func TestTrencherReach(t *testing.T) {
	dir := testkit.Shared(t, "bench", "reach")
	text, err := os.ReadFile(filepath.Join(dir, "expected.tsv"))
	if err != nil {
		t.Fatal(err)
	}
	rows := strings.Split(strings.TrimSpace(string(text)), "\n")[1:]
	if len(rows) < 10 {
		t.Fatalf("only %d rows", len(rows))
	}
	for _, row := range rows {
		f := strings.Split(row, "\t")
		t.Run(f[0], func(t *testing.T) {
			u := load(t, filepath.Join(dir, f[0]), automaton.ParseTrencher)
			compare(t, u, memory.SC, f[3] == "reachable")
			compare(t, u, memory.TSO, f[4] == "reachable")
		})
	}
}

func compare(t *testing.T, u *automaton.Unit, m memory.Model, want bool) {
	t.Helper()
	if got := reached(t, u, m, 4); got != want {
		t.Errorf("%s: reached %v, published %v", m, got, want)
	}
}

// TestMemoraxPublished reproduces the answers of Memorax on its own examples.
func TestMemoraxPublished(t *testing.T) {
	dir := testkit.Shared(t, "bench", "rmm")
	for name, tso := range map[string]bool{"dekker": true, "peterson": true, "dijkstra": true, "clh": false} {
		t.Run(name, func(t *testing.T) {
			u := load(t, filepath.Join(dir, name+".rmm"), automaton.ParseMemorax)
			compare(t, u, memory.SC, false)
			compare(t, u, memory.TSO, tso)
		})
	}
}
