package fencepost_test

import (
	"context"
	"runtime"
	"strings"
	"testing"

	"fencepost"
	"fencepost/query"
)

// TestSequence: when the function that Sequence returns has returned, no engine works any more, also none that was not needed for an
// answer.
func TestSequence(t *testing.T) {
	ctx, wait := fencepost.Sequence(context.Background())
	opt := query.CheckOptions{Options: query.Defaults(), Models: query.AllModels(), Engines: []query.Engine{"explicit", "smc", "rf", "bmc"}}
	for range 3 {
		if _, err := fencepost.Check(ctx, storeBuffering, opt); err != nil {
			t.Fatal(err)
		}
	}
	wait()
	stacks := make([]byte, 1<<20)
	stacks = stacks[:runtime.Stack(stacks, true)]
	for one := range strings.SplitSeq(string(stacks), "\n\n") {
		if strings.Contains(one, "fencepost/internal/engine/") {
			t.Errorf("an engine still works:\n%s", one)
		}
	}
}
