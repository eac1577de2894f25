package serve

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"strings"
	"testing"
	"time"

	"fencepost/internal/explorer"
)

// workerMode is the variable that makes this program of tests a worker, and says of which kind.
const workerMode = "FENCEPOST_TEST_WORKER"

func TestMain(m *testing.M) {
	switch mode := os.Getenv(workerMode); mode {
	case "":
		os.Exit(m.Run())
	case "real":
		if err := Work(os.Stdin, os.Stdout); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	default:
		misbehave(mode)
	}
}

// misbehave is a worker that does not answer its first request.
func misbehave(mode string) {
	requests := json.NewDecoder(os.Stdin)
	var limits explorer.Limits
	var q question
	if requests.Decode(&limits) != nil || requests.Decode(&q) != nil {
		return
	}
	switch mode {
	case "hungry":
		go watch(64 << 20)
		var all [][]byte
		for {
			all = append(all, bytes.Repeat([]byte{1}, 1<<20))
			if len(all) > 1<<12 {
				return
			}
		}
	case "deep":
		debug.SetMaxStack(4 << 20)
		fmt.Println(deeper(1))
	case "stuck":
		select {}
	case "broken":
		fmt.Fprintln(os.Stderr, "panic: BUG: something")
		os.Exit(2)
	case "garbage":
		fmt.Println("no JSON")
		_, _ = io.Copy(io.Discard, os.Stdin)
	}
}

func deeper(n int) int {
	if n < 0 {
		return 0
	}
	return deeper(n+1) + deeper(n+2)
}

func testWorker(mode string) func() *exec.Cmd {
	return func() *exec.Cmd {
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), workerMode+"="+mode)
		return cmd
	}
}

// live is the server itself on a port of this machine, with workers.
type live struct {
	*http.Server
	address string
}

func serveLive(t *testing.T, opt Options, change func(*http.Server)) *live {
	t.Helper()
	if opt.Worker == nil {
		opt.Worker = testWorker("real")
	}
	s, err := New(opt)
	if err != nil {
		t.Fatal(err)
	}
	if change != nil {
		change(s)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	go func() { _ = s.Serve(listener) }()
	t.Cleanup(func() {
		s.Handler.(*server).workers.close()
		_ = s.Close()
	})
	return &live{s, listener.Addr().String()}
}

// client is a client with an address of its own, which the server tells from others.
type client struct {
	t      *testing.T
	server *live
	http   *http.Client
}

func (l *live) client(t *testing.T, address string) *client {
	from := &net.Dialer{LocalAddr: &net.TCPAddr{IP: net.ParseIP(address)}}
	transport := &http.Transport{DialContext: from.DialContext}
	t.Cleanup(transport.CloseIdleConnections)
	return &client{t, l, &http.Client{Transport: transport}}
}

// begin sends a request and returns the lines of its answer.
func (c *client) begin(ctx context.Context, kind string, body string) *json.Decoder {
	c.t.Helper()
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://"+c.server.address+"/api/"+kind, strings.NewReader(body))
	if err != nil {
		c.t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	answer, err := c.http.Do(r)
	if err != nil {
		c.t.Fatal(err)
	}
	c.t.Cleanup(func() { answer.Body.Close() })
	return json.NewDecoder(answer.Body)
}

// last returns the answer or the failure at the end of an answer.
func (c *client) last(lines *json.Decoder) reply {
	c.t.Helper()
	for {
		var r reply
		if err := lines.Decode(&r); err != nil {
			c.t.Fatal(err)
		}
		if r.Answer != nil || r.Failure != nil {
			return r
		}
	}
}

func (c *client) ask(kind string, r explorer.Request) reply {
	c.t.Helper()
	return c.last(c.begin(c.t.Context(), kind, request(c.t, r)))
}

// answers demands that the server still answers.
func (c *client) answers() {
	c.t.Helper()
	if r := c.ask("state", explorer.Request{Name: "sb.fp", Text: sb}); r.Answer == nil {
		c.t.Errorf("%+v", r.Failure)
	}
}

// TestWorkersThatFail: a worker that takes too much memory, overflows its stack, never answers, breaks or talks nonsense
// ends with its request, which says why.
func TestWorkersThatFail(t *testing.T) {
	for mode, want := range map[string]string{
		"hungry":  "limit: this request needs more memory",
		"deep":    "limit: the program is nested too deeply",
		"stuck":   "limit: the time for this request is over",
		"broken":  "internal: internal error: the answer broke off: EOF: panic: BUG: something",
		"garbage": "internal: internal error: the answer broke off",
	} {
		limits := explorer.Limits{Memory: 1 << 20}
		if mode == "stuck" {
			limits.Timeout = time.Millisecond
		}
		s := serveLive(t, Options{Worker: testWorker(mode), Limits: limits}, func(s *http.Server) { s.Handler.(*server).slack = time.Millisecond })
		c := s.client(t, "127.0.0.1")
		for range 2 { // the second one gets another worker
			r := c.ask("check", explorer.Request{Name: "sb.fp", Text: sb})
			if r.Failure == nil || !strings.HasPrefix(string(r.Failure.Kind)+": "+r.Failure.Message, want) {
				t.Errorf("%s: %+v, want %s", mode, r.Failure, want)
			}
		}
	}
}

// TestLimits: requests that exceed a limit get an answer that says so, and the next request is answered.
func TestLimits(t *testing.T) {
	s := serveLive(t, Options{Limits: explorer.Limits{Timeout: 300 * time.Millisecond, Memory: 128 << 20, Workers: 1}}, nil)
	c := s.client(t, "127.0.0.1")
	const n = 60_000
	nested := func(open, shut string) string { return strings.Repeat(open, n) + "1" + strings.Repeat(shut, n) }
	macros := "#define a0(x) x x x x x x x x x x\n"
	for i := 1; i < 20; i++ {
		macros += fmt.Sprintf("#define a%d(x) a%d(a%d(x))\n", i, i-1, i-1)
	}
	for _, x := range []struct{ name, kind, file, text, want string }{
		{"a search that never ends", "check", "p.fp", endless + "never a == 7 && b == 7;\n", `"verdict":"unknown"`},
		{"outcomes without end", "outcomes", "p.fp", endless, `"complete":false`},
		{"a program that is too long", "state", "p.fp", strings.Repeat(" ", 256<<10+1), "the program has more than 256 KiB"},
		{"nested .fp", "state", "p.fp", "var x; thread t { x = " + nested("(", ")") + "; }", "nesting deeper than 1000 levels"},
		{"nested C", "state", "p.c", "int main(void) { return " + nested("(", ")") + "; }", "this is nested too deeply"},
		{"nested litmus", "state", "p.litmus", "X86 t\n{ x=0; }\n P0 ;\n MOV [x],$1 ;\nexists (x=" + nested("(", ")") + ")", `"severity":"error"`},
		{"nested litmus in C", "state", "p.litmus", "C t\n{ }\nP0(int *x) { *x = " + nested("(", ")") + "; }\nexists (x=1)", "this is nested too deeply"},
		{"macros without end", "state", "p.c", macros + "int main(void) { a19(;) }\n", "the program could not be read within the "},
		{"a large array", "state", "p.fp", "var x[1000000000]; thread t { x[0] = 1; }", "needs more than 1048576 bytes"},
	} {
		r := c.ask(x.kind, explorer.Request{Name: x.file, Text: x.text})
		text := string(r.Answer)
		if r.Failure != nil {
			text = r.Failure.Message
		}
		if !strings.Contains(text, x.want) {
			t.Errorf("%s: %.300s, want %q", x.name, text, x.want)
		}
		c.answers()
	}
	s = serveLive(t, Options{Limits: explorer.Limits{Memory: 1 << 20, Workers: 1}}, nil)
	if r := s.client(t, "127.0.0.1").ask("outcomes", explorer.Request{Name: "p.fp", Text: endless}); !strings.Contains(string(r.Answer), "memory") {
		t.Errorf("a search that stores states without end: %s %+v", r.Answer, r.Failure)
	}
}

// TestNonsense: what is no request is refused, and nothing of it is answered.
func TestNonsense(t *testing.T) {
	s := serveLive(t, Options{}, nil)
	c := s.client(t, "127.0.0.1")
	for name, body := range map[string]string{
		"nested":           strings.Repeat("[", 500_000),
		"nested witness":   `{"witness":` + strings.Repeat(`{"steps":[`, 100_000),
		"option harness":   `{"name":"p.c","text":"","harness":"main.c"}`,
		"option include":   `{"name":"p.c","text":"","include":["/etc"]}`,
		"option headers":   `{"name":"p.c","text":"","headers":{"x.h":"/etc/passwd"}}`,
		"option C":         `{"name":"p.c","text":"","C":{"Include":"/etc"}}`,
		"option timeout":   `{"name":"p.fp","text":"","timeout":"0"}`,
		"another document": `{"name":"p.fp","text":"var x;"} {"name":"q.fp"}`,
	} {
		if r := c.last(c.begin(t.Context(), "state", body)); r.Failure == nil || r.Failure.Kind != explorer.BadRequest {
			t.Errorf("%s: %s %+v", name, r.Answer, r.Failure)
		}
	}
	c.answers()
}

// TestNoFiles: no request makes the server tell what is in a file that the user did not name, or whether it exists.
func TestNoFiles(t *testing.T) {
	dir := t.TempDir()
	secret := filepath.Join(dir, "secret.h")
	if err := os.WriteFile(secret, []byte("int hidden_word = 4711;\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(secret, filepath.Join(dir, "allowed.h")); err != nil {
		t.Fatal(err)
	}
	t.Chdir(dir)
	s := serveLive(t, Options{Limits: explorer.Limits{Headers: map[string][]byte{"known.h": []byte("int known;\n")}}}, nil)
	c := s.client(t, "127.0.0.1")
	const end = "\nint main(void) { return 0; }\n"
	for _, x := range []struct{ file, text, want string }{
		{"p.c", "#include \"known.h\"" + end, `"state"`},
		{"p.c", "#include \"secret.h\"" + end, "not found"},
		{"p.c", "#include \"allowed.h\"" + end, "not found"},
		{"p.c", "#include \"./secret.h\"" + end, "not found"},
		{"p.c", "#include \"" + secret + "\"" + end, "not found"},
		{"p.c", "#include <" + secret + ">" + end, "not found"},
		{"p.c", "#include <../../../../../../../.." + secret + ">" + end, "not found"},
		{"p.c", "#include_next \"" + secret + "\"" + end, "not found"},
		{"p.c", "#define F \"" + secret + "\"\n#include F" + end, "not found"},
		{"secret.h", "#include \"secret.h\"" + end, `"severity":"error"`},
		{secret, "#include __FILE__" + end, `"severity":"error"`},
		{"../../.." + secret + ".c", "#include __FILE__" + end, `"severity":"error"`},
		{"p.c", "#if __has_include(\"" + secret + "\")\n#error it is there\n#endif" + end, `"state"`},
		{"p.c", "char x[] = {\n#embed \"" + secret + "\"\n};" + end, `"severity":"error"`},
		{"p.c", "# 1 \"" + secret + "\"\nint x = ;" + end, `"severity":"error"`},
		{"p.litmus", "C t\n{ }\n#include \"" + secret + "\"\nP0(int *x) { *x = 1; }\nexists (x=1)\n", `"severity":"error"`},
		{"result.json", `{"schema":"fencepost/1","results":[{"program":"` + secret + `"}]}`, `"severity":"error"`},
	} {
		for _, kind := range []string{"state", "check"} {
			r := c.ask(kind, explorer.Request{Name: x.file, Text: x.text})
			text := string(r.Answer)
			want := x.want
			if kind == "check" && want == `"state"` {
				want = `"findings"`
			}
			if !strings.Contains(text, want) || strings.Contains(text, "hidden_word") || strings.Contains(text, "it is there") {
				t.Errorf("%s %q: %s %+v, want %s", kind, x.text, text, r.Failure, want)
			}
		}
	}
	for _, path := range []string{
		"/../secret.h", "/%2e%2e/secret.h", "/..%2fsecret.h", "//secret.h", secret, "/secret.h", "/page/app.js", "/../page/app.js", "/app.js/",
		"/.", "/app.js%00", "/api/../secret.h", "/index.html", "/worker/worker.js",
	} {
		status := rawGet(t, s.address, path)
		if strings.Contains(status, " 200 ") || strings.Contains(status, "hidden_word") {
			t.Errorf("%s: %s", path, status)
		}
	}
}

// rawGet asks for a path as it stands, and returns the answer.
func rawGet(t *testing.T, address, path string) string {
	t.Helper()
	conn, err := net.Dial("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	fmt.Fprintf(conn, "GET %s HTTP/1.1\r\nHost: %s\r\nConnection: close\r\n\r\n", path, address)
	text, err := io.ReadAll(conn)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// TestSlowClients: a client that does not send its request, or does not read its answer, loses its connection.
func TestSlowClients(t *testing.T) {
	s := serveLive(t, Options{}, func(s *http.Server) {
		s.ReadHeaderTimeout, s.ReadTimeout, s.IdleTimeout = 50*time.Millisecond, 100*time.Millisecond, 50*time.Millisecond
		s.Handler.(*server).clientTime = 50 * time.Millisecond
	})
	head := "POST /api/state HTTP/1.1\r\nHost: " + s.address + "\r\nContent-Type: application/json\r\n"
	for name, sent := range map[string]string{
		"nothing":        "",
		"half a head":    head,
		"half a body":    head + "Content-Length: 100\r\n\r\n{\"name\":",
		"a chunk":        head + "Transfer-Encoding: chunked\r\n\r\n4\r\n{\"na\r\n",
		"a long header":  head + "X-Long: " + strings.Repeat("x", 1<<20) + "\r\n\r\n",
		"nothing more":   "GET /style.css HTTP/1.1\r\nHost: " + s.address + "\r\n\r\n",
		"a long address": "GET /" + strings.Repeat("x", 1<<20) + " HTTP/1.1\r\nHost: " + s.address + "\r\n\r\n",
	} {
		t.Run(name, func(t *testing.T) {
			conn, err := net.Dial("tcp", s.address)
			if err != nil {
				t.Fatal(err)
			}
			defer conn.Close()
			_, _ = io.WriteString(conn, sent) // the server may close before the end of it
			_, _ = io.Copy(io.Discard, conn)  // returns when the server has closed the connection
		})
	}
	t.Run("reads nothing", func(t *testing.T) {
		conn, err := net.Dial("tcp", s.address)
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		one := []byte("GET /style.css HTTP/1.1\r\nHost: " + s.address + "\r\n\r\n")
		for { // the server stops reading when it cannot write, and then closes: writing fails
			if _, err := conn.Write(one); err != nil {
				return
			}
		}
	})
	// A client that sends and reads at once is answered. On a busy machine even such a client may be too late for
	// times as short as these, and asks again.
	for client := s.client(t, "127.0.0.1"); ; {
		answer, err := client.http.Post("http://"+s.address+"/api/state", "application/json", strings.NewReader(request(t, explorer.Request{Name: "sb.fp", Text: sb})))
		if err != nil {
			continue
		}
		text, err := io.ReadAll(answer.Body)
		answer.Body.Close()
		if err == nil && answer.StatusCode == http.StatusOK && strings.Contains(string(text), `"answer":`) {
			break
		}
	}
}

// TestUsersApart: a user who searches without end leaves room for others, and who cancels ends only the own search.
func TestUsersApart(t *testing.T) {
	s := serveLive(t, Options{Searches: 2, PerClient: 1, Limits: explorer.Limits{Workers: 1, Memory: 1 << 30}}, nil)
	one, two := s.client(t, "127.0.0.1"), s.client(t, "127.0.0.2")
	long := request(t, explorer.Request{Name: "endless.fp", Text: endless + "never a == 7 && b == 7;\n"})
	ctx, cancel := context.WithCancel(t.Context())
	var lists []*json.Decoder
	for range 3 {
		lists = append(lists, one.begin(ctx, "check", long))
	}
	progress := func(lines *json.Decoder) {
		t.Helper()
		for {
			var l struct{ Waiting, Progress, Answer, Failure any }
			if err := lines.Decode(&l); err != nil || l.Answer != nil || l.Failure != nil {
				t.Fatalf("%v %v %v", err, l.Answer, l.Failure)
			}
			if l.Progress != nil {
				return
			}
		}
	}
	progress(lists[0])
	two.answers()
	if r := two.ask("outcomes", explorer.Request{Name: "sb.fp", Text: sb}); r.Answer == nil {
		t.Errorf("%+v", r.Failure)
	}
	second, stop := context.WithCancel(t.Context())
	defer stop()
	mine := two.begin(second, "check", long)
	progress(mine)
	// There is no name for a search of another user: a search ends with its own connection.
	for _, path := range []string{"cancel", "cancel/1", "search/1"} {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://"+s.address+"/api/"+path, strings.NewReader("{}"))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Content-Type", "application/json")
		answer, err := two.http.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		answer.Body.Close()
		if answer.StatusCode != http.StatusNotFound {
			t.Errorf("%s: %d", path, answer.StatusCode)
		}
	}
	cancel()
	for range 3 {
		progress(mine)
	}
	if r := one.ask("outcomes", explorer.Request{Name: "sb.fp", Text: sb}); r.Answer == nil { // the canceled searches have ended
		t.Errorf("%+v", r.Failure)
	}
}

// TestUpgrade: there is no other way in than requests, whose origin is checked.
func TestUpgrade(t *testing.T) {
	s := serveLive(t, Options{}, nil)
	for _, origin := range []string{"http://" + s.address, "http://evil.example"} {
		for _, path := range []string{"/", "/api/state", "/api/check"} {
			conn, err := net.Dial("tcp", s.address)
			if err != nil {
				t.Fatal(err)
			}
			fmt.Fprintf(conn, "GET %s HTTP/1.1\r\nHost: %s\r\nOrigin: %s\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\nAccept: text/event-stream\r\n\r\n", path, s.address, origin)
			answer, err := http.ReadResponse(bufio.NewReader(conn), nil)
			if err != nil {
				t.Fatal(err)
			}
			want := http.StatusMethodNotAllowed
			if path == "/" {
				want = http.StatusOK
			}
			if strings.Contains(origin, "evil") {
				want = http.StatusForbidden
			}
			if answer.StatusCode != want || strings.Contains(answer.Header.Get("Content-Type"), "event-stream") {
				t.Errorf("%s from %s: %d, want %d", path, origin, answer.StatusCode, want)
			}
			answer.Body.Close()
			conn.Close()
		}
	}
}

// TestPolicy: the page may load from this server only, and pictures that it makes itself, runs no script in its text, and is shown in no other page.
func TestPolicy(t *testing.T) {
	s := serveLive(t, Options{}, nil)
	for _, path := range []string{"/", "/app.js", "/nothing", "/api/state"} {
		answer, err := http.Get("http://" + s.address + path)
		if err != nil {
			t.Fatal(err)
		}
		answer.Body.Close()
		rules := map[string]string{}
		for rule := range strings.SplitSeq(answer.Header.Get("Content-Security-Policy"), ";") {
			name, value, _ := strings.Cut(strings.TrimSpace(rule), " ")
			rules[name] = value
		}
		for name, value := range rules {
			// Pictures may also have addresses that the page's own script makes: a copy of a drawing.
			if value != "'none'" && value != "'self'" && (name != "img-src" || value != "'self' blob:") {
				t.Errorf("%s: %s %s", path, name, value)
			}
		}
		for _, name := range []string{"default-src", "base-uri", "form-action", "frame-ancestors"} {
			if rules[name] != "'none'" {
				t.Errorf("%s: %s %q", path, name, rules[name])
			}
		}
		for name, want := range map[string]string{"Referrer-Policy": "no-referrer", "X-Content-Type-Options": "nosniff", "X-Frame-Options": "DENY", "Cross-Origin-Resource-Policy": "same-origin", "Cache-Control": "no-store"} {
			if got := answer.Header.Get(name); got != want && (name != "Cache-Control" || answer.StatusCode == http.StatusOK) {
				t.Errorf("%s: %s is %q, want %q", path, name, got, want)
			}
		}
	}
}
