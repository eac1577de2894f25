package command

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	_ "embed"
	"errors"
	"fmt"
	"html/template"
	"math"
	"net"
	"net/http"
	"os"
	"os/signal"
	"sync"
	"syscall"
	"time"

	"fencepost/cluster/internal/server"
	"fencepost/cluster/internal/store"
	"fencepost/internal/cli"
	"fencepost/internal/render/text"

	"github.com/spf13/cobra"
)

const monitorHelp = `Show the checks and workers of a server on a page, and to Prometheus.

The page can be read and nothing else. It wants the token of the server: a browser asks
for it as the password, with any name; programs send it as a bearer token. Without a
token (NATS with credentials of its own) the page is for this machine only.

  /             the page, which renews itself
  /status.json  the same as JSON, as status --json has it
  /metrics      the same for Prometheus
  /health       200 if the server answers, 503 if not; wants no token`

func (p *tool) monitorCommand() *cobra.Command {
	o := monitorOptions{}
	cmd := &cobra.Command{
		Use: "monitor", Short: "Show checks and workers on a page, and to Prometheus", Long: monitorHelp, Args: cobra.NoArgs,
		Example: "  fencepost-cluster monitor --server nats://127.0.0.1:4222\n  fencepost-cluster monitor --http 0.0.0.0:9417 --http-cert cert.pem --http-key key.pem",
		RunE:    func(*cobra.Command, []string) error { return p.monitor(o) },
	}
	p.access.flags(cmd.Flags(), "server", "the server to show")
	cmd.Flags().StringVar(&o.listen, "http", "127.0.0.1:9417", "`address` of the page, as HOST:PORT")
	cmd.Flags().StringVar(&o.certificate, "http-cert", "", "`file` with the certificate of the page, for TLS")
	cmd.Flags().StringVar(&o.key, "http-key", "", "`file` with the key of that certificate")
	return cmd
}

type monitorOptions struct{ listen, certificate, key string }

func (p *tool) monitor(o monitorOptions) error {
	const hint = "see `fencepost-cluster monitor --help`"
	if (o.certificate == "") != (o.key == "") {
		return cli.UsageError("--http-cert and --http-key go together", "give both")
	}
	host, _, err := net.SplitHostPort(o.listen)
	if err != nil {
		return cli.UsageError("--http: "+err.Error(), hint)
	}
	token, err := p.access.clientToken()
	if err != nil {
		return err
	}
	if token == "" && !server.Loopback(host) {
		return cli.UsageError("the page has no token, so that others could read it", "give --token-file, or listen on 127.0.0.1")
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	listener, err := net.Listen("tcp", o.listen)
	if err != nil {
		return cli.UsageError("--http: "+err.Error(), hint)
	}
	ask := func(ctx context.Context) (*clusterStatus, error) { return p.snapshot(ctx, "monitor") }
	page := &http.Server{
		Handler: newMonitor(p.access.URL, token, ask), ReadHeaderTimeout: 5 * time.Second, ReadTimeout: 10 * time.Second,
		WriteTimeout: 2 * answerTime, IdleTimeout: time.Minute, MaxHeaderBytes: 16 << 10,
	}
	defer context.AfterFunc(ctx, func() { page.Close() })()
	scheme := "http"
	if o.certificate != "" {
		scheme = "https"
	} else if !server.Loopback(host) {
		p.say("warning: the token travels without encryption; use --http-cert and --http-key")
	}
	fmt.Fprintf(p.stderr, "the checks of %s are shown on %s://%s\n", p.access.URL, scheme, listener.Addr())
	if o.certificate != "" {
		err = page.ServeTLS(listener, o.certificate, o.key)
	} else {
		err = page.Serve(listener)
	}
	if errors.Is(err, http.ErrServerClosed) {
		return nil
	}
	return cli.UsageError(err.Error(), hint)
}

// monitor answers requests about a server. What the server says is kept for a moment, so that many readers cost it no
// more than one.
type monitor struct {
	url   string
	token [sha256.Size]byte // hashes have equal lengths, so that comparing tells nothing
	open  bool              // no token is wanted
	ask   func(context.Context) (*clusterStatus, error)
	http.Handler

	mu    sync.Mutex
	at    time.Time
	last  *clusterStatus
	wrong error
}

// fresh is how long an answer of the server is shown.
const fresh = 3 * time.Second

func newMonitor(url, token string, ask func(context.Context) (*clusterStatus, error)) *monitor {
	m := &monitor{url: url, token: sha256.Sum256([]byte(token)), open: token == "", ask: ask}
	routes := http.NewServeMux()
	routes.HandleFunc("GET /{$}", m.page)
	routes.HandleFunc("GET /style.css", m.style)
	routes.HandleFunc("GET /status.json", m.json)
	routes.HandleFunc("GET /metrics", m.metrics)
	all := http.NewServeMux()
	all.Handle("/", m.guarded(routes))
	all.HandleFunc("GET /health", m.health)
	m.Handler = all
	return m
}

// guarded lets through who knows the token.
func (m *monitor) guarded(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Content-Security-Policy", "default-src 'none'; style-src 'self'; frame-ancestors 'none'")
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Cache-Control", "no-store")
		if !m.open && !m.knows(r) {
			h.Set("WWW-Authenticate", `Basic realm="fencepost-cluster: any name, the token as password", charset="UTF-8"`)
			http.Error(w, "the token of the server is wanted, as the password or as a bearer token", http.StatusUnauthorized)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// knows reports whether a request has the token.
func (m *monitor) knows(r *http.Request) bool {
	given, found := bearer(r)
	if !found {
		_, given, found = r.BasicAuth()
	}
	sum := sha256.Sum256([]byte(given))
	return subtle.ConstantTimeCompare(sum[:], m.token[:]) == 1 && found
}

func bearer(r *http.Request) (string, bool) {
	const scheme = "Bearer "
	header := r.Header.Get("Authorization")
	if len(header) < len(scheme) || header[:len(scheme)] != scheme {
		return "", false
	}
	return header[len(scheme):], true
}

// now returns how far everything is, or was a moment ago.
func (m *monitor) now(ctx context.Context) (*clusterStatus, error) {
	status, _, err := m.asked(ctx)
	return status, err
}

// asked is now, with when the server was asked.
func (m *monitor) asked(ctx context.Context) (*clusterStatus, time.Time, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if time.Since(m.at) > fresh {
		m.last, m.wrong = m.ask(context.WithoutCancel(ctx)) // a reader who goes away leaves the answer to the next
		m.at = time.Now()
	}
	return m.last, m.at, m.wrong
}

func (m *monitor) health(w http.ResponseWriter, r *http.Request) {
	if _, err := m.now(r.Context()); err != nil {
		http.Error(w, "the server does not answer", http.StatusServiceUnavailable)
		return
	}
	fmt.Fprintln(w, "ok")
}

func (m *monitor) json(w http.ResponseWriter, r *http.Request) {
	status, err := m.now(r.Context())
	if err != nil {
		http.Error(w, store.Message(err), http.StatusServiceUnavailable)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	_ = status.json(w)
}

func (m *monitor) metrics(w http.ResponseWriter, r *http.Request) {
	status, err := m.now(r.Context())
	w.Header().Set("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
	_, _ = w.Write(metricsOf(status, err == nil))
}

//go:embed monitor.css
var monitorStyle []byte

func (m *monitor) style(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "text/css; charset=utf-8")
	_, _ = w.Write(monitorStyle)
}

//go:embed monitor.html
var monitorText string

var monitorPage = template.Must(template.New("page").Funcs(template.FuncMap{
	"duration": func(seconds float64) string {
		return time.Duration(seconds * float64(time.Second)).Round(time.Second).String()
	},
	"count": counted,
	"whole": func(x float64) string { return fmt.Sprintf("%.0f", x) },
}).Parse(monitorText))

// counted returns a number with separators between thousands.
func counted(n any) string {
	switch n := n.(type) {
	case int:
		return text.Count(int64(n))
	case int64:
		return text.Count(n)
	case float64:
		return text.Count(int64(math.Round(n)))
	}
	panic(fmt.Sprintf("BUG: a count of type %T", n))
}

func (m *monitor) page(w http.ResponseWriter, r *http.Request) {
	status, at, err := m.asked(r.Context())
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Header().Set("Refresh", "5")
	wrong := ""
	if err != nil {
		w.WriteHeader(http.StatusServiceUnavailable)
		status, wrong = newClusterStatus(), store.Message(err)
	}
	_ = monitorPage.Execute(w, map[string]any{"URL": m.url, "Wrong": wrong, "Status": status, "At": at.UTC().Format("2006-01-02 15:04:05 UTC")})
}
