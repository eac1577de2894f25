package store

import (
	"context"
	"fmt"
	"time"

	"fencepost/cluster/internal/task"

	"github.com/nats-io/nats.go/jetstream"
)

// Tree reads all records of a check that exist now.
func (s *Store) Tree(ctx context.Context, job *Job) (*task.Tree, error) {
	tree := task.NewTree(task.NameOf(job.Root))
	err := s.Watch(ctx, job.ID, func(id task.ID, r *task.Record) (bool, error) {
		if r == nil {
			return false, nil
		}
		tree.Add(id, r)
		return true, nil
	})
	return tree, err
}

// Conclude ends a check whose tasks all have records. If the queue is empty and a task has no record, the
// server has lost the task, and Conclude enqueues it again.
func (s *Store) Conclude(ctx context.Context, job *Job) error {
	// The queue comes first: a task leaves it only after its record and its successors are stored.
	waiting, taken, err := s.Queue(ctx, job.ID)
	if err != nil || waiting+taken > 0 {
		return err
	}
	tree, err := s.Tree(ctx, job)
	if err != nil {
		return err
	}
	sum, err := tree.Sum()
	if err != nil {
		_, err = s.End(ctx, job.ID, Failed, err.Error())
		return err
	}
	switch {
	case sum.Over:
		_, err = s.End(ctx, job.ID, Stopped, "")
		return err
	case len(sum.Missing) == 0:
		_, err = s.End(ctx, job.ID, Complete, "")
		return err
	}
	return s.restore(ctx, job, sum)
}

// restore enqueues tasks that the queue has lost.
func (s *Store) restore(ctx context.Context, job *Job, sum *task.Sum) error {
	missing := map[task.ID]bool{}
	for _, id := range sum.Missing {
		missing[id] = true
	}
	done := map[task.ID]bool{}
	for _, parent := range sum.Parents {
		if done[parent] {
			continue
		}
		done[parent] = true
		left := [][]byte{job.Root}
		if parent != "" {
			r, err := s.Record(ctx, job.ID, parent)
			if err != nil {
				return err
			}
			if r == nil {
				return fmt.Errorf("the record of %s is gone", parent)
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
		if err := s.publish(ctx, job.ID, lost, false); err != nil {
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
