package program

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"

	"fencepost"
	"fencepost/cluster/internal/store"
	"fencepost/cluster/internal/task"
	"fencepost/cluster/internal/worker"
)

// Open reads the program of a check, for workers. It refuses a program that is not the one that the asker
// read, which the identity tells.
func Open(ctx context.Context) worker.Open {
	return func(job *store.Job, data []byte) (worker.Explorer, error) {
		b, err := Decode(data)
		if err != nil {
			return nil, err
		}
		x, err := b.Open(ctx)
		if err != nil {
			return nil, err
		}
		var asked fencepost.Identity
		if err := json.Unmarshal(job.Identity, &asked); err != nil {
			return nil, fmt.Errorf("the identity of the check: %w", err)
		}
		if different := x.Identity().Differs(asked); different != nil {
			return nil, fmt.Errorf("the check %w than what is read here", different)
		}
		return &explorer{x}, nil
	}
}

type explorer struct{ x *fencepost.Exploration }

func (e *explorer) Explore(ctx context.Context, data []byte, limit worker.Limit) (*task.Record, error) {
	parts, err := task.Split(data)
	if err != nil {
		return nil, err
	}
	var tasks []fencepost.Task
	for _, p := range parts {
		t, err := e.x.Task(p)
		if err != nil {
			return nil, err
		}
		tasks = append(tasks, t)
	}
	found, left, err := e.x.Run(ctx, fencepost.Limit{Executions: limit.Executions, Time: limit.Time}, tasks...)
	if err != nil {
		return nil, err
	}
	// A run that is interrupted is complete in itself, but a worker that stops has no time to store it.
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	r := &task.Record{Executions: found.Executions(), Fingerprint: found.Fingerprint(), Share: found.Part(), Over: found.Over() || found.Again()}
	if !r.Over && len(left) > 0 {
		var rest [][]byte
		for _, t := range left {
			rest = append(rest, t.Bytes())
		}
		if r.Pending, err = task.Group(rest, limit.Groups, task.MaxTask); err != nil {
			return nil, err
		}
	}
	r.Part, err = json.Marshal(found)
	return r, err
}

// ErrSums says that records contradict themselves or each other.
var ErrSums = errors.New("the records do not add up")

// Add adds up the parts of records. Each must come to what its record says.
func Add(records []*task.Record) (fencepost.Partial, error) {
	var sum fencepost.Partial
	for _, r := range records {
		if r.Part == nil {
			continue
		}
		var p fencepost.Partial
		if err := json.Unmarshal(r.Part, &p); err != nil {
			return sum, fmt.Errorf("the part of a record: %w", err)
		}
		if p.Executions() != r.Executions || p.Fingerprint() != r.Fingerprint || p.Part() != r.Share || (p.Over() || p.Again()) != r.Over {
			return sum, fmt.Errorf("%w: a record says %d executions with fingerprint %s, and its parts come to %d with %s", ErrSums, r.Executions, r.Fingerprint, p.Executions(), p.Fingerprint())
		}
		sum.Add(p)
	}
	return sum, nil
}

// slack is by how much the parts of a whole may miss it: they are added up in any order.
const slack = 1e-6

// Whole says why records are not those of a whole exploration: each has the part of it that was explored, and together
// they must have everything, once.
func Whole(sum fencepost.Partial) error {
	if sum.Over() || sum.Again() {
		return nil
	}
	if part := sum.Part(); math.Abs(part-1) > slack {
		return fmt.Errorf("%w: they have %g of the exploration, not all of it once", ErrSums, part)
	}
	return nil
}
