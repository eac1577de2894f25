package store

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

// Silence is how long a worker may be silent before it is taken for gone.
const Silence = 20 * time.Second

// Forgotten is how long a worker that is silent is still listed.
const Forgotten = 10 * time.Minute

// Worker is a participant that explores tasks.
type Worker struct {
	ID      string    `json:"id"`
	Host    string    `json:"host"`
	Version string    `json:"version"`
	Slots   int       `json:"slots"`
	Since   time.Time `json:"since"`
	// Tasks and Executions count the explored ones.
	Tasks      int64 `json:"tasks"`
	Executions int64 `json:"executions"`
	// Trouble says what was wrong when the worker was last heard of.
	Trouble string `json:"trouble,omitempty"`
	// Seen is when the server last heard of the worker. The server's clock counts, not the worker's.
	Seen time.Time `json:"seen,omitzero"`
}

// Announce says that a worker is there.
func (s *Store) Announce(ctx context.Context, w *Worker) error {
	data, err := json.Marshal(w)
	if err != nil {
		return err
	}
	_, err = s.workers.Put(ctx, w.ID, data)
	return s.why(ctx, bucketStream(workersBucket), err)
}

// Leave says that a worker has gone.
func (s *Store) Leave(ctx context.Context, id string) error { return s.workers.Purge(ctx, id) }

// probePrefix begins the keys by which participants find out whether the server stores anything.
const probePrefix = "probe."

// Probe stores something, and returns the server's time. An error says why the server stores nothing.
func (s *Store) Probe(ctx context.Context, who string) (time.Time, error) {
	key := probePrefix + who
	if _, err := s.workers.Put(ctx, key, nil); err != nil {
		return time.Time{}, s.why(ctx, bucketStream(workersBucket), err)
	}
	entry, err := s.workers.Get(ctx, key)
	if err != nil {
		return time.Time{}, err
	}
	return entry.Created(), nil
}

// Repair makes again what is kept for all checks, as far as the server has lost it. What it was is lost.
func (s *Store) Repair(ctx context.Context) error {
	repaired := &Store{js: s.js, replicas: s.kept}
	return repaired.open(ctx)
}

// Workers returns who was heard of lately, and when one was last heard of.
func (s *Store) Workers(ctx context.Context) ([]Worker, time.Time, error) {
	var out []Worker
	var now time.Time
	err := s.list(ctx, s.workers, func(entry jetstream.KeyValueEntry) error {
		if strings.HasPrefix(entry.Key(), probePrefix) {
			return nil
		}
		var w Worker
		if err := json.Unmarshal(entry.Value(), &w); err != nil {
			return fmt.Errorf("the worker %s: %w", entry.Key(), err)
		}
		w.Seen = entry.Created()
		if w.Seen.After(now) {
			now = w.Seen
		}
		out = append(out, w)
		return nil
	})
	slices.SortFunc(out, func(a, b Worker) int { return a.Since.Compare(b.Since) })
	return out, now, err
}
