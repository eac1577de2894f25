package fences

import (
	"context"
	"testing"

	"fencepost/internal/engine/fences"
	"fencepost/internal/ir"
	"fencepost/internal/pipeline"
	"fencepost/query"
)

const storeBuffering = `var x, y;
thread t { reg r; x = 1; r = y; }
thread u { reg r; y = 1; r = x; }
`

// A set that is found before the time limit is the answer, although the reasons for its fences are missing.
func TestSetBeforeTheTimeLimit(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	r, cost, err := Prepare(ctx, pipeline.Open(query.Input{Name: "sb.fp", Text: []byte(storeBuffering)}), Defaults(query.FenceOptions{Options: query.Defaults()}))
	if err != nil {
		t.Fatal(err)
	}
	task := r.SearchTask(cost)
	confirm := task.Confirm
	task.Confirm = func(ctx context.Context, at []ir.FenceAt) (*fences.Finding, error) {
		found, err := confirm(ctx, at)
		if err == nil && found.Status == fences.Good {
			cancel()
		}
		return found, err
	}
	out, err := fences.Run(ctx, task)
	if err != nil || out.Status != fences.Good || len(out.Fences) != 2 || len(out.Without) != 0 {
		t.Fatalf("%+v, %v", out, err)
	}
	if len(out.Warnings) != 1 || out.Warnings[0].Code != fences.NoReasons {
		t.Errorf("%+v", out.Warnings)
	}
}
