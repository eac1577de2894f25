package smc

import (
	"crypto/sha256"
	"fmt"
	"sync"

	"fencepost/internal/trace"
)

// checker checks that an exploration is optimal: no trace is explored twice, and no execution is
// cut off by a sleep set. It keeps a hash per execution, so it is for tests and debugging
// (Options.CheckTraces).
type checker struct {
	mu   sync.Mutex
	seen map[[sha256.Size]byte]bool
}

func newChecker() *checker { return &checker{seen: map[[sha256.Size]byte]bool{}} }

// complete checks an execution in which all threads finished.
func (c *checker) complete(x *explorer) {
	key := sha256.Sum256([]byte(trace.New(x.run.Sys.Prog, x.witness()).Canonical()))
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.seen[key] {
		x.out.fail(fmt.Errorf("a trace was explored twice, the second time as execution %d", x.out.counts.All()))
	}
	c.seen[key] = true
}

// asleep checks an execution in which all enabled events sleep.
func (c *checker) asleep(x *explorer) {
	if !x.tree.sourceDPOR {
		x.out.fail(fmt.Errorf("execution %d was cut off by a sleep set", x.out.counts.All()+1))
	}
}
