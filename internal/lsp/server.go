package lsp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"

	"github.com/sourcegraph/jsonrpc2"
)

// The commands that a client can execute.
const (
	commandCheck  = "fencepost.check"  // of a document, by its URI
	commandCancel = "fencepost.cancel" // what runs for a document
)

// codeCanceled is the protocol's error for a request that was canceled.
const codeCanceled = -32800

// Server is a language server for one client.
type Server struct {
	with With
	conn *jsonrpc2.Conn

	mu       sync.Mutex
	texts    map[string]string // open documents, by path
	jobs     map[string]*job   // what runs, by the path of its document
	tokens   int               // of progress so far
	found    map[string]*findings
	kept     kept
	owners   map[string]map[string][]diagnostic // what is published, by document and by file
	progress bool                               // the client shows progress
	refresh  bool                               // the client can be asked to renew code lenses
	down     bool                               // shutdown was asked
}

// job is a question under way about a document.
type job struct {
	cancel  context.CancelFunc
	token   string
	request *jsonrpc2.ID // that waits for it; nil: none
	done    chan struct{}
	summary string // in a line, after done
	err     error
}

// Serve answers a client until it closes the connection or says exit. The error is nil if it said shutdown before.
func Serve(ctx context.Context, in io.Reader, out io.Writer, with With) error {
	s := &Server{with: with, texts: map[string]string{}, jobs: map[string]*job{}, found: map[string]*findings{}, owners: map[string]map[string][]diagnostic{}}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	stream := jsonrpc2.NewBufferedStream(pipe{in, out}, jsonrpc2.VSCodeObjectCodec{})
	ready := make(chan struct{})
	s.conn = jsonrpc2.NewConn(ctx, stream, handler(func(ctx context.Context, req *jsonrpc2.Request) {
		<-ready
		s.handle(ctx, req)
	}), jsonrpc2.SetLogger(quiet{}))
	close(ready)
	select {
	case <-s.conn.DisconnectNotify():
	case <-ctx.Done():
	}
	s.mu.Lock()
	for _, j := range s.jobs {
		j.cancel()
	}
	down := s.down
	s.mu.Unlock()
	if !down {
		return errors.New("the client ended without shutdown")
	}
	return nil
}

// handler adapts a function. Requests come one after the other: what takes long runs beside them.
type handler func(context.Context, *jsonrpc2.Request)

func (h handler) Handle(ctx context.Context, _ *jsonrpc2.Conn, req *jsonrpc2.Request) { h(ctx, req) }

// pipe is the two streams of a process as a connection.
type pipe struct {
	io.Reader
	w io.Writer
}

func (p pipe) Write(b []byte) (int, error) { return p.w.Write(b) }
func (pipe) Close() error                  { return nil }

// quiet drops what the library logs: standard error is for people.
type quiet struct{}

func (quiet) Printf(string, ...any) {}

// handle answers a request, or takes a notification.
func (s *Server) handle(ctx context.Context, req *jsonrpc2.Request) {
	if req.Method == "workspace/executeCommand" {
		s.execute(ctx, req)
		return
	}
	answer, err := s.answer(ctx, req)
	if req.Notif {
		return // nothing can be said about it
	}
	s.reply(ctx, req.ID, answer, err)
}

func (s *Server) reply(ctx context.Context, id jsonrpc2.ID, answer any, err error) {
	if err == nil {
		_ = s.conn.Reply(ctx, id, answer) // a client that is gone needs no answer
		return
	}
	wire := (*jsonrpc2.Error)(nil)
	if !errors.As(err, &wire) {
		wire = &jsonrpc2.Error{Code: jsonrpc2.CodeInternalError, Message: err.Error()}
	}
	_ = s.conn.ReplyWithError(ctx, id, wire)
}

// answer answers everything but commands.
func (s *Server) answer(ctx context.Context, req *jsonrpc2.Request) (any, error) {
	switch req.Method {
	case "initialize":
		return s.initialize(req)
	case "initialized", "textDocument/didClose", "textDocument/didOpen", "textDocument/didChange", "textDocument/didSave":
		return nil, s.document(ctx, req)
	case "textDocument/codeLens":
		return withDocument(req, func(path string) []codeLens { return s.lenses(path) })
	case "textDocument/codeAction":
		return withDocument(req, func(path string) []codeAction { return s.actions(path) })
	case "$/cancelRequest":
		var p cancelParams
		if err := decode(req, &p); err != nil {
			return nil, err
		}
		s.cancel(func(_ string, j *job) bool { return j.request != nil && string(p.ID) == idText(*j.request) })
		return nil, nil
	case "window/workDoneProgress/cancel":
		var p tokenParams
		if err := decode(req, &p); err != nil {
			return nil, err
		}
		s.cancel(func(_ string, j *job) bool { return j.token == p.Token })
		return nil, nil
	case "shutdown":
		s.mu.Lock()
		s.down = true
		s.mu.Unlock()
		s.cancel(func(string, *job) bool { return true })
		return nil, nil
	case "exit":
		return nil, s.conn.Close()
	default:
		return nil, &jsonrpc2.Error{Code: jsonrpc2.CodeMethodNotFound, Message: "there is no method " + req.Method}
	}
}

func idText(id jsonrpc2.ID) string {
	text, err := json.Marshal(id)
	if err != nil {
		return ""
	}
	return string(text)
}

func decode(req *jsonrpc2.Request, into any) error {
	if req.Params == nil {
		return nil
	}
	if err := json.Unmarshal(*req.Params, into); err != nil {
		return &jsonrpc2.Error{Code: jsonrpc2.CodeInvalidParams, Message: fmt.Sprintf("%s: %v", req.Method, err)}
	}
	return nil
}

// withDocument answers a request about a document.
func withDocument[T any](req *jsonrpc2.Request, answer func(path string) []T) (any, error) {
	var p documentParams
	if err := decode(req, &p); err != nil {
		return nil, err
	}
	return answer(pathOf(p.TextDocument.URI)), nil
}

func (s *Server) initialize(req *jsonrpc2.Request) (any, error) {
	var p initializeParams
	if err := decode(req, &p); err != nil {
		return nil, err
	}
	s.mu.Lock()
	s.progress, s.refresh = p.Capabilities.Window.WorkDoneProgress, p.Capabilities.Workspace.CodeLens.RefreshSupport
	s.mu.Unlock()
	return initializeResult{
		Capabilities: capabilities{
			Sync: syncOptions{OpenClose: true, Change: 1, Save: true}, CodeActionProvider: actionOptions{Kinds: []string{"quickfix"}},
			ExecuteCommand: executeOptions{Commands: []string{commandCheck, commandCancel}},
		},
		ServerInfo: serverInfo{Name: "fencepost", Version: s.with.Version},
	}, nil
}

// document takes what happened to a document.
func (s *Server) document(ctx context.Context, req *jsonrpc2.Request) error {
	var p documentParams
	if err := decode(req, &p); err != nil {
		return err
	}
	path := pathOf(p.TextDocument.URI)
	if path == "" {
		return nil // a text that is no file yet
	}
	switch req.Method {
	case "textDocument/didOpen":
		s.setText(path, p.TextDocument.Text)
		s.showKept(ctx, path)
	case "textDocument/didChange":
		if n := len(p.ContentChanges); n > 0 {
			s.setText(path, p.ContentChanges[n-1].Text)
		}
	case "textDocument/didSave":
		text := s.open()[path]
		if d, err := s.directiveOf(path, text); err != nil || isProgram(path, text, d) {
			s.start(ctx, path, nil)
		}
	case "textDocument/didClose":
		s.cancel(func(of string, _ *job) bool { return of == path })
		s.mu.Lock()
		delete(s.texts, path)
		delete(s.found, path)
		s.mu.Unlock()
		s.publish(ctx, path, nil)
	}
	return nil
}

func (s *Server) setText(path, text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.texts[path] = text
}

// open returns the texts of the open documents.
func (s *Server) open() map[string]string {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := make(map[string]string, len(s.texts))
	for path, text := range s.texts {
		out[path] = text
	}
	return out
}

// textOf returns the text of a file: that of the editor, if the file is open.
func (s *Server) textOf(texts map[string]string, path string) ([]byte, error) {
	if text, ok := texts[path]; ok {
		return []byte(text), nil
	}
	return s.with.Read(path)
}

// cancel cancels what runs.
func (s *Server) cancel(which func(path string, j *job) bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for path, j := range s.jobs {
		if which(path, j) {
			j.cancel()
		}
	}
}

// execute executes a command. The answer comes when the check has ended; requests after it do not wait.
func (s *Server) execute(ctx context.Context, req *jsonrpc2.Request) {
	var p executeParams
	uri := ""
	err := decode(req, &p)
	if err == nil && len(p.Arguments) > 0 {
		err = json.Unmarshal(p.Arguments[0], &uri)
	}
	path := pathOf(uri)
	switch {
	case err == nil && path == "":
		err = &jsonrpc2.Error{Code: jsonrpc2.CodeInvalidParams, Message: p.Command + " needs the URI of a file"}
	case err == nil && p.Command == commandCancel:
		s.cancel(func(of string, _ *job) bool { return of == path })
	case err == nil && p.Command != commandCheck:
		err = &jsonrpc2.Error{Code: jsonrpc2.CodeMethodNotFound, Message: "there is no command " + p.Command}
	}
	if err != nil || p.Command != commandCheck {
		s.reply(ctx, req.ID, nil, err)
		return
	}
	j := s.start(ctx, path, &req.ID)
	go func() {
		<-j.done
		if errors.Is(j.err, context.Canceled) {
			s.reply(ctx, req.ID, nil, &jsonrpc2.Error{Code: codeCanceled, Message: "canceled"})
			return
		}
		s.reply(ctx, req.ID, j.summary, j.err)
	}()
}
