package serve

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"fencepost/internal/explorer"
)

const sb = `var x, y;
thread t1 { reg r1; x = 1; r1 = y; }
thread t2 { reg r2; y = 1; r2 = x; }
`

// endless has far too many states.
const endless = `var a, b, c, d, e;
thread t1 { while (0 == 0) { a = a + 1; b = a + c; } }
thread t2 { while (0 == 0) { b = b + 1; c = b + d; } }
thread t3 { while (0 == 0) { c = c + 1; d = c + e; } }
`

func start(t *testing.T, opt Options) *httptest.Server {
	t.Helper()
	s, err := New(opt)
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewUnstartedServer(s.Handler)
	server.Start()
	t.Cleanup(server.Close)
	return server
}

type try struct {
	method, path, body string
	header             map[string]string
	host               string
}

func (x try) do(t *testing.T, server *httptest.Server) (int, string, http.Header) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), x.method, server.URL+x.path, strings.NewReader(x.body))
	if err != nil {
		t.Fatal(err)
	}
	if x.method == http.MethodPost {
		r.Header.Set("Content-Type", "application/json")
	}
	for k, v := range x.header {
		r.Header.Set(k, v)
	}
	r.Host = x.host
	answer, err := server.Client().Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	return answer.StatusCode, string(text), answer.Header
}

func request(t *testing.T, r explorer.Request) string {
	t.Helper()
	body, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	return string(body)
}

// TestWhoMayAsk: names of other sites, other origins, forms and unknown requests are refused.
func TestWhoMayAsk(t *testing.T) {
	server := start(t, Options{})
	state := request(t, explorer.Request{Name: "sb.fp", Text: sb})
	port := server.URL[strings.LastIndex(server.URL, ":"):]
	for _, c := range []struct {
		name string
		try
		want int
	}{
		{"page", try{method: "GET", path: "/"}, 200},
		{"page by name", try{method: "GET", path: "/", host: "localhost" + port}, 200},
		{"page by IPv6 address", try{method: "GET", path: "/", host: "[::1]" + port}, 200},
		{"asset", try{method: "GET", path: "/style.css"}, 200},
		{"head", try{method: "HEAD", path: "/"}, 200},
		{"state", try{method: "POST", path: "/api/state", body: state}, 200},
		{"state from the page", try{method: "POST", path: "/api/state", body: state, header: map[string]string{"Origin": server.URL, "Sec-Fetch-Site": "same-origin"}}, 200},
		{"rebound name", try{method: "GET", path: "/", host: "evil.example" + port}, http.StatusMisdirectedRequest},
		{"rebound name that ends like ours", try{method: "POST", path: "/api/state", body: state, host: "localhost.evil.example"}, http.StatusMisdirectedRequest},
		{"address of the network", try{method: "GET", path: "/", host: "192.168.0.7" + port}, http.StatusMisdirectedRequest},
		{"other origin", try{method: "POST", path: "/api/state", body: state, header: map[string]string{"Origin": "http://evil.example"}}, http.StatusForbidden},
		{"null origin", try{method: "POST", path: "/api/state", body: state, header: map[string]string{"Origin": "null"}}, http.StatusForbidden},
		{"other port", try{method: "POST", path: "/api/state", body: state, header: map[string]string{"Origin": "http://127.0.0.1:1"}}, http.StatusForbidden},
		{"other site", try{method: "POST", path: "/api/state", body: state, header: map[string]string{"Sec-Fetch-Site": "cross-site"}}, http.StatusForbidden},
		{"form", try{method: "POST", path: "/api/state", body: state, header: map[string]string{"Content-Type": "text/plain"}}, http.StatusUnsupportedMediaType},
		{"read", try{method: "GET", path: "/api/state"}, http.StatusMethodNotAllowed},
		{"write", try{method: "PUT", path: "/"}, http.StatusMethodNotAllowed},
		{"unknown request", try{method: "POST", path: "/api/exec", body: state}, http.StatusNotFound},
		{"file", try{method: "GET", path: "/../server.go"}, http.StatusNotFound},
		{"start of the page", try{method: "GET", path: "/index.html"}, http.StatusNotFound},
		{"large", try{method: "POST", path: "/api/state", body: strings.Repeat(" ", explorer.MaxRequest+1)}, http.StatusRequestEntityTooLarge},
	} {
		got, text, header := c.try.do(t, server)
		if got != c.want {
			t.Errorf("%s: %d, want %d: %.100s", c.name, got, c.want, text)
		}
		for _, name := range []string{"Content-Security-Policy", "X-Content-Type-Options", "X-Frame-Options", "Cross-Origin-Resource-Policy"} {
			if header.Get(name) == "" {
				t.Errorf("%s: no %s", c.name, name)
			}
		}
		if strings.Contains(header.Get("Content-Security-Policy"), "unsafe-inline") || header.Get("Access-Control-Allow-Origin") != "" {
			t.Errorf("%s: %v", c.name, header)
		}
	}
}

// TestToken: with a token, neither the page nor an answer goes to those who do not have it.
func TestToken(t *testing.T) {
	server := start(t, Options{Token: "secret", Hosts: []string{"teacher.example"}, Start: explorer.Start{Program: &explorer.Program{Name: "private.fp"}}})
	state := request(t, explorer.Request{Name: "sb.fp", Text: sb})
	for _, c := range []struct {
		name string
		try
		want int
	}{
		{"no token", try{method: "GET", path: "/"}, http.StatusForbidden},
		{"wrong token", try{method: "GET", path: "/?token=secre"}, http.StatusForbidden},
		{"token", try{method: "GET", path: "/?token=secret"}, 200},
		{"name", try{method: "GET", path: "/?token=secret", host: "teacher.example:80"}, 200},
		{"address", try{method: "GET", path: "/?token=secret", host: "192.168.0.7:80"}, 200},
		{"other name", try{method: "GET", path: "/?token=secret", host: "evil.example"}, http.StatusMisdirectedRequest},
		{"request without", try{method: "POST", path: "/api/state", body: state}, http.StatusForbidden},
		{"request with a wrong one", try{method: "POST", path: "/api/state", body: state, header: map[string]string{TokenHeader: "x"}}, http.StatusForbidden},
		{"request with", try{method: "POST", path: "/api/state", body: state, header: map[string]string{TokenHeader: "secret"}}, 200},
	} {
		got, text, _ := c.try.do(t, server)
		if got != c.want || (got == 200) != (strings.Contains(text, "private.fp") || strings.Contains(text, `"answer"`)) {
			t.Errorf("%s: %d, want %d: %.100s", c.name, got, c.want, text)
		}
	}
}

// TestAnswers: an answer is a line, a failure too.
func TestAnswers(t *testing.T) {
	server := start(t, Options{})
	for _, c := range []struct {
		kind string
		r    explorer.Request
		want string
	}{
		{"state", explorer.Request{Name: "sb.fp", Text: sb, Run: []string{"0"}}, `{"answer":{"state":{"program":"sb.fp"`},
		{"state", explorer.Request{Name: "sb.fp", Text: sb, Run: []string{"f1"}}, `{"failure":{"kind":"run"`},
		{"state", explorer.Request{Name: "sb.fp", Text: "var"}, `{"answer":{"diagnostics":[{"severity":"error"`},
	} {
		code, text, _ := try{method: "POST", path: "/api/" + c.kind, body: request(t, c.r)}.do(t, server)
		if code != 200 || !strings.HasPrefix(text, c.want) || strings.Count(text, "\n") != 1 {
			t.Errorf("%s: %d %.200s", c.kind, code, text)
		}
	}
}

// TestCancel: a search shows progress and ends when its client goes away; searches of another client run at the same
// time, and a further search of the same client waits.
func TestCancel(t *testing.T) {
	server := start(t, Options{PerClient: 1, Limits: explorer.Limits{Workers: 1}})
	long := request(t, explorer.Request{Name: "endless.fp", Text: endless})
	ctx, cancel := context.WithCancel(t.Context())
	first := post(t, ctx, server, "outcomes", long)
	if l := next(t, first); l["progress"] == nil {
		t.Errorf("no progress: %v", l)
	}
	second := post(t, t.Context(), server, "outcomes", request(t, explorer.Request{Name: "sb.fp", Text: sb}))
	if l := next(t, second); l["waiting"] != true {
		t.Errorf("not waiting: %v", l)
	}
	// Steps are no searches: they do not wait.
	if code, text, _ := (try{method: "POST", path: "/api/state", body: request(t, explorer.Request{Name: "sb.fp", Text: sb})}).do(t, server); code != 200 || !strings.Contains(text, `"answer"`) {
		t.Errorf("%d %s", code, text)
	}
	cancel()
	for {
		l := next(t, second)
		if l["answer"] != nil {
			return
		}
		if l["failure"] != nil {
			t.Fatalf("%v", l)
		}
	}
}

func post(t *testing.T, ctx context.Context, server *httptest.Server, kind, body string) *bufio.Reader {
	t.Helper()
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, server.URL+"/api/"+kind, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	answer, err := server.Client().Do(r)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { answer.Body.Close() })
	return bufio.NewReader(answer.Body)
}

func next(t *testing.T, from *bufio.Reader) map[string]any {
	t.Helper()
	text, err := from.ReadBytes('\n')
	if err != nil {
		t.Fatal(err)
	}
	var l map[string]any
	if err := json.Unmarshal(text, &l); err != nil {
		t.Fatal(err)
	}
	return l
}

// TestQueue: a client has a limited number of searches at once and in waiting, and leaves room for others.
func TestQueue(t *testing.T) {
	q := newQueue(2, 1)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	never := func() {}
	done, err := q.enter(t.Context(), "a", never)
	if err != nil {
		t.Fatal(err)
	}
	waited := false
	if _, err := q.enter(ctx, "a", func() { waited = true }); err == nil || !waited {
		t.Error("a second search of the same client did not wait")
	}
	other, err := q.enter(t.Context(), "b", func() { t.Error("another client waits") })
	if err != nil {
		t.Fatal(err)
	}
	waited = false
	if _, err := q.enter(ctx, "c", func() { waited = true }); err == nil || !waited {
		t.Error("more searches than there may be")
	}
	done()
	other()
	if len(q.clients) != 0 || len(q.slots) != 0 {
		t.Errorf("%d clients, %d slots are left", len(q.clients), len(q.slots))
	}
	q.clients["a"] = &clientQueue{slots: make(chan struct{}, 1), users: 1 + maxWaiting}
	if _, err := q.enter(t.Context(), "a", never); err != errBusy {
		t.Errorf("%v", err)
	}
}

// TestEmbed: only a server that was asked to lets other pages show its page.
func TestEmbed(t *testing.T) {
	for _, embed := range []bool{false, true} {
		s, err := New(Options{Embed: embed})
		if err != nil {
			t.Fatal(err)
		}
		w := httptest.NewRecorder()
		s.Handler.ServeHTTP(w, httptest.NewRequest("GET", "http://localhost/", nil))
		policy := w.Header().Get("Content-Security-Policy")
		if got := !strings.Contains(policy, "frame-ancestors 'none'") && w.Header().Get("X-Frame-Options") == ""; got != embed || !strings.Contains(policy, "default-src 'none'") {
			t.Errorf("embed %v: %s", embed, policy)
		}
	}
}
