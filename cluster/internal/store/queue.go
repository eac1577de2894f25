package store

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"fencepost/cluster/internal/task"

	"github.com/nats-io/nats.go/jetstream"
	"github.com/nats-io/nuid"
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
func (s *Store) Take(ctx context.Context, job string, wait time.Duration) (*Delivery, error) {
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

func (s *Store) consumerOf(ctx context.Context, job string) (jetstream.Consumer, error) {
	if c, ok := s.consumers.Load(job); ok {
		return c.(jetstream.Consumer), nil
	}
	c, err := s.js.Consumer(ctx, tasksStream(job), consumerName)
	if err == nil {
		s.consumers.Store(job, c)
	}
	return c, err
}

func (s *Store) recordsOf(ctx context.Context, job string) (jetstream.KeyValue, error) {
	if kv, ok := s.records.Load(job); ok {
		return kv.(jetstream.KeyValue), nil
	}
	kv, err := s.js.KeyValue(ctx, recordsBucket(job))
	if err == nil {
		s.records.Store(job, kv)
	}
	return kv, err
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
func (s *Store) Enqueue(ctx context.Context, job string, tasks [][]byte) error {
	return s.publish(ctx, job, tasks, true)
}

// publish adds tasks to the queue, with names by which the queue knows a task that was added lately or
// without.
func (s *Store) publish(ctx context.Context, job string, tasks [][]byte, named bool) error {
	var acks []jetstream.PubAckFuture
	for _, t := range tasks {
		if int64(len(t)) > s.js.Conn().MaxPayload()-headroom {
			return fmt.Errorf("a task has %d bytes, more than a message of this server can have", len(t))
		}
		var options []jetstream.PublishOpt
		if named {
			options = append(options, jetstream.WithMsgID(string(task.NameOf(t))))
		}
		ack, err := s.js.PublishAsync(tasksSubject(job), t, options...)
		if err != nil {
			return fmt.Errorf("adding tasks: %w", err)
		}
		acks = append(acks, ack)
	}
	for _, ack := range acks {
		select {
		case <-ack.Ok():
		case err := <-ack.Err():
			return fmt.Errorf("adding tasks: %w", err)
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return nil
}

// Queue returns how many tasks wait and how many are with workers.
func (s *Store) Queue(ctx context.Context, job string) (waiting, taken int, err error) {
	consumer, err := s.js.Consumer(ctx, tasksStream(job), consumerName)
	if err != nil {
		return 0, 0, err
	}
	info := consumer.CachedInfo()
	return int(info.NumPending), info.NumAckPending, nil
}

// parts is stored instead of a record that is too large for one message.
type parts struct {
	Try   string `json:"try"`
	Count int    `json:"count"`
}

// A stored record begins with one of these bytes.
const (
	whole    = 'w'
	inPieces = 'p'
)

// maxPieces bounds the pieces of a record that a reader accepts.
const maxPieces = 1024

func recordKey(id task.ID) string { return "r." + string(id) }
func sentKey(id task.ID) string   { return "s." + string(id) }
func pieceKey(id task.ID, try string, n int) string {
	return fmt.Sprintf("p.%s.%s.%d", id, try, n)
}

// Commit stores the record of a task unless the task has one. It returns the record that is stored then.
func (s *Store) Commit(ctx context.Context, job string, id task.ID, r *task.Record) (*task.Record, error) {
	kv, err := s.recordsOf(ctx, job)
	if err != nil {
		return nil, err
	}
	data, err := r.Encode()
	if err != nil {
		return nil, err
	}
	value, err := s.split(ctx, kv, id, data)
	if err != nil {
		return nil, fmt.Errorf("storing a record: %w", err)
	}
	// A reply can get lost although the record was stored. Then the record of the next try is refused in
	// favour of the same record.
	_, err = kv.Create(ctx, recordKey(id), value)
	if errors.Is(err, jetstream.ErrKeyExists) {
		stored, err := s.Record(ctx, job, id)
		if err == nil && stored == nil {
			err = fmt.Errorf("the record of %s exists and cannot be read", id)
		}
		return stored, err
	}
	if err != nil {
		return nil, fmt.Errorf("storing a record: %w", err)
	}
	return r, nil
}

// split stores a large record in pieces under names of their own, and returns the value to store instead. The
// pieces of a try that fails are never read.
func (s *Store) split(ctx context.Context, kv jetstream.KeyValue, id task.ID, data []byte) ([]byte, error) {
	size := int(s.js.Conn().MaxPayload()) - headroom
	if len(data) < size {
		return append([]byte{whole}, data...), nil
	}
	p := parts{Try: nuid.Next()}
	for len(data) > 0 {
		n := min(size, len(data))
		if _, err := kv.Put(ctx, pieceKey(id, p.Try, p.Count), data[:n]); err != nil {
			return nil, err
		}
		data, p.Count = data[n:], p.Count+1
	}
	if p.Count > maxPieces {
		return nil, fmt.Errorf("it needs %d messages, more than %d", p.Count, maxPieces)
	}
	head, err := json.Marshal(p)
	return append([]byte{inPieces}, head...), err
}

// Record returns the record of a task, or nil if it has none.
func (s *Store) Record(ctx context.Context, job string, id task.ID) (*task.Record, error) {
	kv, err := s.recordsOf(ctx, job)
	if err != nil {
		return nil, err
	}
	entry, err := kv.Get(ctx, recordKey(id))
	if errors.Is(err, jetstream.ErrKeyNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return recordOf(ctx, kv, id, entry.Value())
}

func recordOf(ctx context.Context, kv jetstream.KeyValue, id task.ID, value []byte) (*task.Record, error) {
	switch {
	case len(value) > 0 && value[0] == whole:
		return task.DecodeRecord(value[1:])
	case len(value) > 0 && value[0] == inPieces:
		var p parts
		if err := json.Unmarshal(value[1:], &p); err != nil {
			return nil, fmt.Errorf("the record of %s: %w", id, err)
		}
		if p.Count > maxPieces {
			return nil, fmt.Errorf("the record of %s has %d pieces, more than %d", id, p.Count, maxPieces)
		}
		var data bytes.Buffer
		for n := range p.Count {
			entry, err := kv.Get(ctx, pieceKey(id, p.Try, n))
			if err != nil {
				return nil, fmt.Errorf("piece %d of the record of %s: %w", n, id, err)
			}
			data.Write(entry.Value())
		}
		return task.DecodeRecord(data.Bytes())
	default:
		return nil, fmt.Errorf("the record of %s has an unknown form", id)
	}
}

// Sent reports whether the tasks that a record leaves are in the queue.
func (s *Store) Sent(ctx context.Context, job string, id task.ID) (bool, error) {
	kv, err := s.recordsOf(ctx, job)
	if err != nil {
		return false, err
	}
	_, err = kv.Get(ctx, sentKey(id))
	if errors.Is(err, jetstream.ErrKeyNotFound) {
		return false, nil
	}
	return err == nil, err
}

// MarkSent says that the tasks that a record leaves are in the queue.
func (s *Store) MarkSent(ctx context.Context, job string, id task.ID) error {
	kv, err := s.recordsOf(ctx, job)
	if err != nil {
		return err
	}
	_, err = kv.Put(ctx, sentKey(id), nil)
	return err
}

// Watch calls visit with the records of a check, first the existing ones and then each new one, until the
// context ends or visit returns false or an error. After the existing ones it calls visit with a nil record.
func (s *Store) Watch(ctx context.Context, job string, visit func(id task.ID, r *task.Record) (more bool, err error)) error {
	kv, err := s.recordsOf(ctx, job)
	if err != nil {
		return err
	}
	watch, err := kv.Watch(ctx, "r.*")
	if err != nil {
		return err
	}
	return entries(ctx, watch, func(entry jetstream.KeyValueEntry) (bool, error) {
		if entry == nil {
			return visit("", nil)
		}
		id := task.ID(entry.Key()[len("r."):])
		r, err := recordOf(ctx, kv, id, entry.Value())
		if err != nil {
			return false, err
		}
		return visit(id, r)
	})
}
