package bmc_test

import (
	"context"
	"strings"
	"testing"

	"fencepost/internal/engine"
	"fencepost/internal/engine/bmc"
	"fencepost/internal/ir/irtext"
	"fencepost/internal/memory"
	"fencepost/internal/property"
)

// countdown is a context that ends after its error has been asked for a number of
// times: how far the engine gets does not depend on the clock.
type countdown struct {
	context.Context
	left int
}

func (c *countdown) Err() error {
	if c.left--; c.left < 0 {
		return context.DeadlineExceeded
	}
	return nil
}

// TestLimits: encoding and solving obey the context and the memory limit, wherever they
// are when it is met, and what was not finished is unknown.
func TestLimits(t *testing.T) {
	flat, errs := irtext.Parse("products", []byte(`program products flat
func a() {
  reg v
  reg w
  0 -> 1: v = havoc
  1 -> 2: w = havoc
  2 -> 3: assert ((((v * w) * v) * w) != 0)
}
thread a = a()
`))
	if errs.HasErrors() {
		t.Fatal(errs.All)
	}
	wide := bmc.New(bmc.Options{Width: 64})
	task := func() *engine.Task {
		return &engine.Task{Program: flat, Props: &property.Set{Checks: true}, Model: memory.TSO}
	}
	whole, err := wide.Run(context.Background(), task())
	if err != nil || whole.Unknown != "" || len(whole.Violations) != 1 {
		t.Fatal(err, whole)
	}
	if whole.Stats.Gates < 1<<14 {
		t.Fatalf("the formula has %d gates: too few for a limits at the limits", whole.Stats.Gates)
	}
	for left := range 4 {
		out, err := wide.Run(&countdown{context.Background(), left}, task())
		if err != nil || out.Unknown != "time limit reached" || out.Coverage.Exhaustive {
			t.Errorf("after %d sees: %v %+v", left, err, out)
		}
		if out.Stats.Gates >= whole.Stats.Gates {
			t.Errorf("after %d sees the formula has %d gates of %d", left, out.Stats.Gates, whole.Stats.Gates)
		}
	}
	limited := task()
	limited.Limits.Memory = 1 << 20
	out, err := wide.Run(context.Background(), limited)
	if err != nil || !strings.HasPrefix(out.Unknown, "memory limit of 1 MiB reached") || out.Stats.Gates >= whole.Stats.Gates {
		t.Errorf("%v %+v", err, out)
	}
}
