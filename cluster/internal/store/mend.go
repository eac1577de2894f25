package store

import (
	"context"
	"errors"
	"fmt"
)

// What a server has lost of a check is made again under another name: a stream that the server cannot read keeps its
// name occupied. Only the records count. A queue is filled again from them, and lost records are explored again:
// every record is a valid result of its task, by any worker and at any time, so old and new ones can be mixed.

// maxMends is how often the queue or the records of a check are made again.
const maxMends = 20

// ErrRemoved says that there is nothing to mend: the check has ended or is gone.
var ErrRemoved = errors.New("the check has ended")

// Mend makes again what the server has lost of an open check, or cannot read. With stalled, the queue is made again in any case,
// because it has tasks and gives them to no worker. Mend returns the check as it is then.
func (s *Store) Mend(ctx context.Context, job *Job, stalled bool) (*Job, error) {
	now, err := s.Job(ctx, job.ID)
	switch {
	case errors.Is(err, ErrUnknownJob):
		return nil, ErrRemoved
	case err != nil:
		return nil, err
	case now.State != Open:
		return now, ErrRemoved
	case now.Queue != job.Queue || now.Records != job.Records: // another participant was faster
		return now, nil
	}
	queue, records, err := s.broken(ctx, now)
	if err != nil {
		return nil, err
	}
	next := *now
	switch {
	case records:
		next.Records++
		next.Queue++
	case queue || stalled:
		next.Queue++
	default:
		return now, nil
	}
	if max(next.Queue, next.Records) > maxMends {
		_, err := s.End(ctx, job.ID, Failed, fmt.Sprintf("the server has lost the tasks or records of the check %d times", maxMends))
		return now, err
	}
	if err := s.remake(ctx, &next); err != nil {
		return nil, fmt.Errorf("making again what the server has lost: %w", err)
	}
	changed, err := s.change(ctx, job.ID, func(j *Job) bool {
		if j.State != Open || j.Queue != now.Queue || j.Records != now.Records {
			return false
		}
		j.Queue, j.Records = next.Queue, next.Records
		return true
	})
	if err == nil && changed.Queue == next.Queue {
		// What is left of the old one is removed with the check, if not now.
		_ = s.js.DeleteStream(ctx, now.tasksStream())
		s.forget(now.tasksStream())
	}
	return changed, err
}

// broken reports whether the queue and the records of a check are lost.
func (s *Store) broken(ctx context.Context, job *Job) (queue, records bool, err error) {
	_, err = s.js.Stream(ctx, bucketStream(job.recordsBucket()))
	if err == nil {
		// The server can know a stream that it cannot read.
		_, err = s.Record(ctx, job, "none")
	}
	if err != nil {
		if KindOf(err) == Lost {
			return true, true, nil
		}
		return false, false, err
	}
	_, _, err = s.Queue(ctx, job)
	if err != nil && KindOf(err) != Lost {
		return false, false, err
	}
	return err != nil, false, nil
}

// remake makes the queue and the records of a check, as far as they do not exist, and enqueues the tasks that have no record.
func (s *Store) remake(ctx context.Context, job *Job) error {
	if err := s.makeRecords(ctx, job); err != nil {
		return err
	}
	if err := s.makeQueue(ctx, job); err != nil {
		return err
	}
	tree, err := s.Tree(ctx, job)
	if err != nil {
		return err
	}
	total, err := tree.Sum()
	if err != nil {
		return err
	}
	return s.restore(ctx, job, total)
}
