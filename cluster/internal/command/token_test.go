//go:build unix

package command

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"fencepost/cluster/internal/server"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// tokenless starts a command that is given no token.
func tokenless(t *testing.T, dir string, args ...string) *run {
	t.Helper()
	r := &run{cmd: command(t, args...), done: make(chan struct{})}
	r.cmd.Env, r.cmd.Dir = append(r.cmd.Env, tokenVariable+"="), dir
	r.begin(t)
	return r
}

// TestToken: a server that is given no token makes one, on this machine as well, and clients find it. Without it a
// process can neither ask nor write.
func TestToken(t *testing.T) {
	home, address := t.TempDir(), freeAddress(t)
	url := "nats://" + address
	s := tokenless(t, home, "serve", "--listen", address)
	s.said.await(t, s.done, "listening on")
	file := tokenFile(filepath.Join(home, defaultDir))
	info, err := os.Stat(file)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Fatalf("the token: %v, %v", info, err)
	}
	if info, err := os.Stat(filepath.Dir(file)); err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("the directory: %v, %v", info, err)
	}
	if nc, err := nats.Connect(url); err == nil {
		js, _ := jetstream.New(nc)
		kv, err := js.KeyValue(t.Context(), "fp_jobs")
		t.Fatalf("a client without a token is let in, and can write to %v (%v)", kv, err)
	}
	elsewhere := t.TempDir()
	wrong := filepath.Join(elsewhere, "wrong")
	if err := os.WriteFile(wrong, []byte("wrong"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, k := range []struct {
		dir  string
		args []string
		code int
		said string
	}{
		{home, nil, 0, ""},
		{elsewhere, nil, 3, "another token"},
		{elsewhere, []string{"--dir", filepath.Dir(file)}, 0, ""},
		{elsewhere, []string{"--dir", elsewhere}, 3, "no such file"},
		{elsewhere, []string{"--token-file", file}, 0, ""},
		{home, []string{"--token-file", wrong}, 3, "another token"},
	} {
		r := tokenless(t, k.dir, append([]string{"status", "--server", url}, k.args...)...)
		if code := r.code(); code != k.code || !strings.Contains(r.said.String(), k.said) {
			t.Errorf("%v: exit %d, want %d\n%s", k.args, code, k.code, &r.said)
		}
	}
	// The token stays, unless another one is given; others must not read it.
	before, _ := os.ReadFile(file)
	s.kill()
	s = tokenless(t, home, "serve", "--listen", address)
	s.said.await(t, s.done, "listening on")
	if after, err := os.ReadFile(file); err != nil || string(after) != string(before) {
		t.Errorf("the token was %s and is %s, %v", before, after, err)
	}
	s.kill()
	s = tokenless(t, home, "serve", "--listen", address, "--token-file", wrong)
	s.said.await(t, s.done, "listening on")
	if r := tokenless(t, home, "status", "--server", url); r.code() != 0 {
		t.Errorf("the token that the server was given is not found:\n%s", &r.said)
	}
	s.kill()
	if err := os.Chmod(file, 0o644); err != nil {
		t.Fatal(err)
	}
	if s = tokenless(t, home, "serve", "--listen", address); s.code() != 3 || !strings.Contains(s.said.String(), "others can read") {
		t.Errorf("exit %d\n%s", s.code(), &s.said)
	}
}

// TestNoToken: no address is served without a token, whatever its form, and a token is not shown to a server elsewhere
// unless the user says so.
func TestNoToken(t *testing.T) {
	for _, address := range []string{"127.0.0.1:0", "localhost:0", "[::1]:0", "0.0.0.0:0", ":0", "[::]:0", "192.0.2.1:4222", "example.org:4222"} {
		dir := filepath.Join(t.TempDir(), "store")
		if s, err := server.Start(server.Options{Listen: address, Dir: dir}); err == nil || !strings.Contains(err.Error(), "a token is needed") {
			t.Errorf("%s: %v, %v", address, s, err)
		}
		if _, err := os.Stat(dir); err == nil {
			t.Errorf("%s: a server that was refused has made its directory", address)
		}
	}
	home := t.TempDir()
	t.Chdir(home)
	t.Setenv(tokenVariable, "")
	if err := os.Mkdir(defaultDir, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := writeToken(tokenFile(defaultDir), "secret"); err != nil {
		t.Fatal(err)
	}
	for url, want := range map[string]string{
		"nats://127.0.0.1:4222": "secret", "nats://localhost:1": "secret", "nats://example.org:4222": "",
		"nats://127.0.0.1:4222,nats://example.org:4222": "", "nats://[::1]:4222": "secret",
	} {
		a := access{Access: server.Access{URL: url}}
		if got, err := a.clientToken(); err != nil || got != want {
			t.Errorf("%s: shown %q, want %q, %v", url, got, want, err)
		}
		a.dir = defaultDir
		if got, err := a.clientToken(); err != nil || got != "secret" {
			t.Errorf("%s with --dir: shown %q, %v", url, got, err)
		}
	}
}

// TestStrangeTokens: a pipe with the name of a token is not waited for, and blanks are no token.
func TestStrangeTokens(t *testing.T) {
	dir := t.TempDir()
	pipe := tokenFile(dir)
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"serve", "--listen", freeAddress(t), "--dir", dir}, {"status", "--token-file", pipe}} {
		if r := tokenless(t, t.TempDir(), args...); r.code() != 3 || !strings.Contains(r.said.String(), "is no regular file") {
			t.Errorf("%v: exit %d\n%s", args, r.code(), &r.said)
		}
	}
	t.Setenv(tokenVariable, " ")
	if token, err := givenToken(""); err == nil {
		t.Errorf("a token %q", token)
	}
}

// TestLock: a second server on the same directory is refused, and names the process that uses it. A lock does not outlive
// its process.
func TestLock(t *testing.T) {
	dir := t.TempDir()
	address := freeAddress(t)
	first := start(t, "serve", "--listen", address, "--dir", dir)
	first.said.await(t, first.done, "listening on")
	second := start(t, "serve", "--listen", "127.0.0.1:0", "--dir", dir)
	if code := second.code(); code != 3 || !strings.Contains(second.said.String(), "process "+strconv.Itoa(first.cmd.Process.Pid)+" uses") {
		t.Errorf("exit %d\n%s", code, &second.said)
	}
	if other := start(t, "serve", "--listen", address, "--dir", t.TempDir()); other.code() != 3 || !strings.Contains(other.said.String(), "address already in use") {
		t.Errorf("exit %d\n%s", other.code(), &other.said)
	}
	first.kill()
	third := start(t, "serve", "--listen", "127.0.0.1:0", "--dir", dir)
	third.said.await(t, third.done, "listening on")
}
