//go:build fencepost_small

package check

import (
	"context"

	"fencepost/query"
)

// kept is empty: this build stores no certificates.
type kept struct{}

// runStored searches: this build reads no certificates.
func runStored(ctx context.Context, in query.Input, opt query.CheckOptions) (query.Answer, error) {
	opt.Store = nil
	return answer(ctx, in, opt, nil)
}
