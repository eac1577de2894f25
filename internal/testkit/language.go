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

// Language translates a file of one of the languages of statements.
type Language func(*source.File, statement.Options) (*statement.Unit, *diag.List)

// Meaning is a program, and which goals are reached and which classes of checks fail
// under SC and TSO.
type Meaning [3]string

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

// meaningOf returns which goals are reached and which classes of checks fail under a model,
// as the explicit engine and the enumerator both say.
func meaningOf(t *testing.T, parse Language, text string, m memory.Model) string {
	t.Helper()
	u, list := parse(source.NewFile("test", []byte(text)), statement.Options{})
	if u.Program == nil {
		t.Fatalf("%+v", list.All)
	}
	u.Props.Deadlock = true // one more thing the two must agree on
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

// Published translates a published file, which must have no errors.
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

// reached reports whether the goal or a check is hit under the model.
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
		t.Errorf("%s: not everything was searched: %+v", m, out.Coverage)
	}
	// A no is also asked of the enumerator, where it can cope.
	if len(out.Violations) == 0 {
		if o, err := Oracle(flat, u.Props, m); err == nil && len(o.Goals) > 0 {
			t.Errorf("%s: the enumerator reaches the goal", m)
		}
	}
	t.Logf("%s: reached %v, buffers up to %d (%+v), %d states, %.3f s", m, len(out.Violations) > 0, buffer, out.Coverage, out.Stats.States, out.Stats.Seconds)
	return len(out.Violations) > 0
}

func CompareReached(t *testing.T, u *statement.Unit, m memory.Model, want bool) {
	t.Helper()
	if got := reached(t, u, m, 4); got != want {
		t.Errorf("%s: reached %v, published %v", m, got, want)
	}
}
