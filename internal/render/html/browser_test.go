package html_test

import (
	"context"
	"flag"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/chromedp"

	"fencepost/verdict"
)

var screenshots = flag.String("fp.screenshots", "", "directory for pictures of the pages, for people to look at")

// browser is a tab that notes everything the pages complain about or ask for.
type browser struct {
	t   *testing.T
	ctx context.Context
	mu  sync.Mutex
	bad []string
}

func newBrowser(t *testing.T) *browser {
	t.Helper()
	path, err := exec.LookPath("chromium")
	if err != nil {
		t.Skip("no chromium here: the pages were not looked at in a browser")
	}
	opts := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(path), chromedp.NoSandbox, chromedp.DisableGPU, chromedp.Flag("hide-scrollbars", true), chromedp.WSURLReadTimeout(time.Hour), // a machine may be slow
		chromedp.Flag("in-process-gpu", true)) // a quarter less CPU
	alloc, cancelAlloc := chromedp.NewExecAllocator(context.Background(), opts...)
	ctx, cancel := chromedp.NewContext(alloc)
	t.Cleanup(func() { cancel(); cancelAlloc() })
	b := &browser{t: t, ctx: ctx}
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
	if _, err := chromedp.Call(ctx, network.Enable, network.EnableParams{}); err != nil {
		t.Fatal(err)
	}
	requests := chromedp.Events(ctx, network.RequestWillBeSent)
	go func() {
		for r, err := range requests {
			if err != nil {
				return
			}
			if u := r.Request.URL; !strings.HasPrefix(u, "file:") || !strings.HasSuffix(strings.SplitN(u, "#", 2)[0], ".html") {
				b.complain("request: " + u)
			}
		}
	}()
	return b
}

func (b *browser) complain(s string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.bad = append(b.bad, s)
}

func (b *browser) do(actions ...chromedp.Action[chromedp.Void]) {
	b.t.Helper()
	if err := chromedp.Do(b.ctx, actions...); err != nil {
		b.t.Fatal(err)
	}
}

func eval[T any](b *browser, expression string) T {
	b.t.Helper()
	v, err := chromedp.Run(b.ctx, chromedp.Evaluate[T](expression))
	if err != nil {
		b.t.Fatalf("%s: %v", expression, err)
	}
	return v
}

func (b *browser) want(expression, want string) {
	b.t.Helper()
	if got := eval[string](b, "String("+expression+")"); got != want {
		b.t.Errorf("%s is %s, want %s", expression, got, want)
	}
}

// open writes a page of results and loads it.
func (b *browser) open(name string, results []verdict.Result) {
	b.t.Helper()
	b.load(name, render(b.t, results))
}

// load writes a page, loads it and waits for its script.
func (b *browser) load(name, page string) {
	b.t.Helper()
	path := filepath.Join(b.t.TempDir(), name+".html")
	if err := os.WriteFile(path, []byte(page), 0o644); err != nil {
		b.t.Fatal(err)
	}
	b.do(chromedp.Navigate((&url.URL{Scheme: "file", Path: path}).String()))
}

func (b *browser) quiet() {
	b.t.Helper()
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, s := range b.bad {
		b.t.Error(s)
	}
	b.bad = nil
}

func (b *browser) dark(on bool) {
	b.t.Helper()
	value := "light"
	if on {
		value = "dark"
	}
	_, err := chromedp.Call(b.ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
		Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: value}}})
	if err != nil {
		b.t.Fatal(err)
	}
}

func (b *browser) size(width, height int64) {
	b.t.Helper()
	b.do(chromedp.EmulateViewport(width, height))
	eval[bool](b, `dispatchEvent(new Event("resize"))`) // without waiting for the browser's own
}

func (b *browser) picture(name string) {
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

// media shows the page as it is printed, or with "" as it is on the screen.
func (b *browser) media(kind string) {
	b.t.Helper()
	if _, err := chromedp.Call(b.ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Media: kind}); err != nil {
		b.t.Fatal(err)
	}
}

// print takes a picture of the page as it is printed.
func (b *browser) print(name string) {
	b.t.Helper()
	eval[bool](b, `dispatchEvent(new Event("beforeprint"))`)
	b.media("print")
	b.size(794, 1123)
	b.picture(name + "-print")
	b.size(1400, 1000)
	b.media("")
	eval[bool](b, `dispatchEvent(new Event("afterprint"))`)
}
