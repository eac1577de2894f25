package serve

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"sync"
	"time"

	"fencepost/internal/explorer"
)

// pace is the least time between two lines of progress.
const pace = 200 * time.Millisecond

// slack is how much longer than the limit of a search its request may take.
const slack = 30 * time.Second

// answer sends lines of progress and the answer. A client that goes away cancels its request, and no other.
func (s *server) answer(w http.ResponseWriter, r *http.Request, kind string, search bool, body []byte) {
	w.Header().Set("Content-Type", "application/x-ndjson")
	w.Header().Set("Cache-Control", "no-store")
	out := &lines{w: w, control: http.NewResponseController(w), clientTime: s.clientTime}
	client, _, err := net.SplitHostPort(r.RemoteAddr)
	if err != nil {
		client = r.RemoteAddr
	}
	queue, report, limit := s.steps, (func(explorer.Progress))(nil), explorer.StepTime+grace
	if search {
		queue, report = s.searches, func(p explorer.Progress) { out.progress(&p) }
		limit = 0
		if s.opt.Limits.Timeout > 0 {
			limit = 3*s.opt.Limits.Timeout + s.slack // a limit holds for each model
		}
	}
	done, err := queue.enter(r.Context(), client, func() { out.send(line{Waiting: true}) })
	if err != nil {
		out.send(line{Failure: &explorer.Failure{Kind: explorer.Canceled, Message: err.Error()}})
		return
	}
	defer done()
	ctx := r.Context()
	if limit > 0 {
		limited, cancel := context.WithTimeout(ctx, limit)
		defer cancel()
		ctx = limited
	}
	answer, failed := s.ask(ctx, kind, search, body, report)
	if failed != nil {
		out.send(line{Failure: failed})
		return
	}
	out.send(line{Answer: answer})
}

// ask answers a request, in a worker if there are any.
func (s *server) ask(ctx context.Context, kind string, search bool, body []byte, report func(explorer.Progress)) (any, *explorer.Failure) {
	if s.workers != nil {
		return s.workers.answer(ctx, kind, search, body, report)
	}
	answer, err := explorer.Ask(ctx, kind, body, s.opt.Limits, report)
	failed := (*explorer.Failure)(nil)
	errors.As(err, &failed)
	return answer, failed
}

// lines writes lines, one at a time.
type lines struct {
	mu      sync.Mutex
	w       io.Writer
	control *http.ResponseController // nil: the reader is no client
	// clientTime is how long a client may take to read a line.
	clientTime time.Duration
	last       time.Time // of the last line
	ended      bool
}

func (l *lines) send(x line) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.write(x)
}

// write sends a line and does not wait long for a client that does not read.
func (l *lines) write(x line) {
	if l.ended {
		return
	}
	l.last = time.Now()
	l.ended = x.Answer != nil || x.Failure != nil
	if l.control == nil {
		_, _ = l.w.Write(encode(x))
		return
	}
	_ = l.control.SetWriteDeadline(l.last.Add(l.clientTime))
	if _, err := l.w.Write(encode(x)); err == nil {
		_ = l.control.Flush()
	}
}

func (l *lines) progress(p *explorer.Progress) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if time.Since(l.last) >= pace {
		l.write(line{Progress: p})
	}
}

// errBusy is about a client that asks too much.
var errBusy = errors.New("too many searches wait: cancel one of them first")

// maxWaiting is how many searches of one client may wait.
const maxWaiting = 8

// queue limits how many searches run at once, in all and per client, so that one client leaves room for others.
type queue struct {
	slots     chan struct{}
	perClient int

	mu      sync.Mutex
	clients map[string]*clientQueue
}

type clientQueue struct {
	slots chan struct{}
	users int // searches that run or wait
}

func newQueue(all, perClient int) *queue {
	return &queue{slots: make(chan struct{}, all), perClient: perClient, clients: map[string]*clientQueue{}}
}

// enter waits for room. It calls wait if there is none at once. The search must call done at its end.
func (q *queue) enter(ctx context.Context, client string, wait func()) (done func(), err error) {
	q.mu.Lock()
	c := q.clients[client]
	if c == nil {
		c = &clientQueue{slots: make(chan struct{}, q.perClient)}
		q.clients[client] = c
	}
	if c.users >= q.perClient+maxWaiting {
		q.mu.Unlock()
		return nil, errBusy
	}
	c.users++
	q.mu.Unlock()
	leave := func() {
		q.mu.Lock()
		defer q.mu.Unlock()
		if c.users--; c.users == 0 {
			delete(q.clients, client)
		}
	}
	// The client's own slot first: who waits for it takes no room from others.
	if err := acquire(ctx, c.slots, wait); err != nil {
		leave()
		return nil, err
	}
	if err := acquire(ctx, q.slots, wait); err != nil {
		<-c.slots
		leave()
		return nil, err
	}
	return func() { <-q.slots; <-c.slots; leave() }, nil
}

func acquire(ctx context.Context, slots chan struct{}, wait func()) error {
	select {
	case slots <- struct{}{}:
		return nil
	default:
	}
	wait()
	select {
	case slots <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
