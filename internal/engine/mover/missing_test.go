package mover_test

import (
	"context"
	"testing"

	"fencepost/internal/engine/mover"
	"fencepost/internal/ir"
	"fencepost/internal/proof/program"
)

// TestHintsHoldInSmallestInstance: a condition that a failed proof names as missing holds in all states of the instance
// with one thread per template, also if the larger instances on which conditions are tried show too few states
// to refute it: here they show the first one only, in which every register is 0.
func TestHintsHoldInSmallestInstance(t *testing.T) {
	few := func(ctx context.Context, p *ir.Program, show func(program.State)) {
		limit := int64(1000)
		if len(p.Threads) > 2 {
			limit = 1
		}
		reach(limit)(ctx, p, show)
	}
	hints := 0
	for text, refuted := range map[string]string{
		"var x, y; thread push * n { reg r; x = 1; y = 1; } thread pop * n { reg r; atomic { r = x * y; } assert r == 0 || r == 2; }": "r == 0",
		"var a, b; thread t * n { reg r; atomic { a = a + 1; b = b + 7; } atomic { r = b - a * 7; } assert r == 0; }":                 "",
	} {
		out := prove(t, text, mover.Options{Reach: few, NoAbstraction: true})
		for _, c := range out.Proof.Checks {
			for _, m := range c.Missing {
				if hints++; m.Cond == refuted {
					t.Errorf("%s: the hint %s (%s) is false in an instance with one thread per template", text, m.Cond, m.Fails)
				}
			}
		}
	}
	if hints == 0 {
		t.Error("no failed proof has a hint")
	}
}
