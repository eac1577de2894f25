package testkit_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"fencepost/internal/question/check"
	"fencepost/internal/question/robust"
	"fencepost/query"
	"fencepost/verdict"
)

// psoProgram makes a program in C of a file of testdata/pso_c.txtar.
func psoProgram(file string) string {
	const head = `#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#define ST(a, v) atomic_store_explicit(&(a), v, memory_order_relaxed)
#define REL(a, v) atomic_store_explicit(&(a), v, memory_order_release)
#define LD(a) atomic_load_explicit(&(a), memory_order_relaxed)
void __VERIFIER_atomic_begin(void);
void __VERIFIER_atomic_end(void);
atomic_int x, y, z, w;
int r1, r2, r3, r4;
`
	parts := map[string]string{}
	threads, start, wait := 0, "", ""
	text := head
	for line := range strings.Lines(file) {
		key, value, _ := strings.Cut(strings.TrimSpace(line), ":")
		switch key {
		case "globals":
			text += value + "\n"
		case "thread":
			text += fmt.Sprintf("void *t%d(void *p) {%s return 0; }\n", threads, value)
			start += fmt.Sprintf("  pthread_create(&h[%d], 0, t%d, 0);\n", threads, threads)
			wait += fmt.Sprintf("  pthread_join(h[%d], 0);\n", threads)
			threads++
		case "alone":
			parts["alone"] = "yes"
		default:
			parts[key] = value
		}
	}
	if parts["alone"] != "" {
		wait = ""
	}
	return fmt.Sprintf("%sint main(void) {\n  pthread_t h[%d];\n %s\n%s%s %s\n  return 0;\n}\n", text, threads, parts["pre"], start, wait, parts["post"])
}

// TestPSOInC: small programs in C with expected answers. The exploration of all traces agrees, where it ends, and what is
// not robust against TSO is not robust against PSO.
func TestPSOInC(t *testing.T) {
	archive, err := txtar.ParseFile("testdata/pso_c.txtar")
	if err != nil || len(archive.Files) < 40 {
		t.Fatalf("%d programs (%v)", len(archive.Files), err)
	}
	for _, f := range archive.Files {
		name, want, _ := strings.Cut(f.Name, " ")
		t.Run(name, func(t *testing.T) {
			in := query.Input{Name: "test.c", Text: []byte(psoProgram(string(f.Data)))}
			opt := query.RobustOptions{Options: query.Defaults()}
			opt.Models, opt.Workers, opt.Timeout = query.Models{query.TSO, query.PSO}, 1, 0
			a, err := robust.Run(context.Background(), in, opt)
			if err != nil || a.HasErrors() {
				t.Fatalf("%v %+v\n%s", err, a.Diagnostics, in.Text)
			}
			tso, pso := &a.Results[0], &a.Results[1]
			if got := map[verdict.Verdict]string{verdict.Safe: "robust", verdict.Unsafe: "not-robust"}[pso.Verdict]; got != want {
				t.Errorf("%s: %s, want %s", pso.Verdict, pso.Reason, want)
			}
			if tso.Verdict == verdict.Unsafe && pso.Verdict != verdict.Unsafe {
				t.Errorf("TSO: %s, PSO: %s", tso.Verdict, pso.Verdict)
			}
			traces := query.CheckOptions{Options: query.Defaults()}
			traces.Robustness, traces.Engines, traces.Workers, traces.Timeout = true, query.Engines{"smc"}, 1, 0
			b, err := check.Run(context.Background(), in, traces.Under("pso"))
			if err != nil || b.HasErrors() {
				t.Fatalf("%v %+v", err, b.Diagnostics)
			}
			if r := &b.Results[0]; r.Verdict != verdict.Unknown && r.Verdict != pso.Verdict {
				t.Errorf("%s, by all traces %s: %s", pso.Verdict, r.Verdict, r.Reason)
			}
		})
	}
}
