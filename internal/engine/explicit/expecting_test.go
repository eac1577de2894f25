package explicit_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"fencepost"
	"fencepost/query"
	"fencepost/verdict"
)

// cached is a queue of two threads in small: each publishes and waits for the other, and keeps what it read last in a
// member that no other thread uses. INIT and LAST are statements of main.
const cached = `
#include <stdatomic.h>
#include <pthread.h>
#include <assert.h>
struct { atomic_int x, y; int cx, cy; atomic_int first[3], wait, go; volatile int never; } q;
static void *work(void *p) {
  BEGIN
  atomic_store_explicit(&q.x, 1, memory_order_release);
  while (q.cx == 0) q.cx = atomic_load_explicit(&q.y, memory_order_acquire);
  return 0;
}
int main(void) {
  pthread_t t;
  pthread_create(&t, 0, work, 0);
  atomic_store_explicit(&q.y, 1, memory_order_release);
  while (q.cy == 0) q.cy = atomic_load_explicit(&q.x, memory_order_acquire);
  assert(q.cy == 1);
  LAST
  pthread_join(t, 0);
}
`

// TestPrivateParts: parts of structures that a single thread accesses need no buffer, so that a loop that stores there meets no bound.
// That holds as well if code that does not run accesses them.
func TestPrivateParts(t *testing.T) {
	for _, c := range []struct {
		name, begin, last string
		buffer            int
		verdict           verdict.Verdict
		bound             bool
	}{
		{name: "private", verdict: verdict.Safe},
		{name: "never", last: "if (q.never) { q.cx = 7; assert(0); }", verdict: verdict.Safe},
		{name: "shared", last: "assert(q.cx <= 1);", buffer: 3, verdict: verdict.Safe, bound: true},
		{name: "wrong", last: "assert(q.cx == 0);", buffer: 3, verdict: verdict.Unsafe},
		// The store of main to cx runs if three stores wait in the buffer, and no earlier.
		{
			name:   "late",
			begin:  strings.Repeat("atomic_store_explicit(&q.first[0], 1, memory_order_relaxed);", 3) + "if (!atomic_load_explicit(&q.wait, memory_order_relaxed)) atomic_store_explicit(&q.go, 1, memory_order_relaxed);",
			last:   "atomic_store(&q.wait, 1);\n  if (!atomic_load_explicit(&q.first[0], memory_order_relaxed)) { while (!atomic_load(&q.go)) {} q.cx = 7; }",
			buffer: 2, verdict: verdict.Safe, bound: true,
		},
	} {
		text := strings.NewReplacer("BEGIN", c.begin, "LAST", c.last).Replace(cached)
		for _, m := range []query.Model{query.TSO, query.PSO} {
			opt := query.CheckOptions{Models: query.Models{m}, Engines: query.Engines{"explicit"}}
			opt.Buffer, opt.Workers, opt.Liveness = c.buffer, 1, query.LivenessOff
			if c.name == "late" {
				// main waits for the first thread before it begins the race for first[0].
				text = strings.Replace(text, "while (q.cy == 0) q.cy = atomic_load_explicit(&q.x, memory_order_acquire);\n  assert(q.cy == 1);", "", 1)
			}
			a, err := fencepost.Check(context.Background(), query.Input{Name: "cached.c", Text: []byte(text)}, opt)
			if err != nil || len(a.Results) != 1 {
				t.Fatalf("%s: %v %v", c.name, err, a.Diagnostics)
			}
			r := a.Results[0]
			met := slices.ContainsFunc(r.Coverage.Met(), func(b verdict.Bound) bool { return b.Name == "buffer" })
			if r.Verdict != c.verdict || met != c.bound {
				t.Errorf("%s under %s: %s, bound of buffers met: %v; want %s, %v", c.name, m, r.Verdict, met, c.verdict, c.bound)
			}
		}
	}
}
