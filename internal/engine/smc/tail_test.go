package smc_test

import (
	"fmt"
	"strings"
	"testing"

	"fencepost/internal/engine"
	"fencepost/internal/engine/smc"
	"fencepost/internal/frontend/c"
	"fencepost/internal/frontend/fp"
	"fencepost/internal/frontend/statement"
	"fencepost/internal/ir/irtext"
	"fencepost/internal/property"
	"fencepost/internal/source"
	"fencepost/internal/testkit"
	"fencepost/internal/transform"
)

// TestTails: tails change no count and no violation, whether or not the final state is asked for.
func TestTails(t *testing.T) {
	profiles := []testkit.Profile{{Name: "core"}, {Name: "plain", Plain: true}, {Name: "mixed", Mixed: true}, {Name: "spawn", Spawn: true}, {Name: "spawn-plain", Spawn: true, Plain: true},
		{Name: "computed", Computed: true, Spawn: true}, {Name: "waits", Sync: true, Waits: true}, {Name: "overlap", Overlap: true, Plain: true}}
	var sum smc.Tails
	for i := range fewer(12 * *programs) {
		seed, pr := uint64(*firstSeed+i), profiles[i%len(profiles)]
		p, props := testkit.Generate(seed, pr).Flat()
		flat, props, err := transform.Unroll(p, props, 2, nil)
		if err != nil {
			t.Fatal(err)
		}
		props.Goals, props.Deadlock = nil, false
		if i%2 == 0 {
			props.Final = nil
		}
		m := testkit.Models[i/len(profiles)%3]
		task := &engine.Task{Program: flat, Props: props, Model: m, KeepGoing: true, Finals: i%4 == 1}
		opt := smc.Options{Traces: i%8 < 4}
		want, _ := smc.ExploreTails(task, opt, true)
		got, n := smc.ExploreTails(task, opt, false)
		if counted(got) != counted(want) || fmt.Sprint(violations(got)) != fmt.Sprint(violations(want)) {
			t.Fatalf("seed %d, %s, %s: without tails %s %v, with tails %s %v", seed, pr.Name, m, counted(want), violations(want), counted(got), violations(got))
		}
		sum.All, sum.Skipped, sum.Again = sum.All+n.All, sum.Skipped+n.Skipped, sum.Again+n.Again
	}
	t.Logf("%d tails, %d not performed, %d performed again", sum.All, sum.Skipped, sum.Again)
	if sum.All == 0 || sum.Skipped == 0 {
		t.Error("no tails")
	}
}

// TestTailAgain: the first execution ends with a load of y, which no other thread has accessed. The section accesses y if it
// comes before the store, which shows when the race between the two is reversed. Then the execution has to be continued in
// the ordinary way.
func TestTailAgain(t *testing.T) {
	const text = `var x, y;
thread a { x = 1; }
thread b { reg r; atomic { r = x; if (r == 0) { y = 1; } } }
thread c { reg s; s = y; }
`
	u, diags := fp.Parse(source.NewFile("again.fp", []byte(text)), statement.Options{})
	if diags.HasErrors() {
		t.Fatal(diags.All)
	}
	flat, err := transform.Run(u.Program, transform.Options{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	again := 0
	for _, m := range testkit.Models {
		task := &engine.Task{Program: flat, Props: &property.Set{}, Model: m, KeepGoing: true}
		want, _ := smc.ExploreTails(task, smc.Options{Traces: true, CheckTraces: true}, true)
		got, n := smc.ExploreTails(task, smc.Options{Traces: true}, false)
		if counted(got) != counted(want) {
			t.Errorf("%s: without tails %s, with tails %s", m, counted(want), counted(got))
		}
		again += n.Again
	}
	if again == 0 {
		t.Error("no execution was continued")
	}
}

// TestKnownTails: main reads what the threads wrote last and what they count, and does what it reads. A tail is known for
// each value that it read before, and only for these: the check fails in some executions.
func TestKnownTails(t *testing.T) {
	const text = `#include <pthread.h>
#include <stdatomic.h>
#include <assert.h>
atomic_int x, y;
void *w(void *p) { atomic_store_explicit(&x, (int)(long)p, memory_order_relaxed); return 0; }
void *c(void *p) { atomic_fetch_add(&y, atomic_load_explicit(&x, memory_order_relaxed) == 2); return 0; }
int main(void) {
  pthread_t t[4];
  pthread_create(&t[0], 0, w, (void *)1L);
  pthread_create(&t[1], 0, w, (void *)2L);
  pthread_create(&t[2], 0, w, (void *)3L);
  pthread_create(&t[3], 0, c, 0);
  for (int i = 0; i < 4; i++) pthread_join(t[i], 0);
  if (atomic_load(&x) == 1) assert(atomic_load(&y) == FAILS);
  return 0;
}
`
	for _, fails := range []string{"0", "1", "y"} {
		u, diags := c.Parse([]*source.File{source.NewFile("known.c", []byte(strings.Replace(text, "FAILS", fails, 1)))}, testkit.ZeroedC())
		if diags.HasErrors() {
			t.Fatal(diags.All)
		}
		flat, err := transform.Run(u.Program, transform.Options{Unroll: 10}, nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range testkit.Models {
			task := &engine.Task{Program: flat, Props: &property.Set{Checks: true}, Model: m, KeepGoing: true}
			want, _ := smc.ExploreTails(task, smc.Options{}, true)
			got, n := smc.ExploreTails(task, smc.Options{}, false)
			if counted(got) != counted(want) || fmt.Sprint(violations(got)) != fmt.Sprint(violations(want)) || got.Failed != want.Failed {
				t.Errorf("%s, %s: without tails %s %v, with tails %s %v", fails, m, counted(want), violations(want), counted(got), violations(got))
			}
			if (len(got.Violations) > 0) != (fails != "y") || n.Skipped == 0 {
				t.Errorf("%s, %s: %d violations, %d tails not performed", fails, m, len(got.Violations), n.Skipped)
			}
		}
	}
}

// TestTailWaitsForItself: a thread that joins itself, when all others have ended, has no tail.
func TestTailWaitsForItself(t *testing.T) {
	p, diags := irtext.Parse("self.ir", []byte(`program self flat
main t0
object x size 8
object y size 8

func t0() {
  reg h
  L0 -> L1: h = spawn {t1}()
  L1 -> L2: join 0
  L2 -> L3: join h
}

func t1() {
  reg r
  L0 -> L1: store [&y] = 1 in y
  L1 -> L2: r = load [&x] in x
}

thread t0 = t0()
thread t1 = t1() spawned
`))
	if diags.HasErrors() {
		t.Fatalf("%+v", diags.All)
	}
	for _, m := range testkit.Models {
		task := &engine.Task{Program: p, Props: &property.Set{}, Model: m, KeepGoing: true}
		want, _ := smc.ExploreTails(task, smc.Options{Traces: true}, true)
		got, _ := smc.ExploreTails(task, smc.Options{Traces: true}, false)
		if counted(got) != counted(want) || got.Stats.Executions != 1 {
			t.Errorf("%s: %+v, want %+v", m, got.Stats, want.Stats)
		}
	}
}
