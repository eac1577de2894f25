package worker_test

import (
	"context"
	"strings"
	"sync"
	"testing"
	"time"

	"fencepost/cluster/internal/store"
	"fencepost/cluster/internal/store/storetest"
	"fencepost/cluster/internal/synthetic"
	"fencepost/cluster/internal/worker"

	"github.com/nats-io/nats.go/jetstream"
)

// TestMend: the server loses the queue, its consumer, all records, some records or the list of workers while a check runs. What is lost
// is explored again, and the total is exact.
func TestMend(t *testing.T) {
	for what, lose := range map[string]func(context.Context, jetstream.JetStream, string) error{
		"the queue": func(ctx context.Context, js jetstream.JetStream, id string) error {
			return js.DeleteStream(ctx, "fp_tasks_"+id)
		},
		"the consumer": func(ctx context.Context, js jetstream.JetStream, id string) error {
			return js.DeleteConsumer(ctx, "fp_tasks_"+id, "workers")
		},
		"the records": func(ctx context.Context, js jetstream.JetStream, id string) error {
			return js.DeleteStream(ctx, "KV_fp_records_"+id)
		},
		"the list of workers": func(ctx context.Context, js jetstream.JetStream, _ string) error {
			return js.DeleteStream(ctx, "KV_fp_workers")
		},
		"the tasks in the queue": func(ctx context.Context, js jetstream.JetStream, id string) error {
			stream, err := js.Stream(ctx, "fp_tasks_"+id)
			if err != nil {
				return err
			}
			return stream.Purge(ctx)
		},
		"half of the records": damageRecords,
	} {
		t.Run(what, func(t *testing.T) {
			s, nc := storetest.Connect(t)
			js, err := jetstream.New(nc)
			if err != nil {
				t.Fatal(err)
			}
			tree := &synthetic.Tree{Seed: 21, Depth: 9}
			job := submit(t, s, tree, 50*time.Millisecond)
			var mu sync.Mutex
			commits := 0
			ended := work(t, s, job, 2, func(step worker.Step) error {
				mu.Lock()
				defer mu.Unlock()
				if step != worker.Commit {
					return nil
				}
				if commits++; commits == 12 {
					if err := lose(t.Context(), js, job.ID); err != nil {
						t.Error(err)
					}
				}
				return nil
			})
			if ended.State != store.Complete || ended.Sums == nil {
				t.Fatalf("%s %s", ended.State, ended.Reason)
			}
			if commits < 12 {
				t.Fatalf("only %d records were stored", commits)
			}
			if got, all := sum(t, s, ended); got != alone(t, tree) || store.SumsOf(all) != *ended.Sums {
				t.Errorf("counted %+v, want %+v; sums %+v, want %+v", got, alone(t, tree), store.SumsOf(all), *ended.Sums)
			}
			if err := s.Remove(t.Context(), job.ID); err != nil {
				t.Error(err)
			}
			for name := range js.StreamNames(t.Context()).Name() {
				if strings.Contains(name, job.ID) {
					t.Errorf("%s is left", name)
				}
			}
		})
	}
}

// damageRecords flips a bit in every second record.
func damageRecords(ctx context.Context, js jetstream.JetStream, id string) error {
	kv, err := js.KeyValue(ctx, "fp_records_"+id)
	if err != nil {
		return err
	}
	lister, err := kv.ListKeys(ctx)
	if err != nil {
		return err
	}
	n := 0
	for key := range lister.Keys() {
		if n++; n%2 == 0 || !strings.HasPrefix(key, "r.") {
			continue
		}
		entry, err := kv.Get(ctx, key)
		if err != nil {
			return err
		}
		value := append([]byte(nil), entry.Value()...)
		value[n*7%len(value)] ^= 1 << (n % 8)
		if _, err := kv.Put(ctx, key, value); err != nil {
			return err
		}
	}
	return nil
}
