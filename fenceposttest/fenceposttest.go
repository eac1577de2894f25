// Package fenceposttest checks programs in Go tests: it reads a file, asks fencepost, and fails the test with the
// execution that breaks the program.
//
//	func TestQueue(t *testing.T) {
//		fenceposttest.Safe(t, "queue.c", query.CheckOptions{})
//		fenceposttest.Robust(t, "queue.c", query.RobustOptions{})
//	}
//
// Paths are relative to the directory of the test. C programs may include files beside them. Options without a
// time limit get that of query.Defaults.
package fenceposttest

import (
	"bytes"
	"os"
	"testing"

	"fencepost"
	"fencepost/query"
	"fencepost/render"
	"fencepost/verdict"
)

// Safe fails the test unless the program is safe under every memory model that the options name, TSO if none. It
// returns the results.
func Safe(t testing.TB, file string, opt query.CheckOptions) []verdict.Result {
	t.Helper()
	return expect(t, checked(t, file, opt), "safe")
}

// Unsafe fails the test unless the program is unsafe under every memory model that the options name, TSO if none.
// It returns the results, which have the executions.
func Unsafe(t testing.TB, file string, opt query.CheckOptions) []verdict.Result {
	t.Helper()
	return expect(t, checked(t, file, opt), "unsafe")
}

// Robust fails the test unless the program is robust.
func Robust(t testing.TB, file string, opt query.RobustOptions) {
	t.Helper()
	expect(t, robust(t, file, opt), "safe")
}

// NotRobust fails the test unless the program is not robust. It returns the attacks.
func NotRobust(t testing.TB, file string, opt query.RobustOptions) []verdict.Attack {
	t.Helper()
	return expect(t, robust(t, file, opt), "unsafe")[0].Attacks
}

// Fences fails the test unless a cheapest set that repairs the program has this many fences; 0 says that nothing
// is wrong with it. It returns the set.
func Fences(t testing.TB, file string, want int, opt query.FenceOptions) []verdict.Fence {
	t.Helper()
	limit(&opt.Options)
	answer, err := fencepost.Fences(t.Context(), Input(t, file), opt)
	r := expect(t, results(t, file, answer, err), "safe")[0]
	if len(r.Fences) != want {
		t.Errorf("%s: %d fences, want %d\n%s", file, len(r.Fences), want, text(t, []verdict.Result{r}))
	}
	return r.Fences
}

// Input reads a program.
func Input(t testing.TB, file string) query.Input {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return query.Input{Name: file, Text: text}
}

func checked(t testing.TB, file string, opt query.CheckOptions) []verdict.Result {
	t.Helper()
	limit(&opt.Options)
	answer, err := fencepost.Check(t.Context(), Input(t, file), opt)
	return results(t, file, answer, err)
}

func robust(t testing.TB, file string, opt query.RobustOptions) []verdict.Result {
	t.Helper()
	limit(&opt.Options)
	answer, err := fencepost.Robust(t.Context(), Input(t, file), opt)
	return results(t, file, answer, err)
}

// limit sets the time limit and the reader of included files, where the caller set none.
func limit(opt *query.Options) {
	if opt.Timeout == 0 {
		opt.Timeout = query.Defaults().Timeout
	}
	if opt.C.Include == nil {
		opt.C.Include = func(name string) ([]byte, bool) {
			text, err := os.ReadFile(name)
			return text, err == nil
		}
	}
}

// results returns the results of an answer. It ends the test if there are none.
func results(t testing.TB, file string, answer query.Answer, err error) []verdict.Result {
	t.Helper()
	if err != nil {
		t.Fatalf("%s: %v", file, err)
	}
	if answer.HasErrors() {
		var out bytes.Buffer
		if err := render.Diagnostics(&out, answer.Diagnostics, render.TextOptions{}); err != nil {
			t.Fatal(err)
		}
		t.Fatalf("%s is refused:\n%s", file, out.String())
	}
	return answer.Results
}

// expect fails the test for every result with another verdict.
func expect(t testing.TB, all []verdict.Result, want string) []verdict.Result {
	t.Helper()
	for i := range all {
		if r := &all[i]; r.Verdict.String() != want {
			t.Errorf("%s is %s under %s, want %s\n%s", r.Program, r.Verdict, r.Model, want, text(t, all[i:i+1]))
		}
	}
	return all
}

func text(t testing.TB, all []verdict.Result) string {
	t.Helper()
	var out bytes.Buffer
	if err := render.Text(&out, all, render.TextOptions{}); err != nil {
		t.Fatal(err)
	}
	return out.String()
}
