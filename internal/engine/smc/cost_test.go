package smc_test

import (
	"fmt"
	"testing"

	"fencepost/internal/engine"
	"fencepost/internal/engine/smc"
	"fencepost/internal/family"
	"fencepost/internal/frontend/fp"
	"fencepost/internal/frontend/statement"
	"fencepost/internal/ir"
	"fencepost/internal/memory"
	"fencepost/internal/property"
	"fencepost/internal/source"
	"fencepost/internal/testkit"
	"fencepost/internal/transform"
)

// flatText returns a program for the engine.
func flatText(t testing.TB, text string) *ir.Program {
	t.Helper()
	u, diags := fp.Parse(source.NewFile("text.fp", []byte(text)), statement.Options{})
	if diags.HasErrors() {
		t.Fatal(diags.All)
	}
	flat, err := transform.Run(u.Program, transform.Options{Unroll: 40}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return flat
}

// TestNoAllocations: an exploration that has the memory it needs allocates none, whatever it explores.
func TestNoAllocations(t *testing.T) {
	for _, f := range []struct {
		name string
		n    int
	}{{"readers", 6}, {"writers", 4}, {"sbn", 5}, {"bufw", 6}, {"casrot", 5}, {"ainc", 4}, {"fib", 3}, {"indexer", 12}, {"lastzero", 5}, {"szymanski", 1}} {
		gen, _ := family.Find(f.name)
		flat := flatText(t, gen.Text(f.n))
		for _, m := range testkit.Models {
			a := smc.NewAgain(&engine.Task{Program: flat, Props: &property.Set{}, Model: m})
			var events int64
			if n := testing.AllocsPerRun(3, func() { events = a.Explore() }); n > 0 {
				t.Errorf("%s(%d) under %s: %.0f allocations in %d events", f.name, f.n, m, n, events)
			}
		}
	}
}

// BenchmarkOtherThreads explores store buffering of two threads; only the number of threads that run before them, and
// share nothing with them, differs.
func BenchmarkOtherThreads(b *testing.B) {
	for _, n := range []int{0, 10, 100} {
		text := "var x, y, z[200], go;\nthread a { reg r; assume go == 0; x = 1; r = y; x = 2; r = y; x = 3; r = y; }\nthread b { reg r; y = 1; r = x; y = 2; r = x; y = 3; r = x; }\n"
		for i := range n {
			text += fmt.Sprintf("thread c%d { z[%d] = 1; }\n", i, i)
		}
		flat := flatText(b, text)
		b.Run(fmt.Sprintf("threads=%d", n), func(b *testing.B) {
			a := smc.NewAgain(&engine.Task{Program: flat, Props: &property.Set{}, Model: memory.TSO})
			events := int64(0)
			for b.Loop() {
				events += a.Explore()
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(events), "ns/event")
		})
	}
}
