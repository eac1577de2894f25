package smc_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"fencepost/internal/engine"
	"fencepost/internal/engine/smc"
	"fencepost/internal/ir"
	"fencepost/internal/property"
	"fencepost/internal/testkit"
)

// choiceProgram is a random program of threads that choose among operations, some of which are possible only before what
// other threads do: locks, joins, and spawns of threads that others can start. Threads a and b exist from the beginning.
func choiceProgram(seed uint64) string {
	r := rand.New(rand.NewPCG(seed, 2))
	operation := func() string {
		switch k := r.IntN(24); {
		case k < 6:
			return "h = spawn {" + []string{"c", "d", "c, d", "d, c"}[r.IntN(4)] + "}()"
		case k < 9:
			return fmt.Sprintf("join %d", r.IntN(4))
		case k < 12:
			return "lock [&m]"
		case k < 14:
			return "unlock.errorcheck [&m]"
		case k < 15:
			return "h = trylock [&m]"
		case k < 18:
			return fmt.Sprintf("store [&x] = %d", 1+r.IntN(2))
		case k < 20:
			return "h = load [&x]"
		case k < 21:
			return "h = await [&x] when (seen != 0)"
		case k < 22:
			return "fence"
		default:
			return "nop"
		}
	}
	var text strings.Builder
	text.WriteString("program choices flat\nobject x size 8\nobject m size 8\n")
	for _, name := range []string{"a", "b", "c", "d"} {
		fmt.Fprintf(&text, "func %s() {\n  reg h\n", name)
		n := 1 + r.IntN(2)
		if name < "c" {
			n += r.IntN(2)
		}
		for i := range n {
			for k := range 1 + r.IntN(3) {
				op := operation()
				if r.IntN(6) > 0 {
					fmt.Fprintf(&text, "  L%d -> L%d: %s\n", i, i+1, op)
					continue
				}
				fmt.Fprintf(&text, "  L%d -> A%d%d: %s\n  A%d%d -> L%d: assert (h == %d)\n", i, i, k, op, i, k, i+1, r.IntN(4))
			}
		}
		text.WriteString("}\n")
	}
	text.WriteString("thread a = a()\nthread b = b()\nthread c = c() spawned\nthread d = d() spawned\n")
	return text.String()
}

// TestChoices: programs of choices have one execution for every order of events, and the failing checks and deadlocks
// that the explicit engine finds.
func TestChoices(t *testing.T) {
	total, skipped, failing := 0, 0, 0
	for i := range fewer(4 * *programs) {
		seed := uint64(*firstSeed + i)
		p, diags := ir.Parse("choices.ir", []byte(choiceProgram(seed)))
		if diags.HasErrors() {
			t.Fatal(diags.All, choiceProgram(seed))
		}
		m := testkit.Models[i%3]
		task := &engine.Task{Program: p, Props: &property.Set{Checks: true, Deadlock: true}, Model: m, KeepGoing: true}
		if smc.Engine.Supports(task) != nil {
			skipped++
			continue
		}
		n, ok := countOrders(t, task, smc.Options{})
		if total += n; !ok {
			skipped++
		}
		want, err := testkit.Ask(testkit.Explicit, p, task.Props, m, testkit.How{})
		if err != nil {
			t.Fatalf("seed %d, %s: explicit: %v", seed, m, err)
		}
		got, err := testkit.Ask(&smc.Engine, p, task.Props, m, testkit.How{})
		if err != nil {
			t.Errorf("smc: %v", err)
		} else if d := testkit.Difference(want, got); d != "" {
			t.Error(d)
		}
		failing += bit(len(want.Checks) > 0 || want.Deadlock)
		if t.Failed() {
			t.Fatalf("seed %d, %s\n%s", seed, m, ir.Print(p))
		}
	}
	t.Logf("%d orders, %d programs skipped, %d with violations", total, skipped, failing)
	if failing == 0 {
		t.Error("no program has violations")
	}
}
