package store

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// answerTime is how long a server may take to answer a question or to acknowledge a message.
const answerTime = 5 * time.Second

// format is the layout of what is stored. Participants of another format refuse the store.
const format = "2"

// formatKey names the format in the configuration of the list of checks.
const formatKey = "fencepost_format"

// ErrEmpty says that a server has no store yet: no check was ever submitted to it.
var ErrEmpty = errors.New("no check was ever submitted to this server")

// ErrFormat says that the store was made by another version of this program.
var ErrFormat = errors.New("the store has another format")

// Connect opens the store of a server. With replicas, the number of servers that keep each message, it creates what is
// missing, and waits until that many servers have everything. Without, the store must exist: who does not submit a check
// does not know how many servers shall keep it, and a store that is made with one server can be lost with it.
//
// Notice, if not nil, is called with each failure that is tried again.
func Connect(ctx context.Context, nc *nats.Conn, replicas int, notice func(error)) (*Store, error) {
	js, err := jetstream.New(nc, jetstream.WithPublishAsyncTimeout(answerTime), jetstream.WithDefaultTimeout(answerTime))
	if err != nil {
		return nil, err
	}
	s := &Store{js: js, replicas: replicas, notice: notice}
	// The server may be away just now, or have no JetStream at all.
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	ctx = Asking(ctx)
	return s, s.repeat(ctx, func() error { return s.open(ctx) })
}

// Asking returns a context for several questions to a server, which ends when ctx ends. A reply that is lost with its
// server never comes. The client library waits for it until the deadline of the context, and answerTime if there is none:
// so this context has none, and there is time to ask again.
func Asking(ctx context.Context) context.Context { return withoutDeadline{ctx} }

type withoutDeadline struct{ context.Context }

func (withoutDeadline) Deadline() (time.Time, bool) { return time.Time{}, false }

// patience is how long Connect asks again.
const patience = 30 * time.Second

// open opens what is kept for all checks, and creates what is missing.
func (s *Store) open(ctx context.Context) (err error) {
	if s.jobs, err = s.bucket(ctx, jobsBucket, 0); err != nil {
		return err
	}
	if s.workers, err = s.bucket(ctx, workersBucket, Forgotten); err != nil {
		return err
	}
	if s.replicas > 0 {
		err = s.keep(ctx, jetstream.StreamConfig{
			Name: programsStream, Subjects: []string{"$O." + programsBucket + ".C.>", "$O." + programsBucket + ".M.>"},
			Discard: jetstream.DiscardNew, AllowRollup: true,
		}, s.replicas)
		if err != nil {
			return err
		}
	}
	s.programs, err = s.js.ObjectStore(ctx, programsBucket)
	return empty(err)
}

// empty makes ErrEmpty of an error that says that a bucket does not exist.
func empty(err error) error {
	if errors.Is(err, jetstream.ErrBucketNotFound) {
		return ErrEmpty
	}
	return err
}

// bucket opens a bucket. It creates the bucket first if it does not exist and this participant creates.
func (s *Store) bucket(ctx context.Context, name string, ttl time.Duration) (jetstream.KeyValue, error) {
	if s.replicas > 0 {
		if err := s.keep(ctx, bucketConfig(name, ttl), s.replicas); err != nil {
			return nil, err
		}
	}
	kv, err := s.js.KeyValue(ctx, name)
	if err != nil {
		return nil, empty(err)
	}
	stream, err := s.js.Stream(ctx, bucketStream(name))
	if err != nil {
		return nil, err
	}
	if have := stream.CachedInfo().Config.Metadata[formatKey]; have != format {
		return nil, fmt.Errorf("%w: it was made by another version of fencepost-cluster (format %q, this one has %q)", ErrFormat, have, format)
	}
	s.kept = stream.CachedInfo().Config.Replicas
	return kv, nil
}

// bucketConfig returns the configuration of the stream that keeps a bucket.
func bucketConfig(name string, ttl time.Duration) jetstream.StreamConfig {
	return jetstream.StreamConfig{
		Name: bucketStream(name), Subjects: []string{"$KV." + name + ".>"}, MaxMsgsPerSubject: 1, MaxAge: ttl,
		Discard: jetstream.DiscardNew, AllowRollup: true, DenyDelete: true, Metadata: map[string]string{formatKey: format},
	}
}

// keep creates the stream of a bucket, or lets more servers keep it if it exists with fewer replicas, and waits until
// they have it. The client library makes the same streams for buckets, but for one thing: here only the leader of the
// replicas is read. Another server may not have the newest message yet, and a check that was just submitted would not
// exist there.
func (s *Store) keep(ctx context.Context, config jetstream.StreamConfig, replicas int) error {
	config.Replicas = replicas
	_, err := s.js.CreateStream(ctx, config)
	if err != nil {
		stream, again := s.js.Stream(ctx, config.Name)
		if again != nil { // it was not there before
			return fmt.Errorf("making %s: %w", config.Name, err)
		}
		have := stream.CachedInfo().Config
		if have.Replicas < config.Replicas {
			have.Replicas = config.Replicas
			if _, err := s.js.UpdateStream(ctx, have); err != nil {
				return fmt.Errorf("keeping %s on %d servers: %w", config.Name, config.Replicas, err)
			}
		}
	}
	return s.awaitReplicas(ctx, config.Name)
}

// attempts is how often awaitReplicas asks whether all servers have a stream, before it is content with most of them.
const attempts = 50

// awaitReplicas waits until the servers that keep a stream have all of it: one that has just begun to keep it would take what
// it lacks from the others, and the stream would be lost with them. A server that is away is not waited for for long.
func (s *Store) awaitReplicas(ctx context.Context, name string) error {
	for attempt := 1; ; attempt++ {
		stream, err := s.js.Stream(ctx, name)
		if err != nil {
			return fmt.Errorf("looking for %s: %w", name, err)
		}
		have, all := current(stream.CachedInfo())
		want := stream.CachedInfo().Config.Replicas
		if all || attempt > attempts && have > want/2 {
			return nil
		}
		if attempt > attempts*2 {
			return fmt.Errorf("%w: %d of %d servers have all of %s", errLagging, have, want, name)
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(200 * time.Millisecond):
		}
	}
}

// errLagging says that too few servers have a stream.
var errLagging = errors.New("too few servers of the NATS cluster are up to date")

// current returns how many servers have all of a stream, and whether these are all that shall keep it and that are there.
func current(info *jetstream.StreamInfo) (have int, all bool) {
	if info.Cluster == nil { // a server that is in no cluster
		return 1, true
	}
	if info.Cluster.Leader == "" {
		return 0, false
	}
	have, all = 1, len(info.Cluster.Replicas)+1 >= info.Config.Replicas
	for _, peer := range info.Cluster.Replicas {
		switch {
		case peer.Current:
			have++
		case !peer.Offline:
			all = false
		}
	}
	return have, all && have > info.Config.Replicas/2
}
