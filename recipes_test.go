package fencepost_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"fencepost"
	"fencepost/query"
	"fencepost/render"
	"fencepost/verdict"
)

// The recipes of docs/go.md. TestRecipes compares the texts and runs them.

// recipe: an answer has three values
func verdictOf(ctx context.Context, name string) (string, error) {
	text, err := os.ReadFile(name)
	if err != nil {
		return "", err
	}
	answer, err := fencepost.Check(ctx, query.Input{Name: name, Text: text}, query.CheckOptions{Options: query.Defaults(), Models: query.AllModels()})
	if err != nil {
		return "", err // an option was wrong, or fencepost failed
	}
	if answer.HasErrors() {
		return "refused: " + answer.Diagnostics[0].Message, nil
	}
	var lines []string
	for _, r := range answer.Results {
		switch r.Verdict {
		case verdict.Safe:
			lines = append(lines, fmt.Sprintf("%s: safe: %s", r.Model, r.Coverage.BoundText()))
		case verdict.Unsafe:
			lines = append(lines, fmt.Sprintf("%s: %s at %s", r.Model, r.Reason, r.Pos))
		default:
			lines = append(lines, fmt.Sprintf("%s: unknown: %s", r.Model, r.Reason)) // it is no "safe"
		}
	}
	return strings.Join(lines, "\n"), nil
}

// recipe: files that are included
func withHeaders(ctx context.Context, dir, name string) (query.Answer, error) {
	text, err := os.ReadFile(filepath.Join(dir, name))
	if err != nil {
		return query.Answer{}, err
	}
	opt := query.CheckOptions{Options: query.Defaults()}
	opt.C.Defines = []string{"NDEBUG=0", "THREADS=2"}
	opt.C.IncludeDirs = []string{"include"}
	opt.C.Include = func(name string) ([]byte, bool) { // without it there are the standard headers only
		header, err := os.ReadFile(filepath.Join(dir, filepath.Clean("/"+name)))
		return header, err == nil
	}
	return fencepost.Check(ctx, query.Input{Name: name, Text: text}, opt)
}

// recipe: the steps of an execution
func steps(r *verdict.Result) string {
	var out strings.Builder
	for i, s := range r.Witness.Steps {
		switch {
		case s.Kind == verdict.StepFlush:
			fmt.Fprintf(&out, "%d %s: the store of step %d reaches memory\n", i, r.Witness.Threads[s.Thread], s.Of)
		case s.IsAccess():
			fmt.Fprintf(&out, "%d %s: %s, which has the value %s\n", i, r.Witness.Threads[s.Thread], s.Text, s.ValueText())
		}
	}
	return out.String()
}

// recipe: a time limit, progress and an end
func patient(ctx context.Context, in query.Input) (query.Answer, error) {
	ctx, cancel := context.WithTimeout(ctx, time.Minute) // of all models together
	defer cancel()
	opt := query.CheckOptions{Options: query.Defaults(), Models: query.AllModels()}
	opt.Timeout = 20 * time.Second // of each model
	opt.Workers = 1
	opt.Progress = func(p query.Progress) {
		fmt.Fprintf(os.Stderr, "%s under %s: %d states, %d executions\n", p.Engine, p.Model, p.States, p.Executions)
	}
	return fencepost.Check(ctx, in, opt)
}

// recipe: the cheapest fences, as a text
func fenced(ctx context.Context, in query.Input) ([]byte, error) {
	answer, err := fencepost.Fences(ctx, in, query.FenceOptions{Options: query.Defaults(), Model: query.PSO, For: query.ForAssertions})
	if err != nil {
		return nil, err
	}
	if answer.HasErrors() || answer.Results[0].Verdict != verdict.Safe {
		return nil, fmt.Errorf("%s has no repair by fences", in.Name)
	}
	r := &answer.Results[0]
	if len(r.Fences) == 0 {
		return in.Text, nil // nothing is wrong with it
	}
	return []byte(r.Repair.Patches[0].Text), nil
}

// recipe: keep an answer, and check it again
func kept(ctx context.Context, in query.Input, answer query.Answer) error {
	var file bytes.Buffer
	if err := render.JSON(&file, answer.Results, answer.Diagnostics); err != nil {
		return err
	}
	results, err := render.ReadJSON(file.Bytes())
	if err != nil {
		return err
	}
	verified, err := fencepost.Verify(ctx, in, results, query.Options{}) // replays; no engine is asked about executions
	if err != nil {
		return err
	}
	for _, c := range verified.Checks {
		if c.Err != nil {
			return fmt.Errorf("%s: %w", c.Name, c.Err)
		}
	}
	return nil
}

// recipe: a page for people, SARIF for tools
func reports(dir string, answer query.Answer) error {
	page, err := os.Create(filepath.Join(dir, "answer.html"))
	if err != nil {
		return err
	}
	defer page.Close()
	if err := render.HTML(page, answer.Results); err != nil {
		return err
	}
	list, err := os.Create(filepath.Join(dir, "answer.sarif"))
	if err != nil {
		return err
	}
	defer list.Close()
	return render.SARIF(list, answer.Results, answer.Diagnostics, fencepost.Version())
}

// recipe: is it linearizable?
func linearizable(ctx context.Context, in query.Input) (bool, error) {
	answer, err := fencepost.Lin(ctx, in, query.LinOptions{Options: query.Defaults(), Models: query.Models{query.TSO}, Calls: 2})
	if err != nil || answer.HasErrors() {
		return false, err
	}
	return answer.Results[0].Verdict == verdict.Safe, nil // of clients with at most two concurrent calls
}

// TestRecipes: the code of docs/go.md is that of the functions above, and works.
func TestRecipes(t *testing.T) {
	page, err := os.ReadFile("docs/go.md")
	if err != nil {
		t.Fatal(err)
	}
	here, err := os.ReadFile("recipes_test.go")
	if err != nil {
		t.Fatal(err)
	}
	found := regexp.MustCompile(`(?ms)^// recipe: ([^\n]*)\n(func .*?^}\n)`).FindAllSubmatch(here, -1)
	for _, m := range found {
		want := fmt.Sprintf("\n```go\n%s```\n", m[2])
		heading := strings.ToUpper(string(m[1][:1])) + string(m[1][1:])
		at := strings.Index(string(page), "\n## "+heading+"\n")
		if at < 0 || !strings.Contains(string(page[at:]), want) {
			t.Errorf("docs/go.md: the section %q has not this code:\n%s", heading, m[2])
		}
	}
	if n := strings.Count(string(page), "```go\n"); n != len(found)+1 { // and a test of fenceposttest
		t.Errorf("docs/go.md has %d pieces of code, of which %d are compiled", n, len(found)+1)
	}

	ctx, dir := t.Context(), t.TempDir()
	write := func(name, text string) string {
		file := filepath.Join(dir, name)
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		return file
	}
	got, err := verdictOf(ctx, write("sb.fp", string(storeBuffering.Text)))
	if err != nil || !strings.Contains(got, "sc: safe: all executions") || !strings.Contains(got, "tso: ") {
		t.Errorf("%v %s", err, got)
	}
	write("value.h", "#define VALUE THREADS\n")
	write("v.c", "#include \"value.h\"\n#include <assert.h>\nint main(void) { assert(VALUE == 2); return 0; }\n")
	answer, err := withHeaders(ctx, dir, "v.c")
	if err != nil || answer.HasErrors() || answer.Results[0].Verdict != verdict.Safe {
		t.Errorf("%v %+v", err, answer)
	}
	answer, err = patient(ctx, storeBuffering)
	if err != nil || len(answer.Results) != 3 {
		t.Fatalf("%v %+v", err, answer)
	}
	if text := steps(&answer.Results[1]); !strings.Contains(text, "reaches memory") || !strings.Contains(text, "which has the value 0") {
		t.Error(text)
	}
	if text, err := fenced(ctx, storeBuffering); err != nil || strings.Count(string(text), "fence;") != 2 {
		t.Errorf("%v %s", err, text)
	}
	if err := kept(ctx, storeBuffering, answer); err != nil {
		t.Error(err)
	}
	if err := reports(dir, answer); err != nil {
		t.Error(err)
	}
	counter := query.Input{Name: "counter.c", Text: []byte("#include <stdatomic.h>\nstruct counter { atomic_int n; };\nint counter_next(struct counter *c) { return atomic_fetch_add(&c->n, 1); }\n")}
	if yes, err := linearizable(ctx, counter); err != nil || !yes {
		t.Errorf("%v %v", yes, err)
	}
}
