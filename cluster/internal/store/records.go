package store

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"fencepost/cluster/internal/task"

	"github.com/nats-io/nats.go/jetstream"
	"github.com/nats-io/nuid"
)

// A stored record begins with a byte that says what comes after the checksum: the record, or where its pieces are.
const (
	whole    = 'w'
	inPieces = 'p'
)

// pieces is stored instead of a record that is too large for one message.
type pieces struct {
	Try   string `json:"try"`
	Count int    `json:"count"`
}

// maxPieces bounds the pieces of a record that a reader accepts.
const maxPieces = 1024

func recordKey(id task.ID) string { return "r." + string(id) }
func sentKey(id task.ID) string   { return "s." + string(id) }
func pieceKey(id task.ID, try string, n int) string {
	return fmt.Sprintf("p.%s.%s.%d", id, try, n)
}

func (s *Store) recordsOf(ctx context.Context, job *Job) (jetstream.KeyValue, error) {
	name := job.recordsBucket()
	if kv, ok := s.records.Load(name); ok {
		return kv.(jetstream.KeyValue), nil
	}
	kv, err := s.js.KeyValue(ctx, name)
	if err == nil {
		s.records.Store(name, kv)
	}
	return kv, err
}

// Commit stores the record of a task unless the task has one. It returns the record that is stored then.
func (s *Store) Commit(ctx context.Context, job *Job, id task.ID, r *task.Record) (*task.Record, error) {
	kv, err := s.recordsOf(ctx, job)
	if err != nil {
		return nil, err
	}
	data, err := r.Encode()
	if err != nil {
		return nil, err
	}
	value, err := s.split(ctx, kv, job, id, data)
	if err != nil {
		return nil, fmt.Errorf("storing a record: %w", err)
	}
	// A reply can get lost although the record was stored. Then the record of the next try is refused in
	// favour of the same record.
	_, err = kv.Create(ctx, recordKey(id), value)
	if errors.Is(err, jetstream.ErrKeyExists) {
		stored, err := s.Record(ctx, job, id)
		if err == nil && stored == nil {
			err = fmt.Errorf("the record of %s could not be read, and was dropped: %w", id, ErrDamaged)
		}
		return stored, err
	}
	if err != nil {
		return nil, fmt.Errorf("storing a record: %w", s.why(ctx, bucketStream(job.recordsBucket()), err))
	}
	return r, nil
}

// split stores a large record in pieces under names of their own, and returns the value to store instead. The
// pieces of a try that fails are never read.
func (s *Store) split(ctx context.Context, kv jetstream.KeyValue, job *Job, id task.ID, data []byte) ([]byte, error) {
	size := int(s.js.Conn().MaxPayload()) - headroom
	sum := task.SumOf(job.ID, id, data)
	if len(data) < size {
		return append(append([]byte{whole}, sum[:]...), data...), nil
	}
	p := pieces{Try: nuid.Next(), Count: (len(data) + size - 1) / size}
	if p.Count > maxPieces {
		return nil, fmt.Errorf("it needs %d messages, more than %d", p.Count, maxPieces)
	}
	for i := range p.Count {
		if _, err := kv.Put(ctx, pieceKey(id, p.Try, i), data[i*size:min(len(data), (i+1)*size)]); err != nil {
			return nil, s.why(ctx, bucketStream(job.recordsBucket()), err)
		}
	}
	head, err := json.Marshal(p)
	return append(append([]byte{inPieces}, sum[:]...), head...), err
}

// Record returns the record of a task, or nil if it has none that can be read.
func (s *Store) Record(ctx context.Context, job *Job, id task.ID) (*task.Record, error) {
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
	return s.recordOf(ctx, kv, job, id, entry)
}

// recordOf reads a record. One that is damaged is dropped, so that its task is explored again: it returns nil then.
func (s *Store) recordOf(ctx context.Context, kv jetstream.KeyValue, job *Job, id task.ID, entry jetstream.KeyValueEntry) (*task.Record, error) {
	r, err := readRecord(job.ID, id, entry.Value(), func(try string, n int) ([]byte, error) {
		piece, err := kv.Get(ctx, pieceKey(id, try, n))
		if errors.Is(err, jetstream.ErrKeyNotFound) {
			return nil, fmt.Errorf("piece %d is missing: %w", n, ErrDamaged)
		}
		if err != nil {
			return nil, err
		}
		return piece.Value(), nil
	})
	if !errors.Is(err, ErrDamaged) {
		return r, err
	}
	if s.notice != nil {
		s.notice(fmt.Errorf("the record of %s is dropped, and its task explored again: %w", id, err))
	}
	err = kv.Purge(ctx, recordKey(id), jetstream.LastRevision(entry.Revision()))
	if errors.Is(err, jetstream.ErrKeyExists) { // another participant was faster
		err = nil
	}
	return nil, err
}

// readRecord reads a stored record. An error wraps ErrDamaged if it is not what was stored under this name.
func readRecord(job string, id task.ID, value []byte, piece func(try string, n int) ([]byte, error)) (*task.Record, error) {
	const n = 1 + len(task.Sum{})
	if len(value) < n {
		return nil, fmt.Errorf("%d bytes are no record: %w", len(value), ErrDamaged)
	}
	sum, data := task.Sum(value[1:n]), value[n:]
	switch value[0] {
	case whole:
	case inPieces:
		var p pieces
		if err := json.Unmarshal(data, &p); err != nil {
			return nil, fmt.Errorf("%w: %w", ErrDamaged, err)
		}
		if p.Count < 0 || p.Count > maxPieces {
			return nil, fmt.Errorf("it has %d pieces: %w", p.Count, ErrDamaged)
		}
		var all bytes.Buffer
		for i := range p.Count {
			part, err := piece(p.Try, i)
			if err != nil {
				return nil, err
			}
			all.Write(part)
		}
		data = all.Bytes()
	default:
		return nil, fmt.Errorf("it has an unknown form: %w", ErrDamaged)
	}
	if task.SumOf(job, id, data) != sum {
		return nil, fmt.Errorf("its checksum is wrong: %w", ErrDamaged)
	}
	r, err := task.DecodeRecord(data)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	r.Sum = sum
	return r, nil
}

// Sent reports whether the tasks that a record leaves are in the queue.
func (s *Store) Sent(ctx context.Context, job *Job, id task.ID) (bool, error) {
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
func (s *Store) MarkSent(ctx context.Context, job *Job, id task.ID) error {
	kv, err := s.recordsOf(ctx, job)
	if err != nil {
		return err
	}
	_, err = kv.Put(ctx, sentKey(id), nil)
	return s.why(ctx, bucketStream(job.recordsBucket()), err)
}

// Watch calls visit with the records of a check, first the existing ones and then each new one, until the
// context ends or visit returns false or an error. After the existing ones it calls visit with a nil record.
func (s *Store) Watch(ctx context.Context, job *Job, visit func(id task.ID, r *task.Record) (more bool, err error)) error {
	kv, err := s.recordsOf(ctx, job)
	if err != nil {
		return err
	}
	watch, err := kv.Watch(ctx, "r.*", jetstream.IgnoreDeletes())
	if err != nil {
		return s.why(ctx, bucketStream(job.recordsBucket()), err)
	}
	return entries(ctx, watch, func(entry jetstream.KeyValueEntry) (bool, error) {
		if entry == nil {
			return visit("", nil)
		}
		id := task.ID(entry.Key()[len("r."):])
		r, err := s.recordOf(ctx, kv, job, id, entry)
		if err != nil || r == nil {
			return true, err
		}
		return visit(id, r)
	})
}
