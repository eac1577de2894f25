package testkit_test

import (
	"context"
	"flag"
	"fmt"
	"runtime"
	"testing"

	"fencepost/internal/engine"
	"fencepost/internal/engine/rf"
	"fencepost/internal/engine/smc"
	"fencepost/internal/ir"
	"fencepost/internal/memory"
	"fencepost/internal/property"
	"fencepost/internal/testkit"
	"fencepost/verdict"
)

var readsFrom = flag.Duration("fp.readsfrom", 0, "print the table of reads-from classes and traces, with this time limit per exploration")

// TestReadsFromTable prints, for every family of the shared data under every model, how many reads-from classes
// and how many traces it has, and what their exploration takes: seconds of processor time, and the live heap at 20 points of it,
// after a forced collection, above that before. bench/reads-from.md has the results.
func TestReadsFromTable(t *testing.T) {
	if *readsFrom == 0 {
		t.Skip("a measurement: -fp.readsfrom=6s prints the table of bench/reads-from.md")
	}
	fmt.Println("| family | model | classes | seconds | KB | traces | seconds | KB |")
	fmt.Println("|---|---|---|---|---|---|---|---|")
	for _, f := range []struct {
		name string
		n    int
	}{
		{"writers", 9}, {"nw1r", 8}, {"ainc", 6}, {"bufw", 9}, {"casrot", 7}, {"fib", 5}, {"fib", 6}, {"indexer", 13}, {"lastzero", 8},
		{"readers", 12}, {"rfi_family", 3}, {"sb_rfi_outcome", 1}, {"sbn", 10}, {"szymanski", 2},
	} {
		flat, props := family(t, f.name, 40, fmt.Sprintf("N=%d", f.n), "F=1", "A=2", "B=2")
		for _, m := range testkit.Models {
			fmt.Printf("| %s(%d) | %s | %s | %s |\n", f.name, f.n, m, exploreBy(t, true, flat, props, m), exploreBy(t, false, flat, props, m))
		}
	}
}

// exploreBy explores a program by reads-from classes or by traces, once for the time and once for the live heap. It
// returns the number of complete executions, the seconds and the kilobytes as cells of a table.
func exploreBy(t *testing.T, classes bool, flat *ir.Program, props *property.Set, m memory.Model) string {
	t.Helper()
	explore := func(visit func(*verdict.Witness)) (int64, float64, bool) {
		e := smc.New(smc.Options{Visit: visit})
		if classes {
			e = rf.New(rf.Options{Visit: visit, Restart: func() {}})
		}
		ctx, cancel := context.WithTimeout(context.Background(), *readsFrom)
		defer cancel()
		start := cpuSeconds(t)
		out, err := e.Run(ctx, &engine.Task{Program: flat, Props: props, Model: m, Limits: engine.Limits{Unroll: 40, Workers: 1}})
		if err != nil {
			t.Fatal(err)
		}
		return out.Stats.FinalStates, cpuSeconds(t) - start, out.Unknown == ""
	}
	count, seconds, all := explore(nil)
	before, most, seen := live(), uint64(0), int64(0)
	explore(func(*verdict.Witness) {
		if seen++; seen%max(1, count/20) == 0 {
			most = max(most, live())
		}
	})
	more := ""
	if !all {
		more = "> "
	}
	return fmt.Sprintf("%s%d | %s%.3f | %d", more, count, more, seconds, (max(most, before)-before)/1000)
}

// live returns the bytes of the heap that are in use.
func live() uint64 {
	runtime.GC()
	var s runtime.MemStats
	runtime.ReadMemStats(&s)
	return s.HeapAlloc
}
