package command

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"fencepost/cluster/internal/asker"
	"fencepost/cluster/internal/program"
	"fencepost/cluster/internal/server"
	"fencepost/cluster/internal/store"
	"fencepost/internal/cli"
	"fencepost/query"

	"github.com/nats-io/nats.go"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

const long = `fencepost-cluster checks a program on any number of machines. The executions are
divided among them. Counts, fingerprint and answer do not depend on how: workers may
come, go and be killed.

One machine runs serve, any number run worker, and check asks.
Exit codes: 0 holds, 1 violated, 2 unknown, 3 bad input or usage, 4 internal error.`

const example = `  fencepost-cluster serve --dir /var/lib/fencepost
  fencepost-cluster worker --join nats://127.0.0.1:4222
  fencepost-cluster check queue.c --server nats://127.0.0.1:4222 --model tso
  fencepost-cluster status --server nats://127.0.0.1:4222`

// defaultURL is where serve listens by default.
const (
	defaultListen = "127.0.0.1:4222"
	defaultURL    = "nats://" + defaultListen
)

// tool is one run of the command line.
type tool struct {
	stdout, stderr io.Writer
	access         access
	replicas       int
	ask            asker.Asker
	detach         bool
	front          *cli.Front
	noticed        time.Time // when a failure was last told
}

// access are the flags that say how to reach a server.
type access struct {
	server.Access
	tokenFile string
	dir       string // of a server on this machine
}

func (a *access) flags(flags *pflag.FlagSet, name, usage string) {
	flags.StringVar(&a.URL, name, defaultURL, usage+", as a `URL` nats://HOST:PORT or tls://HOST:PORT")
	flags.StringVar(&a.tokenFile, "token-file", "", "`file` with the token of the server (default: the variable "+tokenVariable+", then --dir)")
	flags.StringVar(&a.dir, "dir", "", "`directory` of a server on this machine, which has the token (default: "+defaultDir+", for servers on this machine)")
	flags.StringVar(&a.Credentials, "creds", "", "credentials `file` of NATS")
	flags.StringVar(&a.Authority, "tls-ca", "", "`file` with the certificate that the server's certificate must lead to")
	flags.StringVar(&a.Certificate, "tls-cert", "", "`file` with the certificate of this client, where the server wants one")
	flags.StringVar(&a.Key, "tls-key", "", "`file` with the key of that certificate")
}

// dial connects to the server.
func (p *tool) dial(name string) (*nats.Conn, error) {
	t, err := p.access.clientToken()
	if err != nil {
		return nil, err
	}
	if (p.access.Certificate == "") != (p.access.Key == "") {
		return nil, cli.UsageError("--tls-cert and --tls-key go together", "give both")
	}
	how := p.access.Access
	how.Token, how.Name = t, "fencepost-cluster "+name
	if how.Readable() {
		fmt.Fprintf(p.stderr, "fencepost-cluster: warning: the token goes to %s without encryption; use tls://\n", how.URL)
	}
	nc, err := server.Connect(how)
	if errors.Is(err, server.ErrAway) {
		return nil, fmt.Errorf("%w", err)
	}
	if err != nil {
		return nil, cli.UsageError(err.Error(), "see `fencepost-cluster "+name+" --help`")
	}
	return nc, nil
}

// connect opens the store of the server, and makes it if replicas is not 0. The caller closes the connection.
func (p *tool) connect(ctx context.Context, name string, replicas int) (*store.Store, func(), error) {
	nc, err := p.dial(name)
	if errors.Is(err, server.ErrAway) {
		return nil, nil, cli.UsageError(err.Error(), "is the server running? start one with `fencepost-cluster serve`")
	}
	if err != nil {
		return nil, nil, err
	}
	s, err := store.Connect(ctx, nc, replicas, p.notice)
	if err != nil {
		nc.Close()
		return nil, nil, p.unusable(err)
	}
	return s, nc.Close, nil
}

// notice tells of what is tried again.
func (p *tool) notice(err error) {
	if time.Since(p.noticed) < sayAgain {
		return
	}
	p.noticed = time.Now()
	p.say(store.Message(err))
}

// say prints a line for the user, above the lines of progress.
func (p *tool) say(line string) {
	if p.front != nil && p.front.Say != nil {
		p.front.Say("fencepost-cluster: " + line)
		return
	}
	fmt.Fprintln(p.stderr, "fencepost-cluster: "+line)
}

// unusable makes a mistake of the user of an error about a store that cannot be used.
func (p *tool) unusable(err error) error {
	switch {
	case errors.Is(err, store.ErrEmpty), errors.Is(err, context.Canceled):
		return err
	case errors.Is(err, store.ErrFormat):
		return cli.UsageError(fmt.Sprintf("%s: %v", p.access.URL, err), "use the version that made it, or start `serve` with another --dir")
	default:
		return cli.UsageError(fmt.Sprintf("%s: %s", p.access.URL, store.Message(err)), "`fencepost-cluster serve --help` says what a server needs")
	}
}

// Run does what args (without the program's name) say and returns the exit code.
func Run(args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	p := &tool{stdout: stdout, stderr: stderr}
	f := &cli.Front{
		Name: "fencepost-cluster", Short: "Check a program on any number of machines", Long: long, Example: example,
		Check: p.check,
		Without: []string{
			"mode", "trace-refinement", "memory", "param", "domain", "workers", "algorithm", "races", "leaks", "robustness", "engine",
			"cross-check", "verbose", "fairness", "starvation", "rounds", "clock", "queue", "width", "auto", "solver", "dimacs",
			"checkpoint", "resume", "shard", "cache",
		},
		Extend: p.extend,
	}
	p.front = f
	return f.Run(args, stdin, stdout, stderr)
}

func (p *tool) extend(root, check *cobra.Command, printer cli.Printer) {
	p.access.flags(check.Flags(), "server", "the server to ask")
	p.taskFlags(check.Flags())
	check.Example = "  fencepost-cluster check queue.c --server nats://127.0.0.1:4222 --model tso,pso"
	root.AddCommand(p.serveCommand(), p.workerCommand(), p.statusCommand(), p.monitorCommand(), p.resultCommand(printer), p.cancelCommand())
}

// Defaults of checks. A task that takes seconds makes the cost of storing it small.
const (
	defaultSlice    = 2 * time.Second
	defaultPatience = 10 * time.Minute
	// ackFactor times the slice is when a silent worker's task goes to another one.
	ackFactor = 3
	leastWait = 100 * time.Millisecond
)

func (p *tool) taskFlags(flags *pflag.FlagSet) {
	flags.DurationVar(&p.ask.Slice, "slice", defaultSlice, "how long a worker explores before it stores a record")
	flags.Int64Var(&p.ask.Executions, "slice-executions", 0, "how many executions a worker explores before it stores a record; 0: no limit")
	flags.DurationVar(&p.ask.AckWait, "ack-wait", 0, "after which `time` the task of a silent worker goes to another one (default: 3 times --slice)")
	flags.IntVar(&p.replicas, "replicas", 1, "how many servers of a NATS cluster keep a copy of everything")
	flags.BoolVar(&p.ask.Keep, "keep", false, "leave the check on the server, for status and result")
	flags.DurationVar(&p.ask.Patience, "patience", defaultPatience, "how long nothing may happen, because there is no worker or the server is away, until the answer is unknown; 0: for ever")
	flags.BoolVar(&p.detach, "detach", false, "submit the check, print its name and do not wait; result has the answer")
}

func (p *tool) check(ctx context.Context, in query.Input, opt query.CheckOptions) (query.Answer, error) {
	switch {
	case p.ask.Slice <= 0:
		return query.Answer{}, cli.UsageError("--slice must be a positive time", "try --slice 2s")
	case p.ask.Executions < 0:
		return query.Answer{}, cli.UsageError("--slice-executions must not be negative", "leave it out, or give a number")
	case p.ask.Patience < 0:
		return query.Answer{}, cli.UsageError("--patience must not be negative", "0 is for ever")
	case p.detach && opt.Certificate != nil:
		return query.Answer{}, cli.UsageError("--detach does not wait for the proof that --certificate writes", "leave out --detach")
	case p.replicas < 1 || p.replicas > 5:
		return query.Answer{}, cli.UsageError("--replicas must be 1 to 5", "1 is right for a single server")
	}
	if p.ask.AckWait == 0 {
		p.ask.AckWait = max(ackFactor*p.ask.Slice, leastWait)
	}
	s, closeStore, err := p.connect(ctx, "check", p.replicas)
	if err != nil {
		return query.Answer{}, err
	}
	defer closeStore()
	p.ask.Store, p.ask.Server, p.ask.Say = s, p.access.URL, p.say
	if p.detach {
		answer, err := p.submit(ctx, in, opt)
		return answer, p.failure(err)
	}
	answer, err := p.ask.Check(ctx, in, opt)
	return answer, p.failure(err)
}

// failure makes a mistake of the user, or a failure of the server, of an error: what another program or the machine did
// is no internal error.
func (p *tool) failure(err error) error {
	var refused *query.OptionError
	switch {
	case errors.As(err, &refused):
		return cli.UsageError(err.Error(), "see `fencepost-cluster check --help`")
	case store.KindOf(err) != store.Other, errors.Is(err, store.ErrDamaged), errors.Is(err, store.ErrProgram), errors.Is(err, store.ErrUnread),
		errors.Is(err, asker.ErrRecords), errors.Is(err, program.ErrSums):
		return cli.UsageError(fmt.Sprintf("%s: %s", p.access.URL, store.Message(err)), "the server says more on its standard error")
	default:
		return err
	}
}

// submit submits the checks of all models, and prints their names.
func (p *tool) submit(ctx context.Context, in query.Input, opt query.CheckOptions) (query.Answer, error) {
	models := opt.Models
	if len(models) == 0 {
		models = []query.Model{query.TSO}
	}
	var lines []string
	for _, model := range models {
		job, diags, err := p.ask.Submit(ctx, in, model, opt)
		if err != nil {
			return query.Answer{}, err
		}
		if job == nil {
			return query.Answer{Diagnostics: diags}, nil
		}
		lines = append(lines, job.ID)
	}
	return query.Answer{}, &cli.Note{Text: strings.Join(lines, "\n")}
}
