package rf_test

import (
	"context"
	"runtime"
	"testing"

	"fencepost/internal/engine"
	"fencepost/internal/engine/rf"
	"fencepost/internal/memory"
	"fencepost/internal/property"
	"fencepost/verdict"
)

// TestMemory: what an exploration keeps does not grow with the number of classes: less than a megabyte at
// 20 points of an exploration of 720 classes, and of one of 64.
func TestMemory(t *testing.T) {
	live := func() uint64 {
		runtime.GC()
		var s runtime.MemStats
		runtime.ReadMemStats(&s)
		return s.HeapAlloc
	}
	for _, f := range families(6) {
		if f.want[1] < 50 {
			continue
		}
		p := program(t, f.threads...)
		before, most, n := live(), uint64(0), int64(0)
		e := rf.New(rf.Options{Traces: true, Restart: func() { n = 0 }, Visit: func(*verdict.Witness) {
			if n++; n%(f.want[1]/20) == 0 {
				most = max(most, live())
			}
		}})
		if _, err := e.Run(context.Background(), &engine.Task{Program: p, Props: &property.Set{}, Model: memory.TSO}); err != nil || n != f.want[1] {
			t.Fatalf("%s: %d classes, want %d (%v)", f.name, n, f.want[1], err)
		}
		if most > before+1<<20 {
			t.Errorf("%s: %d bytes more than before", f.name, most-before)
		}
	}
}
