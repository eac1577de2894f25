package asker

import (
	"context"

	"fencepost"
	"fencepost/cluster/internal/store"
)

// ErrRecords is for the tests.
var ErrRecords = errRecords

// Await waits for a check.
func Await(ctx context.Context, a *Asker, job *store.Job) (fencepost.Partial, string, error) {
	return a.await(ctx, job, nil)
}
