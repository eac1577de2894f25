package store

import (
	"context"
	"fmt"
	"time"

	"fencepost/cluster/internal/task"

	"github.com/nats-io/nats.go/jetstream"
)

// headroom is kept free in each message for subject and headers.
const headroom = 4 << 10

// Delivery is a task that the queue has given to this participant.
type Delivery struct {
	Task []byte
	ID   task.ID
	// Count is how many times the queue has given the task to a worker.
	Count uint64
	// Waiting is how many tasks of the check waited when this one was given.
	Waiting int
	msg     jetstream.Msg
}

// Take waits for a task of a check. It returns nil if there is none for a while.
func (s *Store) Take(ctx context.Context, job *Job, wait time.Duration) (*Delivery, error) {
	d, err := s.take(ctx, job, wait)
	if err != nil {
		// The next one asks the server for the queue again, and is told if it is gone.
		s.consumers.Delete(job.tasksStream())
	}
	return d, err
}

func (s *Store) take(ctx context.Context, job *Job, wait time.Duration) (*Delivery, error) {
	consumer, err := s.consumerOf(ctx, job)
	if err != nil {
		return nil, err
	}
	batch, err := consumer.Fetch(1, jetstream.FetchMaxWait(wait))
	if err != nil {
		return nil, err
	}
	msg, ok := <-batch.Messages()
	if !ok {
		return nil, batch.Error()
	}
	meta, err := msg.Metadata()
	if err != nil {
		return nil, err
	}
	return &Delivery{Task: msg.Data(), ID: task.NameOf(msg.Data()), Count: meta.NumDelivered, Waiting: int(meta.NumPending), msg: msg}, nil
}

func (s *Store) consumerOf(ctx context.Context, job *Job) (jetstream.Consumer, error) {
	name := job.tasksStream()
	if c, ok := s.consumers.Load(name); ok {
		return c.(jetstream.Consumer), nil
	}
	c, err := s.js.Consumer(ctx, name, consumerName)
	if err == nil {
		s.consumers.Store(name, c)
	}
	return c, err
}

// Extend says that the task is still being explored.
func (d *Delivery) Extend() error { return d.msg.InProgress() }

// Done says that everything about the task is stored.
func (d *Delivery) Done(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, answerTime)
	defer cancel()
	return d.msg.DoubleAck(ctx)
}

// GiveBack returns the task to the queue.
func (d *Delivery) GiveBack() error { return d.msg.Nak() }

// Enqueue adds tasks to the queue of a check. A task that was added lately is not added again.
func (s *Store) Enqueue(ctx context.Context, job *Job, tasks [][]byte) error {
	return s.publish(ctx, job, tasks, true)
}

// publish adds tasks to the queue, with names by which the queue knows a task that was added lately or
// without.
func (s *Store) publish(ctx context.Context, job *Job, tasks [][]byte, named bool) error {
	var acks []jetstream.PubAckFuture
	for _, t := range tasks {
		if int64(len(t)) > s.js.Conn().MaxPayload()-headroom {
			return fmt.Errorf("a task has %d bytes, more than a message of this server can have", len(t))
		}
		var options []jetstream.PublishOpt
		if named {
			options = append(options, jetstream.WithMsgID(string(task.NameOf(t))))
		}
		ack, err := s.js.PublishAsync(job.tasksSubject(), t, options...)
		if err != nil {
			return fmt.Errorf("adding tasks: %w", err)
		}
		acks = append(acks, ack)
	}
	for _, ack := range acks {
		select {
		case <-ack.Ok():
		case err := <-ack.Err():
			return fmt.Errorf("adding tasks: %w", s.why(ctx, job.tasksStream(), err))
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return nil
}

// Queue returns how many tasks wait and how many are with workers.
func (s *Store) Queue(ctx context.Context, job *Job) (waiting, taken int, err error) {
	consumer, err := s.js.Consumer(ctx, job.tasksStream(), consumerName)
	if err != nil {
		return 0, 0, err
	}
	info := consumer.CachedInfo()
	return int(info.NumPending), info.NumAckPending, nil
}
