package fuzz_test

import (
	"os"
	"reflect"
	"strings"
	"testing"

	"fencepost/internal/question/fuzz"
	"fencepost/query"
	"fencepost/verdict"
)

// handHead begins the programs of check's tests.
const handHead = `#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <threads.h>
#include <time.h>
#define rlx memory_order_relaxed
#define acq memory_order_acquire
#define rel memory_order_release
#define acqrel memory_order_acq_rel
#define sc memory_order_seq_cst
#define get(x, o) atomic_load_explicit(&x, o)
#define set(x, v, o) atomic_store_explicit(&x, v, o)
#define fadd(x, v, o) atomic_fetch_add_explicit(&x, v, o)
#define xchg(x, v, o) atomic_exchange_explicit(&x, v, o)
#define weak(x, e, v) atomic_compare_exchange_weak_explicit(x, e, v, acq, rlx)
#define start(f) pthread_t f##_; pthread_create(&f##_, 0, f, 0)
#define wait(f) pthread_join(f##_, 0)
#define fence atomic_thread_fence
`

// TestC11: random executions under c11 find the violations of programs written by hand, and nothing in safe ones.
func TestC11(t *testing.T) {
	text, err := os.ReadFile("../check/testdata/c11.txt")
	if err != nil {
		t.Fatal(err)
	}
	found, most := 0, uint64(0)
	for _, p := range strings.Split(string(text), "\n== ")[1:] {
		want, text, _ := strings.Cut(p, "\n")
		opt := query.FuzzOptions{Models: query.Models{query.C11}, Runs: 20, Options: query.Options{Workers: 1}}
		if want != "safe" && want != "no violation within" && !strings.HasPrefix(want, "rf does not take") {
			opt.Runs = 5000
		}
		answer, err := fuzz.Run(t.Context(), query.Input{Name: "p.c", Text: []byte(handHead + text)}, opt)
		if err != nil || answer.HasErrors() {
			t.Errorf("%v %+v\n%s", err, answer.Diagnostics, text)
			continue
		}
		r := &answer.Results[0]
		if (r.Verdict == verdict.Unsafe) != (opt.Runs > 20) || r.Verdict != verdict.Unsafe && r.Verdict != verdict.Unknown {
			t.Errorf("%s %s, want %s\n%s", r.Verdict, r.Reason, want, text)
		}
		if r.Verdict == verdict.Unsafe {
			found, most = found+1, max(most, r.Stats.Fuzz.Found)
		}
	}
	t.Logf("%d violations, the rarest by seed %d", found, most)
	if found < 50 {
		t.Errorf("only %d violations", found)
	}
}

// TestC11Seed: a seed is enough to run an execution again under c11, whatever was run before and with any number of workers.
func TestC11Seed(t *testing.T) {
	const text = handHead + `
atomic_int f, g;
struct { int a, b; } d;
void *left(void *x) {
  d.a = 1;
  d.b = 2;
  atomic_store_explicit(&f, 1, rlx);
  for (int i = 0; i < 6; i++)
    atomic_fetch_add_explicit(&g, 1, rlx);
  return 0;
}
void *right(void *x) {
  for (int i = 0; i < 6; i++)
    atomic_fetch_add_explicit(&g, 1, rlx);
  int seen = atomic_load_explicit(&g, acq);
  if (seen == 12 && atomic_load_explicit(&f, acq) == 0)
    assert(0);
  return 0;
}
int main(void) {
  pthread_t t[2];
  pthread_create(&t[0], 0, left, 0);
  pthread_create(&t[1], 0, right, 0);
  pthread_join(t[0], 0);
  pthread_join(t[1], 0);
}
`
	in := query.Input{Name: "p.c", Text: []byte(text)}
	opt := query.FuzzOptions{Models: query.Models{query.C11}, Runs: 5000, Options: query.Options{Workers: 1}}
	first := ask(t, in, opt)
	if first.Verdict != verdict.Unsafe || first.Stats.Fuzz.Found < 2 {
		t.Fatalf("%s: %s, %+v", first.Verdict, first.Reason, first.Stats.Fuzz)
	}
	opt.Workers = 4
	many := ask(t, in, opt)
	opt.Runs, opt.Seed = 1, int(first.Stats.Fuzz.Found)
	again := ask(t, in, opt)
	for _, r := range []*verdict.Result{again, many} {
		if r.Stats.Fuzz.Found != first.Stats.Fuzz.Found || !reflect.DeepEqual(r.Witness, first.Witness) {
			t.Errorf("another execution: seed %d, first seed %d", r.Stats.Fuzz.Found, first.Stats.Fuzz.Found)
		}
	}
}
