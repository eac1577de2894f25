package query

import (
	"fmt"

	"fencepost/verdict"
)

// ExploreOptions are the options of Explore.
type ExploreOptions struct {
	Options
	Model Model // "": TSO
	// Run names the steps to take, as verdict.State has them. Witness, if not nil, is taken before: an execution
	// that an earlier answer has.
	Run     []string
	Witness *verdict.Witness
	// Add names a step to take after the others.
	Add string
	// Advance also takes the local steps that follow and leave nothing to choose.
	Advance bool
	// Lenient leaves steps of the run out that are not possible, instead of refusing the run.
	Lenient bool
}

// MaxRun is the largest number of steps of a run.
const MaxRun = 20_000

// RunError says which step of a run is not possible. A run that was stored by another version, or changed, may have
// such a step.
type RunError struct {
	Index int // in the run, from 0
	Name  string
	Why   string
}

func (e *RunError) Error() string {
	return fmt.Sprintf("step %d of the run (%s) is not possible: %s", e.Index+1, e.Name, e.Why)
}
