package serve

import (
	"bytes"
	"crypto/subtle"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"time"

	"fencepost/internal/explorer"
)

// Options are the options of a server.
type Options struct {
	Start explorer.Start
	// Hosts are the names and addresses by which users reach the server, beside localhost and its addresses.
	Hosts []string
	// Token, if not empty, must come with every request. The page gets it in its address.
	Token  string
	Limits explorer.Limits
	// Embed lets other pages show this one in a frame.
	Embed bool
	// Searches is how many searches run at the same time, and PerClient how many of one client. Others wait.
	Searches  int // 0: DefaultSearches
	PerClient int // 0: DefaultPerClient
	// Worker returns a command that runs Work in another process. nil: requests are answered in this process, where
	// some programs evade the limits of time and memory.
	Worker func() *exec.Cmd
}

// Limits of searches, where Options sets none.
const (
	DefaultSearches  = 4
	DefaultPerClient = 2
)

// stepsPerSearch is how many steps are answered at the same time for each search that may run.
const stepsPerSearch = 2

// maxHeader is how many bytes the head of a request may have.
const maxHeader = 32 << 10

// TokenHeader carries the token.
const TokenHeader = "X-Fencepost-Token"

// Times within which a client must have sent its request.
const (
	headerTime  = 10 * time.Second
	requestTime = 30 * time.Second
	idleTime    = 2 * time.Minute
)

// server answers requests.
type server struct {
	opt        Options
	index      []byte
	assets     map[string]explorer.Asset
	searches   *queue
	steps      *queue
	workers    *pool         // nil: none
	clientTime time.Duration // how long a client may take to read a line or a file
	slack      time.Duration // how much longer than the limit of a search its request may take
}

// New returns a server that is not listening yet.
func New(opt Options) (*http.Server, error) {
	opt.Start.Form = "server"
	index, err := explorer.Index(opt.Start)
	if err != nil {
		return nil, err
	}
	if opt.Searches <= 0 {
		opt.Searches = DefaultSearches
	}
	if opt.PerClient <= 0 {
		opt.PerClient = DefaultPerClient
	}
	s := &server{opt: opt, index: index, assets: map[string]explorer.Asset{}, searches: newQueue(opt.Searches, opt.PerClient), clientTime: requestTime, slack: slack}
	s.steps = newQueue(stepsPerSearch*opt.Searches, stepsPerSearch*opt.PerClient)
	for _, a := range explorer.Assets() {
		s.assets["/"+a.Name] = a
	}
	out := &http.Server{Handler: s, ReadHeaderTimeout: headerTime, ReadTimeout: requestTime, IdleTimeout: idleTime, MaxHeaderBytes: maxHeader}
	if opt.Worker != nil {
		s.workers = &pool{start: opt.Worker, limits: opt.Limits, idle: []*worker{}}
		go s.workers.prepare()
		out.RegisterOnShutdown(s.workers.close)
	}
	return out, nil
}

// ServeHTTP checks who asks, and then answers.
func (s *server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	if s.opt.Embed {
		h.Set("Content-Security-Policy", explorer.EmbeddedPolicy)
	} else {
		h.Set("X-Frame-Options", "DENY")
		h.Set("Content-Security-Policy", explorer.ServerPolicy)
	}
	_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(s.clientTime)) // a client must read its answer
	if !s.knownHost(r.Host) {
		http.Error(w, "this server has another name: open the address that `fencepost serve` printed", http.StatusMisdirectedRequest)
		return
	}
	if origin := r.Header.Get("Origin"); origin != "" && !s.sameOrigin(origin, r.Host) {
		http.Error(w, "requests from other sites are refused", http.StatusForbidden)
		return
	}
	if site := r.Header.Get("Sec-Fetch-Site"); strings.HasPrefix(r.URL.Path, apiPrefix) && site != "" && site != "same-origin" {
		http.Error(w, "requests from other sites are refused", http.StatusForbidden)
		return
	}
	kind, isAPI := strings.CutPrefix(r.URL.Path, apiPrefix)
	switch {
	case isAPI && r.Method == http.MethodPost:
		s.api(w, r, kind)
	case isAPI:
		http.Error(w, "ask with POST", http.StatusMethodNotAllowed)
	case r.Method != http.MethodGet && r.Method != http.MethodHead:
		http.Error(w, "read with GET", http.StatusMethodNotAllowed)
	case r.URL.Path == "/":
		s.page(w, r)
	default:
		a, ok := s.assets[r.URL.Path]
		if !ok {
			http.NotFound(w, r)
			return
		}
		send(w, r, a.Type, a.Text)
	}
}

const apiPrefix = "/api/"

// page sends the page. With a token, the start, which has the user's program, goes only to those who know it.
func (s *server) page(w http.ResponseWriter, r *http.Request) {
	if s.opt.Token != "" && !s.tokenIs(r.URL.Query().Get("token")) {
		http.Error(w, "this address needs the token that `fencepost serve` printed: open the whole address", http.StatusForbidden)
		return
	}
	send(w, r, "text/html; charset=utf-8", s.index)
}

func send(w http.ResponseWriter, r *http.Request, kind string, text []byte) {
	w.Header().Set("Content-Type", kind)
	w.Header().Set("Content-Length", strconv.Itoa(len(text)))
	w.Header().Set("Cache-Control", "no-store")
	if r.Method == http.MethodGet {
		_, _ = io.Copy(w, bytes.NewReader(text))
	}
}

func (s *server) tokenIs(token string) bool {
	return subtle.ConstantTimeCompare([]byte(token), []byte(s.opt.Token)) == 1
}

// knownHost reports whether a request was meant for this server. A page of another site can make a browser send
// requests here by letting its own name stand for this address, but then the name in the request is the other one.
func (s *server) knownHost(hostport string) bool {
	host := hostport
	if h, _, err := net.SplitHostPort(hostport); err == nil {
		host = h
	}
	host = strings.TrimSuffix(strings.ToLower(strings.Trim(host, "[]")), ".")
	if host == "localhost" || slices.ContainsFunc(s.opt.Hosts, func(name string) bool { return strings.EqualFold(name, host) }) {
		return true
	}
	addr, err := netip.ParseAddr(host)
	// With a token the server has other addresses, too: an address, unlike a name, cannot stand for another one.
	return err == nil && (addr.IsLoopback() || s.opt.Token != "")
}

// sameOrigin reports whether a page of this server asks.
func (s *server) sameOrigin(origin, host string) bool {
	u, err := url.Parse(origin)
	return err == nil && (u.Scheme == "http" || u.Scheme == "https") && strings.EqualFold(u.Host, host)
}

// api answers a request of the page.
func (s *server) api(w http.ResponseWriter, r *http.Request, kind string) {
	if s.opt.Token != "" && !s.tokenIs(r.Header.Get(TokenHeader)) {
		http.Error(w, "the token is missing or wrong", http.StatusForbidden)
		return
	}
	// A form of another site cannot send this type without asking first.
	if t, _, _ := strings.Cut(r.Header.Get("Content-Type"), ";"); !strings.EqualFold(strings.TrimSpace(t), "application/json") {
		http.Error(w, "ask with application/json", http.StatusUnsupportedMediaType)
		return
	}
	search, known := explorer.IsSearch(kind)
	if !known {
		http.Error(w, fmt.Sprintf("there is no request %q", kind), http.StatusNotFound)
		return
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, explorer.MaxRequest))
	if err != nil {
		http.Error(w, fmt.Sprintf("the request cannot be read, or has more than %d bytes", explorer.MaxRequest), http.StatusRequestEntityTooLarge)
		return
	}
	s.answer(w, r, kind, search, body)
}

// line is a line of an answer: progress any number of times, then an answer or a failure.
type line struct {
	Waiting  bool               `json:"waiting,omitempty"` // other searches run
	Progress *explorer.Progress `json:"progress,omitempty"`
	Answer   any                `json:"answer,omitempty"`
	Failure  *explorer.Failure  `json:"failure,omitempty"`
}

func encode(l line) []byte {
	text, err := json.Marshal(l)
	if err != nil {
		panic(fmt.Sprintf("BUG: an answer has no JSON form: %v", err))
	}
	return append(text, '\n')
}
