package mover_test

import (
	"errors"
	"fmt"
	"testing"

	"fencepost/internal/engine/mover"
	"fencepost/internal/ir"
	"fencepost/internal/memory"
	"fencepost/internal/property"
	"fencepost/internal/testkit"
	"fencepost/verdict"
)

// campaign proves random programs for any number of threads and compares each answer with instances: a program that is
// proved fails with none of one to four threads, and the invariants hold in all states of small instances.
type campaign struct {
	proved, failing, open, refused int
	pso                            int // programs that are proved for PSO
	big                            int // programs with an instance that has too many states
	compared                       int // comparisons of an invariant with a state
}

// trial is a program of a campaign.
type trial struct {
	name  string // with its text
	prog  *ir.Program
	props *property.Set
	opt   mover.Options
	sizes []int // of the instances whose states are compared with invariants
	// instance returns the program with n threads of each template.
	instance func(n int) (*ir.Program, *property.Set)
	how      testkit.How
	proved   func(*mover.Outcome) // is shown each outcome; nil: not needed
}

// model returns the memory model of the proof.
func (x *trial) model() memory.Model {
	if x.opt.PSO {
		return memory.PSO
	}
	return memory.TSO
}

// try proves a program and compares. It returns false if the program is refused.
func (c *campaign) try(t *testing.T, x trial) bool {
	t.Helper()
	out, n := proveAndCompare(t, x.name, x.prog, x.props, x.opt, x.sizes...)
	if out == nil {
		c.refused++
		return false
	}
	c.compared += n
	if x.proved != nil {
		x.proved(out)
	}
	holds := out.Verdict != verdict.Unknown && out.Proof.Open() == 0
	fails := false
	x.how.First, x.how.Memory = true, 12<<20
	for n := 1; n <= 4 && !fails; n++ {
		some, props := x.instance(n)
		got, err := testkit.Ask(testkit.Explicit, some, props, x.model(), x.how)
		if errors.Is(err, testkit.ErrTooBig) {
			c.big++
			break
		}
		if err != nil {
			t.Fatalf("%v\n%s", err, x.name)
		}
		if fails = len(got.Checks) > 0; fails && holds {
			t.Fatalf("proved for %s, but %q fail with %d threads of each template\n%s", x.model(), got.Checks, n, x.name)
		}
	}
	switch {
	case holds:
		c.proved++
		if x.opt.PSO {
			c.pso++
		}
	case fails:
		c.failing++
	default:
		c.open++
	}
	return true
}

func (c *campaign) String() string {
	return fmt.Sprintf("%d proved, %d of them for PSO, %d fail, %d do neither, %d refused; %d had instances that were too big; %d comparisons of an invariant with a state",
		c.proved, c.pso, c.failing, c.open, c.refused, c.big, c.compared)
}

// tell logs the figures now and then: a campaign that is cut off counts for what it did.
func (c *campaign) tell(t *testing.T, i int) {
	if i%10 == 9 {
		t.Logf("after %d: %s", i+1, c)
	}
}

// end logs the figures. A campaign without proofs, without violations or without invariants tests nothing.
func (c *campaign) end(t *testing.T) {
	t.Helper()
	t.Log(c)
	if c.proved == 0 || c.failing == 0 || c.compared == 0 {
		t.Error("the test tests nothing")
	}
}
