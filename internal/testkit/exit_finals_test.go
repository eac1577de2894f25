package testkit_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"fencepost/internal/engine"
	"fencepost/internal/engine/explicit"
	"fencepost/internal/engine/rf"
	"fencepost/internal/engine/smc"
	"fencepost/internal/ir"
	"fencepost/internal/memory"
	"fencepost/internal/pipeline"
	"fencepost/internal/property"
	"fencepost/query"
)

// exiting returns a program whose main ends it, with what it reads, while threads can wait for ever.
func exiting(r *rand.Rand) string {
	var b strings.Builder
	b.WriteString("#include <pthread.h>\n#include <stdatomic.h>\n#include <stdlib.h>\nstatic atomic_int x[2];\nstatic atomic_long seen[2];\n")
	for t := range 2 {
		fmt.Fprintf(&b, "static void *thread_%d(void *unused) {\n  long v = 1;\n", t)
		for range 3 {
			at, value := r.IntN(2), r.IntN(3)
			switch r.IntN(4) {
			case 0:
				fmt.Fprintf(&b, "  while (atomic_load_explicit(&x[%d], memory_order_relaxed) != %d) ;\n", at, value)
			case 1:
				fmt.Fprintf(&b, "  v = v * 3 + atomic_fetch_add(&x[%d], 1);\n", at)
			case 2:
				fmt.Fprintf(&b, "  atomic_store_explicit(&x[%d], %d, memory_order_relaxed);\n", at, value)
			default:
				fmt.Fprintf(&b, "  v = v * 3 + atomic_load_explicit(&x[%d], memory_order_relaxed);\n", at)
			}
		}
		fmt.Fprintf(&b, "  atomic_store_explicit(&seen[%d], v, memory_order_relaxed);\n  while (x[0] + x[1] < 9) ;\n  return 0;\n}\n", t)
	}
	b.WriteString("static atomic_long over;\nint main(void) {\n  pthread_t t[2];\n  pthread_create(&t[0], 0, thread_0, 0);\n  pthread_create(&t[1], 0, thread_1, 0);\n")
	b.WriteString("  long a = seen[0], b = seen[1];\n  atomic_store(&over, 1 + a * 1000 + b);\n  exit(0);\n}\n")
	return b.String()
}

// TestExitFinals: three engines agree on the final states at exit while other threads wait for ever.
func TestExitFinals(t *testing.T) {
	states := 0
	for seed := range uint64(12) {
		text := exiting(rand.New(rand.NewPCG(seed, 0x6578)))
		for _, model := range []memory.Model{memory.SC, memory.TSO, memory.PSO} {
			want := exitFinals(t, text, model, &explicit.Engine)
			for _, e := range []*engine.Engine{&smc.Engine, &rf.Engine} {
				if got := exitFinals(t, text, model, e); !slices.Equal(got, want) {
					t.Errorf("seed %d under %s: %s finds %v, explicit %v\n%s", seed, model, e.Name, got, want, text)
				}
			}
			states += len(want)
		}
	}
	if states < 2*12*3 {
		t.Errorf("%d final states: the test compares little", states)
	}
}

// exitFinals returns the final states that an engine finds.
func exitFinals(t *testing.T, text string, model memory.Model, e *engine.Engine) []string {
	run := pipeline.Open(query.Input{Name: "exits.c", Text: []byte(text)})
	opt := query.Options{}
	if err := run.Read(t.Context(), pipeline.ReadOptions{Options: opt}); err != nil {
		t.Fatalf("%v %v\n%s", err, run.Diagnostics, text)
	}
	flat, err := run.FlattenFixed(opt)
	if err != nil {
		t.Fatal(err)
	}
	run.Props = &property.Set{Checks: true}
	for i := range flat.Objects {
		if o := &flat.Objects[i]; o.Name == "over" {
			run.Props.Observe = []property.Var{{Name: "over", Thread: ir.NoThread, Addr: o.Addr, Type: ir.S64}}
		}
	}
	task := run.Task(flat, model, &opt)
	task.Finals, task.KeepGoing, task.ExitFinals = true, true, true
	out, err := pipeline.RunEngine(t.Context(), e, task)
	if err != nil || out.Unknown != "" || len(out.Violations) > 0 {
		t.Fatalf("%s: %v %+v\n%s", e.Name, err, out, text)
	}
	return out.Finals
}
