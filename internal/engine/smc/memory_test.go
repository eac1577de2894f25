package smc_test

import (
	"fmt"
	"strings"
	"testing"

	"fencepost/internal/engine"
	"fencepost/internal/engine/smc"
	"fencepost/internal/family"
	"fencepost/internal/ir"
	"fencepost/internal/ir/irtext"
	"fencepost/internal/memory"
	"fencepost/internal/property"
	"fencepost/internal/testkit"
)

// stores returns a program of n threads with one store each, all to one variable.
func stores(t *testing.T, n int) *ir.Program {
	t.Helper()
	var text strings.Builder
	text.WriteString("program stores flat\nobject x size 8\n")
	for i := range n {
		fmt.Fprintf(&text, "func t%d() {\n a -> b: store [&x] = %d\n}\n", i, i)
	}
	for i := range n {
		fmt.Fprintf(&text, "thread t%d = t%d()\n", i, i)
	}
	p, diags := irtext.Parse("stores.ir", []byte(text.String()))
	if diags.HasErrors() {
		t.Fatal(diags.All)
	}
	return p
}

// TestMemoryLimit: an exploration that needs more memory than its limit answers unknown.
func TestMemoryLimit(t *testing.T) {
	for _, workers := range []int{1, 2} {
		task := &engine.Task{Program: stores(t, 8), Props: &property.Set{Checks: true}, Model: memory.TSO, KeepGoing: true}
		task.Limits.Memory, task.Limits.Workers = 1<<10, workers
		out, err := smc.Engine.Run(t.Context(), task)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(out.Unknown, "memory limit") || out.Coverage.Exhaustive {
			t.Errorf("%d workers: %q, exhaustive %t", workers, out.Unknown, out.Coverage.Exhaustive)
		}
	}
}

// TestEqualBranches: equal branches of wakeup trees are one, and what is counted is there. Where the executions of one
// writer and its readers quadruple, the trees grow by a few nodes.
func TestEqualBranches(t *testing.T) {
	for _, name := range []string{"readers", "lastzero", "fib", "casrot", "sbn", "szymanski", "indexer"} {
		gen, _ := family.Find(name)
		n := map[string]int{"readers": 7, "lastzero": 6, "fib": 3, "casrot": 5, "sbn": 5, "szymanski": 1, "indexer": 12}[name]
		for _, m := range testkit.Models {
			smc.ExploreTrees(&engine.Task{Program: flatText(t, gen.Text(n)), Props: &property.Set{}, Model: m, KeepGoing: true}, false, func(problem string) {
				if problem != "" {
					t.Fatalf("%s(%d) under %s: %s", name, n, m, problem)
				}
			})
		}
	}
	for seed := range uint64(120) {
		p := testkit.Generate(seed, testkit.Profiles[seed%uint64(len(testkit.Profiles))])
		flat, props := p.Flat()
		for _, m := range testkit.Models {
			task := &engine.Task{Program: flat, Props: props, Model: m, KeepGoing: true}
			task.Limits.Unroll = 2
			if smc.Engine.Supports(task) != nil {
				continue
			}
			var executions [2]int64
			for k, coarse := range []bool{false, true} {
				executions[k], _ = smc.ExploreTrees(task, coarse, func(problem string) {
					if problem != "" {
						t.Fatalf("seed %d under %s: %s\n%s", seed, m, problem, irtext.Print(flat))
					}
				})
			}
			if executions[0] != executions[1] {
				t.Fatalf("seed %d under %s: %d executions, with equal hashes %d\n%s", seed, m, executions[0], executions[1], irtext.Print(flat))
			}
		}
	}
	for _, name := range []string{"readers", "lastzero"} {
		gen, _ := family.Find(name)
		for _, m := range testkit.Models {
			var executions [2]int64
			var most [2]int
			for k, n := range []int{8, 10} {
				task := &engine.Task{Program: flatText(t, gen.Text(n)), Props: &property.Set{}, Model: m, KeepGoing: true}
				executions[k], most[k] = smc.ExploreTrees(task, false, func(string) {})
			}
			t.Logf("%s under %s: %d executions with %d nodes, %d with %d", name, m, executions[0], most[0], executions[1], most[1])
			if executions[1] < 4*executions[0] || most[1] > 2*most[0] {
				t.Errorf("%s under %s: %d executions with %d nodes, %d with %d", name, m, executions[0], most[0], executions[1], most[1])
			}
		}
	}
}

// TestMemory: apart from wakeup trees, memory is that of one execution: forty times as many
// executions, of seven stores instead of five, do not need twice as much.
func TestMemory(t *testing.T) {
	for _, m := range testkit.Models {
		var executions, bytes [2]int64
		for k, n := range []int{5, 7} {
			executions[k], bytes[k] = smc.ExploreBytes(&engine.Task{Program: stores(t, n), Props: &property.Set{}, Model: m, KeepGoing: true})
		}
		t.Logf("%s: %d executions in %d bytes, %d in %d", m, executions[0], bytes[0], executions[1], bytes[1])
		if executions[1] < 40*executions[0] || bytes[1] >= 2*bytes[0] {
			t.Errorf("%s: %d executions in %d bytes, %d in %d", m, executions[0], bytes[0], executions[1], bytes[1])
		}
	}
}
