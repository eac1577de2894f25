//go:build unix

package command

import (
	"bufio"
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"math/big"
	"net"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"fencepost"
	"fencepost/query"
	"fencepost/render"

	"github.com/nats-io/jwt/v2"
	natsd "github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/nats-io/nkeys"
)

// authority is a certificate authority that exists for one test.
type authority struct {
	t    *testing.T
	dir  string
	cert *x509.Certificate
	key  *ecdsa.PrivateKey
	file string // its certificate
}

func newAuthority(t *testing.T) *authority {
	t.Helper()
	a := &authority{t: t, dir: t.TempDir()}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "test authority"}, NotBefore: time.Now().Add(-time.Hour),
		NotAfter: time.Now().Add(24 * time.Hour), IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign,
	}
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	if a.cert, err = x509.ParseCertificate(der); err != nil {
		t.Fatal(err)
	}
	a.key, a.file = key, a.write("ca.pem", "CERTIFICATE", der)
	return a
}

func (a *authority) write(name, kind string, der []byte) string {
	a.t.Helper()
	file := filepath.Join(a.dir, name)
	if err := os.WriteFile(file, pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der}), 0o600); err != nil {
		a.t.Fatal(err)
	}
	return file
}

// sign makes a certificate for this machine, and returns its file and that of its key.
func (a *authority) sign(name string) (cert, key string) {
	a.t.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		a.t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(2), Subject: pkix.Name{CommonName: name}, NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(24 * time.Hour),
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth},
	}
	der, err := x509.CreateCertificate(rand.Reader, template, a.cert, &private.PublicKey, a.key)
	if err != nil {
		a.t.Fatal(err)
	}
	secret, err := x509.MarshalECPrivateKey(private)
	if err != nil {
		a.t.Fatal(err)
	}
	return a.write(name+".pem", "CERTIFICATE", der), a.write(name+".key", "EC PRIVATE KEY", secret)
}

// expect runs a command and compares its exit code and output.
func expect(t *testing.T, code int, want string, args ...string) {
	t.Helper()
	cmd := command(t, args...)
	out, _ := cmd.CombinedOutput()
	if cmd.ProcessState.ExitCode() != code || !bytes.Contains(out, []byte(want)) {
		t.Errorf("%v: exit %d, want %d and %q\n%s", args, cmd.ProcessState.ExitCode(), code, want, out)
	}
}

// checked checks a sample with a worker, and compares the answer.
func checked(t *testing.T, s sample, access ...string) {
	t.Helper()
	cmd := command(t, append(append([]string{"check", s.file, "--json", "--slice", "20ms"}, s.args...), access...)...)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	_ = cmd.Run()
	results, err := render.ReadJSON(out.Bytes())
	if err != nil {
		t.Fatalf("%v\n%s%s", err, out.Bytes(), errs.Bytes())
	}
	if got := summary(t, results); got != s.want {
		t.Errorf("got  %s\nwant %s", got, s.want)
	}
}

// TestTLS: a server with a certificate, whose authority clients must know. Nothing goes through without TLS.
func TestTLS(t *testing.T) {
	ca, other := newAuthority(t), newAuthority(t)
	cert, key := ca.sign("server")
	address := freeAddress(t)
	dir := t.TempDir()
	token := filepath.Join(dir, "token")
	if err := os.WriteFile(token, []byte("secret"), 0o600); err != nil {
		t.Fatal(err)
	}
	server := start(t, "serve", "--listen", address, "--dir", filepath.Join(dir, "store"), "--tls-cert", cert, "--tls-key", key, "--token-file", token)
	server.said.await(t, server.done, "listening on")
	url := "tls://" + address
	expect(t, 0, "no checks", "status", "--server", url, "--tls-ca", ca.file, "--token-file", token)
	expect(t, 3, "certificate", "status", "--server", url, "--tls-ca", other.file, "--token-file", token)
	expect(t, 3, "certificate", "status", "--server", url, "--token-file", token)
	expect(t, 3, "another token", "status", "--server", url, "--tls-ca", ca.file) // with the token of other tests
	expect(t, 3, "go together", "status", "--server", url, "--tls-cert", cert)
	expect(t, 3, "no certificate in it", "status", "--server", url, "--tls-ca", key, "--token-file", token)
	expect(t, 3, "go together", "serve", "--tls-cert", cert)
	expect(t, 3, "the certificate", "serve", "--listen", "127.0.0.1:0", "--dir", filepath.Join(dir, "other"), "--tls-cert", key, "--tls-key", cert)

	worker := command(t, "worker", "--join", url, "--tls-ca", ca.file, "--token-file", token, "--slots", "1", "--quiet")
	if err := worker.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { kill(worker) })
	checked(t, families(t)[0], "--server", url, "--tls-ca", ca.file, "--token-file", token)
}

// natsServer starts a NATS server as others run it. It ends with the test.
func natsServer(t *testing.T, o *natsd.Options) *natsd.Server {
	t.Helper()
	o.Host, o.NoSigs, o.NoLog, o.JetStream, o.StoreDir = "127.0.0.1", true, true, true, t.TempDir()
	s, err := natsd.NewServer(o)
	if err != nil {
		t.Fatal(err)
	}
	go s.Start()
	t.Cleanup(s.Shutdown)
	return s
}

// credentials makes an operator with an account and a user. It returns the options of a server that trusts the operator
// only, and the credentials file of the user.
func credentials(t *testing.T) (*natsd.Options, string) {
	t.Helper()
	made := func(k nkeys.KeyPair, err error) (nkeys.KeyPair, string) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		public, err := k.PublicKey()
		if err != nil {
			t.Fatal(err)
		}
		return k, public
	}
	signed := func(text string, err error) string {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return text
	}
	operator, operatorKey := made(nkeys.CreateOperator())
	account, accountKey := made(nkeys.CreateAccount())
	user, userKey := made(nkeys.CreateUser())
	_, systemKey := made(nkeys.CreateAccount())
	operatorTerms := jwt.NewOperatorClaims(operatorKey)
	operatorTerms.SystemAccount = systemKey
	trusted, err := jwt.DecodeOperatorClaims(signed(operatorTerms.Encode(operator)))
	if err != nil {
		t.Fatal(err)
	}
	accountTerms := jwt.NewAccountClaims(accountKey)
	accountTerms.Limits.JetStreamLimits = jwt.JetStreamLimits{MemoryStorage: -1, DiskStorage: -1, Streams: -1, Consumer: -1}
	resolver := &natsd.MemAccResolver{}
	for key, terms := range map[string]*jwt.AccountClaims{accountKey: accountTerms, systemKey: jwt.NewAccountClaims(systemKey)} {
		if err := resolver.Store(key, signed(terms.Encode(operator))); err != nil {
			t.Fatal(err)
		}
	}
	seed, err := user.Seed()
	if err != nil {
		t.Fatal(err)
	}
	text, err := jwt.FormatUserConfig(signed(jwt.NewUserClaims(userKey).Encode(account)), seed)
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "user.creds")
	if err := os.WriteFile(file, text, 0o600); err != nil {
		t.Fatal(err)
	}
	return &natsd.Options{Port: -1, TrustedOperators: []*jwt.OperatorClaims{trusted}, AccountResolver: resolver, SystemAccount: systemKey}, file
}

// TestCredentials: a NATS server that has users.
func TestCredentials(t *testing.T) {
	options, file := credentials(t)
	s := natsServer(t, options)
	if !s.ReadyForConnections(time.Minute) {
		t.Fatal("the server is not ready")
	}
	_, wrong := credentials(t)
	expect(t, 3, "other credentials", "status", "--server", s.ClientURL())
	expect(t, 3, "other credentials", "status", "--server", s.ClientURL(), "--creds", wrong)
	expect(t, 0, "no checks", "status", "--server", s.ClientURL(), "--creds", file)
	worker := command(t, "worker", "--join", s.ClientURL(), "--creds", file, "--slots", "1", "--quiet")
	if err := worker.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { kill(worker) })
	checked(t, families(t)[0], "--server", s.ClientURL(), "--creds", file)
}

// natsCluster starts three servers that keep JetStream together, and returns them and their addresses.
func natsCluster(t *testing.T) (map[string]*natsd.Server, string) {
	t.Helper()
	var routes []*url.URL
	var ports []int
	for range 3 {
		_, port, err := net.SplitHostPort(freeAddress(t))
		if err != nil {
			t.Fatal(err)
		}
		n, err := net.LookupPort("tcp", port)
		if err != nil {
			t.Fatal(err)
		}
		ports = append(ports, n)
		routes = append(routes, &url.URL{Scheme: "nats", Host: net.JoinHostPort("127.0.0.1", port)})
	}
	all := map[string]*natsd.Server{}
	for i, port := range ports {
		name := fmt.Sprint("s", i)
		all[name] = natsServer(t, &natsd.Options{
			ServerName: name, Port: -1, Routes: routes, Cluster: natsd.ClusterOpts{Name: "test", Host: "127.0.0.1", Port: port},
		})
	}
	var urls []string
	for _, s := range all {
		if !s.ReadyForConnections(time.Minute) {
			t.Fatal("a server is not ready")
		}
		urls = append(urls, s.ClientURL())
	}
	for ready := false; !ready; time.Sleep(20 * time.Millisecond) {
		ready = true
		for _, s := range all {
			ready = ready && s.JetStreamIsCurrent()
		}
	}
	return all, strings.Join(urls, ",")
}

// kept tests that three servers have all of some streams.
func kept(t *testing.T, js jetstream.JetStream, names ...string) {
	t.Helper()
	for _, name := range names {
		stream, err := js.Stream(t.Context(), name)
		if err != nil {
			t.Error(err)
			continue
		}
		// A server that has just got a message may not have confirmed it yet, so lag is allowed, and being new is not.
		info := stream.CachedInfo()
		if info.Config.Replicas != 3 || info.Cluster == nil || len(info.Cluster.Replicas) != 2 {
			t.Errorf("%s is kept by %+v", name, info.Cluster)
			continue
		}
		for _, peer := range info.Cluster.Replicas {
			if !peer.Current && peer.Active == 0 {
				t.Errorf("%s: %+v never had it", name, peer)
			}
		}
	}
}

// stderrLines returns the lines that a command writes to standard error.
func stderrLines(t *testing.T, cmd *exec.Cmd) <-chan string {
	t.Helper()
	pipe, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	out := make(chan string, 1000)
	go func() {
		defer close(out)
		for s := bufio.NewScanner(pipe); s.Scan(); {
			out <- s.Text()
		}
	}()
	return out
}

// TestNATSCluster: three servers keep everything. The one that leads the queue of a check ends while the check runs, and
// the answer is that of a single run.
func TestNATSCluster(t *testing.T) {
	servers, urls := natsCluster(t)
	nc, err := nats.Connect(urls, nats.MaxReconnects(-1))
	if err != nil {
		t.Fatal(err)
	}
	defer nc.Close()
	js, err := jetstream.New(nc)
	if err != nil {
		t.Fatal(err)
	}
	// Workers come first. They do not know how many servers shall keep the lists of checks, so they make none.
	var workers []*exec.Cmd
	for range 2 {
		worker := command(t, "worker", "--join", urls, "--slots", "1")
		lines := stderrLines(t, worker)
		if err := worker.Start(); err != nil {
			t.Fatal(err)
		}
		workers = append(workers, worker)
		t.Cleanup(func() { kill(worker) })
		for line := range lines {
			if strings.Contains(line, "no check was ever submitted") {
				break
			}
		}
		go func() {
			for range lines {
			}
		}()
	}
	for name := range js.StreamNames(t.Context()).Name() {
		t.Errorf("a worker has made %s", name)
	}
	text, err := fencepost.Generate("fib", 5)
	if err != nil {
		t.Fatal(err)
	}
	s := newSample(t, "fib.fp", text, query.CheckOptions{Models: []query.Model{query.TSO}, Deadlock: true}, "--deadlock", "--slice-executions", "150")
	// The workers are stopped until the queue is there, or the check could be over before it is seen.
	signal := func(s syscall.Signal) {
		for _, w := range workers {
			if err := w.Process.Signal(s); err != nil {
				t.Error(err)
			}
		}
	}
	signal(syscall.SIGSTOP)
	done := make(chan struct{})
	go func() {
		defer close(done)
		checked(t, s, "--server", urls, "--replicas", "3", "--ack-wait", "1s")
	}()
	leader := ""
	for running := true; running && leader == ""; {
		select {
		case <-done:
			running = false
		case <-time.After(10 * time.Millisecond):
		}
		for name := range js.StreamNames(t.Context()).Name() {
			if !strings.HasPrefix(name, "fp_tasks_") {
				continue
			}
			stream, err := js.Stream(t.Context(), name)
			if err != nil { // it is being made, or gone
				continue
			}
			if info := stream.CachedInfo(); info.Config.Replicas == 3 && info.Cluster != nil && info.State.LastSeq > 0 {
				leader = info.Cluster.Leader
			}
		}
	}
	if leader == "" {
		t.Fatal("the check was over before its queue was seen")
	}
	kept(t, js, "KV_fp_jobs", "KV_fp_workers", "OBJ_fp_programs")
	t.Logf("%s ends", leader)
	signal(syscall.SIGCONT)
	servers[leader].Shutdown()
	<-done
	for _, name := range []string{"KV_fp_jobs", "OBJ_fp_programs"} {
		stream, err := js.Stream(t.Context(), name)
		if err != nil {
			t.Fatal(err)
		}
		if config := stream.CachedInfo().Config; config.Replicas != 3 || config.AllowDirect {
			t.Errorf("%s has %d replicas, and is read from any: %v", name, config.Replicas, config.AllowDirect)
		}
	}
	checked(t, s, "--server", urls, "--replicas", "3") // two of three go on
}
