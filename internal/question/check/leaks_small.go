//go:build fencepost_small

package check

import (
	"context"

	"fencepost/internal/pipeline"
	"fencepost/verdict"
)

// withLeaks refuses the question: the small part of the site does not look for memory leaks.
func withLeaks(_ context.Context, q *question, _ func(context.Context) (*verdict.Result, error)) (*verdict.Result, error) {
	return nil, q.Refuse(verdict.Diagnostic{Code: pipeline.NeedsWhole, Message: "memory leaks are not looked for here"})
}
