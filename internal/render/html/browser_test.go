package html_test

import (
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"fencepost/internal/browsertest"
	"fencepost/verdict"
)

func TestMain(m *testing.M) { browsertest.Main(m) }

// browser is a tab with a report, which may ask for nothing.
type browser struct{ *browsertest.Tab }

func newBrowser(t *testing.T) *browser {
	t.Helper()
	return &browser{browsertest.New(t, func(address string) bool {
		page, _, _ := strings.Cut(address, "#")
		return strings.HasPrefix(page, "file:") && strings.HasSuffix(page, ".html")
	})}
}

func eval[T any](b *browser, expression string) T {
	b.TB.Helper()
	return browsertest.Eval[T](b.Tab, expression)
}

// open writes a page of results and loads it.
func (b *browser) open(name string, results []verdict.Result) {
	b.TB.Helper()
	b.load(name, render(b.TB, results))
}

// load writes a page, loads it and waits for its script.
func (b *browser) load(name, page string) {
	b.TB.Helper()
	path := filepath.Join(b.TB.TempDir(), name+".html")
	if err := os.WriteFile(path, []byte(page), 0o644); err != nil {
		b.TB.Fatal(err)
	}
	b.Do(chromedp.Navigate((&url.URL{Scheme: "file", Path: path}).String()))
}

// print takes a picture of the page as it is printed.
func (b *browser) print(name string) {
	b.TB.Helper()
	eval[bool](b, `dispatchEvent(new Event("beforeprint"))`)
	b.Media("print")
	b.Size(794, 1123)
	b.Picture(name + "-print")
	b.Size(1400, 1000)
	b.Media("")
	eval[bool](b, `dispatchEvent(new Event("afterprint"))`)
}
