package cli

import (
	"bytes"
	stdjson "encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"fencepost/internal/render/json"
)

// A program of two files with a header. Its two threads store to one variable and read the other;
// every access that a violation is about stands in another file than main.
const (
	twoMain = `#include <pthread.h>
#include <assert.h>
#include "two.h"
int main(void) {
  pthread_t a, b;
  pthread_create(&a, 0, left, 0);
  pthread_create(&b, 0, right, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
  assert(r1 || r2);
  return 0;
}
`
	twoThreads = `#include "two.h"
atomic_int x, y;
int r1, r2, plain;
void *left(void *p) { SET(x); r1 = GET(y); plain = 1; return 0; }
void *right(void *p) { SET(y); r2 = GET(x); plain = 2; return 0; }
`
	twoHeader = `#include <stdatomic.h>
extern atomic_int x, y;
extern int r1, r2;
#define SET(v) atomic_store_explicit(&v, 1, memory_order_relaxed)
#define GET(v) atomic_load_explicit(&v, memory_order_relaxed)
void *left(void *p);
void *right(void *p);
`
	// manyThreads is worked on for any number of instances of its thread.
	manyThreads = `#include "two.h"
atomic_int x, y;
int r1, r2;
void *left(void *p) { SET(x); assert_low(GET(y)); return 0; }
void *right(void *p) { return 0; }
`
	manyMain = `#include <pthread.h>
#include "two.h"
#include <assert.h>
void assert_low(int v) { assert(v < 2); }
int main(void) {
  pthread_t a;
  pthread_create(&a, 0, left, 0);
  return 0;
}
`
)

// twoFiles are the questions about a program of two files, by the arguments before the files.
var twoFiles = []struct {
	name string
	many bool // about manyMain and manyThreads
	args []string
	code int
}{
	{"check", false, []string{"check", "--model", "sc,tso,pso"}, 1},
	{"check keep-going", false, []string{"check", "--keep-going"}, 1},
	{"check final-states", false, []string{"check", "--final-states"}, 1},
	{"check robustness", false, []string{"check", "--robustness"}, 1},
	{"check races", false, []string{"check", "--races"}, 1},
	{"check bmc", false, []string{"check", "--engine", "bmc"}, 1},
	{"check param", true, []string{"check", "--param", "--model", "sc", "--replicate", "left"}, 0},
	{"robust", false, []string{"robust", "--all"}, 1},
	{"robust instrument", false, []string{"robust", "--method", "instrument"}, 1},
	{"robust trf", false, []string{"robust", "--criterion", "trf"}, 1},
	{"robust state", false, []string{"robust", "--criterion", "state"}, 1},
	{"robust state pso", false, []string{"robust", "--criterion", "state", "--model", "pso"}, 1},
	{"robust param", true, []string{"robust", "--param", "--replicate", "left"}, 0},
	{"fences", false, []string{"fences"}, 0},
	{"fences assertions", false, []string{"fences", "--for", "assertions", "--model", "pso"}, 0},
	{"fences remove", false, []string{"fences", "--remove"}, 1},
	{"prove", true, []string{"prove", "--replicate", "left"}, 0},
	{"traces", false, []string{"traces"}, 0},
}

// TestTwoFiles asks every question about a program of two files. Each answer carries the text of
// both and renders as text, JSON and, but for traces, HTML; stored, it is verified.
func TestTwoFiles(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		return path
	}
	write("two.h", twoHeader)
	two := []string{write("main.c", twoMain), write("threads.c", twoThreads)}
	many := []string{write("many.c", manyMain), write("many_threads.c", manyThreads)}
	for _, q := range twoFiles {
		t.Run(q.name, func(t *testing.T) {
			if _, err := exec.LookPath("z3"); q.args[0] == "prove" && err != nil {
				t.Skip("z3 is not installed")
			}
			files, texts := two, []string{twoMain, twoThreads}
			if q.many {
				files, texts = many, []string{manyMain, manyThreads}
			}
			args := append(slices.Clone(q.args), files...)
			if out := runTwo(t, q.code, args...); !strings.Contains(out, filepath.Base(files[0])) && q.args[0] != "traces" {
				t.Errorf("the text does not name the program:\n%s", out)
			}
			stored := runTwo(t, q.code, append(args, "--json")...)
			result := write("result.json", stored)
			carriesBoth(t, stored, q.args[0] == "traces", files, texts)
			if verified := runTwo(t, 0, append([]string{"verify-trace", result}, files...)...); strings.Contains(verified, "REJECTED") || !strings.Contains(verified, "ok ") {
				t.Errorf("not verified:\n%s", verified)
			}
			if q.args[0] == "traces" {
				return
			}
			page := filepath.Join(dir, "result.html")
			runTwo(t, 0, "report", result, "--html", page)
			html, err := os.ReadFile(page)
			if err != nil {
				t.Fatal(err)
			}
			for _, f := range files {
				if !strings.Contains(string(html), filepath.Base(f)) {
					t.Errorf("the page does not have %s", f)
				}
			}
		})
	}
}

func runTwo(t *testing.T, code int, args ...string) string {
	t.Helper()
	var stdout, stderr bytes.Buffer
	if got := Run(args, strings.NewReader(""), &stdout, &stderr); got != code {
		t.Fatalf("fencepost %s: exit %d, want %d\n%s%s", strings.Join(args, " "), got, code, &stdout, &stderr)
	}
	return stdout.String()
}

// carriesBoth demands the text of both files in every result, and of every file that a position is in.
func carriesBoth(t *testing.T, stored string, traces bool, files, texts []string) {
	t.Helper()
	var all []map[string]string
	if traces {
		sets, err := json.ReadTraces([]byte(stored))
		if err != nil {
			t.Fatal(err)
		}
		for i := range sets {
			all = append(all, sets[i].Sources)
		}
	} else {
		results, err := json.Read([]byte(stored))
		if err != nil {
			t.Fatal(err)
		}
		for i := range results {
			all = append(all, results[i].Sources)
		}
	}
	if len(all) == 0 {
		t.Fatal("there are no results")
	}
	for _, sources := range all {
		for i, f := range files {
			if sources[f] != texts[i] {
				t.Errorf("the result has not the text of %s", f)
			}
		}
	}
	var document any
	if err := stdjson.Unmarshal([]byte(stored), &document); err != nil {
		t.Fatal(err)
	}
	for name := range filesOf(document, map[string]bool{}) {
		if all[0][name] == "" {
			t.Errorf("a position is in %s, whose text is missing", name)
		}
	}
}

// filesOf collects the files of all positions in a document.
func filesOf(x any, into map[string]bool) map[string]bool {
	switch v := x.(type) {
	case map[string]any:
		if name, ok := v["file"].(string); ok && v["line"] != nil {
			into[name] = true
		}
		for _, inner := range v {
			filesOf(inner, into)
		}
	case []any:
		for _, inner := range v {
			filesOf(inner, into)
		}
	}
	return into
}
