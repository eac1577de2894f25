package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"fencepost/query"

	"github.com/sourcegraph/jsonrpc2"
)

// editor is a client of the language server, as an editor is one.
type editor struct {
	*testing.T
	conn *jsonrpc2.Conn
	dir  string
	code chan int // exit code of the server

	mu        sync.Mutex
	published map[string][]message // the newest, by base name
	progress  []string             // kinds
	refreshed int
	changed   chan struct{}
}

type message struct {
	Range struct {
		Start, End struct{ Line, Character int }
	}
	Severity int
	Code     string
	Message  string
	Related  []struct {
		Location struct{ URI string }
		Message  string
	} `json:"relatedInformation"`
}

type lens struct {
	Range   struct{ Start struct{ Line int } }
	Command struct {
		Title     string
		Command   string
		Arguments []string
	}
}

type action struct {
	Title string
	Edit  struct {
		Changes map[string][]struct {
			Range struct {
				Start, End struct{ Line, Character int }
			}
			NewText string
		}
	}
}

func (e *editor) Handle(ctx context.Context, conn *jsonrpc2.Conn, req *jsonrpc2.Request) {
	e.mu.Lock()
	defer e.mu.Unlock()
	switch req.Method {
	case "textDocument/publishDiagnostics":
		var p struct {
			URI         string
			Diagnostics []message
		}
		if err := json.Unmarshal(*req.Params, &p); err != nil {
			e.Errorf("%s: %v", *req.Params, err)
		}
		e.published[filepath.Base(p.URI)] = p.Diagnostics
	case "$/progress":
		var p struct{ Value struct{ Kind string } }
		if err := json.Unmarshal(*req.Params, &p); err != nil {
			e.Errorf("%s: %v", *req.Params, err)
		}
		e.progress = append(e.progress, p.Value.Kind)
	case "workspace/codeLens/refresh":
		e.refreshed++
	}
	if !req.Notif {
		go conn.Reply(ctx, req.ID, nil) // the pipes hold nothing: both sides must go on reading
	}
	select {
	case e.changed <- struct{}{}:
	default:
	}
}

type streams struct {
	io.Reader
	io.WriteCloser
}

// newEditor starts a server.
func newEditor(t *testing.T, s services, args ...string) *editor {
	t.Helper()
	toServer, fromClient := io.Pipe()
	toClient, fromServer := io.Pipe()
	e := &editor{T: t, dir: t.TempDir(), code: make(chan int, 1), published: map[string][]message{}, changed: make(chan struct{}, 1)}
	go func() {
		e.code <- run(s, append([]string{"lsp"}, args...), toServer, fromServer, io.Discard)
		fromServer.Close()
	}()
	stream := jsonrpc2.NewBufferedStream(streams{toClient, fromClient}, jsonrpc2.VSCodeObjectCodec{})
	e.conn = jsonrpc2.NewConn(context.Background(), stream, e)
	var hello struct{ ServerInfo struct{ Name string } }
	e.call("initialize", map[string]any{"capabilities": map[string]any{
		"window": map[string]any{"workDoneProgress": true}, "workspace": map[string]any{"codeLens": map[string]any{"refreshSupport": true}},
	}}, &hello)
	if hello.ServerInfo.Name != "fencepost" {
		t.Fatalf("%+v", hello)
	}
	e.notify("initialized", map[string]any{})
	return e
}

func (e *editor) call(method string, params, answer any) {
	e.Helper()
	if err := e.conn.Call(context.Background(), method, params, answer); err != nil {
		e.Fatalf("%s: %v", method, err)
	}
}

func (e *editor) notify(method string, params any) {
	e.Helper()
	if err := e.conn.Notify(context.Background(), method, params); err != nil {
		e.Fatalf("%s: %v", method, err)
	}
}

// end ends the server and demands its exit code.
func (e *editor) end() {
	e.Helper()
	e.call("shutdown", nil, nil)
	e.notify("exit", nil)
	if code := <-e.code; code != 0 {
		e.Errorf("exit code %d", code)
	}
}

func (e *editor) uri(name string) string {
	return (&url.URL{Scheme: "file", Path: filepath.ToSlash(filepath.Join(e.dir, name))}).String()
}

// write writes a file without opening it.
func (e *editor) write(name, text string) {
	e.Helper()
	if err := os.WriteFile(filepath.Join(e.dir, name), []byte(text), 0o644); err != nil {
		e.Fatal(err)
	}
}

// open writes a file and opens it.
func (e *editor) open(name, text string) {
	e.Helper()
	e.write(name, text)
	e.notify("textDocument/didOpen", map[string]any{"textDocument": map[string]any{"uri": e.uri(name), "languageId": "c", "version": 1, "text": text}})
}

func (e *editor) change(name, text string) {
	e.Helper()
	e.notify("textDocument/didChange", map[string]any{"textDocument": map[string]any{"uri": e.uri(name), "version": 2}, "contentChanges": []any{map[string]any{"text": text}}})
}

// TestNothingToCheck: a program without a property is no error in an editor, since robustness can be asked; a data race
// is named without the folder of the program.
func TestNothingToCheck(t *testing.T) {
	e := newEditor(t, realServices(), "--timeout", "0")
	e.open("sb.fp", "var x, y;\nthread a { reg r; x = 1; r = y; }\nthread b { reg s; y = 1; s = x; }\n")
	e.check("sb.fp")
	if got := e.titles("sb.fp"); strings.Contains(got, "errors") || !strings.Contains(got, "not robust against TSO") {
		t.Errorf("%s", got)
	}
	if list := e.messages("sb.fp"); len(list) == 0 || slices.ContainsFunc(list, func(m message) bool { return m.Severity < 3 }) {
		t.Errorf("%+v", list)
	}
	e.open("race.c", "#include <pthread.h>\nint n;\nvoid *f(void *a) { n = 1; return 0; }\nint main(void) {\n  pthread_t p;\n  pthread_create(&p, 0, f, 0);\n  n = 2;\n  pthread_join(p, 0);\n}\n")
	e.check("race.c")
	if list := e.messages("race.c"); !slices.ContainsFunc(list, func(m message) bool { return strings.Contains(m.Message, "(race.c:") }) {
		t.Errorf("%+v", list)
	}
	e.end()
}

// check asks for a check and returns its answer.
func (e *editor) check(name string) string {
	e.Helper()
	var answer string
	e.call("workspace/executeCommand", map[string]any{"command": "fencepost.check", "arguments": []any{e.uri(name)}}, &answer)
	return answer
}

func (e *editor) lenses(name string) []lens {
	e.Helper()
	var out []lens
	e.call("textDocument/codeLens", map[string]any{"textDocument": map[string]any{"uri": e.uri(name)}}, &out)
	return out
}

func (e *editor) titles(name string) string {
	e.Helper()
	var out []string
	for _, l := range e.lenses(name) {
		out = append(out, l.Command.Title)
	}
	return strings.Join(out, "\n")
}

func (e *editor) messages(name string) []message {
	e.mu.Lock()
	defer e.mu.Unlock()
	return slices.Clone(e.published[name])
}

// until waits until a condition holds.
func (e *editor) until(holds func() bool) {
	for !holds() {
		<-e.changed
	}
}

const unfenced = `#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
atomic_int x, y; int r, s; /* ä𝄞 */
void *f(void *a) { atomic_store_explicit(&x, 1, memory_order_relaxed);
  r = atomic_load_explicit(&y, memory_order_relaxed); return 0; }
void *g(void *a) { atomic_store_explicit(&y, 1, memory_order_relaxed);
  s = atomic_load_explicit(&x, memory_order_relaxed); return 0; }
int main(void) {
  pthread_t p, q;
  pthread_create(&p, 0, f, 0); pthread_create(&q, 0, g, 0);
  pthread_join(p, 0); pthread_join(q, 0);
  /* ä𝄞 */ assert(r || s);
}
`

// TestLanguageServer: a violation with its steps, lenses that say what was covered, the fences as an edit, after which
// the program is safe, and answers that are kept by content.
func TestLanguageServer(t *testing.T) {
	e := newEditor(t, realServices(), "--timeout", "0")
	e.open("sb.c", unfenced)
	if got := e.titles("sb.c"); got != "fencepost: check" {
		t.Errorf("before the first check: %s", got)
	}
	if got := e.check("sb.c"); !strings.Contains(got, "unsafe under TSO: assertion fails") {
		t.Errorf("%s", got)
	}
	list := e.messages("sb.c")
	at := slices.IndexFunc(list, func(m message) bool { return m.Code == "unsafe" })
	if at < 0 {
		t.Fatalf("%+v", list)
	}
	m := list[at]
	if m.Severity != 1 || m.Range.Start.Line != 12 || m.Range.Start.Character != 12 || len(m.Related) < 5 || !strings.Contains(m.Message, "store buffer") {
		t.Errorf("%+v", m)
	}
	if !slices.ContainsFunc(m.Related, func(r struct {
		Location struct{ URI string }
		Message  string
	}) bool {
		return strings.Contains(r.Message, "x = 1 buffered") && r.Location.URI == e.uri("sb.c")
	}) {
		t.Errorf("%+v", m.Related)
	}
	titles := e.titles("sb.c")
	for _, want := range []string{"unsafe under TSO", "not robust against TSO", "needs a full fence before this line to be robust against TSO", "steps show why"} {
		if !strings.Contains(titles, want) {
			t.Errorf("%q is not in\n%s", want, titles)
		}
	}
	e.mu.Lock()
	progress := e.progress
	e.mu.Unlock()
	if len(progress) < 3 || progress[0] != "begin" || progress[len(progress)-1] != "end" {
		t.Errorf("%v", progress)
	}
	var actions []action
	e.call("textDocument/codeAction", map[string]any{"textDocument": map[string]any{"uri": e.uri("sb.c")}, "range": m.Range, "context": map[string]any{"diagnostics": []any{}}}, &actions)
	if len(actions) != 1 || !strings.Contains(actions[0].Title, "Insert 2 fences: robust against TSO, all executions") {
		t.Fatalf("%+v", actions)
	}
	repaired := apply(t, unfenced, actions[0], e.uri("sb.c"))
	e.change("sb.c", repaired)
	if got := e.titles("sb.c"); !strings.Contains(got, "older text") {
		t.Errorf("a lens about another text: %s", got)
	}
	e.write("sb.c", repaired)
	e.notify("textDocument/didSave", map[string]any{"textDocument": map[string]any{"uri": e.uri("sb.c")}})
	e.until(func() bool { return len(e.messages("sb.c")) == 0 })
	if got := e.titles("sb.c"); !strings.Contains(got, "safe under TSO: all executions") || !strings.Contains(got, "robust against TSO: all executions") ||
		!strings.Contains(got, "\nchecked: 1 assertion, program errors, deadlock; 3 threads; not checked: what C11 allows beyond the model\n") {
		t.Errorf("%s", got)
	}
	e.change("sb.c", unfenced) // the answer is kept
	e.mu.Lock()
	before := len(e.progress)
	e.mu.Unlock()
	if got := e.check("sb.c"); !strings.Contains(got, "unsafe under TSO") {
		t.Errorf("%s", got)
	}
	e.mu.Lock()
	after, refreshed := len(e.progress), e.refreshed
	e.mu.Unlock()
	if after != before || refreshed == 0 {
		t.Errorf("the program was checked again: %d, then %d; %d refreshes", before, after, refreshed)
	}
	e.end()
}

// apply applies the edits of an action, from the last to the first.
func apply(t *testing.T, text string, a action, uri string) string {
	t.Helper()
	l := strings.SplitAfter(text, "\n")
	edits := a.Edit.Changes[uri]
	for i := range edits {
		d := edits[len(edits)-1-i]
		if d.Range.Start != d.Range.End || d.Range.Start.Character != 0 {
			t.Fatalf("not an insertion of lines: %+v", d)
		}
		l = slices.Insert(l, d.Range.Start.Line, d.NewText)
	}
	return strings.Join(l, "")
}

// TestLanguageServerClients: a library names its client and its options in a comment; a message about the header stands
// in the header; the flags of the build are read; errors of the comment and of the program are messages.
func TestLanguageServerClients(t *testing.T) {
	e := newEditor(t, realServices(), "--timeout", "0")
	e.write("client.c", "#include \"lib.h\"\n#include <assert.h>\n#include <pthread.h>\nvoid *f(void *a) { set(); return 0; }\n"+
		"int main(void) { pthread_t t; pthread_create(&t, 0, f, 0); assert(get() == 0 || get() == LIMIT); pthread_join(t, 0); }\n")
	e.write("compile_commands.json", `[{"directory": "`+e.dir+`", "file": "client.c", "arguments": ["cc", "-DLIMIT=2", "-c", "client.c"]}]`)
	lib := "// fencepost: check client.c --model sc,tso\nstatic volatile int v;\nstatic void set(void) { v = 1; }\nstatic int get(void) { return v; }\n"
	e.open("lib.h", lib)
	if got := e.check("lib.h"); strings.Count(got, "unsafe under") != 2 {
		t.Errorf("%s", got)
	}
	if list := e.messages("client.c"); len(list) == 0 || list[0].Range.Start.Line != 4 {
		t.Errorf("%+v", list)
	}
	e.write("compile_commands.json", `[{"directory": "`+e.dir+`", "file": "client.c", "arguments": ["cc", "-DLIMIT=1", "-c", "client.c"]}]`)
	if got := e.check("lib.h"); strings.Count(got, "safe under") != 2 || strings.Contains(got, "unsafe") {
		t.Errorf("the database has changed: %s", got)
	}
	if list := e.messages("client.c"); slices.ContainsFunc(list, func(m message) bool { return m.Severity == 1 }) {
		t.Errorf("%+v", list)
	}
	if got := e.titles("lib.h"); !strings.Contains(got, "data race") {
		t.Errorf("%s", got)
	}
	e.change("lib.h", strings.Replace(lib, "--model sc,tso", "--modle sc", 1))
	if got := e.check("lib.h"); !strings.Contains(got, "unknown flag") {
		t.Errorf("%s", got)
	}
	if list := e.messages("lib.h"); len(list) != 1 || list[0].Severity != 1 {
		t.Errorf("%+v", list)
	}
	e.change("lib.h", strings.Replace(lib, "return v", "return w", 1))
	if got := e.check("lib.h"); got != "the program has errors" {
		t.Errorf("%s", got)
	}
	if list := e.messages("lib.h"); len(list) != 1 || list[0].Range.Start.Line != 3 || list[0].Code == "" {
		t.Errorf("%+v", list)
	}
	e.notify("textDocument/didClose", map[string]any{"textDocument": map[string]any{"uri": e.uri("lib.h")}})
	e.until(func() bool { return len(e.messages("lib.h")) == 0 })
	e.end()
}

// TestLanguageServerCancels: a request, a token of progress and a newer save cancel what runs; an unfinished check
// leaves no answer.
func TestLanguageServerCancels(t *testing.T) {
	began := make(chan struct{}, 10)
	s := realServices()
	s.check = func(ctx context.Context, in query.Input, opt query.CheckOptions) (query.Answer, error) {
		began <- struct{}{}
		<-ctx.Done()
		return query.Answer{}, ctx.Err()
	}
	e := newEditor(t, s)
	e.open("p.fp", "var x; thread t { x = 1; }\n")
	waiter, err := e.conn.DispatchCall(context.Background(), "workspace/executeCommand", map[string]any{"command": "fencepost.check", "arguments": []any{e.uri("p.fp")}}, jsonrpc2.PickID(jsonrpc2.ID{Num: 77}))
	if err != nil {
		t.Fatal(err)
	}
	<-began
	e.notify("$/cancelRequest", map[string]any{"id": 77})
	wire := (*jsonrpc2.Error)(nil)
	if err := waiter.Wait(context.Background(), nil); !errors.As(err, &wire) || wire.Code != -32800 {
		t.Errorf("%v", err)
	}
	for range 2 { // the second save cancels the first
		e.notify("textDocument/didSave", map[string]any{"textDocument": map[string]any{"uri": e.uri("p.fp")}})
		<-began
	}
	e.notify("window/workDoneProgress/cancel", map[string]any{"token": "fencepost-3"})
	e.until(func() bool {
		e.mu.Lock()
		defer e.mu.Unlock()
		return slices.Index(e.progress, "end") >= 0 && e.count("end") == 3
	})
	if got := e.titles("p.fp"); got != "fencepost: check" {
		t.Errorf("%s", got)
	}
	e.end()
}

// count counts reports of progress. The lock is held.
func (e *editor) count(kind string) int {
	n := 0
	for _, k := range e.progress {
		if k == kind {
			n++
		}
	}
	return n
}

// TestLanguageServerBadInput: what is no message of the protocol, and methods that there are not, are errors and end
// nothing; a client that goes away ends the server with 1.
func TestLanguageServerBadInput(t *testing.T) {
	e := newEditor(t, realServices(), "--timeout", "0")
	for method, params := range map[string]any{
		"textDocument/hover": map[string]any{}, "textDocument/codeLens": []any{1}, "workspace/executeCommand": map[string]any{"command": "rm"},
	} {
		if err := e.conn.Call(context.Background(), method, params, nil); err == nil {
			t.Errorf("%s: no error", method)
		}
	}
	e.notify("textDocument/didOpen", []any{})
	e.notify("textDocument/didChange", map[string]any{"textDocument": map[string]any{"uri": "untitled:1"}})
	if got := e.lenses("none.fp"); len(got) != 0 {
		t.Errorf("%v", got)
	}
	e.conn.Close()
	if code := <-e.code; code != 1 {
		t.Errorf("exit code %d", code)
	}
	var out, errs bytes.Buffer
	if code := run(realServices(), []string{"lsp"}, strings.NewReader("hello\n"), &out, &errs); code != 1 {
		t.Errorf("exit code %d: %s", code, errs.String())
	}
}
