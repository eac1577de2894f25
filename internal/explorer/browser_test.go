package explorer_test

import (
	"cmp"
	"context"
	"flag"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"

	"fencepost/internal/explorer"
	"fencepost/internal/serve"
)

var screenshots = flag.String("fp.screenshots", "", "directory for pictures of the page, for people to look at")

var site = flag.String("fp.site", "", "directory with the playground, which `make site` writes; empty: it is not tried")

// tab is a tab of a browser with the page, which notes everything that the page complains about or asks for elsewhere.
type tab struct {
	t       testing.TB
	ctx     context.Context
	address string // of the page
	allowed string // beginning of the addresses that may be asked; "": address
	// playground says that no server answers the page.
	playground bool

	mu  sync.Mutex
	bad []string
}

// browser is the one browser of all tests, of which each has a tab.
var browser = sync.OnceValue(func() context.Context {
	opts := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath("chromium"), chromedp.NoSandbox, chromedp.DisableGPU, chromedp.WSURLReadTimeout(time.Hour), chromedp.WindowSize(1500, 1150),
		chromedp.Flag("in-process-gpu", true))
	alloc, cancelAlloc := chromedp.NewExecAllocator(context.Background(), opts...)
	ctx, cancel := chromedp.NewContext(alloc)
	closeBrowser = func() { cancel(); cancelAlloc() }
	if err := chromedp.Do(ctx, chromedp.Navigate("about:blank")); err != nil {
		panic(err)
	}
	return ctx
})

var closeBrowser = func() {}

func TestMain(m *testing.M) {
	code := m.Run()
	closeBrowser()
	os.Exit(code)
}

// newTab opens a tab. Requests may go to addresses with this beginning.
func newTab(t testing.TB, address string) *tab {
	t.Helper()
	if _, err := exec.LookPath("chromium"); err != nil {
		t.Skip("no chromium here: the explorer was not tried in a browser")
	}
	ctx, cancel := chromedp.NewContext(browser())
	t.Cleanup(cancel)
	b := &tab{t: t, ctx: ctx, address: address}
	b.do(chromedp.Navigate("about:blank"))
	messages := chromedp.Console(ctx)
	go func() {
		for m, err := range messages {
			if err != nil {
				return
			}
			b.complain("console: " + string(m.Type) + ": " + m.Text)
		}
	}()
	thrown := chromedp.Events(ctx, runtime.ExceptionThrown)
	go func() {
		for e, err := range thrown {
			if err != nil {
				return
			}
			b.complain("exception: " + e.ExceptionDetails.Text)
		}
	}()
	if _, err := chromedp.Call(ctx, network.Enable, network.EnableParams{}); err != nil {
		t.Fatal(err)
	}
	requests := chromedp.Events(ctx, network.RequestWillBeSent)
	go func() {
		for r, err := range requests {
			if err != nil {
				return
			}
			if u := r.Request.URL; !strings.HasPrefix(u, cmp.Or(b.allowed, address)) && !strings.HasPrefix(u, "blob:") && u != "about:blank" {
				b.complain("request: " + u)
			}
		}
	}()
	return b
}

func (b *tab) complain(s string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.bad = append(b.bad, s)
}

// quiet demands that nothing was complained about.
func (b *tab) quiet() {
	b.t.Helper()
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, s := range b.bad {
		b.t.Error(s)
	}
	b.bad = nil
}

func (b *tab) do(actions ...chromedp.Action[chromedp.Void]) {
	b.t.Helper()
	if err := chromedp.Do(b.ctx, actions...); err != nil {
		b.t.Fatal(err)
	}
}

func eval[T any](b *tab, expression string) T {
	b.t.Helper()
	v, err := chromedp.Run(b.ctx, chromedp.Evaluate[T](expression))
	if err != nil {
		b.t.Fatalf("%s: %v", expression, err)
	}
	return v
}

// idle waits until the page is at rest.
func (b *tab) idle() {
	b.t.Helper()
	for !eval[bool](b, `document.readyState === "complete" && typeof fp === "object" && fp.busy === 0`) {
		time.Sleep(5 * time.Millisecond)
	}
}

// until waits for something that happens while the page is busy.
func (b *tab) until(expression string) {
	b.t.Helper()
	for !eval[bool](b, expression) {
		time.Sleep(5 * time.Millisecond)
	}
}

// open loads the page, with a fragment.
func (b *tab) open(fragment string) {
	b.t.Helper()
	b.do(chromedp.Navigate("about:blank"), chromedp.Navigate(b.address+fragment))
	b.idle()
}

// press presses keys one after the other, without waiting.
func (b *tab) press(keys ...string) {
	b.t.Helper()
	for _, k := range keys {
		b.do(chromedp.KeyEvent(k))
	}
	b.idle()
}

// click clicks an element.
func (b *tab) click(css string) {
	b.t.Helper()
	b.do(chromedp.Click(chromedp.CSS(css)))
	b.idle()
}

func (b *tab) want(expression, want string) {
	b.t.Helper()
	if got := eval[string](b, "String("+expression+")"); got != want {
		b.t.Errorf("%s is %s, want %s", expression, got, want)
	}
}

// has demands that the text of an element has a part.
func (b *tab) has(css, part string) {
	b.t.Helper()
	got := eval[string](b, fmt.Sprintf(`(document.querySelector(%q) || {textContent: "no such element"}).textContent`, css))
	if !strings.Contains(got, part) {
		b.t.Errorf("%s is %q, want %q in it", css, got, part)
	}
}

func (b *tab) picture(name string) {
	b.t.Helper()
	if *screenshots == "" {
		return
	}
	png, err := chromedp.Run(b.ctx, chromedp.FullScreenshot(100))
	if err == nil {
		err = os.WriteFile(filepath.Join(*screenshots, name+".png"), png, 0o644)
	}
	if err != nil {
		b.t.Fatal(err)
	}
}

// server starts the server and returns the address of its page.
func server(t testing.TB, start explorer.Start) string {
	t.Helper()
	s, err := serve.New(serve.Options{Start: start, Limits: explorer.Limits{Workers: 1}})
	if err != nil {
		t.Fatal(err)
	}
	h := httptest.NewServer(s.Handler)
	t.Cleanup(h.Close)
	return h.URL + "/"
}

// forms runs a test with the page of a server, and with the page of the playground.
func forms(t *testing.T, test func(*testing.T, *tab)) {
	t.Helper()
	t.Run("server", func(t *testing.T) {
		b := newTab(t, server(t, explorer.Start{}))
		test(t, b)
		b.quiet()
	})
	if *site == "" {
		t.Log("the playground was not tried: give -fp.site, or run make site-test")
		return
	}
	dir, err := filepath.Abs(*site)
	if err != nil {
		t.Fatal(err)
	}
	t.Run("playground", func(t *testing.T) { // from the disk, without a server
		b := newTab(t, (&url.URL{Scheme: "file", Path: filepath.Join(dir, "index.html")}).String())
		b.allowed, b.playground = (&url.URL{Scheme: "file", Path: dir}).String(), true
		test(t, b)
		b.quiet()
	})
	t.Run("hosted", func(t *testing.T) { // on a host of static files
		host := httptest.NewServer(http.FileServer(http.Dir(dir)))
		t.Cleanup(host.Close)
		b := newTab(t, host.URL+"/")
		b.playground = true
		test(t, b)
		b.quiet()
	})
}
