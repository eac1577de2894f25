package param

import (
	"context"
	"testing"

	"fencepost/internal/engine"
)

// CoverFrom decides a question by the backward search alone, without pairs, and with the
// marking equation from some number of elements on. It also gives how many markings the
// equation left out. Large searches are not completed.
func CoverFrom(t *testing.T, task *engine.Task, q Question, from int) (possible, complete bool, pruned int) {
	t.Helper()
	b, err := build(context.Background(), task, q == Robust, nil)
	if err != nil {
		t.Fatal(err)
	}
	c := newCover(b.net, nil)
	c.from, c.limit = from, 150
	found, complete := c.run(context.Background(), b.bad)
	if c.eq != nil {
		pruned = c.eq.pruned
	}
	return found != nil, complete, pruned
}
