package markdown_test

import (
	"strings"
	"testing"

	"fencepost/internal/render/markdown"
	"fencepost/verdict"
)

// TestReport: every answer has its model and its coverage, and no text of a program becomes markup.
func TestReport(t *testing.T) {
	var b strings.Builder
	results := []verdict.Result{
		{Program: "a|b<script>.c", Question: "assertions", Model: "tso", Verdict: verdict.Safe, Engine: "explicit", Coverage: verdict.Coverage{Exhaustive: true, Checked: &verdict.Checked{Assertions: 1, Threads: 2, NotAsked: []verdict.NotAsked{verdict.NotAskedRaces}}}},
		{Program: "p.c", Question: "assertions", Model: "pso", Verdict: verdict.Unsafe, Reason: "assertion fails: ```<b>", Engine: "explicit"},
		{Program: "q.c", Question: "assertions", Model: "sc", Verdict: verdict.Unknown, Reason: "out of time", Engine: "explicit"},
	}
	if err := markdown.Report(&b, results, []verdict.Diagnostic{{Severity: verdict.SeverityWarning, Message: "odd", Pos: verdict.Pos{File: "p.c", Line: 3}}}); err != nil {
		t.Fatal(err)
	}
	got := b.String()
	for _, want := range []string{"| ✅ | TSO | a\\|b&lt;script>.c: safe under TSO: all executions (explicit)<br>checked: 1 assertion; 2 threads; not checked: data races (--races) |", "| ❌ | PSO |", "| ❔ | SC |", "out of time", "**warning** p.c:3: odd", "\n````\n"} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is not in\n%s", want, got)
		}
	}
	if strings.Contains(got, "<script>") || strings.Count(got, "<details>") != 2 || strings.Contains(strings.SplitN(got, "<details>", 2)[0], "<b>") {
		t.Error(got)
	}
}

// TestTests: what failed stands with its execution; what the baseline knows does not count as met.
func TestTests(t *testing.T) {
	var b strings.Builder
	failed := &verdict.Result{Program: "p.c", Question: "assertions", Model: "tso", Verdict: verdict.Unsafe, Reason: "assertion fails", Engine: "explicit"}
	tests := []*verdict.ProgramTest{
		{File: "p.c", Outcomes: []verdict.TestOutcome{
			{Key: "tso", Want: "safe", Got: "unsafe", Detail: "assertion fails", Status: verdict.TestFailed, Result: failed},
			{Key: "sc", Want: "safe", Got: "safe", Status: verdict.TestPassed}, {Key: "pso", Want: "safe", Got: "unsafe", Status: verdict.TestKnown},
		}},
		{File: "q.c", Problem: "no such thing"},
	}
	if err := markdown.Tests(&b, tests); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"**1 of 3 expectations met**, 2 programs; 1 failed; 1 known from the baseline; 1 could not be read", "| p.c | tso | safe | ❌ unsafe: assertion fails |", "| q.c | | | no such thing |", "<details>"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("%q is not in\n%s", want, b.String())
		}
	}
}
