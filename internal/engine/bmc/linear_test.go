package bmc

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	"fencepost/internal/engine"
	"fencepost/internal/ir/irtext"
	"fencepost/internal/memory"
	"fencepost/internal/property"
	"fencepost/internal/solver/sat"
	"fencepost/query"
)

// manyVariables is two threads that each store to n variables of their own, and load the other's in between.
func manyVariables(n int) string { return twoThreads(n, n) }

// manySteps is two threads of n stores and n loads of four variables.
func manySteps(n int) string { return twoThreads(n, 2) }

// twoThreads is two threads with n stores and n loads each, in turn to some variables of each.
func twoThreads(n, variables int) string {
	var b strings.Builder
	b.WriteString("program sized flat\n")
	for i := range variables {
		fmt.Fprintf(&b, "object a%d\nobject b%d\n", i, i)
	}
	for _, names := range [][2]string{{"a", "b"}, {"b", "a"}} {
		fmt.Fprintf(&b, "func %s() {\n  reg r\n", names[0])
		for i := range n {
			fmt.Fprintf(&b, "  %d -> %d: store [&%s%d] = %d\n", 3*i, 3*i+1, names[0], i%variables, 1+i%2)
			fmt.Fprintf(&b, "  %d -> %d: r = load [&%s%d]\n", 3*i+1, 3*i+2, names[1], i%variables)
			fmt.Fprintf(&b, "  %d -> %d: assert (r <= 2)\n", 3*i+2, 3*i+3)
		}
		fmt.Fprintf(&b, "}\nthread %s = %s()\n", names[0], names[0])
	}
	return b.String()
}

// TestLinear: with fixed bounds the formula and the memory that building it takes grow linearly with
// the program. Clauses go to the solver when they are made, so the sink here keeps none.
func TestLinear(t *testing.T) {
	for _, c := range []struct {
		name     string
		text     func(n int) string
		encoding query.Encoding
	}{
		{"variables", manyVariables, Rounds}, {"variables", manyVariables, Order}, {"steps", manySteps, Rounds},
	} {
		for _, model := range []memory.Model{memory.SC, memory.TSO, memory.PSO} {
			t.Run(fmt.Sprintf("%s/%s/%s", c.name, c.encoding, model), func(t *testing.T) {
				var sizes [3]formulaSize
				for i := range sizes {
					sizes[i] = sizeOf(t, c.text(32<<i), model, c.encoding)
				}
				t.Log(sizes)
				for what, n := range map[string][3]int64{
					"clauses": {sizes[0].clauses, sizes[1].clauses, sizes[2].clauses},
					"gates":   {sizes[0].gates, sizes[1].gates, sizes[2].gates},
					"bytes":   {sizes[0].bytes, sizes[1].bytes, sizes[2].bytes},
				} {
					// Twice as much for twice the program; four times as much would be a square.
					if first, second := n[1]-n[0], n[2]-n[1]; first <= 0 || second > 3*first {
						t.Errorf("%s of programs of size 32, 64 and 128: %d", what, n)
					}
				}
			})
		}
	}
}

// oneVariable is two threads with n stores to one variable and n loads of it each.
func oneVariable(n int) string {
	return strings.NewReplacer("&b0", "&a0", "object b0\n", "").Replace(twoThreads(n, 1))
}

// TestOneVariable: what two threads do to one variable takes about a clause for each load and store, not for each load and
// two stores.
func TestOneVariable(t *testing.T) {
	for _, model := range []memory.Model{memory.SC, memory.TSO, memory.PSO} {
		var n [3]int64
		for i := range n {
			n[i] = sizeOf(t, oneVariable(12<<i), model, Order).clauses
		}
		t.Log(model, n)
		// Four times as much for twice the program; eight times as much would be a cube.
		if first, second := n[1]-n[0], n[2]-n[1]; first <= 0 || second > 5*first {
			t.Errorf("%s: clauses of programs of size 12, 24 and 48: %d", model, n)
		}
	}
}

type formulaSize struct{ clauses, gates, bytes int64 }

// sizeOf encodes a program.
func sizeOf(t *testing.T, text string, model memory.Model, encoding query.Encoding) formulaSize {
	p, diags := irtext.Parse("sized", []byte(text))
	if diags.HasErrors() {
		t.Fatal(diags.All)
	}
	props := &property.Set{Checks: true}
	task := &engine.Task{Program: p, Props: props, Model: model}
	opt := withDefaults(Options{Encoding: encoding})
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	x, err := encode(task, p, props, opt, func(...sat.Lit) {}, func(int64) error { return nil })
	if err != nil {
		t.Fatal(err)
	}
	for _, q := range x.asker.questions() {
		x.c.lit(q.is)
	}
	x.close()
	runtime.ReadMemStats(&after)
	return formulaSize{int64(x.c.clauses), int64(len(x.c.nodes)), int64(after.TotalAlloc - before.TotalAlloc)}
}
