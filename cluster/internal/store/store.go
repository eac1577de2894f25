package store

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"time"

	"fencepost/cluster/internal/task"

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

// The states. A check leaves Open once, unless records are found to be missing then: see Reopen.
const (
	Open      State = "open"
	Complete  State = "complete"  // every task has a record
	Stopped   State = "stopped"   // a record says that the rest need not be explored, such as after a violation
	Cancelled State = "cancelled" // a user gave it up
	Failed    State = "failed"    // a worker could not do its task; Reason says why
)

// States are all of them.
var States = []State{Open, Complete, Stopped, Cancelled, Failed}

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
	// Replicas is how many servers keep a copy of everything.
	Replicas int `json:"replicas"`
	// Queue and Records count how often the queue and the records were made again after the server had lost them, and
	// Opened how often the check was opened again.
	Queue   int `json:"queue,omitempty"`
	Records int `json:"records,omitempty"`
	Opened  int `json:"opened,omitempty"`
	// Sums is set when the check is complete.
	Sums *Sums `json:"sums,omitempty"`

	revision uint64
}

// Sums has what the records of a complete check came to. Who reads the records must come to the same.
type Sums struct {
	Records    int    `json:"records"`
	Executions int64  `json:"executions"`
	Digest     string `json:"digest"`
}

// SumsOf returns the sums of the records of a check.
func SumsOf(t *task.Total) Sums {
	return Sums{Records: len(t.Records), Executions: t.Executions, Digest: t.Digest}
}

// Store is a connection to the checks of a server.
type Store struct {
	js       jetstream.JetStream
	jobs     jetstream.KeyValue
	workers  jetstream.KeyValue
	programs jetstream.ObjectStore
	replicas int         // 0: this participant creates nothing
	kept     int         // how many servers keep the list of checks
	notice   func(error) // is told of what is tried again
	// Handles of buckets and consumers of checks, by their names. Finding one is a question to the server.
	records   sync.Map // of jetstream.KeyValue
	consumers sync.Map // of jetstream.Consumer
}

// again is a part of the names of what was made again.
func again(times int) string {
	if times == 0 {
		return ""
	}
	return fmt.Sprintf("_%d", times)
}

// Prefixes of the names of streams of checks.
const (
	tasksPrefix   = "fp_tasks_"
	recordsPrefix = "fp_records_"
)

func (j *Job) tasksStream() string   { return tasksPrefix + j.ID + again(j.Queue) }
func (j *Job) tasksSubject() string  { return "fp.tasks." + j.ID + again(j.Queue) }
func (j *Job) recordsBucket() string { return recordsPrefix + j.ID + again(j.Records) }

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
	job.ID, job.State, job.Created, job.Replicas = nuid.Next(), Open, time.Now().UTC(), max(s.replicas, 1)
	data, err := job.encode()
	if err != nil {
		return err
	}
	s.Sweep(ctx)
	// Each step can be repeated after its reply was lost, also if it has happened. The name is new, so what
	// exists under it is ours.
	for _, step := range []struct {
		what string
		do   func() error
	}{
		{"storing the program", func() error {
			_, err := s.programs.PutBytes(ctx, job.ID, program)
			return s.why(ctx, programsStream, err)
		}},
		{"making room for records", func() error { return s.makeRecords(ctx, job) }},
		{"making room for tasks", func() error { return s.makeQueue(ctx, job) }},
		{"adding the first task", func() error { return s.Enqueue(ctx, job, [][]byte{job.Root}) }},
		{"storing the check", func() error {
			_, err := s.jobs.Create(ctx, job.ID, data)
			return unless(s.why(ctx, bucketStream(jobsBucket), err), jetstream.ErrKeyExists)
		}},
	} {
		if err := s.repeat(ctx, step.do); err != nil {
			return fmt.Errorf("%s: %w", step.what, err)
		}
	}
	return nil
}

// makeRecords makes the bucket of the records of a check.
func (s *Store) makeRecords(ctx context.Context, job *Job) error {
	return s.keep(ctx, bucketConfig(job.recordsBucket(), 0), job.Replicas)
}

// makeQueue makes the queue of a check.
func (s *Store) makeQueue(ctx context.Context, job *Job) error {
	err := s.keep(ctx, jetstream.StreamConfig{
		Name: job.tasksStream(), Subjects: []string{job.tasksSubject()}, Retention: jetstream.WorkQueuePolicy, Duplicates: duplicates,
	}, job.Replicas)
	if err != nil {
		return err
	}
	_, err = s.js.CreateOrUpdateConsumer(ctx, job.tasksStream(), jetstream.ConsumerConfig{
		Durable: consumerName, AckPolicy: jetstream.AckExplicitPolicy, AckWait: job.AckWait, MaxDeliver: -1, MaxAckPending: -1,
	})
	return err
}

// unless returns the error, or nil if it says that what was to be made exists.
func unless(err, exists error) error {
	if errors.Is(err, exists) {
		return nil
	}
	return err
}

// ErrProgram says that the program of a check is lost or damaged.
var ErrProgram = errors.New("the server has lost the program of the check")

// ErrUnread says that the server knows the program of a check and does not send all of it. It may be lost.
var ErrUnread = errors.New("the server did not send the program of the check")

// readingTime is how long a program may take to be read.
const readingTime = 20 * time.Second

// Program returns the stored program of a check. The client library compares its checksum.
func (s *Store) Program(ctx context.Context, id string) ([]byte, error) {
	info, err := s.programs.GetInfo(ctx, id)
	if errors.Is(err, jetstream.ErrObjectNotFound) || KindOf(err) == Lost && err != nil {
		return nil, fmt.Errorf("%w: %w", ErrProgram, err)
	}
	if err != nil {
		return nil, fmt.Errorf("the program of %s: %w", id, err)
	}
	if info.Size > MaxProgram {
		return nil, fmt.Errorf("the program of %s has %d bytes, more than %d", id, info.Size, MaxProgram)
	}
	reading, cancel := context.WithTimeout(ctx, readingTime)
	defer cancel()
	data, err := s.programs.GetBytes(reading, id)
	switch {
	case err == nil:
		return data, nil
	case errors.Is(err, jetstream.ErrDigestMismatch):
		return nil, fmt.Errorf("%w: %w", ErrProgram, err)
	case ctx.Err() == nil && KindOf(err) == Away:
		return nil, fmt.Errorf("%w: %w", ErrUnread, err)
	default:
		return nil, fmt.Errorf("the program of %s: %w", id, err)
	}
}
