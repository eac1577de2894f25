package smc

import (
	"crypto/sha256"
	"sync"

	"fencepost/internal/trace"
)

// checker watches an exploration for what must never happen: a trace explored
// twice, or an execution cut off by a sleep set. It keeps a hash per execution, so
// it is for tests and debugging (Options.CheckTraces).
type checker struct {
	mu   sync.Mutex
	seen map[[sha256.Size]byte]bool
}

func newChecker() *checker { return &checker{seen: map[[sha256.Size]byte]bool{}} }

// complete looks at an execution that came to its end.
func (c *checker) complete(x *explorer) {
	key := sha256.Sum256([]byte(trace.New(x.y.Prog, x.witness()).Canonical()))
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.seen[key] {
		x.fail("a trace was explored twice, the second time as execution %d", x.out.executions())
	}
	c.seen[key] = true
}

// asleep looks at an execution in which only sleeping processes could go on.
func (c *checker) asleep(x *explorer) {
	if !x.source {
		x.fail("execution %d was cut off by a sleep set", x.out.executions()+1)
	}
}
