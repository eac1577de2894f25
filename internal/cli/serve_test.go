package cli

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"fencepost/internal/explorer"
)

// TestServe: the server sends the named program, answers, opens the page, and ends by a signal.
func TestServe(t *testing.T) {
	dir := t.TempDir()
	program := filepath.Join(dir, "my.fp")
	if err := os.WriteFile(program, []byte("var x; thread t { x = 1; }"), 0o644); err != nil {
		t.Fatal(err)
	}
	opened := ""
	var out strings.Builder
	a := &app{services: services{openPage: func(address string) error { opened = address; return nil }}, stdout: io.Discard, stderr: &out, grace: time.Hour}
	f := &serveFlags{listen: "127.0.0.1:0", model: "pso", run: []string{"0"}, worker: testWorker}
	f.started = func(address string) {
		page := get(t, address)
		if !strings.Contains(page, `"name":"my.fp"`) || !strings.Contains(page, `"model":"pso","run":["0"]`) {
			t.Errorf("%s", page)
		}
		if opened != address || !strings.HasPrefix(address, "http://127.0.0.1:") || !strings.Contains(address, "?token=") {
			t.Errorf("opened %q, the address is %q", opened, address)
		}
		interrupt(t)
	}
	if err := runServe(a, []string{program}, f); err != nil {
		t.Error(err)
	}
	if !strings.Contains(out.String(), opened) {
		t.Errorf("%s", out.String())
	}
}

// testWorker starts the command of the tests as a worker.
func testWorker() *exec.Cmd { return exec.Command("fencepost", "serve", "--"+workFlag) }

func get(t *testing.T, address string) string {
	t.Helper()
	r, err := http.NewRequestWithContext(context.Background(), http.MethodGet, address, nil)
	if err != nil {
		t.Fatal(err)
	}
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil || answer.StatusCode != http.StatusOK {
		t.Fatalf("%d %v %s", answer.StatusCode, err, text)
	}
	return string(text)
}

// TestServeToken: every address has a token, which the page needs, also one that only this machine can reach.
func TestServeToken(t *testing.T) {
	for _, listen := range []string{"0.0.0.0:0", "127.0.0.1:0"} {
		t.Run(listen, func(t *testing.T) { serveToken(t, listen) })
	}
}

func serveToken(t *testing.T, listen string) {
	a := &app{stdout: io.Discard, stderr: io.Discard, grace: time.Hour}
	f := &serveFlags{listen: listen, noOpen: true, worker: testWorker}
	f.started = func(address string) {
		bare, token, ok := strings.Cut(address, "?token=")
		if !ok || len(token) != 2*tokenBytes {
			t.Errorf("%s", address)
		}
		get(t, address)
		if answer, err := http.Get(bare); err != nil || answer.StatusCode != http.StatusForbidden {
			t.Errorf("%v %v", answer, err)
		} else {
			answer.Body.Close()
		}
		interrupt(t)
	}
	if err := runServe(a, nil, f); err != nil {
		t.Error(err)
	}
}

// TestServeResult: a stored result begins with its program, model and execution.
func TestServeResult(t *testing.T) {
	dir := t.TempDir()
	program := filepath.Join(dir, "sb.fp")
	text := "var x, y;\nthread t1 { reg r; x = 1; r = y; }\nthread t2 { reg s; y = 1; s = x; }\nnever t1:r == 0 && t2:s == 0;\n"
	if err := os.WriteFile(program, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	var result strings.Builder
	if code := Run([]string{"check", program, "--model", "sc,pso", "--json", "--timeout", "0"}, strings.NewReader(""), &result, io.Discard); code != exitViolated {
		t.Fatal(code)
	}
	stored := filepath.Join(dir, "result.json")
	if err := os.WriteFile(stored, []byte(result.String()), 0o644); err != nil {
		t.Fatal(err)
	}
	var start explorer.Start
	if _, err := startWith(&app{}, stored, &start); err != nil {
		t.Fatal(err)
	}
	if start.Model != "pso" || start.Witness == nil || start.Program.Name != "sb.fp" || start.Program.Text != text {
		t.Errorf("%+v", start)
	}
	body, err := json.Marshal(explorer.Request{Name: "sb.fp", Text: text, Model: start.Model, Witness: start.Witness})
	if err != nil {
		t.Fatal(err)
	}
	answer, err := explorer.Ask(t.Context(), "state", body, explorer.Limits{}, nil)
	if err != nil || len(answer.(*explorer.StateAnswer).State.Violations) != 1 {
		t.Errorf("%+v %v", answer, err)
	}
}

// TestServeHeaders: a C program can include the headers that it includes when the server starts, and headers of
// headers. They are read once, and a request cannot name another file.
func TestServeHeaders(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) {
		t.Helper()
		if err := os.MkdirAll(filepath.Join(dir, filepath.Dir(name)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	const program = "#include \"lib/flags.h\"\nint main(void) { x = ONE; return y; }\n"
	write("prog/main.c", program)
	write("prog/lib/flags.h", "#include \"../one.h\"\nvolatile int x, y;\n")
	write("prog/one.h", "#define ONE 1\n")
	write("prog/secret.h", "volatile int secret;\n")
	var start explorer.Start
	headers, err := startWith(&app{}, filepath.Join(dir, "prog", "main.c"), &start)
	if err != nil {
		t.Fatal(err)
	}
	write("prog/one.h", "#error changed\n")
	for _, c := range []struct{ text, want string }{
		{program, ""},
		{"#include \"secret.h\"\n" + program, "secret.h"},
		{"#include \"" + filepath.ToSlash(filepath.Join(dir, "prog", "secret.h")) + "\"\n" + program, "secret.h"},
		{"#include \"lib/../secret.h\"\n" + program, "secret.h"},
	} {
		body, err := json.Marshal(explorer.Request{Name: "main.c", Text: c.text})
		if err != nil {
			t.Fatal(err)
		}
		answer, err := explorer.Ask(t.Context(), "state", body, explorer.Limits{Headers: headers}, nil)
		if err != nil {
			t.Fatal(err)
		}
		state := answer.(*explorer.StateAnswer)
		if c.want == "" && state.State == nil || c.want != "" && (state.State != nil || !strings.Contains(state.Diagnostics[0].Message, c.want)) {
			t.Errorf("%s\n%+v", c.text, state.Diagnostics)
		}
	}
}

// TestServeOutside: neither an include that leads out of the folder of the program nor a link that does is read.
func TestServeOutside(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		at := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(at), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(at, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		return at
	}
	secret := write("secret.h", "#define SECRET 1\n")
	write("folder/sub/own.h", "#define OWN 1\n")
	for link, to := range map[string]string{"folder/link.h": secret, "folder/near.h": filepath.Join("sub", "own.h"), "folder/up": ".."} {
		if err := os.Symlink(to, filepath.Join(dir, link)); err != nil {
			t.Fatal(err)
		}
	}
	const rest = "\nint main(void) { return 0; }\n"
	for name, want := range map[string]int{"sub/own.h": 1, "near.h": 1, "../secret.h": 0, "link.h": 0, "up/secret.h": 0, secret: 0, "/etc/passwd": 0, "sub/../../secret.h": 0} {
		var start explorer.Start
		headers, err := startWith(&app{}, write("folder/main.c", "#include \""+filepath.ToSlash(name)+"\""+rest), &start)
		if err != nil || len(headers) != want {
			t.Errorf("%s: %d headers, want %d: %v %v", name, len(headers), want, headers, err)
		}
	}
}
