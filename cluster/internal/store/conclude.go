package store

import (
	"context"
	"errors"
	"fmt"
	"time"

	"fencepost/cluster/internal/task"

	"github.com/nats-io/nats.go/jetstream"
)

// Tree reads all records of a check that exist now.
func (s *Store) Tree(ctx context.Context, job *Job) (*task.Tree, error) {
	tree := task.NewTree(task.NameOf(job.Root))
	err := s.Watch(ctx, job, func(id task.ID, r *task.Record) (bool, error) {
		if r == nil {
			return false, nil
		}
		tree.Add(id, r)
		return true, nil
	})
	if errors.Is(err, errSilent) {
		// A server that has lost some of the records may wait for them without end. Asked for one by name, it sends it or
		// says that it has none.
		return s.walk(ctx, job)
	}
	return tree, err
}

// walk reads the records of a check one by one, beginning with that of the first task.
func (s *Store) walk(ctx context.Context, job *Job) (*task.Tree, error) {
	root := task.NameOf(job.Root)
	tree := task.NewTree(root)
	seen := map[task.ID]bool{root: true}
	for left := []task.ID{root}; len(left) > 0; {
		id := left[len(left)-1]
		left = left[:len(left)-1]
		r, err := s.Record(ctx, job, id)
		if err != nil {
			return tree, err
		}
		if r == nil {
			continue
		}
		tree.Add(id, r)
		for _, t := range r.Pending {
			if next := task.NameOf(t); !seen[next] {
				seen[next] = true
				left = append(left, next)
			}
		}
	}
	return tree, nil
}

// Conclude ends a check whose tasks all have records. If the queue is empty and a task has no record, the
// server has lost the task, and Conclude enqueues it again. It returns how many tasks are in the queue.
func (s *Store) Conclude(ctx context.Context, job *Job) (queued int, err error) {
	// The queue comes first: a task leaves it only after its record and its successors are stored.
	waiting, taken, err := s.Queue(ctx, job)
	if err != nil || waiting+taken > 0 {
		return waiting + taken, err
	}
	tree, err := s.Tree(ctx, job)
	if err != nil {
		return 0, err
	}
	total, err := tree.Sum()
	if err != nil {
		_, err = s.End(ctx, job.ID, Failed, err.Error())
		return 0, err
	}
	switch {
	case total.Over:
		_, err = s.End(ctx, job.ID, Stopped, "")
		return 0, err
	case len(total.Missing) == 0:
		sums := SumsOf(total)
		_, err = s.end(ctx, job.ID, Complete, "", &sums)
		return 0, err
	}
	return len(total.Missing), s.restore(ctx, job, total)
}

// restore enqueues tasks that the queue has lost.
func (s *Store) restore(ctx context.Context, job *Job, total *task.Total) error {
	missing := map[task.ID]bool{}
	for _, id := range total.Missing {
		missing[id] = true
	}
	done := map[task.ID]bool{}
	for _, parent := range total.Parents {
		if done[parent] {
			continue
		}
		done[parent] = true
		left := [][]byte{job.Root}
		if parent != "" {
			r, err := s.Record(ctx, job, parent)
			if err != nil {
				return err
			}
			if r == nil {
				return fmt.Errorf("the record of %s is gone: %w", parent, ErrDamaged)
			}
			left = r.Pending
		}
		var lost [][]byte
		for _, t := range left {
			if missing[task.NameOf(t)] {
				lost = append(lost, t)
			}
		}
		// Without names, or the queue would take the lost tasks for tasks that it has.
		if err := s.publish(ctx, job, lost, false); err != nil {
			return err
		}
	}
	return nil
}

// WatchJobs calls visit with every check, and again with every change of one, until the context ends. A
// check that was removed or cannot be read is nil.
func (s *Store) WatchJobs(ctx context.Context, visit func(id string, job *Job)) error {
	watch, err := s.jobs.WatchAll(ctx)
	if err != nil {
		return err
	}
	return entries(ctx, watch, func(entry jetstream.KeyValueEntry) (bool, error) {
		switch {
		case entry == nil: // all existing ones have come
		case entry.Operation() != jetstream.KeyValuePut:
			visit(entry.Key(), nil)
		default:
			// Workers leave a check alone that they cannot read.
			job, _ := jobOf(entry)
			visit(entry.Key(), job)
		}
		return true, nil
	})
}

// list calls visit with every entry of a bucket.
func (s *Store) list(ctx context.Context, kv jetstream.KeyValue, visit func(jetstream.KeyValueEntry) error) error {
	watch, err := kv.WatchAll(ctx, jetstream.IgnoreDeletes())
	if err != nil {
		return err
	}
	return entries(ctx, watch, func(entry jetstream.KeyValueEntry) (bool, error) {
		if entry == nil {
			return false, nil
		}
		return true, visit(entry)
	})
}

// entries calls visit with what a watcher sends, until the context ends or visit returns false or an error. After the
// existing entries it calls visit with nil, and before that the server must not be silent for long: what it has lost
// would be waited for without end.
func entries(ctx context.Context, watch jetstream.KeyWatcher, visit func(jetstream.KeyValueEntry) (more bool, err error)) error {
	defer watch.Stop()
	silence := time.NewTimer(answerTime)
	defer silence.Stop()
	listed := false
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-silence.C:
			return errSilent
		case entry, ok := <-watch.Updates():
			if !ok {
				return errSilent
			}
			if more, err := visit(entry); err != nil || !more {
				return err
			}
			listed = listed || entry == nil
			if listed {
				silence.Stop()
			} else {
				silence.Reset(answerTime)
			}
		}
	}
}
