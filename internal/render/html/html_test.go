package html_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"flag"
	stdhtml "html"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"fencepost"
	"fencepost/internal/render/html"
	"fencepost/internal/render/relation"
	"fencepost/query"
	"fencepost/verdict"
)

var update = flag.Bool("update", false, "rewrite the golden files")

const storeBuffering = `// Store buffering.
var x, y;
thread t1 {
  reg r1;
  x = 1;
  r1 = y;
}
thread t2 {
  reg r2;
  y = 1;
  r2 = x;
}
never t1:r1 == 0 && t2:r2 == 0;
`

// ask answers with nothing in it that depends on the machine.
func ask(t testing.TB, name, source string, models ...string) []verdict.Result {
	t.Helper()
	opt := query.Options{Workers: 1}
	in := query.Input{Name: name, Text: []byte(source)}
	answer, err := fencepost.Robust(context.Background(), in, query.RobustOptions{Options: opt, KeepGoing: true})
	if len(models) > 0 {
		check := query.CheckOptions{Options: opt, KeepGoing: true}
		for _, m := range models {
			check.Models = append(check.Models, query.Model(m))
		}
		answer, err = fencepost.Check(context.Background(), in, check)
	}
	if err != nil || len(answer.Results) == 0 {
		t.Fatalf("%s: %v %+v", name, err, answer.Diagnostics)
	}
	for i := range answer.Results {
		answer.Results[i].Stats.Seconds = 0.0123
	}
	return answer.Results
}

func example(t testing.TB, name string, models ...string) []verdict.Result {
	t.Helper()
	text, err := os.ReadFile("../../../examples/" + name)
	if err != nil {
		t.Fatal(err)
	}
	return ask(t, name, string(text), models...)
}

// stored reads results that no change of an engine changes.
func stored(t testing.TB, name string) []verdict.Result {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	var report verdict.Report
	if err := json.Unmarshal(text, &report); err != nil {
		t.Fatal(err)
	}
	return report.Results
}

func unanswered() []verdict.Result {
	pos := &verdict.Pos{File: "f.fp", Line: 2, Col: 1}
	return []verdict.Result{{
		Program: "f.fp", Question: "assertions", Model: "tso", Verdict: verdict.Unknown, Reason: "time limit of 60s reached after 1234567 states", Engine: "explicit",
		Coverage: verdict.Coverage{Bounds: []verdict.Bound{{Name: "buffer", Value: 8, Hit: true, Pos: pos}}},
		Stats:    verdict.Stats{States: 1234567, Seconds: 60}, Origin: verdict.Origin{Sources: map[string]string{"f.fp": "var x;\nx = 1;\n"}},
		Warnings: []verdict.Warning{{Code: "FP0701", Message: "this assertion is never reached", Pos: pos}},
	}}
}

func render(t testing.TB, results []verdict.Result) string {
	t.Helper()
	var out bytes.Buffer
	if err := html.Report(&out, results, relation.HerdNames); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

func TestGolden(t *testing.T) {
	for name, results := range map[string][]verdict.Result{
		"dekker.html": append(stored(t, "dekker.json"), stored(t, "dekker-robust.json")...),
		"safe.html": {{Program: "sb.fp", Question: "never", Model: "sc", Verdict: verdict.Safe, Engine: "explicit", Coverage: verdict.Coverage{Exhaustive: true},
			Support: verdict.Support{By: "robustness and SC exploration", Engines: []verdict.EngineReport{{Engine: "robust", Question: "robustness", Model: "tso", Verdict: verdict.Safe, States: 1200},
				{Engine: "explicit", Question: "never", Model: "sc", Verdict: verdict.Unknown, Reason: "out of time"}}},
			Stats: verdict.Stats{States: 12}, Origin: verdict.Origin{Sources: map[string]string{"sb.fp": storeBuffering}}}},
		"unknown.html": unanswered(),
		"empty.html":   nil,
	} {
		got := render(t, results)
		if again := render(t, results); again != got {
			t.Errorf("%s: the second page differs from the first", name)
		}
		// Style and script are files already; only the derived text is compared.
		got = regexp.MustCompile(`(http-equiv="Content-Security-Policy" content=)"[^"]*"`).ReplaceAllString(got, "$1\"\"")
		got = regexp.MustCompile(`(?s)<style>.*?</style>`).ReplaceAllString(got, "<style></style>")
		got = regexp.MustCompile(`(?s)<script>.*?</script>`).ReplaceAllString(got, "<script></script>")
		path := filepath.Join("testdata", name)
		if *update {
			if err := os.MkdirAll("testdata", 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
				t.Fatal(err)
			}
			continue
		}
		want, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if got != string(want) {
			t.Errorf("%s differs (run with -update to accept)", name)
		}
	}
}

// hostile is a result in which every text tries to escape from its element.
func hostile(t testing.TB) []verdict.Result {
	t.Helper()
	const evil = `</script></style></title><script>window.hacked=1</script><img src=x onerror="window.hacked=1">"'` + "`${window.hacked=1}`" + `<!--`
	results := ask(t, "sb.fp", storeBuffering, "tso")
	results = append(results, ask(t, "sb.fp", storeBuffering)...)
	for i := range results {
		r := &results[i]
		r.Program, r.Question, r.Reason, r.Engine, r.Model = evil+".fp", evil, evil, evil, "tso"
		r.Sources = map[string]string{"sb.fp": storeBuffering + "// " + evil + "\n" + evil, evil: evil}
		r.FinalStates, r.By = []string{evil}, evil
		r.Engines = []verdict.EngineReport{{Engine: evil, Question: evil, Model: evil, Reason: evil}}
		r.Warnings = []verdict.Warning{{Code: evil, Message: evil, Pos: &verdict.Pos{File: evil, Line: 1}}}
		r.Coverage.Bounds = []verdict.Bound{{Name: evil, Hit: true}}
		for _, e := range r.Executions() {
			for k := range e.Witness.Threads {
				e.Witness.Threads[k] = evil
			}
			for k := range e.Witness.Steps {
				s := &e.Witness.Steps[k]
				s.Text, s.Location, s.Note, s.Stack = evil, evil, evil, []string{evil}
			}
			if a := e.Attack; a != nil {
				a.Thread, a.StoreText, a.LoadText = evil, evil, evil
				for k := range a.Nodes {
					a.Nodes[k].Text = evil
				}
				for k := range a.Edges {
					a.Edges[k].Kind = evil
				}
				for k := range a.Cycle {
					a.Cycle[k].Kind = evil
				}
			}
		}
	}
	return results
}

// Nothing from a program becomes part of the page's own language; the browser
// test looks whether anything ran.
func TestEscaping(t *testing.T) {
	page := render(t, hostile(t))
	clean := render(t, nil)
	for _, tag := range []string{"<script", "<style", "<!--", "<img"} {
		if got, want := strings.Count(page, tag), strings.Count(clean, tag); got != want {
			t.Errorf("%d times %s in the page, want %d", got, tag, want)
		}
	}
	if strings.Contains(page, "ZgotmplZ") {
		t.Error("html/template refused a value")
	}
}

// The page asks for nothing.
func TestSelfContained(t *testing.T) {
	page := render(t, example(t, "dekker.fp", "sc", "tso", "pso"))
	for _, bad := range []string{"http:", "https:", "@import", "url(http", "src=", "<link", "fetch(", "XMLHttpRequest"} {
		if strings.Contains(page, bad) {
			t.Errorf("the page contains %s", bad)
		}
	}
}

type brokenWriter struct{}

var errBroken = errors.New("disk full")

func (brokenWriter) Write([]byte) (int, error) { return 0, errBroken }

func TestWriteErrorIsReported(t *testing.T) {
	if err := html.Report(brokenWriter{}, nil, relation.HerdNames); !errors.Is(err, errBroken) {
		t.Errorf("error %v, want %v", err, errBroken)
	}
}

// TestPolicy: the policy of a page allows its script and its style sheet, and nothing else.
func TestPolicy(t *testing.T) {
	var out bytes.Buffer
	if err := html.Report(&out, ask(t, "sb.fp", storeBuffering, "tso"), relation.HerdNames); err != nil {
		t.Fatal(err)
	}
	page := out.String()
	policy := regexp.MustCompile(`<meta http-equiv="Content-Security-Policy" content="([^"]*)">`).FindStringSubmatch(page)
	if policy == nil || strings.Index(page, policy[0]) > strings.Index(page, "<style>") {
		t.Fatal("no policy before the style sheet")
	}
	sum := func(open, end string) string {
		_, rest, ok := strings.Cut(page, open)
		text, _, closed := strings.Cut(rest, end)
		if !ok || !closed {
			t.Fatalf("no %s", open)
		}
		hash := sha256.Sum256([]byte(text))
		return "'sha256-" + base64.StdEncoding.EncodeToString(hash[:]) + "'"
	}
	want := "default-src 'none'; script-src " + sum("<script>", "</script>") + "; style-src " + sum("<style>", "</style>") + "; base-uri 'none'; form-action 'none'"
	if got := stdhtml.UnescapeString(policy[1]); got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
	if strings.Contains(page, " style=\"") || regexp.MustCompile(` on\w+="`).MatchString(page) {
		t.Error("an attribute that the policy forbids")
	}
}
