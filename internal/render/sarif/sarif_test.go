package sarif_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"

	gosarif "github.com/owenrumney/go-sarif/v3/pkg/report/v210/sarif"
	"github.com/xeipuuv/gojsonschema"

	"fencepost"
	"fencepost/internal/render/sarif"
	"fencepost/query"
	"fencepost/verdict"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// stored reads results that no change of an engine changes.
func stored(t testing.TB, name string) []verdict.Result {
	t.Helper()
	text, err := os.ReadFile("../html/testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	var report verdict.Report
	if err := json.Unmarshal(text, &report); err != nil {
		t.Fatal(err)
	}
	return report.Results
}

func write(t testing.TB, results []verdict.Result, opt sarif.Options) []byte {
	t.Helper()
	var out bytes.Buffer
	if err := sarif.Report(&out, results, opt); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

const library = "github.com/owenrumney/go-sarif/v3/pkg/report/v210/sarif"

// specification is the schema of the specification, which a library we test with
// has among its sources.
var specification = sync.OnceValues(func() (*gojsonschema.Schema, error) {
	dir, err := exec.Command("go", "list", "-f", "{{.Dir}}", library).Output()
	if err != nil {
		return nil, fmt.Errorf("go list %s: %w", library, err)
	}
	file, err := parser.ParseFile(token.NewFileSet(), filepath.Join(strings.TrimSpace(string(dir)), "schema.go"), nil, 0)
	if err != nil {
		return nil, err
	}
	var text string
	ast.Inspect(file, func(n ast.Node) bool {
		if lit, ok := n.(*ast.BasicLit); ok && lit.Kind == token.STRING && len(lit.Value) > len(text) {
			text, err = strconv.Unquote(lit.Value)
		}
		return err == nil
	})
	if err != nil {
		return nil, err
	}
	return gojsonschema.NewSchema(gojsonschema.NewStringLoader(text))
})

// valid holds a document against the schema.
func valid(t testing.TB, doc []byte) {
	t.Helper()
	schema, err := specification()
	if err != nil {
		t.Fatal(err)
	}
	answer, err := schema.Validate(gojsonschema.NewBytesLoader(doc))
	if err != nil {
		t.Fatalf("%v\n%s", err, doc)
	}
	for _, e := range answer.Errors() {
		t.Errorf("against the schema: %s", e)
	}
}

// The schema in use refuses what is wrong.
func TestSchemaRefuses(t *testing.T) {
	schema, err := specification()
	if err != nil {
		t.Fatal(err)
	}
	good := string(write(t, mixed(), sarif.Options{}))
	for _, c := range [][2]string{{`"kind": "fail"`, `"kind": "bad"`}, {`"level": "error"`, `"levels": "error"`}, {`"version": "2.1.0"`, `"version": "2"`}, {`"startLine": 2`, `"startLine": 0`}} {
		bad := strings.Replace(good, c[0], c[1], 1)
		if answer, err := schema.Validate(gojsonschema.NewStringLoader(bad)); err != nil || bad == good || answer.Valid() {
			t.Errorf("%s is accepted in place of %s (%v)", c[1], c[0], err)
		}
	}
}

func mixed() []verdict.Result {
	pos := &verdict.Pos{File: "a b/ü.fp", Line: 2, Col: 5, EndLine: 2, EndCol: 10}
	return []verdict.Result{
		{Program: "a b/ü.fp", Question: "assertions", Model: "tso", Verdict: verdict.Safe, Coverage: verdict.Coverage{Exhaustive: true}, Engine: "explicit",
			Warnings: []verdict.Warning{{Code: "FP0701", Message: "never reached", Pos: pos}}, Origin: verdict.Origin{Sources: map[string]string{"a b/ü.fp": "var x;\n  ü = x;\n"}}},
		{Program: "/src/c.c", Question: "assertions", Model: "pso", Verdict: verdict.Unknown, Reason: "out of time"},
		{Program: "/src/c.c", Question: "out of bounds", Model: "pso", Verdict: verdict.Unsafe, Reason: "index 3 is outside", Pos: &verdict.Pos{File: "/src/c.c", Line: 7}},
		{Program: "d.fp", Question: "deadlock", Model: "sc", Verdict: verdict.Unsafe, Reason: "deadlock", Witness: &verdict.Witness{Threads: []string{"t", "t"}, Steps: []verdict.Step{
			{Thread: 0, Kind: verdict.StepExec, Of: -1}, {Thread: 1, Kind: verdict.StepExec, Of: -1, Instruction: verdict.Instruction{Pos: pos}}}}},
		{Program: "e.fp", Question: "exists", Model: "sc", Verdict: verdict.Observed, Reason: "a final state satisfies x == 1", Witness: &verdict.Witness{}},
	}
}

func TestGolden(t *testing.T) {
	for name, results := range map[string][]verdict.Result{
		"dekker.sarif": append(stored(t, "dekker.json")[:1], stored(t, "dekker-robust.json")...),
		"mixed.sarif":  mixed(),
		"empty.sarif":  nil,
	} {
		got := write(t, results, sarif.Options{Version: "1.2.3"})
		valid(t, got)
		path := "testdata/" + name
		if *update {
			if err := os.WriteFile(path, got, 0o644); err != nil {
				t.Fatal(err)
			}
			continue
		}
		want, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got, want) {
			t.Errorf("%s differs (run with -update to accept):\n%s", name, got)
		}
	}
}

// The steps of an execution are all there, in an order that is that of the witness.
func TestFlows(t *testing.T) {
	text, err := os.ReadFile("../../../examples/dekker.c")
	if err != nil {
		t.Fatal(err)
	}
	answer, err := fencepost.Check(context.Background(), query.Input{Name: "dekker.c", Text: text}, query.CheckOptions{Options: query.Defaults()})
	if err != nil {
		t.Fatal(err)
	}
	doc := write(t, answer.Results, sarif.Options{})
	valid(t, doc)
	report, err := gosarif.FromBytes(doc)
	if err != nil {
		t.Fatal(err)
	}
	seen := map[int]bool{}
	flows := report.Runs[0].Results[0].CodeFlows[0].ThreadFlows
	for _, tf := range flows {
		last := -1
		for _, l := range tf.Locations {
			if n := l.ExecutionOrder; n <= last || seen[n] {
				t.Errorf("step %d after %d", n, last)
			} else {
				seen[n], last = true, n
			}
		}
	}
	if want := len(answer.Results[0].Witness.Steps); len(seen) != want {
		t.Errorf("%d steps, want %d", len(seen), want)
	}
}

// TestEndless: loops that never end are a class of their own, at the loop, and the rule says what the last steps are.
func TestEndless(t *testing.T) {
	const text = "var x, y;\nthread w { y = 1; }\nthread r { reg a; while (a != 1) { a = x; } }\n"
	answer, err := fencepost.Check(context.Background(), query.Input{Name: "a.fp", Text: []byte(text)}, query.CheckOptions{Options: query.Defaults(), Endless: query.Endless{Liveness: query.LivenessSpin}})
	if err != nil {
		t.Fatal(err)
	}
	doc := write(t, answer.Results, sarif.Options{})
	valid(t, doc)
	report, err := gosarif.FromBytes(doc)
	if err != nil {
		t.Fatal(err)
	}
	run := report.Runs[0]
	if len(run.Results) != 1 || len(run.Tool.Driver.Rules) != 1 {
		t.Fatalf("%d results, %d rules", len(run.Results), len(run.Tool.Driver.Rules))
	}
	got, rule := run.Results[0], run.Tool.Driver.Rules[0]
	if *got.RuleID != "fencepost/non-termination" || *rule.ID != *got.RuleID || *got.Locations[0].PhysicalLocation.Region.StartLine != 3 {
		t.Errorf("rule %s, result of %s in line %d", *rule.ID, *got.RuleID, *got.Locations[0].PhysicalLocation.Region.StartLine)
	}
	for _, want := range []string{"r loops for ever", "The last steps of the code flow repeat for ever"} {
		if !strings.Contains(string(doc), want) {
			t.Errorf("no %q in\n%s", want, doc)
		}
	}
}

func TestFixes(t *testing.T) {
	results := stored(t, "dekker.json")[:1]
	results[0].Others = nil
	doc := write(t, results, sarif.Options{Fixes: func(r *verdict.Result, e *verdict.Execution) []sarif.Fix {
		return []sarif.Fix{{Description: "Insert a fence", Replacements: []sarif.Replacement{{Pos: verdict.Pos{File: "dekker.fp", Line: 12, Col: 3}, Text: "fence; "}}}}
	}})
	valid(t, doc)
	for _, want := range []string{`"insertedContent"`, `"text": "fence; "`, `"endColumn": 3`} {
		if !strings.Contains(string(doc), want) {
			t.Errorf("no %s in\n%s", want, doc)
		}
	}
}

// A program that is refused is a run without success.
func TestDiagnostics(t *testing.T) {
	doc := write(t, nil, sarif.Options{Diagnostics: []verdict.Diagnostic{
		{Severity: verdict.SeverityWarning, Code: "FP0200", Pos: verdict.Pos{File: "f.fp"}, Message: "look here"},
		{Severity: verdict.SeverityError, Code: "FP0103", Pos: verdict.Pos{File: "f.fp", Line: 3, Col: 2}, Message: "unknown name"}}})
	valid(t, doc)
	for _, want := range []string{`"executionSuccessful": false`, `"text": "unknown name [FP0103]"`, `"level": "error"`, `"level": "warning"`} {
		if !strings.Contains(string(doc), want) {
			t.Errorf("no %s in\n%s", want, doc)
		}
	}
}

type brokenWriter struct{}

var errBroken = errors.New("disk full")

func (brokenWriter) Write([]byte) (int, error) { return 0, errBroken }

func TestWriteErrorIsReported(t *testing.T) {
	if err := sarif.Report(brokenWriter{}, nil, sarif.Options{}); !errors.Is(err, errBroken) {
		t.Errorf("error %v, want %v", err, errBroken)
	}
}
