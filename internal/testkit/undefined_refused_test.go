package testkit_test

import (
	"strings"
	"testing"

	"fencepost/internal/engine"
	"fencepost/internal/pipeline"
)

// TestUndefinedRefused: few C programs of the corpus need masks in memory, which engines with a memory of their own do not
// have: only where what may be undefined is a block whose address others get, or depends on values that are not
// known before the program runs. An array that a loop fills is not among them.
func TestUndefinedRefused(t *testing.T) {
	const most = 31
	programs := 0
	var refused []string
	for _, c := range corpus(t) {
		if !strings.HasSuffix(c.Input.Name, ".c") {
			continue
		}
		run := pipeline.Open(c.Input)
		if err := run.Read(t.Context(), pipeline.ReadOptions{Options: c.Options.Options}); err != nil {
			t.Errorf("%s: %v", c.Name(), err)
			continue
		}
		flat, err := run.Flatten(c.Options.Options)
		if err != nil {
			t.Errorf("%s: %v", c.Name(), err)
			continue
		}
		programs++
		if engine.NoMasks("the engine", flat) != nil {
			refused = append(refused, c.Name())
		}
	}
	t.Logf("%d of %d programs need masks in memory: %s", len(refused), programs, strings.Join(refused, " "))
	if len(refused) > most {
		t.Errorf("%d programs need masks in memory, more than %d: %s", len(refused), most, strings.Join(refused, " "))
	}
}
