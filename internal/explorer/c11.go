package explorer

import (
	"fmt"

	"fencepost/internal/pipeline"
	"fencepost/query"
)

// C11's own model in the explorer. It has no store buffers, so the page cannot take steps under it: an execution is a graph, whose
// steps the page shows in their order.

// refuseC11 refuses what the page cannot do under c11, and what this part of the playground cannot.
func (a *asking) refuseC11(kind string) error {
	switch {
	case a.model != query.C11:
		return nil
	case kind != "check" && kind != "robust" && kind != "outcomes":
		return &Failure{Kind: BadRequest, Message: fmt.Sprintf("there is no %s under C11: its executions are graphs without store buffers; ask check, robust or outcomes, and choose SC, TSO or PSO to take steps", kind)}
	case !pipeline.Whole:
		return errPart
	}
	return nil
}
