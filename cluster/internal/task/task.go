package task

import (
	"bytes"
	"compress/flate"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// The limits of what one participant accepts from another. A larger one is an error, not a reason to
// allocate.
const (
	// MaxTask is the size of one task. A message of NATS has at most 1 MiB by default, with its headers.
	MaxTask = 1<<20 - 8<<10
	// MaxRecord is the size of a record before it is compressed.
	MaxRecord = 256 << 20
	// MaxPending is the number of tasks that a record leaves.
	MaxPending = 1 << 18
)

// ID is the name of a task: a hash of its bytes.
type ID string

// NameOf returns the name of a task.
func NameOf(task []byte) ID {
	sum := sha256.Sum256(task)
	return ID(hex.EncodeToString(sum[:16]))
}

// Record has the result of exploring a task for a while.
type Record struct {
	// Part has the counts, in the explorer's form. It is nil if the exploration counted nothing.
	Part json.RawMessage `json:"part,omitempty"`
	// Executions is the number of executions in Part, for progress.
	Executions int64 `json:"executions"`
	// Fingerprint is that of Part, and Share the part of the whole check that was explored. Both can be computed from Part,
	// and a reader that does so must come to the same.
	Fingerprint string  `json:"fingerprint,omitempty"`
	Share       float64 `json:"share,omitempty"`
	// Over: the rest of the check need not be explored, such as after a violation.
	Over bool `json:"over,omitempty"`
	// Pending are the tasks that are left.
	Pending [][]byte `json:"pending,omitempty"`

	// Sum is the checksum that the record was stored with.
	Sum Sum `json:"-"`
}

// Sum is a checksum.
type Sum [sha256.Size]byte

// SumOf returns the checksum of a stored record. It also covers the names of the check and of the task, so that the
// record of another task is not taken for this one.
func SumOf(check string, id ID, data []byte) Sum {
	h := sha256.New()
	fmt.Fprintf(h, "%d %s %d %s ", len(check), check, len(id), id)
	h.Write(data)
	return Sum(h.Sum(nil))
}

// Encode returns the record as compressed JSON. Graphs of one exploration are much alike, so that the tasks
// left compress well together.
func (r *Record) Encode() ([]byte, error) {
	if len(r.Pending) > MaxPending {
		return nil, fmt.Errorf("a record leaves %d tasks, more than %d", len(r.Pending), MaxPending)
	}
	for _, t := range r.Pending {
		if len(t) > MaxTask {
			return nil, fmt.Errorf("a task has %d bytes, more than %d", len(t), MaxTask)
		}
	}
	return Pack(r)
}

// DecodeRecord reads what Encode wrote.
func DecodeRecord(data []byte) (*Record, error) {
	var r Record
	if err := Unpack(data, MaxRecord, &r); err != nil {
		return nil, fmt.Errorf("a record: %w", err)
	}
	if len(r.Pending) > MaxPending {
		return nil, fmt.Errorf("a record leaves %d tasks, more than %d", len(r.Pending), MaxPending)
	}
	for _, t := range r.Pending {
		if len(t) > MaxTask {
			return nil, fmt.Errorf("a record leaves a task of %d bytes, more than %d", len(t), MaxTask)
		}
	}
	return &r, nil
}

// Pack returns a value as compressed JSON.
func Pack(v any) ([]byte, error) {
	var out bytes.Buffer
	w, err := flate.NewWriter(&out, flate.DefaultCompression)
	if err != nil {
		return nil, err
	}
	if err := json.NewEncoder(w).Encode(v); err != nil {
		return nil, err
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}

// Unpack reads what Pack wrote. It refuses what has more than max bytes when it is expanded, or anything
// after the value.
func Unpack(data []byte, max int64, v any) error {
	in := bytes.NewReader(data)
	r := &io.LimitedReader{R: flate.NewReader(in), N: max + 1}
	dec := json.NewDecoder(r)
	err := dec.Decode(v)
	switch {
	case r.N <= 0:
		return fmt.Errorf("larger than %d bytes", max)
	case err != nil:
		return err
	}
	var rest json.RawMessage
	if err := dec.Decode(&rest); !errors.Is(err, io.EOF) {
		if r.N <= 0 {
			return fmt.Errorf("larger than %d bytes", max)
		}
		return errors.New("something stands after the end")
	}
	if in.Len() > 0 {
		return errors.New("something stands after the end")
	}
	return nil
}
