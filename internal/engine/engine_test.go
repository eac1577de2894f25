package engine_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"fencepost/internal/engine"
	"fencepost/internal/ir"
	"fencepost/internal/memory"
	"fencepost/internal/pipeline"
	"fencepost/internal/property"
	"fencepost/internal/search"
	"fencepost/query"
	"fencepost/verdict"
)

// read reads a program and its properties and makes it flat.
func read(t *testing.T, name, text string) (*ir.Program, *property.Set) {
	t.Helper()
	run := pipeline.Open(query.Input{Name: name, Text: []byte(text)})
	if err := run.Read(t.Context(), pipeline.ReadOptions{Options: query.Defaults()}); err != nil {
		t.Fatalf("%v %+v", err, run.Diagnostics)
	}
	flat, err := run.Flatten(query.Defaults())
	if err != nil {
		t.Fatal(err)
	}
	return flat, run.Props
}

// TestInsideSections: which questions are about states inside atomic sections, and what
// stands there.
func TestInsideSections(t *testing.T) {
	for name, c := range map[string]struct {
		text     string
		deadlock bool
		want     string
		waits    bool
		memory   bool
	}{
		"outside":       {"var x;\nthread p { atomic { x = 1; } l: skip; }\ngoal \"g\" p:l;\n", false, "", false, false},
		"goal inside":   {"var x;\nthread p { atomic { x = 1; l: skip; x = 2; } }\ngoal \"g\" p:l;\n", false, "a goal inside an atomic section", false, true},
		"await outside": {"var x;\nthread p { await x == 1; atomic { x = 2; } }\n", true, "", false, false},
		"await inside":  {"var x;\nthread p { atomic { await x == 1; } }\n", true, "deadlock where a thread waits inside an atomic section", true, false},
		"not asked":     {"var x;\nthread p { atomic { await x == 1; } }\n", false, "", true, false},
		"two writes":    {"var x, y;\nthread p { atomic { x = 1; y = 1; } }\n", false, "", false, true},
	} {
		p, props := read(t, "test.fp", c.text)
		props.Deadlock = c.deadlock
		if got := engine.InsideSections(p, props); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
		if got := engine.WaitsInside(p); got != c.waits {
			t.Errorf("%s: waits inside %v", name, got)
		}
		if got := engine.MemoryInside(p); got != c.memory {
			t.Errorf("%s: memory inside %v", name, got)
		}
	}
	p, _ := read(t, "test.fp", "var x;\nthread p { reg r; r = x; atomic { x = 1; } }\n")
	if e := engine.InsideSection(p, ir.Store); e == nil || e.Op.Kind != ir.Store {
		t.Errorf("the store is inside: %v", e)
	}
	if e := engine.InsideSection(p, ir.Load); e != nil {
		t.Errorf("the load is outside: %v", e)
	}
}

// TestJudge: goals and final conditions in states. A goal about memory waits for empty buffers.
func TestJudge(t *testing.T) {
	p, props := read(t, "test.fp", "var x;\nthread p { x = 1; l: skip; }\ngoal \"at l\" p:l;\ngoal \"memory\" p:l with x == 1;\ngoal \"before\" p:l with x == 0;\n")
	y := memory.New(p, memory.TSO, memory.Options{Keep: func(ir.ThreadID, ir.Reg) bool { return true }})
	s, judge := y.NewState(), engine.NewJudge(y)
	holds := func(want ...bool) {
		t.Helper()
		for i := range props.Goals {
			if got := judge.Goal(s, &props.Goals[i]); got != want[i] {
				t.Errorf("goal %s: %v, want %v", props.Goals[i].Name, got, want[i])
			}
		}
	}
	holds(false, false, false)
	y.Apply(s, y.EnabledEdges(s, 0, nil)[0])
	holds(true, false, false) // the store is in the buffer
	for _, st := range y.Enabled(s, nil) {
		if st.Kind == memory.Flush {
			y.Apply(s, st)
			break
		}
	}
	holds(true, true, false)

	cond := props.Goals[1].With
	for q, want := range map[property.Quantifier]bool{property.Exists: true, property.Never: true, property.Forall: false} {
		if got := judge.Final(s, &property.Final{Quantifier: q, Cond: cond}); got != want {
			t.Errorf("%s x == 1 is decided: %v, want %v", q, got, want)
		}
	}
}

// TestExplored: why a search ended, in words.
func TestExplored(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	task := &engine.Task{Limits: engine.Limits{Memory: 3 << 20, States: 50}}
	for _, c := range []struct {
		ctx  context.Context
		stop search.Stop
		want string
	}{
		{t.Context(), search.Complete, ""},
		{t.Context(), search.Found, ""},
		{t.Context(), search.OutOfMemory, "memory limit of 3 MiB reached after 7 states"},
		{t.Context(), search.OutOfStates, "limit of 50 states reached"},
		{t.Context(), search.OutOfTime, "time limit reached after 7 states"},
		{ctx, search.OutOfTime, "interrupted after 7 states"},
		{t.Context(), search.Failed, "broken"},
	} {
		out := task.Explored(c.ctx, &search.Result{Stop: c.stop, States: 7, Depth: 2, Err: errors.New("broken")})
		if out.Unknown != c.want || out.Stats.States != 7 || out.Stats.Depth != 2 {
			t.Errorf("%v: %q, %+v, want %q", c.stop, out.Unknown, out.Stats, c.want)
		}
	}
}

// TestBoundAt: a bound of a pass, and the threads of a spawn in a loop.
func TestBoundAt(t *testing.T) {
	unroll := ir.NewOp(ir.Bound)
	unroll.Report.Msg, unroll.Val = "unroll", ir.Int(4)
	if b := engine.BoundAt(&ir.Edge{Op: unroll}); b.Name != "unroll" || b.Value != 4 || !b.Hit {
		t.Errorf("%+v", b)
	}
	spawn := ir.NewOp(ir.Spawn)
	spawn.Call.Threads = []ir.ThreadID{1, 2, 3}
	if b := engine.BoundAt(&ir.Edge{Op: spawn}); b.Name != "threads" || b.Value != 3 || !b.Hit {
		t.Errorf("%+v", b)
	}
}

// TestTriesInputs: an input with a few values is taken; one with too many is refused, with its
// position.
func TestTriesInputs(t *testing.T) {
	few, _ := read(t, "few.c", "_Bool __VERIFIER_nondet_bool(void);\nint x;\nint main(void) { x = __VERIFIER_nondet_bool(); }\n")
	if err := engine.TriesInputs("test", few); err != nil {
		t.Error(err)
	}
	many, _ := read(t, "many.c", "long __VERIFIER_nondet_long(void);\nlong x;\nint main(void) { x = __VERIFIER_nondet_long(); }\n")
	err := engine.TriesInputs("test", many)
	if u := (*engine.Unsupported)(nil); !errors.As(err, &u) || u.Pos == nil || *u.Pos == (verdict.Pos{}) || !strings.Contains(u.What, "test") {
		t.Errorf("%v", err)
	}
}

// TestMemoryText: a share of less than a MiB is not 0.
func TestMemoryText(t *testing.T) {
	for bytes, want := range map[int64]string{512 << 10: "512 KiB", 1 << 20: "1 MiB", 3<<20 + 1: "3 MiB"} {
		l := engine.Limits{Memory: 8 << 20, Share: func() int64 { return bytes }}
		if got := l.MemoryText(); got != want {
			t.Errorf("%d bytes: %s, want %s", bytes, got, want)
		}
	}
}
