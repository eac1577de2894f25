//go:build fencepost_small

package dual

import (
	"context"
	"errors"

	"fencepost/internal/engine"
)

// In the small part of the playground (docs/adr/0023) the engine takes no task, so that the linker leaves the search
// out. Where an answer is missing because of that, the playground asks the whole part.

var errSmall = errors.New("dual is not in this build")

func linked(*engine.Task) error { return errSmall }

func answer(context.Context, *engine.Task, Options) (*engine.Outcome, error) { return nil, errSmall }
