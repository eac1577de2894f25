//go:build fencepost_small

package check

import (
	"context"

	"fencepost/internal/pipeline"
	"fencepost/verdict"
)

// certify has nothing to do: this build makes no certificates.
func certify(context.Context, *question, *pipeline.Run, *verdict.Result) error { return nil }
