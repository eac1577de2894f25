package junit_test

import (
	"bytes"
	"encoding/xml"
	"errors"
	"flag"
	"os"
	"testing"

	"fencepost/internal/render/junit"
	"fencepost/verdict"
)

var update = flag.Bool("update", false, "rewrite the golden files")

func programs() []*verdict.ProgramTest {
	return []*verdict.ProgramTest{
		{File: "a/dekker.fp", Seconds: 0.25, Outcomes: []verdict.TestOutcome{
			{Key: "sc", Want: "safe", Got: "safe", Status: verdict.TestPassed, Line: 3, Seconds: 0.1, Result: &verdict.Result{
				Program: "a/dekker.fp", Question: "assertions", Model: "sc", Verdict: verdict.Safe, Engine: "explicit",
				Coverage: verdict.Coverage{Bounds: []verdict.Bound{{Name: "buffer", Value: 2, Hit: true, Given: true}}, Checked: &verdict.Checked{Assertions: 1, Threads: 2, NotAsked: []verdict.NotAsked{verdict.NotAskedRaces}}},
			}},
			{Key: "tso", Want: "safe", Got: "unsafe", Detail: "a/dekker.fp:33:1: goal <both> & \"inside\"\x1b", Status: verdict.TestFailed, Line: 3},
			{Key: "trf", Want: "no", Status: verdict.TestNotChecked, Line: 4},
		}},
		{File: "b.c", Problem: "unknown question \"arm\"", Line: 7},
		{File: "c.c", Outcomes: []verdict.TestOutcome{
			{Key: "robust", Want: "yes", Detail: "c.c:1:1: no such thing", Status: verdict.TestRefused},
			{Key: "pso", Want: "safe", Detail: "boom", Status: verdict.TestBroken}}},
	}
}

func TestGolden(t *testing.T) {
	var out bytes.Buffer
	if err := junit.Report(&out, programs()); err != nil {
		t.Fatal(err)
	}
	var any struct {
		Tests int `xml:"tests,attr"`
	}
	if err := xml.Unmarshal(out.Bytes(), &any); err != nil || any.Tests != 6 {
		t.Errorf("%v, %d tests", err, any.Tests)
	}
	const path = "testdata/programs.xml"
	if *update {
		if err := errors.Join(os.MkdirAll("testdata", 0o755), os.WriteFile(path, out.Bytes(), 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(out.Bytes(), want) {
		t.Errorf("differs (run with -update to accept):\n%s", out.Bytes())
	}
}

type brokenWriter struct{}

var errBroken = errors.New("disk full")

func (brokenWriter) Write([]byte) (int, error) { return 0, errBroken }

func TestWriteErrorIsReported(t *testing.T) {
	if err := junit.Report(brokenWriter{}, nil); !errors.Is(err, errBroken) {
		t.Errorf("error %v, want %v", err, errBroken)
	}
}
