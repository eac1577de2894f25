package lsp

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/sourcegraph/jsonrpc2"
)

// start begins to check a document, and cancels what runs for it.
func (s *Server) start(ctx context.Context, path string, request *jsonrpc2.ID) *job {
	ctx, cancel := context.WithCancel(ctx)
	s.mu.Lock()
	if before := s.jobs[path]; before != nil {
		before.cancel()
	}
	s.tokens++
	j := &job{cancel: cancel, token: fmt.Sprintf("fencepost-%d", s.tokens), request: request, done: make(chan struct{})}
	s.jobs[path] = j
	s.mu.Unlock()
	go func() {
		defer close(j.done)
		defer cancel()
		j.summary, j.err = s.run(ctx, path, j)
		s.mu.Lock()
		if s.jobs[path] == j {
			delete(s.jobs, path)
		}
		s.mu.Unlock()
	}()
	return j
}

// run checks a document and shows what was found.
func (s *Server) run(ctx context.Context, path string, j *job) (string, error) {
	texts := s.open()
	text, err := s.textOf(texts, path)
	if err != nil {
		return "", err
	}
	d, err := s.directiveOf(path, string(text))
	if err != nil {
		s.forget(path)
		s.publish(ctx, path, map[string][]diagnostic{path: {{
			Range: lineRange(lines(string(text)), d.line), Severity: severityError, Source: source, Message: err.Error(),
		}}})
		return err.Error(), nil
	}
	s.mu.Lock()
	found := s.kept.find(&d, func(path string) ([]byte, error) { return s.textOf(texts, path) })
	s.mu.Unlock()
	if found == nil {
		a := &asking{s: s, texts: texts, read: map[string][sha256.Size]byte{}}
		end := s.begin(ctx, a, j, path)
		found, err = a.ask(ctx, d)
		end(err)
		if err := ctx.Err(); err != nil {
			return "", err
		}
		if err != nil {
			return "", s.failed(ctx, path, err)
		}
		s.mu.Lock()
		s.kept.add(&d, found)
		s.mu.Unlock()
	}
	s.mu.Lock()
	s.found[path] = found
	s.mu.Unlock()
	s.publish(ctx, path, s.diagnostics(found, path))
	s.renewLenses(ctx)
	return s.summary(found), nil
}

// failed shows that there is no answer.
func (s *Server) failed(ctx context.Context, path string, err error) error {
	s.forget(path)
	s.publish(ctx, path, map[string][]diagnostic{path: {{Severity: severityError, Source: source, Message: "no answer: " + err.Error()}}})
	if errors.Is(err, context.Canceled) {
		return err
	}
	return &jsonrpc2.Error{Code: jsonrpc2.CodeInternalError, Message: err.Error()}
}

// forget forgets the answer about a document.
func (s *Server) forget(path string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.found, path)
}

// showKept shows the answer about a document that was opened, if there is one for these texts.
func (s *Server) showKept(ctx context.Context, path string) {
	texts := s.open()
	d, err := s.directiveOf(path, texts[path])
	if err != nil {
		return
	}
	s.mu.Lock()
	found := s.kept.find(&d, func(path string) ([]byte, error) { return s.textOf(texts, path) })
	if found != nil {
		s.found[path] = found
	}
	s.mu.Unlock()
	if found != nil {
		s.publish(ctx, path, s.diagnostics(found, path))
	}
}

// begin shows progress, and returns a function that ends it.
func (s *Server) begin(ctx context.Context, a *asking, j *job, path string) (end func(error)) {
	a.report = func(string) {}
	s.mu.Lock()
	shown := s.progress
	s.mu.Unlock()
	if !shown || s.conn.Call(ctx, "window/workDoneProgress/create", tokenParams{j.token}, nil) != nil {
		return func(error) {}
	}
	send := func(v progressValue) { _ = s.conn.Notify(ctx, "$/progress", progressParams{j.token, v}) }
	send(progressValue{Kind: "begin", Title: "fencepost: " + filepath.Base(path), Cancellable: true})
	a.report = func(message string) { send(progressValue{Kind: "report", Message: message}) }
	return func(err error) {
		words := "ended"
		if err != nil {
			words = strings.SplitN(err.Error(), "\n", 2)[0]
		}
		_ = s.conn.Notify(context.WithoutCancel(ctx), "$/progress", progressParams{j.token, progressValue{Kind: "end", Message: words}})
	}
}

// renewLenses asks the client for new code lenses.
func (s *Server) renewLenses(ctx context.Context) {
	s.mu.Lock()
	can := s.refresh
	s.mu.Unlock()
	if can {
		_ = s.conn.Call(ctx, "workspace/codeLens/refresh", nil, nil)
	}
}
