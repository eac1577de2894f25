package serve

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strings"
	"sync"
	"time"

	"fencepost/internal/explorer"
)

// Workers. A request may bring a program that no limit inside this process stops: a page of macros that stands for more
// text than there is memory, or parentheses so deep that the stack ends, which ends a Go program. So requests are
// answered in processes of their own, which run Work. The server ends a worker whose time is over or whose client went
// away, and a worker ends itself when it has taken too much memory; no other request notices.

const (
	// grace is how much longer than the time of a step its request may take.
	grace = 3 * time.Second
	// quick is the time within which a worker must have answered a step to get another request. Later it may still
	// be busy with what it has given up.
	quick = time.Second
	// maxIdle is how many workers wait for requests.
	maxIdle = 2
	// maxComplaint is how many bytes of a worker's last words are kept.
	maxComplaint = 4 << 10
)

// pool has the workers of a server.
type pool struct {
	start  func() *exec.Cmd
	limits explorer.Limits

	mu   sync.Mutex
	idle []*worker
}

// worker is a process that answers one request at a time.
type worker struct {
	cmd       *exec.Cmd
	in        *json.Encoder
	out       *json.Decoder
	complaint *firstBytes
	used      bool // it has answered before
	end       func()
}

// reply is a line from a worker.
type reply struct {
	Progress *explorer.Progress `json:"progress"`
	Answer   json.RawMessage    `json:"answer"`
	Failure  *explorer.Failure  `json:"failure"`
}

// answer lets a worker answer a request.
func (p *pool) answer(ctx context.Context, kind string, search bool, body []byte, report func(explorer.Progress)) (any, *explorer.Failure) {
	for {
		w, err := p.take()
		if err != nil {
			return nil, &explorer.Failure{Kind: explorer.Internal, Message: "internal error: " + err.Error()}
		}
		used, begun := w.used, time.Now()
		answer, failed, err := w.ask(ctx, kind, body, report)
		switch {
		case err == nil && !search && time.Since(begun) < quick:
			p.put(w)
			return answer, failed
		case err == nil:
			w.end()
			return answer, failed
		case ctx.Err() == nil && used: // it may have ended before this request
			w.end()
		default:
			w.end()
			return nil, w.failure(ctx, p.limits.Memory, err)
		}
	}
}

// take returns a worker, and sees to it that another one waits for the next request.
func (p *pool) take() (*worker, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if n := len(p.idle); n > 0 {
		w := p.idle[n-1]
		p.idle = p.idle[:n-1]
		if n == 1 {
			go p.prepare()
		}
		return w, nil
	}
	go p.prepare()
	return p.begin()
}

// prepare starts a worker before there is a request for it.
func (p *pool) prepare() {
	if w, err := p.begin(); err == nil {
		p.put(w)
	}
}

// put keeps a worker for another request.
func (p *pool) put(w *worker) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.idle == nil || len(p.idle) >= maxIdle {
		w.end()
		return
	}
	p.idle = append(p.idle, w)
}

// close ends the idle workers. The others end with their requests.
func (p *pool) close() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, w := range p.idle {
		w.end()
	}
	p.idle = nil
}

// begin starts a worker.
func (p *pool) begin() (*worker, error) {
	w := &worker{cmd: p.start(), complaint: &firstBytes{}}
	w.cmd.Stderr = w.complaint
	in, err := w.cmd.StdinPipe()
	if err != nil {
		return nil, fmt.Errorf("starting a worker: %w", err)
	}
	out, err := w.cmd.StdoutPipe()
	if err != nil {
		return nil, fmt.Errorf("starting a worker: %w", err)
	}
	if err := w.cmd.Start(); err != nil {
		return nil, fmt.Errorf("starting a worker: %w", err)
	}
	w.in, w.out = json.NewEncoder(in), json.NewDecoder(out)
	w.end = sync.OnceFunc(func() {
		_ = w.cmd.Process.Kill()
		_ = w.cmd.Wait()
	})
	if err := w.in.Encode(p.limits); err != nil {
		w.end()
		return nil, fmt.Errorf("starting a worker: %w", err)
	}
	return w, nil
}

// ask sends a request and returns the answer or the failure. An error means that the worker has ended.
func (w *worker) ask(ctx context.Context, kind string, body []byte, report func(explorer.Progress)) (any, *explorer.Failure, error) {
	w.used = true
	stop := context.AfterFunc(ctx, func() { _ = w.cmd.Process.Kill() })
	defer stop()
	if err := w.in.Encode(question{kind, body}); err != nil {
		return nil, nil, err
	}
	for {
		var r reply
		if err := w.out.Decode(&r); err != nil {
			return nil, nil, err
		}
		switch {
		case r.Failure != nil:
			return nil, r.Failure, nil
		case r.Answer != nil:
			return r.Answer, nil, nil
		case r.Progress != nil && report != nil:
			report(*r.Progress)
		}
	}
}

// failure says why a worker that has ended did not answer.
func (w *worker) failure(ctx context.Context, memory int64, err error) *explorer.Failure {
	complaint := w.complaint.String()
	switch {
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		return &explorer.Failure{Kind: explorer.Limit, Message: "the time for this request is over"}
	case ctx.Err() != nil:
		return &explorer.Failure{Kind: explorer.Canceled, Message: "canceled"}
	case w.cmd.ProcessState.ExitCode() == exitMemory:
		return &explorer.Failure{Kind: explorer.Limit, Message: fmt.Sprintf("this request needs more memory than a request may take (%d MiB)", most(memory)>>20)}
	case strings.Contains(complaint, "stack overflow"):
		return &explorer.Failure{Kind: explorer.Limit, Message: "the program is nested too deeply"}
	default:
		first, _, _ := strings.Cut(complaint, "\n")
		return &explorer.Failure{Kind: explorer.Internal, Message: fmt.Sprintf("internal error: the answer broke off: %v: %s", err, first)}
	}
}

// firstBytes keeps the first bytes that are written.
type firstBytes struct {
	mu   sync.Mutex
	kept bytes.Buffer
}

func (f *firstBytes) Write(b []byte) (int, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.kept.Write(b[:min(len(b), max(0, maxComplaint-f.kept.Len()))])
	return len(b), nil
}

func (f *firstBytes) String() string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.kept.String()
}

var _ io.Writer = (*firstBytes)(nil)
