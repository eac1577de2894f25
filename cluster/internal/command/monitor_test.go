//go:build unix

package command

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"
	"time"

	"fencepost/cluster/internal/store"
)

// metricLine is a sample of the text format of Prometheus.
var metricLine = regexp.MustCompile(`^([a-z_]+)(\{[a-z_]+="(?:[^"\\\n]|\\["\\n])*"(?:,[a-z_]+="(?:[^"\\\n]|\\["\\n])*")*\})? (\S+)$`)

// samples reads metrics: values by name and labels. Each name has its help and type once, before its samples.
func samples(t *testing.T, text string) map[string]string {
	t.Helper()
	out, known := map[string]string{}, map[string]bool{}
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		if rest, ok := strings.CutPrefix(line, "# TYPE "); ok {
			name, kind, _ := strings.Cut(rest, " ")
			if known[name] || kind != "gauge" {
				t.Errorf("%q", line)
			}
			known[name] = true
			continue
		}
		if strings.HasPrefix(line, "# HELP ") {
			continue
		}
		m := metricLine.FindStringSubmatch(line)
		if m == nil || !known[m[1]] {
			t.Errorf("no sample: %q", line)
			continue
		}
		if _, twice := out[m[1]+m[2]]; twice {
			t.Errorf("twice: %q", line)
		}
		out[m[1]+m[2]] = m[3]
	}
	return out
}

// get asks a monitor.
func get(t *testing.T, h http.Handler, method, path string, prepare func(*http.Request)) *http.Response {
	t.Helper()
	r := httptest.NewRequest(method, path, nil)
	if prepare != nil {
		prepare(r)
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w.Result()
}

func body(t *testing.T, r *http.Response) string {
	t.Helper()
	defer r.Body.Close()
	text, err := io.ReadAll(r.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func withToken(r *http.Request) { r.Header.Set("Authorization", "Bearer secret") }

// TestMonitor: the page, the metrics and the JSON have what the server says, whatever stands in names, and only for who
// knows the token; nothing can be changed.
func TestMonitor(t *testing.T) {
	status := newClusterStatus()
	status.Checks = append(status.Checks,
		jobStatus{ID: "A", State: store.Open, Title: "<b>\"q\\\n.c", Model: "tso", Tasks: 7, Open: 3, Executions: 12345, AtLeast: 99999},
		jobStatus{ID: "B", State: store.Complete, Title: "q.c", Model: "sc", Executions: 5, AtLeast: 5})
	status.Workers = append(status.Workers, seenWorker{store.Worker{ID: "W", Host: "h", Slots: 2, Trouble: "no <room>"}, 31, true})
	asked, wrong := 0, error(nil)
	m := newMonitor("nats://x", "secret", func(context.Context) (*clusterStatus, error) { asked++; return status, wrong })

	for name, prepare := range map[string]func(*http.Request){
		"none":            nil,
		"wrong":           func(r *http.Request) { r.Header.Set("Authorization", "Bearer secre") },
		"empty":           func(r *http.Request) { r.SetBasicAuth("", "") },
		"as a name":       func(r *http.Request) { r.SetBasicAuth("secret", "") },
		"another scheme":  func(r *http.Request) { r.Header.Set("Authorization", "secret") },
		"in the question": func(r *http.Request) { r.URL.RawQuery = "token=secret" },
	} {
		for _, path := range []string{"/", "/metrics", "/status.json", "/style.css", "/other"} {
			if r := get(t, m, "GET", path, prepare); r.StatusCode != http.StatusUnauthorized || strings.Contains(body(t, r), "tso") {
				t.Errorf("token %s, %s: %s", name, path, r.Status)
			}
		}
	}
	if asked != 0 {
		t.Errorf("the server was asked %d times for strangers", asked)
	}
	for path, want := range map[string]int{"/": 405, "/metrics": 405, "/status.json": 405} {
		if r := get(t, m, "POST", path, withToken); r.StatusCode != want {
			t.Errorf("POST %s: %s", path, r.Status)
		}
	}

	page := body(t, get(t, m, "GET", "/", func(r *http.Request) { r.SetBasicAuth("anybody", "secret") }))
	for _, want := range []string{"&lt;b&gt;", "at least 99,999", "12,345", "31 s ago, <strong>silent</strong>", "no &lt;room&gt;"} {
		if !strings.Contains(page, want) {
			t.Errorf("the page does not have %q:\n%s", want, page)
		}
	}
	if strings.Count(page, "at least ") != 1 || strings.Contains(page, "<b>") {
		t.Errorf("an estimate of what has ended, or a name as HTML:\n%s", page)
	}

	got := samples(t, body(t, get(t, m, "GET", "/metrics", withToken)))
	labels := `{check="A",program="<b>\"q\\\n.c",model="tso",state="open"}`
	for name, want := range map[string]string{
		"fencepost_up": "1", `fencepost_checks{state="open"}`: "1", `fencepost_checks{state="failed"}`: "0",
		"fencepost_check_tasks" + labels: "7", "fencepost_check_tasks_left" + labels: "3", "fencepost_check_executions" + labels: "12345",
		"fencepost_check_executions_at_least" + labels: "99999", `fencepost_worker_last_seen_seconds{worker="W",host="h"}`: "31",
		`fencepost_worker_silent{worker="W",host="h"}`: "1",
	} {
		if got[name] != want {
			t.Errorf("%s is %q, want %q", name, got[name], want)
		}
	}

	var read clusterStatus
	if err := json.Unmarshal([]byte(body(t, get(t, m, "GET", "/status.json", withToken))), &read); err != nil || len(read.Checks) != 2 || read.Checks[0].Executions != 12345 || len(read.Workers) != 1 {
		t.Errorf("%v: %+v", err, read)
	}
	if r := get(t, m, "GET", "/health", nil); r.StatusCode != 200 {
		t.Errorf("health: %s", r.Status)
	}
	if asked != 1 {
		t.Errorf("the server was asked %d times for a moment", asked)
	}

	m.at, status, wrong = time.Time{}, nil, errors.New("it is away")
	for path, want := range map[string]int{"/": 503, "/status.json": 503, "/metrics": 200, "/health": 503} {
		if r := get(t, m, "GET", path, withToken); r.StatusCode != want {
			t.Errorf("%s without a server: %s", path, r.Status)
		}
	}
	if text := body(t, get(t, m, "GET", "/metrics", withToken)); len(samples(t, text)) != 1 || samples(t, text)["fencepost_up"] != "0" {
		t.Errorf("without a server:\n%s", text)
	}
}

// TestMonitorCommand shows a check of a real server.
func TestMonitorCommand(t *testing.T) {
	c := startCluster(t, 1)
	s := families(t)[0]
	checked(t, s, "--server", c.url, "--keep")
	address := freeAddress(t)
	expect(t, 3, "go together", "monitor", "--server", c.url, "--http-key", "k")
	expect(t, 3, "--http", "monitor", "--server", c.url, "--http", "nowhere")
	shown := start(t, "monitor", "--server", c.url, "--http", address)
	shown.said.await(t, shown.done, "are shown on http://"+address)
	ask := func(path string) (int, string) {
		r, err := http.NewRequestWithContext(t.Context(), "GET", "http://"+address+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		r.SetBasicAuth("", testToken)
		answer, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		return answer.StatusCode, body(t, answer)
	}
	code, text := ask("/metrics")
	got := samples(t, text)
	if code != 200 || got["fencepost_up"] != "1" || got[`fencepost_checks{state="complete"}`] != "1" || !strings.Contains(text, "fencepost_worker_slots{") {
		t.Errorf("%d:\n%s", code, text)
	}
	if code, text := ask("/"); code != 200 || !strings.Contains(text, "complete") {
		t.Errorf("%d:\n%s", code, text)
	}
}
