package command

import (
	"context"
	"fmt"
	"io"
	"log"
	"os"
	"os/signal"
	"runtime"
	"runtime/debug"
	"syscall"
	"time"

	"fencepost"
	"fencepost/cluster/internal/program"
	"fencepost/cluster/internal/server"
	"fencepost/cluster/internal/store"
	"fencepost/cluster/internal/worker"
	"fencepost/internal/cli"

	"github.com/nats-io/nuid"
	"github.com/spf13/cobra"
)

const serveHelp = `Run a server that keeps checks on disk until it is stopped.

The server is NATS with JetStream, inside this process. By default it listens to this
machine only. For others to reach it, give --listen and a token, and TLS unless the
network is trusted. A server that was stopped or killed goes on where it was.`

func (p *tool) serveCommand() *cobra.Command {
	o := server.Options{}
	tokenFile := ""
	maxDisk := int64(0)
	cmd := &cobra.Command{
		Use: "serve", Short: "Run a server that keeps checks on disk", Long: serveHelp, Args: cobra.NoArgs,
		Example: "  fencepost-cluster serve --dir /var/lib/fencepost\n  fencepost-cluster serve --listen 0.0.0.0:4222 --token-file token --tls-cert cert.pem --tls-key key.pem",
		RunE: func(*cobra.Command, []string) error {
			t, err := token(tokenFile)
			if err != nil {
				return err
			}
			o.Token, o.MaxDisk = t, maxDisk<<20
			return p.serve(o)
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&o.Listen, "listen", defaultListen, "`address` to listen on, as HOST:PORT")
	flags.StringVar(&o.Dir, "dir", "fencepost-cluster.data", "`directory` where checks are kept")
	flags.StringVar(&tokenFile, "token-file", "", "`file` with a token that clients must know (default: the variable "+tokenVariable+")")
	flags.StringVar(&o.Certificate, "tls-cert", "", "`file` with the certificate of the server, for TLS")
	flags.StringVar(&o.Key, "tls-key", "", "`file` with the key of the certificate")
	flags.Int64Var(&maxDisk, "max-disk", 0, "most `MiB` on disk; 0: three quarters of what is free")
	flags.BoolVar(&o.Debug, "debug", false, "print messages of NATS to standard error")
	return cmd
}

func (p *tool) serve(o server.Options) error {
	if (o.Certificate == "") != (o.Key == "") {
		return cli.UsageError("--tls-cert and --tls-key go together", "give both")
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	s, err := server.Start(o)
	if err != nil {
		return cli.UsageError(err.Error(), "see `fencepost-cluster serve --help`")
	}
	defer s.Stop()
	fmt.Fprintf(p.stderr, "listening on %s, checks are kept in %s\n  add workers with `fencepost-cluster worker --join %s`\n", s.URL(), o.Dir, s.URL())
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
			if !s.Healthy() {
				return fmt.Errorf("the server cannot store anything any more: is the disk of %s full? Make room and start it again: it goes on where it was", o.Dir)
			}
		}
	}
}

const workerHelp = `Explore parts of checks until stopped.

A worker takes work from the server that it joined and from no other. It explores
programs, and runs nothing of them. It can be stopped or killed at any time: another
worker repeats the part that it had.`

func (p *tool) workerCommand() *cobra.Command {
	slots, quiet := 0, false
	cmd := &cobra.Command{
		Use: "worker", Short: "Explore parts of checks", Long: workerHelp, Args: cobra.NoArgs,
		Example: "  fencepost-cluster worker --join tls://server:4222 --token-file token",
		RunE: func(*cobra.Command, []string) error {
			if slots < 0 || slots > 1024 {
				return cli.UsageError("--slots must be 0 to 1024", "0 is one per core")
			}
			return p.work(slots, quiet)
		},
	}
	flags := cmd.Flags()
	p.access.flags(flags, "join", "the server to work for")
	flags.IntVar(&slots, "slots", 0, "tasks at the same time; 0: one per core")
	flags.BoolVarP(&quiet, "quiet", "q", false, "print nothing")
	return cmd
}

// workerGC is how much garbage a worker lets pile up, in percent of the memory in use.
const workerGC = 400

func (p *tool) work(slots int, quiet bool) error {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	p.replicas = 1
	s, closeStore, err := p.connect(ctx, "worker")
	if err != nil {
		return err
	}
	defer closeStore()
	if slots == 0 {
		slots = runtime.GOMAXPROCS(0)
	}
	host, err := os.Hostname()
	if err != nil {
		host = "?"
	}
	out := p.stderr
	if quiet {
		out = io.Discard
	}
	if os.Getenv("GOGC") == "" {
		// A worker makes much garbage and keeps little memory. Collecting it less often leaves more of the cores to the
		// search.
		defer debug.SetGCPercent(debug.SetGCPercent(workerGC))
	}
	logger := log.New(out, "", log.LstdFlags)
	w := &worker.Worker{
		Store: s, Open: program.Open(ctx), Log: logger,
		Me: store.Worker{ID: nuid.Next(), Host: host, Version: fencepost.BuildVersion(), Slots: slots, Since: time.Now().UTC()},
	}
	logger.Printf("joined %s with %d slots", p.access.URL, slots)
	if err := w.Run(ctx); ctx.Err() == nil {
		return err
	}
	return nil
}
