//go:build unix

package command

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"math/rand"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"fencepost"
	"fencepost/query"
	"fencepost/render"
	"fencepost/verdict"
)

var (
	kills  = flag.Int("fp.kills", 3, "how many processes are killed in the fault test")
	random = flag.Int("fp.random", 4, "how many random programs are checked in the fault test")
	seed   = flag.Int64("fp.seed", 1, "seed of the fault test")
)

// mainVariable makes the test binary the command.
const mainVariable = "FENCEPOST_CLUSTER_AS_COMMAND"

func TestMain(m *testing.M) {
	if os.Getenv(mainVariable) != "" {
		os.Exit(Run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
	}
	os.Exit(m.Run())
}

// testToken is the token of servers that tests start.
const testToken = "the token of the tests"

// cluster is a server and workers, as processes.
type cluster struct {
	t       *testing.T
	dir     string
	address string
	url     string
	server  *run
	workers []*exec.Cmd
}

// command starts a process of fencepost-cluster.
func command(t *testing.T, args ...string) *exec.Cmd {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(self, args...)
	cmd.Env = append(os.Environ(), mainVariable+"=1", tokenVariable+"="+testToken)
	return cmd
}

// freeAddress returns an address of this machine that nothing listens on.
func freeAddress(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}

func startCluster(t *testing.T, workers int) *cluster {
	t.Helper()
	c := &cluster{t: t, dir: t.TempDir(), address: freeAddress(t)}
	c.url = "nats://" + c.address
	c.startServer()
	for range workers {
		c.workers = append(c.workers, nil)
		c.startWorker(len(c.workers) - 1)
	}
	t.Cleanup(func() {
		for _, cmd := range c.workers {
			kill(cmd)
		}
	})
	return c
}

func kill(cmd *exec.Cmd) {
	_ = cmd.Process.Kill()
	_ = cmd.Wait()
}

func (c *cluster) startServer(args ...string) {
	c.t.Helper()
	c.server = start(c.t, append([]string{"serve", "--listen", c.address, "--dir", c.store()}, args...)...)
	c.server.said.await(c.t, c.server.done, "listening on")
}

// store is the directory of the server.
func (c *cluster) store() string { return filepath.Join(c.dir, "store") }

// words has the output of a process so far.
type words struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (w *words) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.text.Write(p)
}

func (w *words) String() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.text.String()
}

// await waits until one of some texts has been said, or the process has ended. It returns the text.
func (w *words) await(t *testing.T, done <-chan struct{}, texts ...string) string {
	t.Helper()
	for {
		ended := false
		select {
		case <-done:
			ended = true
		default:
		}
		for _, text := range texts {
			if strings.Contains(w.String(), text) {
				return text
			}
		}
		if ended {
			t.Fatalf("the process has ended and did not say %q:\n%s", texts, w)
		}
		time.Sleep(20 * time.Millisecond)
	}
}

// run is a command that runs.
type run struct {
	cmd       *exec.Cmd
	out, said words
	done      chan struct{}
}

// start starts a command. It is killed when the test ends.
func start(t *testing.T, args ...string) *run {
	t.Helper()
	r := &run{cmd: command(t, args...), done: make(chan struct{})}
	r.begin(t)
	return r
}

func (r *run) begin(t *testing.T) {
	t.Helper()
	r.cmd.Stdout, r.cmd.Stderr = &r.out, &r.said
	if err := r.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() {
		_ = r.cmd.Wait()
		close(r.done)
	}()
	t.Cleanup(r.kill)
}

func (r *run) kill() {
	_ = r.cmd.Process.Kill()
	<-r.done
}

func (r *run) code() int {
	<-r.done
	return r.cmd.ProcessState.ExitCode()
}

func (c *cluster) startWorker(i int) {
	c.t.Helper()
	cmd := command(c.t, "worker", "--join", c.url, "--slots", "1", "--quiet")
	if err := cmd.Start(); err != nil {
		c.t.Fatal(err)
	}
	c.workers[i] = cmd
}

// killOne kills a process with SIGKILL and starts another one in its stead.
func (c *cluster) killOne(rng *rand.Rand) string {
	if rng.Intn(3) == 0 {
		c.server.kill()
		c.startServer()
		return "server"
	}
	i := rng.Intn(len(c.workers))
	kill(c.workers[i])
	c.startWorker(i)
	return fmt.Sprint("worker ", i)
}

// sample is a program with a question, and its answer by one run.
type sample struct {
	file string
	args []string
	want string
}

// summary has what must not depend on who explores.
func summary(t *testing.T, results []verdict.Result) string {
	t.Helper()
	return summarize(results)
}

func summarize(results []verdict.Result) string {
	var b strings.Builder
	for _, r := range results {
		fmt.Fprintf(&b, "%s %v", r.Model, r.Verdict)
		if r.Verdict == verdict.Unsafe {
			// Which violation is found first depends on who is faster.
			continue
		}
		fmt.Fprintf(&b, " %d executions, %d blocked, fingerprint %s, final states %q\n", r.Stats.Executions, r.Stats.Blocked, r.Stats.Fingerprint, r.FinalStates)
	}
	return b.String()
}

func newSample(t *testing.T, name, text string, opt query.CheckOptions, args ...string) sample {
	t.Helper()
	file := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	opt.Engines, opt.Workers = []query.Engine{"rf"}, 1
	opt.NoReduction = !slices.Contains(opt.Models, query.C11) // an exploration in parts does not leave out executions that differ by an exchange of threads
	a, err := fencepost.Check(context.Background(), query.Input{Name: file, Text: []byte(text)}, opt)
	if err != nil || a.HasErrors() {
		t.Fatalf("%v %v\n%s", err, a.Diagnostics, text)
	}
	var models []string
	for _, m := range opt.Models {
		models = append(models, string(m))
	}
	return sample{file: file, args: append(args, "--model", strings.Join(models, ",")), want: summary(t, a.Results)}
}

// families are programs that take a while.
func families(t *testing.T) []sample {
	t.Helper()
	var out []sample
	for _, f := range []struct {
		name string
		n    int
	}{{"fib", 4}, {"lastzero", 6}, {"ainc", 6}, {"sbn", 8}, {"casrot", 5}} {
		text, err := fencepost.Generate(f.name, f.n)
		if err != nil {
			t.Fatal(err)
		}
		opt := query.CheckOptions{Models: []query.Model{query.TSO}, Deadlock: true}
		out = append(out, newSample(t, f.name+".fp", text, opt, "--deadlock", "--slice-executions", "150"))
	}
	return out
}

// randomProgram writes a program of some threads with loads, stores and read-modify-writes, whose final states
// are asked for.
func randomProgram(rng *rand.Rand) string {
	var b strings.Builder
	b.WriteString("program p\nvar x, y, z;\n")
	cells := []string{"x", "y", "z"}
	for i := range 2 + rng.Intn(2) {
		fmt.Fprintf(&b, "thread t%d {\n  reg a, b;\n", i)
		for range 2 + rng.Intn(3) {
			c, r := cells[rng.Intn(3)], []string{"a", "b"}[rng.Intn(2)]
			switch rng.Intn(6) {
			case 0, 1:
				fmt.Fprintf(&b, "  %s = %d;\n", c, 1+rng.Intn(3))
			case 2, 3:
				fmt.Fprintf(&b, "  %s = %s;\n", r, c)
			case 4:
				fmt.Fprintf(&b, "  %s = cas(%s, %d, %d);\n", r, c, rng.Intn(2), 1+rng.Intn(3))
			default:
				fmt.Fprintf(&b, "  if (%s == 0) { %s = 2; } else { %s = fetch_add(%s, 1); }\n", r, c, r, c)
			}
		}
		if rng.Intn(6) == 0 {
			fmt.Fprintf(&b, "  assert a + b <= %d;\n", 2+rng.Intn(5))
		}
		b.WriteString("}\n")
	}
	return b.String()
}

// away reports whether a check found no server: it was killed before the check began. Then the check is asked again.
func away(errs *bytes.Buffer) bool { return strings.Contains(errs.String(), "no server answers") }

// TestKilled kills workers and the server at random moments while programs are checked. Verdicts, counts and
// fingerprints equal the ones of a single run every time.
func TestKilled(t *testing.T) {
	rng := rand.New(rand.NewSource(*seed))
	samples := families(t)
	for n := range *random {
		models := []query.Model{query.AllModels()[n%3]}
		opt := query.CheckOptions{Models: models, Finals: true}
		samples = append(samples, newSample(t, fmt.Sprintf("random%d.fp", n), randomProgram(rng), opt, "--final-states", "--slice-executions", "3"))
	}
	c := startCluster(t, 2)
	killed := 0
	for round := 0; killed < *kills || round < len(samples); round++ {
		s := samples[round%len(samples)]
		var out, errs bytes.Buffer
		// A short acknowledgement time makes the queue give tasks to two workers.
		cmd := command(t, append([]string{"check", s.file, "--server", c.url, "--json", "--slice", "20ms", "--ack-wait", "300ms"}, s.args...)...)
		cmd.Stdout, cmd.Stderr = &out, &errs
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		done := make(chan error, 1)
		go func() { done <- cmd.Wait() }()
		for running := true; running; {
			select {
			case <-done:
				running = false
			case <-time.After(time.Duration(50+rng.Intn(400)) * time.Millisecond):
				if killed < *kills {
					t.Logf("%s: killed %s", filepath.Base(s.file), c.killOne(rng))
					killed++
				}
			}
		}
		if away(&errs) {
			round--
			continue
		}
		results, err := render.ReadJSON(out.Bytes())
		if err != nil {
			t.Fatalf("%s: exit %d, %v\n%s%s", s.file, cmd.ProcessState.ExitCode(), err, out.Bytes(), errs.Bytes())
		}
		if got := summary(t, results); got != s.want {
			t.Errorf("%s:\ngot  %s\nwant %s", s.file, got, s.want)
		}
	}
	t.Logf("%d kills, %d programs", killed, len(samples))
}

// TestPausedProcess stops a worker past the acknowledgement time and lets it go on.
func TestPausedProcess(t *testing.T) {
	c := startCluster(t, 2)
	s := families(t)[0]
	cmd := command(t, append([]string{"check", s.file, "--server", c.url, "--json", "--slice", "20ms", "--ack-wait", "200ms"}, s.args...)...)
	var out bytes.Buffer
	cmd.Stdout = &out
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	stopped := c.workers[0].Process
	if err := stopped.Signal(syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	time.Sleep(500 * time.Millisecond)
	if err := stopped.Signal(syscall.SIGCONT); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait()
	results, err := render.ReadJSON(out.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	if got := summary(t, results); got != s.want {
		t.Errorf("got  %s\nwant %s", got, s.want)
	}
}

// TestCommands: submit, list, ask for the result, cancel.
func TestCommands(t *testing.T) {
	c := startCluster(t, 1)
	run := func(want int, args ...string) string {
		t.Helper()
		cmd := command(t, append(args, "--server", c.url)...)
		out, err := cmd.CombinedOutput()
		if cmd.ProcessState == nil || cmd.ProcessState.ExitCode() != want {
			t.Fatalf("%v: %v, want exit %d\n%s", args, err, want, out)
		}
		return string(out)
	}
	s := families(t)[0]
	id := strings.TrimSpace(run(0, append([]string{"check", s.file, "--detach"}, s.args...)...))
	for {
		var status struct{ Checks []jobStatus }
		if err := json.Unmarshal([]byte(run(0, "status", "--json")), &status); err != nil {
			t.Fatal(err)
		}
		if len(status.Checks) != 1 || status.Checks[0].ID != id {
			t.Fatalf("got %+v, want one check %s", status.Checks, id)
		}
		if status.Checks[0].State != "open" {
			break
		}
	}
	results, err := render.ReadJSON([]byte(run(0, "result", id, "--json")))
	if err != nil {
		t.Fatal(err)
	}
	if got := summary(t, results); got != s.want {
		t.Errorf("got  %s\nwant %s", got, s.want)
	}
	if out := run(0, "cancel", id); !strings.Contains(out, "removed") {
		t.Errorf("got %s", out)
	}
	if out := run(3, "result", id); !strings.Contains(out, "no check has this name") {
		t.Errorf("got %s", out)
	}
	if out := run(0, "status"); !strings.HasPrefix(out, "no checks") {
		t.Errorf("got %s", out)
	}
	run(3, "check", s.file, "--slice", "0s")
	run(3, "check", s.file, "--engine", "smc")
	run(3, "check", filepath.Join(c.dir, "missing.fp"))
}

// TestC11: under C11's own model, too, a cluster finds what one process finds.
func TestC11(t *testing.T) {
	c := startCluster(t, 2)
	for _, f := range []struct {
		name string
		n    int
	}{{"ainc", 4}, {"lastzero", 4}, {"casrot", 4}} {
		text, err := fencepost.Generate(f.name, f.n)
		if err != nil {
			t.Fatal(err)
		}
		s := newSample(t, f.name+".fp", text, query.CheckOptions{Models: []query.Model{query.C11}, Deadlock: true}, "--deadlock", "--slice-executions", "5")
		out, err := command(t, append([]string{"check", s.file, "--json", "--server", c.url}, s.args...)...).Output()
		if err != nil {
			t.Fatalf("%s: %v\n%s", f.name, err, out)
		}
		results, err := render.ReadJSON(out)
		if err != nil {
			t.Fatal(err)
		}
		if got := summary(t, results); got != s.want {
			t.Errorf("%s: got  %s\nwant %s", f.name, got, s.want)
		}
	}
}

// TestViolation: the execution of a violation is replayed by the asker and printed as ever. The headers of a C
// program travel with it.
func TestViolation(t *testing.T) {
	c := startCluster(t, 1)
	dir := t.TempDir()
	for name, text := range map[string]string{
		"flags.h": "#include <stdatomic.h>\nextern atomic_int x, y;\n",
		"sb.c": "#include \"flags.h\"\n#include <assert.h>\n#include <pthread.h>\natomic_int x, y; int a, b;\n" +
			"void *f(void *p) { atomic_store_explicit(&x, 1, memory_order_relaxed); a = atomic_load_explicit(&y, memory_order_relaxed); return p; }\n" +
			"int main(void) { pthread_t t; pthread_create(&t, 0, f, 0); atomic_store_explicit(&y, 1, memory_order_relaxed);\n" +
			"  b = atomic_load_explicit(&x, memory_order_relaxed); pthread_join(t, 0); assert(a + b > 0); return 0; }\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	cmd := command(t, "check", filepath.Join(dir, "sb.c"), "--server", c.url, "--model", "sc,tso,c11")
	out, err := cmd.CombinedOutput()
	if cmd.ProcessState.ExitCode() != 1 {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, want := range []string{"safe under SC, unsafe under TSO and C11", "all executions (rf: 3 executions)", "reaches memory"} {
		if !bytes.Contains(out, []byte(want)) {
			t.Errorf("the answer does not have %q:\n%s", want, out)
		}
	}
}
