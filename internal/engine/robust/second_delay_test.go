package robust_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"fencepost/internal/engine"
	"fencepost/internal/engine/robust"
	"fencepost/internal/ir"
	"fencepost/internal/memory"
	"fencepost/internal/property"
)

// pick returns one of the texts.
func pick(r *rand.Rand, texts ...string) string { return texts[r.IntN(len(texts))] }

// chain makes a body of operations in a row; an operation with a branch has the location of the next as %[2]s.
func chain(ops []string) string {
	var out []string
	for i, op := range ops {
		from, to := fmt.Sprintf("l%d", i), fmt.Sprintf("l%d", i+1)
		if strings.Contains(op, "%[2]s") {
			out = append(out, fmt.Sprintf(op, from, to))
		} else {
			out = append(out, from+" -> "+to+": "+op)
		}
	}
	return strings.Join(out, "; ")
}

// waitingProgram makes a program of two threads that store, and one or two whose operations wait or depend on what they
// read.
func waitingProgram(r *rand.Rand) []string {
	var bodies []string
	for t := range 2 {
		flag := string("yz"[t])
		var ops []string
		if r.IntN(4) == 0 {
			ops = append(ops, pick(r, "rmw.add [&x], 1 seq_cst when (seen == 0)", "r = load [&"+string("zy"[t])+"]", "s = load.u8 [&x]"))
		}
		for range 1 + r.IntN(2) {
			ops = append(ops, fmt.Sprintf(pick(r, "store.u8 [&x] = %d", "store.u8 [(&x + 1)] = %d", "store.u16 [&x] = %d", "store [&x] = %d", "store [&w] = %d"), r.IntN(3)))
		}
		if r.IntN(6) == 0 {
			ops = append(ops, pick(r, "fence.ss", "fence.full"))
		}
		ops = append(ops, pick(r, "store [&"+flag+"] = 1", "store [&"+flag+"] = 1", "r = load [&"+flag+"]", "store [&w] = 2"))
		bodies = append(bodies, chain(ops))
	}
	depends := func() string {
		section := "%[1]s -> %[1]sa: atomicbegin; %[1]sa -> %[1]sb: s = load.u8 [&x]; %[1]sb -> %[1]sc: assume (s == 0); %[1]sb -> %[1]sd: assume (s != 0); %[1]sc -> %[1]sd: " +
			pick(r, "store [&w] = 1", "s = load [&w]", "s = load.u8 [(&x + 1)]", "store [&y] = 2") + "; %[1]sd -> %[2]s: atomicend"
		return pick(r, "await [&x] when (seen == 0)", "await.u16 [&x] when (seen == 0)", "await.u8 [&x] when (seen == 1)", "rmw.add [&x], 1 seq_cst when (seen == 0)",
			"rmw.cas.u32 [&x], 0, 117901063 seq_cst fail seq_cst", "s = load [&x]", section, section)
	}
	arrived := func() string {
		return pick(r, "await [&y] when (seen == 1)", "await [&z] when (seen == 1)", "r = load [&y]", "r = load [&z]", "r = load.u8 [(&x + 2)]", "store [&z] = 2", "store [&y] = 2")
	}
	if r.IntN(3) == 0 { // both messages have come before the last operation
		store := func(flag string) string {
			return chain([]string{fmt.Sprintf(pick(r, "store.u8 [&x] = %d", "store.u8 [(&x + 1)] = %d", "store.u16 [&x] = %d", "store [&x] = %d"), 1+r.IntN(2)), "store [&" + flag + "] = 1"})
		}
		return []string{store("y"), store("z"), chain([]string{"await [&y] when (seen == 1)", "await [&z] when (seen == 1)", depends()})}
	}
	ops := []string{arrived()}
	if r.IntN(2) == 0 {
		ops = append(ops, arrived())
	}
	bodies = append(bodies, chain(append(ops, depends())))
	if r.IntN(4) == 0 {
		bodies = append(bodies, chain([]string{depends()}))
	}
	return bodies
}

// TestSecondDelay: programs in which operations depend on stores of two other threads, or on two stores of one, against the
// definition. The search is right, or unknown where it found no attack.
func TestSecondDelay(t *testing.T) {
	counts := map[string]int{}
	for seed, n := *firstSeed, 0; n < 2**programs; seed++ {
		bodies := waitingProgram(rand.New(rand.NewPCG(seed, 2)))
		flat := flatten(t, bodies...)
		model := memory.PSO
		if seed%8 == 0 {
			model = memory.TSO
		}
		cyclic, ok := cyclicAmong(flat, model, 1000)
		if !ok {
			counts["too large"]++
			continue
		}
		n++
		for _, bare := range []bool{false, true} {
			out, err := robust.Run(context.Background(), &engine.Task{Program: flat, Props: &property.Set{}, Model: model, NoReduction: bare, Limits: engine.Limits{Workers: 1}})
			if err != nil {
				t.Fatal(err)
			}
			for i := range out.Violations {
				if err := replays(flat, model, &out.Violations[i]); err != nil {
					t.Errorf("seed %d: %v\n%q", seed, err, bodies)
				}
			}
			switch {
			case len(out.Violations) > 0 && !cyclic || len(out.Violations) == 0 && out.Unknown == "" && cyclic:
				t.Fatalf("seed %d, %s, filters %v: %d attacks, an execution with a cycle exists: %v\n%q\n%s", seed, model, !bare, len(out.Violations), cyclic, bodies, ir.Print(flat))
			case out.Unknown != "" && !bare:
				counts[fmt.Sprintf("unknown, cyclic %v", cyclic)]++
			case !bare:
				counts[fmt.Sprintf("robust %v", !cyclic)]++
			}
		}
	}
	t.Logf("%v", counts)
}
