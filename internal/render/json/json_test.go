package json_test

import (
	"bytes"
	stdjson "encoding/json"
	"errors"
	"flag"
	"os"
	"reflect"
	"testing"

	"fencepost/internal/render/json"
	"fencepost/verdict"
)

var update = flag.Bool("update", false, "rewrite the golden files")

func full() []verdict.Result {
	pos := &verdict.Pos{File: "sb.fp", Line: 5, Col: 3, EndLine: 5, EndCol: 8}
	witness := &verdict.Witness{Threads: []string{"t1"}, Steps: []verdict.Step{
		{Kind: verdict.StepStore, Edge: 0, Of: -1, Instruction: verdict.Instruction{Pos: pos, Text: "x = 1 << 2;"}, Addr: 8, Size: 8, Location: "x", Data: verdict.Data{Value: 4}, Buffered: true},
		{Kind: verdict.StepLoad, Edge: 1, Of: -1, Addr: 8, Size: 8, Location: "x", Data: verdict.Data{Value: 4}, From: 1},
		{Kind: verdict.StepFlush, Edge: -1, Of: 0, Addr: 8, Size: 8, Location: "x", Data: verdict.Data{Value: 4}},
		{Kind: verdict.StepFail, Edge: 2, Of: -1, Instruction: verdict.Instruction{Stack: []string{"main", "f"}}, Note: "x is 4 && y is 0"},
	}}
	return []verdict.Result{
		{
			Program: "sb.fp", Question: "assertions", Model: "tso", Verdict: verdict.Unsafe, Reason: "assertion failed", Pos: pos,
			Coverage: verdict.Coverage{Bounds: []verdict.Bound{{Name: "buffer", Value: 8, Hit: true, Pos: pos}}},
			Engine:   "explicit", Stats: verdict.Stats{States: 10, Transitions: 20, FinalStates: 1, Depth: 4, Bytes: 99, Seconds: 0.5},
			Warnings: []verdict.Warning{{Code: "FP0701", Message: "never reached", Pos: pos}},
			Witness:  witness, Others: []verdict.Violation{{Question: "assertions", Reason: "again", Witness: witness}},
			Details: verdict.Details{FinalStates: []string{"x=4"}}, Origin: verdict.Origin{Sources: map[string]string{"sb.fp": "x = 1 << 2;\n", "a.fp": ""}},
		},
		{
			Program: "sb.fp", Question: "robustness", Model: "tso", Verdict: verdict.Unsafe, Reason: "t1 can delay its store", Pos: pos, Engine: "robust",
			Details: verdict.Details{Attacks: []verdict.Attack{{
				Thread: "t1", Store: pos, StoreText: "x = 4", Load: pos, LoadText: "y", Witness: witness, StoreStep: 0, LoadStep: 1,
				Nodes: []verdict.TraceNode{{Text: "t1 st x"}, {Thread: 1, Text: "t2 rmw x", Step: 3}},
				Edges: []verdict.TraceEdge{{From: 0, To: 1, Kind: "st"}}, Cycle: []verdict.TraceEdge{{From: 1, To: 0, Kind: "cf"}},
			}}},
		},
		{Program: "sb.fp", Question: "exists", Model: "sc", Verdict: verdict.NotObserved, Coverage: verdict.Coverage{Exhaustive: true}},
	}
}

func TestRoundTrip(t *testing.T) {
	var out bytes.Buffer
	if err := json.Report(&out, full(), nil); err != nil {
		t.Fatal(err)
	}
	var back verdict.Report
	if err := stdjson.Unmarshal(out.Bytes(), &back); err != nil {
		t.Fatal(err)
	}
	if want := (verdict.Report{Schema: verdict.Schema, Results: full()}); !reflect.DeepEqual(back, want) {
		t.Errorf("read back %+v, want %+v", back, want)
	}
}

func TestGolden(t *testing.T) {
	diagnostics := []verdict.Diagnostic{{Severity: verdict.SeverityError, Code: "FP0103", Pos: verdict.Pos{File: "f.fp", Line: 1, Col: 2},
		Message: "unknown name", Notes: []string{"a note"}, Excerpt: "x = y;\n    ^"}}
	for _, c := range []struct {
		file        string
		results     []verdict.Result
		diagnostics []verdict.Diagnostic
	}{
		{"results.json", full(), nil},
		{"refused.json", nil, diagnostics},
		{"empty.json", nil, nil},
	} {
		var out bytes.Buffer
		if err := json.Report(&out, c.results, c.diagnostics); err != nil {
			t.Fatal(err)
		}
		path := "testdata/" + c.file
		if *update {
			if err := os.MkdirAll("testdata", 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, out.Bytes(), 0o644); err != nil {
				t.Fatal(err)
			}
			continue
		}
		want, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(out.Bytes(), want) {
			t.Errorf("%s differs (run with -update to accept):\n%s", c.file, out.Bytes())
		}
	}
}

type brokenWriter struct{}

var errBroken = errors.New("disk full")

func (brokenWriter) Write([]byte) (int, error) { return 0, errBroken }

func TestWriteErrorIsReported(t *testing.T) {
	if err := json.Report(brokenWriter{}, nil, nil); !errors.Is(err, errBroken) {
		t.Errorf("error %v, want %v", err, errBroken)
	}
}
