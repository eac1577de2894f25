package testkit

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"fencepost/internal/diag"
	"fencepost/internal/engine"
	"fencepost/internal/engine/explicit"
	"fencepost/internal/frontend/statement"
	"fencepost/internal/ir"
	"fencepost/internal/memory"
	"fencepost/internal/source"
	"fencepost/internal/transform"
)

// Language parses a file in one of the statement languages (.fp, .txt, .rmm).
type Language func(*source.File, statement.Options) (*statement.Unit, *diag.List)

// Meaning has a program and its expected meaning under SC and under TSO: the numbers of
// the goals that are reached and the classes of the checks that fail.
type Meaning [3]string

// CheckMeanings tests that each program has the meaning given, in a subtest of its name.
func CheckMeanings(t *testing.T, parse Language, cases map[string]Meaning) {
	t.Helper()
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			if got := meaningOf(t, parse, c[0], memory.SC); got != c[1] {
				t.Errorf("sc: %q, want %q", got, c[1])
			}
			if got := meaningOf(t, parse, c[0], memory.TSO); got != c[2] {
				t.Errorf("tso: %q, want %q", got, c[2])
			}
		})
	}
}

// meaningOf returns the goals that are reached and the classes of checks that fail under a
// model. The explicit engine and the enumerator must agree.
func meaningOf(t *testing.T, parse Language, text string, m memory.Model) string {
	t.Helper()
	u, list := parse(source.NewFile("test", []byte(text)), statement.Options{})
	if u.Program == nil {
		t.Fatalf("%+v", list.All)
	}
	u.Props.Deadlock = true // the two must agree about deadlocks too
	flat, err := transform.Run(u.Program, transform.Options{Unroll: 8}, nil)
	if err != nil {
		t.Fatal(err)
	}
	got, err := Ask(&explicit.Engine, flat, u.Props, m, How{})
	if err != nil {
		t.Fatal(err)
	}
	want, err := Oracle(flat, u.Props, m)
	if err != nil {
		t.Fatal(err)
	}
	if d := Difference(want, got); d != "" {
		t.Errorf("%s: the engine and the enumerator differ: %s", m, d)
	}
	var words []string
	for _, g := range got.Goals {
		words = append(words, fmt.Sprint(g))
	}
	for _, c := range got.Checks {
		class, _, _ := strings.Cut(c, "@")
		words = append(words, class)
	}
	return strings.Join(words, " ")
}

// Published parses a published file. The test fails if the file has errors.
func Published(t *testing.T, path string, parse Language) *statement.Unit {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	u, list := parse(source.NewFile(filepath.Base(path), text), statement.Options{})
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

// AllPublished parses the published files whose paths match one of the patterns, of which there
// must be a least number.
func AllPublished(t *testing.T, parse Language, least int, patterns ...string) {
	t.Helper()
	dir := Shared(t, "bench")
	count := 0
	for _, pattern := range patterns {
		files, err := filepath.Glob(filepath.Join(dir, pattern))
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			t.Run(strings.TrimPrefix(file, dir+"/"), func(t *testing.T) { Published(t, file, parse) })
			count++
		}
	}
	if count < least {
		t.Errorf("only %d inputs", count)
	}
}

// reached reports whether the goal is reached under the model.
func reached(t *testing.T, u *statement.Unit, m memory.Model, buffer int) bool {
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
		t.Errorf("%s: the search is not exhaustive: %+v", m, out.Coverage)
	}
	// If the goal is not reached, the enumerator must agree, unless the program is too big.
	if len(out.Violations) == 0 {
		if o, err := Oracle(flat, u.Props, m); err == nil && len(o.Goals) > 0 {
			t.Errorf("%s: the enumerator reaches the goal", m)
		}
	}
	t.Logf("%s: reached %v, buffers up to %d (%+v), %d states, %.3f s", m, len(out.Violations) > 0, buffer, out.Coverage, out.Stats.States, out.Stats.Seconds)
	return len(out.Violations) > 0
}

// CompareReached tests that the goal is reached under the model exactly if want is set.
func CompareReached(t *testing.T, u *statement.Unit, m memory.Model, want bool) {
	t.Helper()
	if got := reached(t, u, m, 4); got != want {
		t.Errorf("%s: reached %v, published %v", m, got, want)
	}
}
