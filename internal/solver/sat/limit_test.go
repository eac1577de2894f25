package sat_test

import (
	"context"
	"testing"

	"fencepost/internal/solver/sat"
)

// TestLimit: a solver that holds more than its limit gives up, before the search and in
// its middle, and answers when it has room again.
func TestLimit(t *testing.T) {
	for name, fresh := range solvers(t) {
		s := fresh()
		pigeons(s, 7)
		held := s.Bytes()
		if held <= 0 {
			t.Errorf("%s holds %d bytes", name, held)
		}
		s.Limit(held / 2)
		if got, err := s.Solve(context.Background()); err != nil || got != sat.OutOfMemory {
			t.Errorf("%s: %v, %v; want out of memory", name, got, err)
		}
		s.Limit(0)
		if got, err := s.Solve(context.Background()); err != nil || got != sat.Unsat {
			t.Errorf("%s: %v, %v; want unsat", name, got, err)
		}
	}
	// What is learnt counts. No machine refutes that many pigeons.
	s := sat.NewEmbedded()
	pigeons(s, 30)
	s.Limit(s.Bytes() + 1<<20)
	if got, err := s.Solve(context.Background()); err != nil || got != sat.OutOfMemory {
		t.Errorf("%v, %v; want out of memory", got, err)
	}
	if s.Conflicts == 0 {
		t.Error("the search did not begin")
	}
}
