//go:build unix

package command

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"fencepost/render"

	natsd "github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// ask starts the check of a sample.
func (c *cluster) ask(s sample, args ...string) *run {
	c.t.Helper()
	all := append([]string{"check", s.file, "--server", c.url, "--json", "--slice", "20ms", "--ack-wait", "300ms"}, s.args...)
	return start(c.t, append(all, args...)...)
}

// equal tests that a check has ended with the answer of a single run.
func (r *run) equal(t *testing.T, s sample) {
	t.Helper()
	<-r.done
	results, err := render.ReadJSON([]byte(r.out.String()))
	if err != nil {
		t.Fatalf("%v\n%s%s", err, &r.out, &r.said)
	}
	if got := summary(t, results); got != s.want {
		t.Errorf("got  %s\nwant %s\n%s", got, s.want, &r.said)
	}
}

// small mounts a small file system.
func small(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	if out, err := exec.Command("mount", "-t", "tmpfs", "-o", "size=24m", "tmpfs", dir).CombinedOutput(); err != nil {
		t.Skipf("no small file system to fill, which needs root: %v %s", err, out)
	}
	t.Cleanup(func() { _ = exec.Command("umount", "-l", dir).Run() })
	return dir
}

// TestFullDisk fills the disk of the server. The server and the asker say so. When there is room again all go on by
// themselves, and the answer is exact.
func TestFullDisk(t *testing.T) {
	c := &cluster{t: t, dir: small(t), address: freeAddress(t)}
	c.url = "nats://" + c.address
	c.startServer()
	s := families(t)[0]
	asked := c.ask(s) // there is no worker yet, so it does not end
	asked.said.await(t, asked.done, "there is no worker")
	ballast := filepath.Join(c.dir, "ballast")
	f, err := os.Create(ballast)
	if err != nil {
		t.Fatal(err)
	}
	for err == nil {
		_, err = f.Write(make([]byte, 4096))
	}
	f.Close()
	worker := start(t, "worker", "--join", c.url, "--slots", "1")
	c.server.said.await(t, c.server.done, "no space left")
	c.server.said.await(t, c.server.done, "is full: make room")
	asked.said.await(t, asked.done, "the server cannot store anything", "the server does not answer")
	worker.said.await(t, worker.done, "waiting for", "trying again", "cannot store anything", "does not answer")
	select {
	case <-asked.done:
		t.Fatalf("the check ended while the disk was full:\n%s%s", &asked.out, &asked.said)
	default:
	}
	if err := os.Remove(ballast); err != nil {
		t.Fatal(err)
	}
	asked.equal(t, s)
	c.server.said.await(t, c.server.done, "going on")
}

// TestMaxDisk: a server whose limit is reached says so, and so do the asker and status; the asker ends when its patience
// does.
func TestMaxDisk(t *testing.T) {
	c := &cluster{t: t, dir: t.TempDir(), address: freeAddress(t)}
	c.url = "nats://" + c.address
	c.startServer("--max-disk", "1")
	// The store grows over the limit.
	nc, err := nats.Connect(c.url, nats.Token("the token of the tests"))
	if err != nil {
		t.Fatal(err)
	}
	defer nc.Close()
	js, err := jetstream.New(nc)
	if err != nil {
		t.Fatal(err)
	}
	kv, err := js.KeyValue(t.Context(), "fp_workers")
	if err != nil {
		t.Fatal(err)
	}
	for err == nil {
		_, err = kv.Put(t.Context(), "probe."+nats.NewInbox(), make([]byte, 100<<10))
	}
	s := families(t)[0]
	asked := c.ask(s, "--patience", "3s")
	if code := asked.code(); code != 2 && code != 3 || !strings.Contains(asked.said.String(), "--max-disk") {
		t.Errorf("exit %d\n%s%s", code, &asked.out, &asked.said)
	}
	c.server.said.await(t, c.server.done, "--max-disk")
}

// TestNoWorker: an asker says that there is no worker, and ends when its patience does.
func TestNoWorker(t *testing.T) {
	c := startCluster(t, 0)
	asked := c.ask(families(t)[0], "--patience", "10s")
	asked.said.await(t, asked.done, "there is no worker: start one with")
	if code := asked.code(); code != 2 || !strings.Contains(asked.out.String(), "nothing happened for 10s: there is no worker") {
		t.Errorf("exit %d\n%s%s", code, &asked.out, &asked.said)
	}
	// The check is gone with its asker.
	expect(t, 0, "no checks", "status", "--server", c.url)
}

// TestWorkerFirst: a worker that is started before its server waits, says so, and works when the server is there.
func TestWorkerFirst(t *testing.T) {
	c := &cluster{t: t, dir: t.TempDir(), address: freeAddress(t)}
	c.url = "nats://" + c.address
	worker := start(t, "worker", "--join", c.url, "--slots", "1")
	worker.said.await(t, worker.done, "waiting for "+c.url)
	c.startServer()
	s := families(t)[2]
	c.ask(s).equal(t, s)
}

// TestServerAway: an asker and a worker say that the server is away, and go on when it is back.
func TestServerAway(t *testing.T) {
	c := startCluster(t, 0)
	s := families(t)[1]
	asked := c.ask(s)
	worker := start(t, "worker", "--join", c.url, "--slots", "1")
	worker.said.await(t, worker.done, "joined")
	c.server.kill()
	worker.said.await(t, worker.done, "the server does not answer")
	select {
	case <-asked.done: // it was quick
	default:
		asked.said.await(t, asked.done, "the server does not answer", "executions")
	}
	c.startServer()
	asked.equal(t, s)
}

// TestOtherToken: when a server wants another token than before, workers and askers end and say so.
func TestOtherToken(t *testing.T) {
	c := startCluster(t, 0)
	asked := c.ask(families(t)[0])
	asked.said.await(t, asked.done, "there is no worker") // it was submitted
	other := start(t, "worker", "--join", "nats://"+c.address, "--slots", "1")
	other.said.await(t, other.done, "joined")
	c.server.kill()
	file := filepath.Join(c.dir, "other")
	if err := os.WriteFile(file, []byte("another token"), 0o600); err != nil {
		t.Fatal(err)
	}
	c.startServer("--token-file", file)
	if code := other.code(); code != 3 || !strings.Contains(other.said.String(), "Authorization Violation") {
		t.Errorf("the worker: exit %d\n%s", code, &other.said)
	}
	if code := asked.code(); code != 2 && code != 0 || code == 2 && !strings.Contains(asked.out.String(), "Authorization Violation") {
		t.Errorf("the asker: exit %d\n%s%s", code, &asked.out, &asked.said)
	}
}

// TestOtherFormat: a store of another version is refused, by all commands.
func TestOtherFormat(t *testing.T) {
	s := natsServer(t, &natsd.Options{Port: -1})
	if !s.ReadyForConnections(time.Minute) {
		t.Fatal("the server is not ready")
	}
	nc, err := nats.Connect(s.ClientURL())
	if err != nil {
		t.Fatal(err)
	}
	defer nc.Close()
	js, err := jetstream.New(nc)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := js.CreateKeyValue(t.Context(), jetstream.KeyValueConfig{Bucket: "fp_jobs"}); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"check", families(t)[0].file, "--server"}, {"status", "--server"}, {"worker", "--join"}} {
		expect(t, 3, "another format", append(args, s.ClientURL())...)
	}
}
