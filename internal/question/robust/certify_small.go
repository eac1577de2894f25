//go:build fencepost_small

package robust

import (
	"context"

	"fencepost/internal/pipeline"
	"fencepost/verdict"
)

// certify has nothing to do: this build makes no certificates.
func certify(context.Context, *pipeline.Run, *question, *verdict.Result) error { return nil }
