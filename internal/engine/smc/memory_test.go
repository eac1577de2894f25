package smc_test

import (
	"fmt"
	"strings"
	"testing"

	"fencepost/internal/engine"
	"fencepost/internal/engine/smc"
	"fencepost/internal/ir"
	"fencepost/internal/property"
	"fencepost/internal/testkit"
)

// TestMemory: apart from wakeup trees, memory is that of one execution: forty times as many
// executions, of seven stores instead of five, do not need twice as much.
func TestMemory(t *testing.T) {
	for _, m := range testkit.Models {
		var executions, bytes [2]int64
		for k, n := range []int{5, 7} {
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
			executions[k], bytes[k] = smc.ExploreBytes(&engine.Task{Program: p, Props: &property.Set{}, Model: m, KeepGoing: true})
		}
		t.Logf("%s: %d executions in %d bytes, %d in %d", m, executions[0], bytes[0], executions[1], bytes[1])
		if executions[1] < 40*executions[0] || bytes[1] >= 2*bytes[0] {
			t.Errorf("%s: %d executions in %d bytes, %d in %d", m, executions[0], bytes[0], executions[1], bytes[1])
		}
	}
}
