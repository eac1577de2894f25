//go:build unix

package command

import (
	"flag"
	"fmt"
	"math/rand"
	"net"
	"net/url"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"fencepost"
	"fencepost/query"

	natsd "github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

var faults = flag.Int("fp.faults", 2, "how many random faults each kind of server has")

// deployment is servers and workers to which faults happen.
type deployment struct {
	t       *testing.T
	access  []string
	workers []*exec.Cmd
	faults  []func(*rand.Rand) string
}

// pause stops a process for a while.
func pause(rng *rand.Rand, p interface{ Signal(s syscall.Signal) error }, most int) string {
	d := time.Duration(1+rng.Intn(most)) * time.Millisecond
	_ = p.Signal(syscall.SIGSTOP)
	time.Sleep(d)
	_ = p.Signal(syscall.SIGCONT)
	return fmt.Sprint("paused for ", d)
}

// process sends signals to a process.
type process struct{ cmd *exec.Cmd }

func (p process) Signal(s syscall.Signal) error { return p.cmd.Process.Signal(s) }

// addWorkers starts workers, and adds what can happen to them.
func (d *deployment) addWorkers(n int, join string, args ...string) {
	begin := func() *exec.Cmd {
		cmd := command(d.t, append([]string{"worker", "--join", join, "--slots", "1", "--quiet"}, args...)...)
		if err := cmd.Start(); err != nil {
			d.t.Fatal(err)
		}
		return cmd
	}
	for range n {
		d.workers = append(d.workers, begin())
	}
	d.t.Cleanup(func() {
		for _, w := range d.workers {
			kill(w)
		}
	})
	d.faults = append(d.faults, func(rng *rand.Rand) string {
		i := rng.Intn(n)
		kill(d.workers[i])
		d.workers[i] = begin()
		return fmt.Sprint("worker ", i, " killed")
	}, func(rng *rand.Rand) string {
		i := rng.Intn(n)
		_ = d.workers[i].Process.Signal(syscall.SIGTERM)
		_ = d.workers[i].Wait()
		d.workers[i] = begin()
		return fmt.Sprint("worker ", i, " ended")
	}, func(rng *rand.Rand) string {
		i := rng.Intn(n)
		return fmt.Sprint("worker ", i, " ", pause(rng, process{d.workers[i]}, 1000))
	})
}

// embedded is a server of ours.
func embedded(t *testing.T) *deployment {
	t.Helper()
	c := startCluster(t, 0)
	d := &deployment{t: t, access: []string{"--server", c.url}}
	d.addWorkers(2, c.url)
	d.faults = append(d.faults, func(*rand.Rand) string {
		c.server.kill()
		c.startServer()
		return "server killed"
	}, func(rng *rand.Rand) string { return "server " + pause(rng, process{c.server.cmd}, 2000) })
	return d
}

// external is servers of NATS that others run.
func external(t *testing.T, replicas int) *deployment {
	t.Helper()
	options := make([]*natsd.Options, replicas)
	servers := make([]*natsd.Server, replicas)
	var routes []*url.URL
	port := func() int {
		_, text, err := net.SplitHostPort(freeAddress(t))
		if err != nil {
			t.Fatal(err)
		}
		n, err := strconv.Atoi(text)
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	var urls []string
	for i := range options {
		o := &natsd.Options{ServerName: fmt.Sprint("s", i), Host: "127.0.0.1", Port: port(), NoSigs: true, NoLog: true, JetStream: true, StoreDir: t.TempDir()}
		if replicas > 1 {
			o.Cluster = natsd.ClusterOpts{Name: "test", Host: "127.0.0.1", Port: port()}
			routes = append(routes, &url.URL{Scheme: "nats", Host: net.JoinHostPort("127.0.0.1", strconv.Itoa(o.Cluster.Port))})
		}
		options[i] = o
		urls = append(urls, fmt.Sprintf("nats://127.0.0.1:%d", o.Port))
	}
	begin := func(i int) {
		o := options[i].Clone()
		o.Routes = routes
		s, err := natsd.NewServer(o)
		if err != nil {
			t.Fatal(err)
		}
		servers[i] = s
		go s.Start()
		if !s.ReadyForConnections(time.Hour) {
			t.Fatal("a server is not ready")
		}
	}
	for i := range servers {
		begin(i)
	}
	t.Cleanup(func() {
		for _, s := range servers {
			s.Shutdown()
		}
	})
	for i := 0; replicas > 1 && i < replicas; {
		if !servers[i].JetStreamIsCurrent() {
			time.Sleep(20 * time.Millisecond)
			continue
		}
		i++
	}
	all := strings.Join(urls, ",")
	d := &deployment{t: t, access: []string{"--server", all, "--replicas", strconv.Itoa(replicas)}}
	d.addWorkers(2, all)
	d.faults = append(d.faults, func(rng *rand.Rand) string {
		i := rng.Intn(replicas)
		servers[i].Shutdown()
		servers[i].WaitForShutdown()
		time.Sleep(time.Duration(rng.Intn(500)) * time.Millisecond)
		begin(i)
		return fmt.Sprint("server ", i, " ended and began again")
	})
	if replicas > 1 {
		d.faults = append(d.faults, func(rng *rand.Rand) string { return stepDown(t, rng, all) })
	}
	return d
}

// stepDown makes another server the leader of a stream.
func stepDown(t *testing.T, rng *rand.Rand, urls string) string {
	nc, err := nats.Connect(urls)
	if err != nil {
		return err.Error()
	}
	defer nc.Close()
	js, err := jetstream.New(nc)
	if err != nil {
		return err.Error()
	}
	var names []string
	for name := range js.StreamNames(t.Context()).Name() {
		names = append(names, name)
	}
	if len(names) == 0 {
		return "no stream"
	}
	name := names[rng.Intn(len(names))]
	_, err = nc.Request("$JS.API.STREAM.LEADER.STEPDOWN."+name, nil, 2*time.Second)
	return fmt.Sprint(name, " has another leader ", err)
}

// TestFaults: workers and servers are killed, ended, paused and begun again at random moments while programs are checked,
// with a server of ours, one of others, and three of others. Every answer equals that of a single run.
func TestFaults(t *testing.T) {
	rng := rand.New(rand.NewSource(*seed))
	text, err := fencepost.Generate("fib", 5)
	if err != nil {
		t.Fatal(err)
	}
	samples := append(families(t)[:3], newSample(t, "fib5.fp", text, query.CheckOptions{Models: []query.Model{query.TSO}, Deadlock: true}, "--deadlock", "--slice-executions", "400"))
	for _, kind := range []struct {
		name   string
		deploy func(*testing.T) *deployment
	}{
		{"embedded", embedded},
		{"external 1", func(t *testing.T) *deployment { return external(t, 1) }},
		{"external 3", func(t *testing.T) *deployment { return external(t, 3) }},
	} {
		t.Run(kind.name, func(t *testing.T) {
			d := kind.deploy(t)
			happened, checks := 0, 0
			for ; happened < *faults; checks++ {
				s := samples[rng.Intn(len(samples))]
				args := append([]string{"check", s.file, "--json", "--slice", "20ms", "--ack-wait", "300ms"}, s.args...)
				asked := start(t, append(args, d.access...)...)
				for running := true; running; {
					select {
					case <-asked.done:
						running = false
					case <-time.After(time.Duration(20+rng.Intn(300)) * time.Millisecond):
						if happened < *faults {
							t.Logf("%s: %s", filepath.Base(s.file), d.faults[rng.Intn(len(d.faults))](rng))
							happened++
						}
					}
					if strings.Count(asked.said.String(), "\n") > maxReports {
						t.Fatalf("the check does not end:\n%s", &asked.said)
					}
				}
				if end, err := asked.fate(s); err != nil || end != same {
					t.Errorf("%s: %s, %v\n%s%s", s.file, end, err, &asked.out, &asked.said)
				}
			}
			t.Logf("%s: %d faults, %d checks", kind.name, happened, checks)
		})
	}
}
