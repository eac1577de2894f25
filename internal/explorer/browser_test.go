package explorer_test

import (
	"cmp"
	"flag"
	"net/http"
	"net/http/httptest"
	"net/url"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"

	"fencepost/internal/browsertest"
	"fencepost/internal/explorer"
	"fencepost/internal/serve"
)

var site = flag.String("fp.site", "", "directory with the playground, which `make site` writes; empty: it is not tried")

func TestMain(m *testing.M) { browsertest.Main(m) }

// tab is a tab of a browser with the explorer.
type tab struct {
	*browsertest.Tab
	address string // of the page
	// playground says that no server answers the page.
	playground bool
}

// newTab opens a tab. Requests may go to addresses with the beginning allowed, "" for address.
func newTab(t testing.TB, address, allowed string) *tab {
	t.Helper()
	b := browsertest.New(t, func(asked string) bool {
		return strings.HasPrefix(asked, cmp.Or(allowed, address)) || strings.HasPrefix(asked, "blob:")
	})
	// The page waits a moment for more keys before it reads the text or writes the address. The tests do not type on,
	// so they do not wait, which takes more than half of their time.
	hurry := `{ const wait = setTimeout; window.setTimeout = (f, ms, ...rest) => wait(f, ms <= 250 ? 0 : ms, ...rest); }`
	if _, err := chromedp.Call(b.Ctx, page.AddScriptToEvaluateOnNewDocument, page.AddScriptToEvaluateOnNewDocumentParams{Source: hurry}); err != nil {
		t.Fatal(err)
	}
	b.Size(1500, 1150)
	return &tab{Tab: b, address: address}
}

func eval[T any](b *tab, expression string) T {
	b.TB.Helper()
	return browsertest.Eval[T](b.Tab, expression)
}

// idle waits until the page is at rest.
func (b *tab) idle() {
	b.TB.Helper()
	for !eval[bool](b, `document.readyState === "complete" && typeof fp === "object" && fp.busy === 0`) {
		time.Sleep(5 * time.Millisecond)
	}
}

// open loads the page, with a fragment.
func (b *tab) open(fragment string) {
	b.TB.Helper()
	b.Do(chromedp.Navigate("about:blank"), chromedp.Navigate(b.address+fragment))
	b.idle()
}

// press presses keys one after the other, without waiting.
func (b *tab) press(keys ...string) {
	b.TB.Helper()
	for _, k := range keys {
		b.Do(chromedp.KeyEvent(k))
	}
	b.idle()
}

// click clicks an element.
func (b *tab) click(css string) {
	b.TB.Helper()
	b.Do(chromedp.Click(chromedp.CSS(css)))
	b.idle()
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
		b := newTab(t, server(t, explorer.Start{}), "")
		test(t, b)
		b.Quiet()
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
		b := newTab(t, (&url.URL{Scheme: "file", Path: filepath.Join(dir, "index.html")}).String(), (&url.URL{Scheme: "file", Path: dir}).String())
		b.playground = true
		test(t, b)
		b.Quiet()
	})
	t.Run("hosted", func(t *testing.T) { // on a host of static files
		host := httptest.NewServer(http.FileServer(http.Dir(dir)))
		t.Cleanup(host.Close)
		b := newTab(t, host.URL+"/", "")
		b.playground = true
		test(t, b)
		b.Quiet()
	})
}
