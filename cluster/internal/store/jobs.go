package store

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

// ErrUnknownJob says that there is no check of that name.
var ErrUnknownJob = errors.New("no check has this name")

// ErrDamaged says that something that is stored is not what was stored.
var ErrDamaged = errors.New("it is damaged")

// encode returns a check as it is stored: a checksum, and JSON.
func (j *Job) encode() ([]byte, error) {
	text, err := json.Marshal(j)
	if err != nil {
		return nil, err
	}
	return append(checksum(text), text...), nil
}

// checksum returns the checksum of a text, as hexadecimal digits.
func checksum(text []byte) []byte {
	sum := sha256.Sum256(text)
	return hex.AppendEncode(nil, sum[:])
}

func decodeJob(data []byte) (*Job, error) {
	const n = 2 * sha256.Size
	if len(data) < n || string(data[:n]) != string(checksum(data[n:])) {
		return nil, ErrDamaged
	}
	var job Job
	if err := json.Unmarshal(data[n:], &job); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	return &job, nil
}

// Job returns a check.
func (s *Store) Job(ctx context.Context, id string) (*Job, error) {
	entry, err := s.jobs.Get(ctx, id)
	if errors.Is(err, jetstream.ErrKeyNotFound) || errors.Is(err, jetstream.ErrInvalidKey) {
		return nil, fmt.Errorf("%s: %w", id, ErrUnknownJob)
	}
	if err != nil {
		return nil, err
	}
	return jobOf(entry)
}

func jobOf(entry jetstream.KeyValueEntry) (*Job, error) {
	job, err := decodeJob(entry.Value())
	if err != nil {
		return nil, fmt.Errorf("the check %s: %w", entry.Key(), err)
	}
	if job.ID != entry.Key() {
		return nil, fmt.Errorf("the check %s calls itself %q: %w", entry.Key(), job.ID, ErrDamaged)
	}
	job.revision = entry.Revision()
	return job, nil
}

// Jobs returns all checks, oldest first. One that cannot be read has failed, and the reason says so.
func (s *Store) Jobs(ctx context.Context) ([]*Job, error) {
	var out []*Job
	err := s.list(ctx, s.jobs, func(entry jetstream.KeyValueEntry) error {
		job, err := jobOf(entry)
		if err != nil {
			job = &Job{ID: entry.Key(), State: Failed, Reason: err.Error(), Created: entry.Created(), Ended: entry.Created()}
		}
		out = append(out, job)
		return nil
	})
	if err != nil {
		return nil, err
	}
	slices.SortFunc(out, func(a, b *Job) int { return a.Created.Compare(b.Created) })
	return out, nil
}

// change changes a check, if the function says so. It returns the check as it is then.
func (s *Store) change(ctx context.Context, id string, do func(*Job) bool) (*Job, error) {
	for {
		job, err := s.Job(ctx, id)
		if err != nil || !do(job) {
			return job, err
		}
		data, err := job.encode()
		if err != nil {
			return nil, err
		}
		revision, err := s.jobs.Update(ctx, id, data, job.revision)
		if errors.Is(err, jetstream.ErrKeyExists) {
			continue
		}
		job.revision = revision
		return job, s.why(ctx, bucketStream(jobsBucket), err)
	}
}

// End moves a check from Open to another state. It returns the check as it is then, which has another state
// if another participant was faster.
func (s *Store) End(ctx context.Context, id string, state State, reason string) (*Job, error) {
	return s.end(ctx, id, state, reason, nil)
}

func (s *Store) end(ctx context.Context, id string, state State, reason string, sums *Sums) (*Job, error) {
	return s.change(ctx, id, func(job *Job) bool {
		if job.State != Open {
			return false
		}
		job.State, job.Reason, job.Ended, job.Sums = state, reason, time.Now().UTC(), sums
		return true
	})
}

// maxOpened is how often a check is opened again.
const maxOpened = 3

// Reopen opens a complete check again whose records are not what they were when it was completed: workers explore what
// is missing. It reports whether it did, which it does a few times only.
func (s *Store) Reopen(ctx context.Context, job *Job) (bool, error) {
	opened := false
	_, err := s.change(ctx, job.ID, func(now *Job) bool {
		opened = now.Opened == job.Opened && now.Opened < maxOpened && (now.State == Complete || now.State == Stopped)
		if opened {
			now.State, now.Ended, now.Sums = Open, time.Time{}, nil
			now.Opened++
		}
		return opened
	})
	return opened, err
}

// Remove deletes a check and all that is kept for it.
func (s *Store) Remove(ctx context.Context, id string) error {
	err := s.jobs.Purge(ctx, id)
	if e := s.programs.Delete(ctx, id); e != nil && !errors.Is(e, jetstream.ErrObjectNotFound) && err == nil {
		err = e
	}
	names, e := s.streams(ctx)
	if e != nil && err == nil {
		err = e
	}
	for _, name := range names {
		if jobOfStream(name) != id {
			continue
		}
		s.forget(name)
		if e := s.js.DeleteStream(ctx, name); e != nil && KindOf(e) != Lost && err == nil {
			err = e
		}
	}
	return err
}

// forget drops the handles of a stream.
func (s *Store) forget(stream string) {
	s.records.Delete(strings.TrimPrefix(stream, bucketStream("")))
	s.consumers.Delete(stream)
}

// streams returns the names of all streams on the server.
func (s *Store) streams(ctx context.Context) ([]string, error) {
	ctx, cancel := context.WithTimeout(ctx, answerTime)
	defer cancel()
	var out []string
	lister := s.js.StreamNames(ctx)
	for name := range lister.Name() {
		out = append(out, name)
	}
	return out, lister.Err()
}

// jobOfStream returns the check that a stream is kept for; "" for other streams.
func jobOfStream(name string) string {
	rest, ok := strings.CutPrefix(name, tasksPrefix)
	if !ok {
		if rest, ok = strings.CutPrefix(name, bucketStream(recordsPrefix)); !ok {
			return ""
		}
	}
	id, _, _ := strings.Cut(rest, "_")
	return id
}

// leftover is the age at which streams without a check are removed: the check may be about to be submitted.
const leftover = time.Hour

// Sweep removes what is left of checks that were not submitted to the end, or not removed to the end, because their
// asker was killed. What cannot be removed now is removed later.
func (s *Store) Sweep(ctx context.Context) { s.sweep(ctx, leftover) }

func (s *Store) sweep(ctx context.Context, age time.Duration) {
	names, err := s.streams(ctx)
	if err != nil {
		return
	}
	for _, name := range names {
		id := jobOfStream(name)
		if id == "" {
			continue
		}
		stream, err := s.js.Stream(ctx, name)
		if err != nil {
			continue
		}
		info := stream.CachedInfo()
		if info.TimeStamp.Sub(info.Created) < age {
			continue
		}
		if _, err := s.Job(ctx, id); errors.Is(err, ErrUnknownJob) {
			_ = s.js.DeleteStream(ctx, name)
			_ = s.programs.Delete(ctx, id)
		}
	}
}
