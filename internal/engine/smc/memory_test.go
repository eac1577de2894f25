package smc_test

import (
	"fmt"
	"strings"
	"testing"

	"fencepost/internal/engine"
	"fencepost/internal/engine/smc"
	"fencepost/internal/ir"
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
	p, diags := ir.Parse("stores.ir", []byte(text.String()))
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
