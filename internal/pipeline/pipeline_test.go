package pipeline_test

import (
	"context"
	"strings"
	"testing"

	"fencepost/internal/engine"
	"fencepost/internal/memory"
	"fencepost/internal/pipeline"
	"fencepost/internal/question/check"
	"fencepost/query"
	"fencepost/verdict"
)

const dekker = `
var x, y;
thread t1 { reg r; x = 1; r = y; }
thread t2 { reg r; y = 1; r = x; }
never t1:r == 0 && t2:r == 0;
`

// A witness that is not an execution is never shown: it is an internal error.
func TestBadWitnessIsRejected(t *testing.T) {
	in := query.Input{Name: "test.fp", Text: []byte(dekker)}
	p := pipeline.Open(in)
	if err := p.Read(t.Context(), pipeline.ReadOptions{Options: query.Defaults()}); err != nil {
		t.Fatal(err)
	}
	flat, err := p.Flatten(query.Defaults())
	if err != nil {
		t.Fatal(err)
	}
	answer, err := check.Run(t.Context(), in, query.CheckOptions{Options: query.Defaults()}.Under("tso"))
	if err != nil {
		t.Fatal(err)
	}
	good := answer.Results[0].Witness
	v := &engine.Violation{Kind: engine.FinalViolated, Witness: good}
	if err := p.Replay(flat, memory.TSO, v); err != nil {
		t.Fatal(err)
	}
	if err := p.Replay(flat, memory.SC, v); err == nil {
		t.Error("a TSO witness replays under SC")
	}
	short := *good
	short.Steps = short.Steps[:len(short.Steps)-1]
	if err := p.Replay(flat, memory.TSO, &engine.Violation{Kind: engine.FinalViolated, Witness: &short}); err == nil {
		t.Error("half a witness replays")
	}
}

func TestBrokenInvariantNamesStageAndInput(t *testing.T) {
	run := pipeline.Open(query.Input{Name: "broken.fp"})
	err := run.Do(t.Context(), func(context.Context) error {
		run.Stage = "passes"
		panic("BUG: for the test")
	})
	if err == nil || !strings.Contains(err.Error(), "broken.fp, passes: BUG: for the test") {
		t.Error(err)
	}
}

// What an engine does not take is refused at its position.
func TestUnsupportedPosition(t *testing.T) {
	p := pipeline.Open(query.Input{Name: "f.c"})
	pos := verdict.Pos{File: "f.c", Line: 3, Col: 5}
	if d := p.Unsupported(&engine.Unsupported{Pos: &pos, What: "robust does not take barrier"}); d.Pos != pos || d.Message != "robust does not take barrier" || d.Severity != verdict.SeverityError {
		t.Errorf("%+v", d)
	}
	if d := p.Unsupported(&engine.Unsupported{What: "too many threads"}); d.Pos.String() != "f.c" || d.Message != "too many threads" {
		t.Errorf("%+v", d)
	}
}
