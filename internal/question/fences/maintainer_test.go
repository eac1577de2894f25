package fences_test

import (
	"context"
	"strings"
	"testing"

	"fencepost/internal/question/fences"
	"fencepost/query"
	"fencepost/verdict"
)

// generalHeader has the general macros of a code base, and a lock whose store and load need a fence between them.
const generalHeader = `
#define LOAD(x) ({ __typeof__(x) value_; value_ = *(volatile __typeof__(x) *)&(x); value_; })
#define STORE(x, v) do { *(volatile __typeof__(x) *)&(x) = (v); } while (0)
int flags[2];
static inline int try_enter(int me) {
  STORE(flags[me], 1);
  return !LOAD(flags[1 - me]);
}
`

// TestMaintainer tests that a fence goes where a maintainer would put it: into the function of the delayed store, not into
// a macro, and never into a system header.
func TestMaintainer(t *testing.T) {
	const event = `#include <pthread.h>
#include "event.h"
int ready, done;
void reset(void) {
  STORE(done, 1);
}
void *waiter(void *a) { reset(); return (void *)(long)LOAD(ready); }
void *setter(void *a) { STORE(ready, 1); __atomic_thread_fence(5); return (void *)(long)LOAD(done); }
int main(void) {
  pthread_t a, b;
  pthread_create(&a, 0, waiter, 0);
  pthread_create(&b, 0, setter, 0);
  return 0;
}
`
	const lock = `#include <pthread.h>
#include "event.h"
void *one(void *a) { return (void *)(long)try_enter(0); }
void *two(void *a) { return (void *)(long)try_enter(1); }
int main(void) {
  pthread_t a, b;
  pthread_create(&a, 0, one, 0);
  pthread_create(&b, 0, two, 0);
  return 0;
}
`
	// The store and the load are both in one expression of a macro's expansion, so that only the macro has room.
	const onlyMacro = `#include <pthread.h>
#define SWAP(mine, yours) ({ *(volatile int *)&(mine) = 1; int seen_ = *(volatile int *)&(yours); seen_; })
int x, y;
void *one(void *a) { return (void *)(long)SWAP(x, y); }
void *two(void *a) { return (void *)(long)SWAP(y, x); }
int main(void) {
  pthread_t a, b;
  pthread_create(&a, 0, one, 0);
  pthread_create(&b, 0, two, 0);
  return 0;
}
`
	tests := map[string]struct {
		text    string
		set     func(*query.FenceOptions)
		verdict verdict.Verdict
		file    string
		line    int
		cost    int64
	}{
		"the function of the store": {text: event, verdict: verdict.Safe, file: "main.c", line: 6, cost: 1},
		"a function of a header":    {text: lock, verdict: verdict.Safe, file: "event.h", line: 7, cost: 1},
		"the macro alone":           {text: onlyMacro, verdict: verdict.Safe, file: "main.c", line: 2, cost: 2},
		"a system header": {
			text: lock, verdict: verdict.Unknown,
			set: func(o *query.FenceOptions) { o.C.Flags = []string{"-isystem", "sys"} },
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			opt := query.FenceOptions{Options: query.Defaults()}
			opt.C.Include = func(name string) ([]byte, bool) {
				return []byte(generalHeader), name == "event.h" || name == "sys/event.h"
			}
			if test.set != nil {
				test.set(&opt)
			}
			text := test.text
			if test.file == "" {
				text = strings.Replace(text, `"event.h"`, "<event.h>", 1)
			}
			answer, err := fences.Run(context.Background(), query.Input{Name: "main.c", Text: []byte(text)}, opt)
			if err != nil || answer.HasErrors() {
				t.Fatal(err, answer.Diagnostics)
			}
			r := &answer.Results[0]
			if r.Verdict != test.verdict {
				t.Fatalf("%s: %s", r.Verdict, r.Reason)
			}
			if test.file == "" {
				if len(r.Fences) > 0 || len(r.Repair.Elsewhere) != 1 {
					t.Errorf("fences %+v, elsewhere %+v", r.Fences, r.Repair.Elsewhere)
				}
				return
			}
			if len(r.Fences) != 1 || r.Fences[0].Pos.File != test.file || r.Fences[0].Pos.Line != test.line || r.Fences[0].Cost != test.cost {
				for _, f := range r.Fences {
					t.Errorf("%s:%d cost %d", f.Pos.File, f.Pos.Line, f.Cost)
				}
			}
			for _, f := range r.Fences {
				for _, o := range f.Instead {
					if o.Cost < f.Cost {
						t.Errorf("%s:%d is cheaper, cost %d", o.Pos.File, o.Pos.Line, o.Cost)
					}
				}
			}
		})
	}
}
