package store

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/nats-io/nats.go/jetstream"
	"github.com/nats-io/nuid"
)

// Names of what is kept for all checks.
const (
	jobsBucket     = "fp_jobs"
	workersBucket  = "fp_workers"
	programsBucket = "fp_programs"
	programsStream = "OBJ_" + programsBucket
)

// bucketStream returns the name of the stream that keeps a bucket.
func bucketStream(bucket string) string { return "KV_" + bucket }

// MaxProgram is the size of the files of a program and its options, compressed.
const MaxProgram = 32 << 20

// State says how far a check is.
type State string

// The states. A check leaves Open once and for all.
const (
	Open      State = "open"
	Complete  State = "complete"  // every task has a record
	Stopped   State = "stopped"   // a record says that the rest need not be explored, such as after a violation
	Cancelled State = "cancelled" // a user gave it up
	Failed    State = "failed"    // a worker could not do its task; Reason says why
)

// Job is a check.
type Job struct {
	ID      string `json:"id"`
	State   State  `json:"state"`
	Reason  string `json:"reason,omitempty"` // why it was given up
	Title   string `json:"title"`            // for people, such as the file's name
	Model   string `json:"model"`
	Version string `json:"version"` // of the tool that asks; workers of other versions leave the check alone
	// Identity says what is explored. A worker that reads something else from the program refuses the check.
	Identity json.RawMessage `json:"identity,omitempty"`
	Root     []byte          `json:"root"` // the first task
	Created  time.Time       `json:"created"`
	Ended    time.Time       `json:"ended,omitzero"`
	// Slice is how long a worker explores a task before it writes a record, Executions how many executions
	// at most; 0: no limit. AckWait is when a task is given to another worker.
	Slice      time.Duration `json:"slice"`
	Executions int64         `json:"executions,omitempty"`
	AckWait    time.Duration `json:"ack_wait"`

	revision uint64
}

// Store is a connection to the checks of a server.
type Store struct {
	js       jetstream.JetStream
	jobs     jetstream.KeyValue
	workers  jetstream.KeyValue
	programs jetstream.ObjectStore
	replicas int // 0: this participant creates nothing
	// Handles of buckets and consumers of checks, by the check's name. Looking one up is a question to the
	// server.
	records   sync.Map // of jetstream.KeyValue
	consumers sync.Map // of jetstream.Consumer
}

func tasksStream(job string) string   { return "fp_tasks_" + job }
func tasksSubject(job string) string  { return "fp.tasks." + job }
func recordsBucket(job string) string { return "fp_records_" + job }

// consumerName is the name of the one consumer of a queue, which all workers share.
const consumerName = "workers"

// duplicates is how long the queue remembers the names of tasks. A task that is enqueued again later is
// not explored again, because it has a record by then or is still in the queue; the memory only saves
// deliveries.
const duplicates = 2 * time.Minute

// Submit stores a check with its program. It sets the check's name, state and time.
// Workers see the check when everything else is stored.
func (s *Store) Submit(ctx context.Context, job *Job, program []byte) error {
	if len(program) > MaxProgram {
		return fmt.Errorf("the program has %d bytes when compressed, more than %d", len(program), MaxProgram)
	}
	job.ID, job.State, job.Created = nuid.Next(), Open, time.Now().UTC()
	data, err := json.Marshal(job)
	if err != nil {
		return err
	}
	// Each step can be repeated after its reply was lost, also if it has happened. The name is new, so what
	// exists under it is ours.
	for _, step := range []struct {
		what string
		do   func() error
	}{
		{"storing the program", func() error {
			_, err := s.programs.PutBytes(ctx, job.ID, program)
			return err
		}},
		{"making room for records", func() error {
			_, err := s.bucket(ctx, recordsBucket(job.ID), 0)
			return err
		}},
		{"making room for tasks", func() error {
			_, err := s.js.CreateStream(ctx, jetstream.StreamConfig{
				Name: tasksStream(job.ID), Subjects: []string{tasksSubject(job.ID)}, Retention: jetstream.WorkQueuePolicy,
				Replicas: s.replicas, Duplicates: duplicates,
			})
			if err := unless(err, jetstream.ErrStreamNameAlreadyInUse); err != nil {
				return err
			}
			return s.awaitReplicas(ctx, tasksStream(job.ID))
		}},
		{"making room for tasks", func() error {
			_, err := s.js.CreateOrUpdateConsumer(ctx, tasksStream(job.ID), jetstream.ConsumerConfig{
				Durable: consumerName, AckPolicy: jetstream.AckExplicitPolicy, AckWait: job.AckWait, MaxDeliver: -1, MaxAckPending: -1,
			})
			return err
		}},
		{"adding the first task", func() error { return s.Enqueue(ctx, job.ID, [][]byte{job.Root}) }},
		{"storing the check", func() error {
			_, err := s.jobs.Create(ctx, job.ID, data)
			return unless(err, jetstream.ErrKeyExists)
		}},
	} {
		if err := repeat(ctx, step.do); err != nil {
			return fmt.Errorf("%s: %w", step.what, err)
		}
	}
	return nil
}

// unless returns the error, or nil if it says that what was to be made exists.
func unless(err, exists error) error {
	if errors.Is(err, exists) {
		return nil
	}
	return err
}

// ErrUnknownJob says that there is no check of that name.
var ErrUnknownJob = errors.New("no check has this name")

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
	var job Job
	if err := json.Unmarshal(entry.Value(), &job); err != nil {
		return nil, fmt.Errorf("the check %s: %w", entry.Key(), err)
	}
	if job.ID != entry.Key() {
		return nil, fmt.Errorf("the check %s calls itself %q", entry.Key(), job.ID)
	}
	job.revision = entry.Revision()
	return &job, nil
}

// Jobs returns all checks, oldest first.
func (s *Store) Jobs(ctx context.Context) ([]*Job, error) {
	var out []*Job
	err := s.list(ctx, s.jobs, func(entry jetstream.KeyValueEntry) error {
		job, err := jobOf(entry)
		out = append(out, job)
		return err
	})
	if err != nil {
		return nil, err
	}
	slices.SortFunc(out, func(a, b *Job) int { return a.Created.Compare(b.Created) })
	return out, nil
}

// End moves a check from Open to another state. It returns the check as it is then, which has another state
// if another participant was faster.
func (s *Store) End(ctx context.Context, id string, state State, reason string) (*Job, error) {
	for {
		job, err := s.Job(ctx, id)
		if err != nil || job.State != Open {
			return job, err
		}
		job.State, job.Reason, job.Ended = state, reason, time.Now().UTC()
		data, err := json.Marshal(job)
		if err != nil {
			return nil, err
		}
		revision, err := s.jobs.Update(ctx, id, data, job.revision)
		if errors.Is(err, jetstream.ErrKeyExists) {
			continue
		}
		job.revision = revision
		return job, err
	}
}

// Remove deletes a check and all that is kept for it.
func (s *Store) Remove(ctx context.Context, id string) error {
	s.records.Delete(id)
	s.consumers.Delete(id)
	err := s.jobs.Purge(ctx, id)
	for _, e := range []error{
		s.js.DeleteStream(ctx, tasksStream(id)), s.js.DeleteKeyValue(ctx, recordsBucket(id)), s.programs.Delete(ctx, id),
	} {
		gone := errors.Is(e, jetstream.ErrStreamNotFound) || errors.Is(e, jetstream.ErrBucketNotFound) || errors.Is(e, jetstream.ErrObjectNotFound)
		if e != nil && !gone && err == nil {
			err = e
		}
	}
	return err
}

// Program returns the stored program of a check.
func (s *Store) Program(ctx context.Context, id string) ([]byte, error) {
	info, err := s.programs.GetInfo(ctx, id)
	if err != nil {
		return nil, fmt.Errorf("the program of %s: %w", id, err)
	}
	if info.Size > MaxProgram {
		return nil, fmt.Errorf("the program of %s has %d bytes, more than %d", id, info.Size, MaxProgram)
	}
	data, err := s.programs.GetBytes(ctx, id)
	if err != nil {
		return nil, fmt.Errorf("the program of %s: %w", id, err)
	}
	return data, nil
}
