package asker

import (
	"context"

	"fencepost"
	"fencepost/cluster/internal/store"
)

// Await waits for a check.
func Await(ctx context.Context, a *Asker, job *store.Job) (fencepost.Partial, string) {
	a.report = newReport(a.Say, false)
	defer a.report.end()
	return a.await(ctx, job, nil)
}
