package store

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// Trouble is a kind of failure of a server.
type Trouble int

// The kinds. They differ in who can mend them.
const (
	Other Trouble = iota // not known
	Away                 // the server does not answer, or a NATS cluster has no leader: it may come back
	Full                 // the server answers and stores nothing: the user must make room
	Lost                 // the server has lost, or cannot read, what it has stored: see Mend
)

// What a server answers with, by its numbers: the client library has no names for most of them.
var codes = map[jetstream.ErrorCode]Trouble{
	10004: Away, // a NATS cluster whose answer is not complete
	10008: Away, // a NATS cluster that chooses another leader
	10009: Away, // the server that was asked no longer leads
	10163: Away, // the new leader of a stream is not ready
	10002: Full, // the limit of the account
	10023: Full, // the limit of the server, such as --max-disk
	10028: Full, // the same, in memory
	10047: Full, // the same, on disk
	10039: Full, // JetStream has stopped, as it does when the disk is full
	10076: Full,
	10077: Full, // a stream could not write
	10104: Full, // a consumer could not write
	10014: Lost, // no such consumer
	10059: Lost, // no such stream
	10118: Lost, // a stream that cannot be read
	10119: Lost, // a consumer that cannot be read
	10194: Lost, // the same, with a reason
	10195: Lost,
}

// noPeers is the number of the answer of a NATS cluster that has too few servers for a stream: because it is too small, or
// because some are away, as right after its start.
const noPeers = 10005

// KindOf returns what kind of failure an error is.
func KindOf(err error) Trouble {
	if api := (*jetstream.APIError)(nil); errors.As(err, &api) {
		if api.ErrorCode == noPeers && strings.Contains(api.Description, "offline") {
			return Away
		}
		return codes[api.ErrorCode]
	}
	for _, e := range []error{jetstream.ErrBucketNotFound, jetstream.ErrStreamNotFound, jetstream.ErrConsumerNotFound} {
		if errors.Is(err, e) {
			return Lost
		}
	}
	for _, e := range []error{jetstream.ErrJetStreamNotEnabled, jetstream.ErrJetStreamNotEnabledForAccount} {
		if errors.Is(err, e) {
			return Full
		}
	}
	for _, e := range []error{
		nats.ErrTimeout, nats.ErrNoResponders, nats.ErrDisconnected, nats.ErrConnectionReconnecting, nats.ErrNoServers,
		jetstream.ErrNoStreamResponse, jetstream.ErrAsyncPublishTimeout, context.DeadlineExceeded, errSilent, errLagging,
	} {
		if errors.Is(err, e) {
			return Away
		}
	}
	return Other
}

// errSilent says that a server stopped in the middle of an answer.
var errSilent = errors.New("the server stopped in the middle of its answer")

// Message says what an error means for a user, and what to do.
func Message(err error) string {
	switch KindOf(err) {
	case Away:
		if api := (*jetstream.APIError)(nil); errors.As(err, &api) && api.ErrorCode == noPeers {
			return fmt.Sprintf("too few servers of the NATS cluster are there: %v", err)
		}
		return fmt.Sprintf("the server does not answer: %v", err)
	case Full:
		return fmt.Sprintf("the server cannot store anything: is its disk full, or the limit --max-disk reached? Make room, or remove checks with `cancel`: %v", err)
	case Lost:
		return fmt.Sprintf("the server has lost or cannot read what it stored: %v", err)
	default:
		return err.Error()
	}
}

// why finds out why a message to a stream had no reply. A stream that is gone does not answer either, and the server
// says so when it is asked.
func (s *Store) why(ctx context.Context, stream string, err error) error {
	silent := errors.Is(err, nats.ErrNoResponders) || errors.Is(err, jetstream.ErrNoStreamResponse) || errors.Is(err, nats.ErrTimeout) ||
		errors.Is(err, jetstream.ErrAsyncPublishTimeout)
	if err == nil || !silent || ctx.Err() != nil {
		return err
	}
	if _, reason := s.js.Stream(ctx, stream); reason != nil && KindOf(reason) != Away {
		return fmt.Errorf("%w: %w", err, reason)
	}
	return err
}

// repeat repeats a step until the server has done it or the context ends, as long as the server may come back or get
// room.
func (s *Store) repeat(ctx context.Context, do func() error) error {
	for {
		err := do()
		if kind := KindOf(err); err == nil || kind != Away && kind != Full || ctx.Err() != nil {
			return err
		}
		if s.notice != nil {
			s.notice(err)
		}
		select {
		case <-ctx.Done():
			return err
		case <-time.After(200 * time.Millisecond):
		}
	}
}

// Closed says why the connection to the server has ended for good, such as because the server wants another token now;
// "": it has not.
func (s *Store) Closed() string {
	nc := s.js.Conn()
	if !nc.IsClosed() {
		return ""
	}
	if err := nc.LastError(); err != nil {
		return err.Error()
	}
	return "it was closed"
}
