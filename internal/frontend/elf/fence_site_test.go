package elf_test

import (
	"context"
	"strings"
	"testing"

	"fencepost/internal/question/check"
	"fencepost/internal/question/explore"
	"fencepost/internal/question/fences"
	"fencepost/query"
	"fencepost/verdict"
)

const twoThreads = `
int main(void) {
  pthread_t t, u;
  pthread_create(&t, 0, left, 0);
  pthread_create(&u, 0, right, 0);
  pthread_join(t, 0);
  pthread_join(u, 0);
  assert(FINAL);
  return 0;
}
`

// A store and a load of a function of the library: the load has no instruction of its own.
const libraryLoads = `#include <assert.h>
#include <pthread.h>
#include <string.h>
volatile int x, y; int a, b;
void *left(void *arg) { x = 1; memcpy(&a, (void *)&y, 4); return 0; }
void *right(void *arg) { y = 1; memcpy(&b, (void *)&x, 4); return 0; }
#define FINAL a || b
` + twoThreads

// Two rounds of one instruction: the first one stores, and the second one loads. m[1] and n[1] are x and y of store
// buffering; the threads load into n[2] and m[2].
const rounds = `#include <assert.h>
#include <pthread.h>
int m[3] = {1}, n[3] = {1};
static void copy(int *to, int *from) {
  long count = 2;
  __asm__ volatile("rep movsl" : "+D"(to), "+S"(from), "+c"(count) : : "memory");
}
void *left(void *arg) { copy(m + 1, n); return 0; }
void *right(void *arg) { copy(n + 1, m); return 0; }
#define FINAL m[2] || n[2]
` + twoThreads

// The code of both threads is one function.
const shared = `#include <assert.h>
#include <pthread.h>
volatile int x[2]; int a[2];
__attribute__((noinline)) void work(long i) { x[i] = 1; a[i] = x[1 - i]; }
void *left(void *arg) { work(0); return 0; }
void *right(void *arg) { work(1); return 0; }
#define FINAL a[0] || a[1]
` + twoThreads

// TestFences: fences come in front of loads and calls, and not between the rounds of an instruction.
func TestFences(t *testing.T) {
	for _, c := range []struct {
		name, text, flags string
		want              verdict.Verdict
		before            []string // what the fences come before; of an unsafe answer: the reason
	}{
		{"a call", libraryLoads, "-c -O1 -fno-builtin", verdict.Safe, []string{"call memcpy", "call memcpy"}},
		{"a linked call", libraryLoads, "-O1 -fno-builtin", verdict.Safe, []string{"call memcpy", "call memcpy"}},
		{"one function", shared, "-c -O1", verdict.Safe, []string{"a.c:4: mov "}},
		{"rounds", rounds, "-c -O1", verdict.Unsafe, []string{"no fence prevents it"}},
	} {
		object, ok := compile(t, "a.c", []byte(c.text), strings.Fields(c.flags)...)
		if !ok {
			t.Fatalf("%s: gcc refuses it", c.name)
		}
		opt := fences.Defaults(query.FenceOptions{Options: query.Defaults()})
		opt.For, opt.Workers, opt.Timeout = query.ForAssertions, 1, 0
		a, err := fences.Run(context.Background(), query.Input{Name: "a", Text: object}, opt)
		if err != nil || a.HasErrors() {
			t.Fatalf("%s: %v %v", c.name, err, a.Diagnostics)
		}
		r := &a.Results[0]
		got := []string{r.Reason}
		if r.Verdict == verdict.Safe {
			got = nil
			for i := range r.Fences {
				got = append(got, r.Fences[i].Label)
			}
			if len(r.Warnings) != 1 || r.Warnings[0].Code != "X0301" || len(r.Repair.Patches) > 0 {
				t.Errorf("%s: warnings %v, patches %v", c.name, r.Warnings, r.Repair.Patches)
			}
		}
		fits := r.Verdict == c.want && len(got) == len(c.before)
		for i := 0; fits && i < len(got); i++ {
			fits = strings.Contains(got[i], c.before[i])
		}
		if !fits {
			t.Errorf("%s: %v %q (%s), want %v %q", c.name, r.Verdict, got, r.Reason, c.want, c.before)
		}
	}
}

// TestInsertFence: the explorer refuses to write a fence into machine code.
func TestInsertFence(t *testing.T) {
	object, ok := compile(t, "a.c", []byte(shared), "-c", "-O1")
	if !ok {
		t.Fatal("gcc refuses it")
	}
	in := query.Input{Name: "a.o", Text: object}
	opt := query.CheckOptions{Options: query.Defaults()}
	opt.Workers, opt.Timeout = 1, 0
	a, err := check.Run(context.Background(), in, opt.Under("tso"))
	if err != nil || a.HasErrors() || a.Results[0].Witness == nil {
		t.Fatalf("%v %v", err, a)
	}
	text, diags, err := explore.InsertFence(context.Background(), in, query.ExploreOptions{Options: opt.Options, Model: "tso", Witness: a.Results[0].Witness})
	if text != "" || err != nil || len(diags) != 1 || diags[0].Code != "FP0921" {
		t.Errorf("%q %v %v", text, diags, err)
	}
}
