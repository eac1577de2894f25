package cli

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"fencepost"
	"fencepost/internal/explorer"
	"fencepost/internal/inputfile"
	"fencepost/internal/serve"
	"fencepost/query"
	"fencepost/verdict"

	"github.com/spf13/cobra"
)

const serveHelp = `Explore a program in the browser: step through its executions under a memory model,
see the store buffers, the happens-before relation and the outcomes, and insert
fences.

FILE is a program, or a stored result of ` + "`check`, `robust` or `fences`" + ` with --json,
whose execution is shown. Without FILE the page begins with an example.

The server answers this machine only; with --listen it has another address. Every
request needs the token that is printed. It reads FILE and the headers in FILE's
folder that FILE includes, once, before it answers, and no other file: neither a header
in another folder nor a link to one. Ctrl-C ends it.

Exit codes: 0 ended by Ctrl-C, 3 bad file or usage, 4 internal error.`

const serveExample = `  fencepost serve
  fencepost serve dekker.fp
  fencepost serve sb.fp --model pso --run 0,0,1,1
  fencepost check dekker.c --json > result.json; fencepost serve result.json`

const (
	defaultListen = "127.0.0.1:7331"
	tokenBytes    = 16
	farewell      = 2 * time.Second // for answers on their way when the server ends
)

type serveFlags struct {
	listen  string
	token   string
	noOpen  bool
	embed   bool
	model   string
	run     []string
	limits  explorer.Limits
	work    bool                 // be a worker of a server
	worker  func() *exec.Cmd     // starts one
	started func(address string) // for tests
}

func serveCommand(a *app) *cobra.Command {
	f := serveFlags{limits: explorer.Limits{Timeout: query.Defaults().Timeout}, worker: workerCommand}
	model := choiceValue{choices: []string{"sc", "tso", "pso"}}
	cmd := &cobra.Command{
		Use:     "serve [FILE]",
		Short:   "Explore a program in the browser, step by step",
		Long:    serveHelp,
		Example: serveExample,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 1 {
				return &usageError{fmt.Sprintf("%d files given, but serve takes one", len(args)), "name the program; the page can open others"}
			}
			return nil
		},
		RunE: func(_ *cobra.Command, args []string) error {
			if f.work {
				return work(a)
			}
			f.model = model.value
			return runServe(a, args, &f)
		},
	}
	flags := cmd.Flags()
	flags.SortFlags = false
	f.listen = defaultListen
	bind(cmd, "listen", &f.listen)
	bind(cmd, "token", &f.token)
	bind(cmd, "no-open", &f.noOpen)
	bind(cmd, "embed", &f.embed)
	bind(cmd, "model", &model)
	bind(cmd, "run", &f.run)
	bind(cmd, "timeout", &f.limits.Timeout)
	bind(cmd, "memory", &f.limits.Memory)
	noDefault(flags, "memory")
	flags.BoolVar(&f.work, workFlag, false, "answer the requests of a server on standard input")
	if err := flags.MarkHidden(workFlag); err != nil {
		panic("BUG: " + err.Error())
	}
	return cmd
}

// workFlag makes the command a worker of a server. Users have no use for it.
const workFlag = "work"

// workerCommand starts this program as a worker.
func workerCommand() *exec.Cmd {
	self, err := os.Executable()
	if err != nil {
		self = os.Args[0]
	}
	return exec.Command(self, "serve", "--"+workFlag)
}

// work answers the requests of a server.
func work(a *app) error {
	if err := serve.Work(a.stdin, flushed{a.stdout}); err != nil {
		return &internalError{err}
	}
	return nil
}

// flushed writes at once what the command's standard output would keep.
type flushed struct{ io.Writer }

func (f flushed) Write(b []byte) (int, error) {
	n, err := f.Writer.Write(b)
	if w, ok := f.Writer.(interface{ Flush() error }); ok && err == nil {
		err = w.Flush()
	}
	return n, err
}

// runServe runs the server until it is interrupted.
func runServe(a *app, names []string, f *serveFlags) error {
	start := explorer.Start{Model: f.model, Run: f.run, Version: fencepost.Version()}
	if len(names) == 1 {
		headers, err := startWith(a, names[0], &start)
		if err != nil {
			return err
		}
		f.limits.Headers = headers
	}
	if f.limits.Memory == 0 {
		f.limits.Memory = defaultMemory() / serve.DefaultSearches
	}
	listener, err := listen(f.listen)
	if err != nil {
		return err
	}
	local := listener.Addr().(*net.TCPAddr)
	opt := serve.Options{Start: start, Token: f.token, Limits: f.limits, Worker: f.worker, Embed: f.embed}
	if opt.Token == "" { // other users and programs of this machine can reach it, too
		if opt.Token, err = newToken(); err != nil {
			return &internalError{err}
		}
	}
	if !local.IP.IsLoopback() {
		opt.Hosts = hostNames(f.listen)
	}
	server, err := serve.New(opt)
	if err != nil {
		return &internalError{err}
	}
	address := pageAddress(local, opt.Token)
	fmt.Fprintf(a.stderr, "the explorer is at %s\n", address)
	if !local.IP.IsLoopback() {
		fmt.Fprintln(a.stderr, "others can reach it at this machine's address, with the token; the connection is not encrypted")
	}
	fmt.Fprintln(a.stderr, "Ctrl-C ends it")
	if !f.noOpen {
		if err := a.openPage(address); err != nil {
			fmt.Fprintf(a.stderr, "no browser could be started (%v): open the address yourself\n", err)
		}
	}
	_, err = interruptible(a, func() {}, func(ctx context.Context) (struct{}, error) {
		return struct{}{}, runServer(ctx, server, listener, func() {
			if f.started != nil {
				f.started(address)
			}
		})
	})
	if err != nil {
		return &internalError{err}
	}
	return nil
}

// runServer serves until the context ends.
func runServer(ctx context.Context, server *http.Server, listener net.Listener, started func()) error {
	base, stop := context.WithCancel(ctx)
	defer stop()
	server.BaseContext = func(net.Listener) context.Context { return base }
	failed := make(chan error, 1)
	go func() { failed <- server.Serve(serve.Limit(listener, serve.MaxConnections)) }()
	started()
	select {
	case err := <-failed:
		return err
	case <-ctx.Done():
	}
	stop()
	last, cancel := context.WithTimeout(context.Background(), farewell)
	defer cancel()
	if err := server.Shutdown(last); err != nil {
		return server.Close()
	}
	return nil
}

// startWith makes the page begin with a program, or with the execution of a stored result. It returns the headers that
// the program includes.
func startWith(a *app, name string, start *explorer.Start) (headers map[string][]byte, err error) {
	in, err := a.read(name)
	if err != nil {
		return nil, err
	}
	if machineCode(string(in.Text)) {
		return nil, &usageError{fmt.Sprintf("%s is machine code, and the explorer shows programs as texts", name), "`fencepost check FILE --html report.html` steps through an execution of machine code"}
	}
	if !strings.EqualFold(filepath.Ext(name), ".json") {
		start.Program = &explorer.Program{Name: filepath.Base(in.Name), Title: in.Name, Text: string(in.Text)}
		return headersOf(start.Program, filepath.Dir(in.Name))
	}
	answer, err := stored(in)
	if err != nil {
		return nil, err
	}
	for i := range answer.Results {
		r := &answer.Results[i]
		for _, e := range r.Executions() {
			if _, ok := r.Sources[r.Program]; ok && e.Witness != nil {
				start.Witness = e.Witness
				return startProgram(r, start), nil
			}
		}
	}
	for i := range answer.Results {
		r := &answer.Results[i]
		if _, ok := r.Sources[r.Program]; ok {
			return startProgram(r, start), nil
		}
	}
	return nil, &usageError{fmt.Sprintf("%s has no result about a program of one file", name), "name the program instead; `fencepost report` renders every result"}
}

// machineCode reports whether a file is an object, an executable or a library of objects.
func machineCode(text string) bool {
	return strings.HasPrefix(text, "\x7fELF") || strings.HasPrefix(text, "!<arch>\n")
}

// startProgram makes the page begin with the program of a result, and returns the other files that the result has.
func startProgram(r *verdict.Result, start *explorer.Start) map[string][]byte {
	if start.Model == "" {
		start.Model = r.Model
	}
	start.Program = &explorer.Program{Name: filepath.Base(r.Program), Title: r.Program, Text: r.Sources[r.Program]}
	headers := map[string][]byte{}
	for file, text := range r.Sources {
		if near, err := filepath.Rel(filepath.Dir(r.Program), file); err == nil && file != r.Program {
			headers[filepath.ToSlash(near)] = []byte(text)
		}
	}
	return headers
}

// headersOf reads a program once, and returns the files of its folder that it includes, by the names that it has for
// them. They are all that programs of the page can include later: what the user has named, and nothing that a request
// names. The program may come from others, and the page shows what it includes: files elsewhere, also by a link, are
// not read.
func headersOf(p *explorer.Program, dir string) (map[string][]byte, error) {
	headers := map[string][]byte{}
	opt := query.ExploreOptions{Options: query.Defaults()}
	opt.C.Include = func(name string) ([]byte, bool) {
		text, err := inputfile.ReadBelow(dir, filepath.FromSlash(name))
		if err != nil {
			return nil, false
		}
		headers[path.Clean(name)] = text
		return text, true
	}
	// What is wrong with the program is shown in the page.
	if _, err := fencepost.Explore(context.Background(), query.Input{Name: p.Name, Text: []byte(p.Text)}, opt); err != nil {
		return nil, &internalError{err}
	}
	return headers, nil
}

// listen opens the address. If the default port is taken, any free one does.
func listen(address string) (net.Listener, error) {
	l, err := net.Listen("tcp", address)
	if err != nil && address == defaultListen {
		l, err = net.Listen("tcp", "127.0.0.1:0")
	}
	if err != nil {
		hint := "give an address and a port, such as 127.0.0.1:8000, or port 0 for any that is free"
		if wrong := (*net.AddrError)(nil); !errors.As(err, &wrong) {
			hint = "another program may use the port: give another one, or port 0"
		}
		return nil, &usageError{fmt.Sprintf("cannot listen on %s: %v", address, err), hint}
	}
	return l, nil
}

// hostNames returns the names by which others may call this machine.
func hostNames(address string) []string {
	var names []string
	if host, _, err := net.SplitHostPort(address); err == nil && host != "" {
		names = append(names, host)
	}
	if name, err := os.Hostname(); err == nil {
		names = append(names, name)
	}
	return names
}

func newToken() (string, error) {
	raw := make([]byte, tokenBytes)
	if _, err := rand.Read(raw); err != nil {
		return "", fmt.Errorf("making a token: %w", err)
	}
	return hex.EncodeToString(raw), nil
}

// pageAddress returns the address of the page on this machine.
func pageAddress(local *net.TCPAddr, token string) string {
	at := local.AddrPort()
	if at.Addr().IsUnspecified() {
		at = netip.AddrPortFrom(netip.AddrFrom4([4]byte{127, 0, 0, 1}), at.Port())
	}
	u := url.URL{Scheme: "http", Host: netip.AddrPortFrom(at.Addr().Unmap(), at.Port()).String(), Path: "/"}
	if token != "" {
		u.RawQuery = url.Values{"token": {token}}.Encode()
	}
	return u.String()
}

// openBrowser shows an address in the user's browser.
func openBrowser(address string) error {
	var cmd *exec.Cmd
	switch runtime.GOOS {
	case "darwin":
		cmd = exec.Command("open", address)
	case "windows":
		cmd = exec.Command("rundll32", "url.dll,FileProtocolHandler", address)
	default:
		cmd = exec.Command("xdg-open", address)
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	go func() { _ = cmd.Wait() }()
	return nil
}
