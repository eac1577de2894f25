package command

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"os"
	"os/signal"
	"path/filepath"
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
machine only. Clients must know its token, which it makes the first time and keeps in
the file token of --dir, where clients on this machine find it. For others to reach
the server, give --listen, and TLS unless the network is trusted, and copy the token.
A server that was stopped or killed goes on where it was. When the disk is full it
says so, waits, and goes on when there is room.`

func (p *tool) serveCommand() *cobra.Command {
	o := server.Options{}
	file := ""
	maxDisk := int64(0)
	cmd := &cobra.Command{
		Use: "serve", Short: "Run a server that keeps checks on disk", Long: serveHelp, Args: cobra.NoArgs,
		Example: "  fencepost-cluster serve --dir /var/lib/fencepost\n  fencepost-cluster serve --listen 0.0.0.0:4222 --token-file token --tls-cert cert.pem --tls-key key.pem",
		RunE: func(*cobra.Command, []string) error {
			o.MaxDisk = maxDisk << 20
			return p.serve(o, file)
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&o.Listen, "listen", defaultListen, "`address` to listen on, as HOST:PORT")
	flags.StringVar(&o.Dir, "dir", defaultDir, "`directory` where checks are kept")
	flags.StringVar(&file, "token-file", "", "`file` with the token that clients must know (default: the variable "+tokenVariable+", then the file token in --dir, which is made)")
	flags.StringVar(&o.Certificate, "tls-cert", "", "`file` with the certificate of the server, for TLS")
	flags.StringVar(&o.Key, "tls-key", "", "`file` with the key of the certificate")
	flags.Int64Var(&maxDisk, "max-disk", 0, "most `MiB` on disk; 0: three quarters of what is free")
	flags.BoolVar(&o.Debug, "debug", false, "print messages of NATS to standard error")
	return cmd
}

func (p *tool) serve(o server.Options, tokenFile string) error {
	if (o.Certificate == "") != (o.Key == "") {
		return cli.UsageError("--tls-cert and --tls-key go together", "give both")
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	unlock, err := server.Lock(o.Dir)
	if errors.Is(err, server.ErrLocked) {
		return cli.UsageError(err.Error(), "end that one first, or give another --dir")
	}
	if err != nil {
		return cli.UsageError(err.Error(), "see `fencepost-cluster serve --help`")
	}
	defer unlock()
	if o.Token, err = serverToken(o.Dir, tokenFile); err != nil {
		return err
	}
	logger := log.New(p.stderr, "", log.LstdFlags)
	o.Warn = func(text string) { logger.Print(text) }
	starting := time.AfterFunc(sayAgain, func() { logger.Printf("still reading what is kept in %s", o.Dir) })
	s, err := server.Start(o)
	starting.Stop()
	if err != nil {
		return cli.UsageError(err.Error(), "see `fencepost-cluster serve --help`")
	}
	defer func() { s.Stop() }()
	g := &guard{tool: p, server: s, log: logger, dir: o.Dir}
	if err := g.open(ctx); err != nil {
		return err
	}
	defer g.close()
	fmt.Fprintf(p.stderr, "listening on %s, checks are kept in %s\n  add workers with `fencepost-cluster worker --join %s --token-file %s`, on other machines with a copy of that file\n",
		s.URL(), o.Dir, s.URL(), filepath.Join(o.Dir, "token"))
	g.watch(ctx)
	return nil
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
	out := p.stderr
	if quiet {
		out = io.Discard
	}
	logger := log.New(out, "", log.LstdFlags)
	s, closeStore, err := p.join(ctx, logger)
	if err != nil || ctx.Err() != nil {
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
	if os.Getenv("GOGC") == "" {
		// A worker makes much garbage and keeps little memory. Collecting it less often leaves more of the cores to the
		// search.
		defer debug.SetGCPercent(debug.SetGCPercent(workerGC))
	}
	w := &worker.Worker{
		Store: s, Open: program.Open(ctx), Log: logger,
		Me: store.Worker{ID: nuid.Next(), Host: host, Version: fencepost.BuildVersion(), Slots: slots, Since: time.Now().UTC()},
	}
	logger.Printf("joined %s with %d slots", p.access.URL, slots)
	if err := w.Run(ctx); ctx.Err() == nil {
		return cli.UsageError(err.Error(), "see `fencepost-cluster worker --help`")
	}
	return nil
}

// join connects a worker to a server. A server that is away, or without any check so far, is waited for.
func (p *tool) join(ctx context.Context, logger *log.Logger) (*store.Store, func(), error) {
	said := time.Time{}
	for ctx.Err() == nil {
		s, closeStore, err := p.tryJoin(ctx)
		switch {
		case err == nil:
			return s, closeStore, nil
		case !waitable(err):
			return nil, nil, err
		case time.Since(said) > sayAgain:
			logger.Printf("waiting for %s: %v", p.access.URL, err)
			said = time.Now()
		}
		select {
		case <-ctx.Done():
		case <-time.After(joinPause):
		}
	}
	return nil, nil, nil
}

// Times between two attempts to join, and between two messages about them.
const (
	joinPause = 500 * time.Millisecond
	sayAgain  = 8 * time.Second
)

func (p *tool) tryJoin(ctx context.Context) (*store.Store, func(), error) {
	nc, err := p.dial("worker")
	if err != nil {
		return nil, nil, err
	}
	s, err := store.Connect(ctx, nc, 0, p.notice)
	if err != nil {
		nc.Close()
		if waitable(err) {
			return nil, nil, err
		}
		return nil, nil, p.unusable(err)
	}
	return s, nc.Close, nil
}

// waitable reports whether what keeps a worker from joining can end by itself.
func waitable(err error) bool {
	kind := store.KindOf(err)
	return errors.Is(err, server.ErrAway) || errors.Is(err, store.ErrEmpty) || kind == store.Away || kind == store.Full
}
