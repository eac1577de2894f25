package browsertest

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

var screenshots = flag.String("fp.screenshots", "", "directory for pictures of the pages, for people to look at")

// Pictures reports whether pictures are taken.
func Pictures() bool { return *screenshots != "" }

// Tab is a tab of the browser.
type Tab struct {
	TB  testing.TB
	Ctx context.Context

	mu  sync.Mutex
	bad []string
}

// browser is the one browser of all tests of a package.
var browser = sync.OnceValue(func() context.Context {
	opts := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath("chromium"), chromedp.NoSandbox, chromedp.DisableGPU,
		chromedp.Flag("hide-scrollbars", true), chromedp.WSURLReadTimeout(time.Hour), // a machine may be slow
		chromedp.Flag("in-process-gpu", true),               // a quarter less CPU
		chromedp.Flag("force-prefers-reduced-motion", true)) // no test looks at a movement, and drawing it takes CPU
	alloc, cancelAlloc := chromedp.NewExecAllocator(context.Background(), opts...)
	ctx, cancel := chromedp.NewContext(alloc)
	closeBrowser = func() { cancel(); cancelAlloc() }
	if err := chromedp.Do(ctx, chromedp.Navigate("about:blank")); err != nil {
		panic(fmt.Sprintf("starting chromium: %v", err))
	}
	return ctx
})

var closeBrowser = func() {}

// Main is TestMain of a package with tests in a browser: it ends the browser after them.
func Main(m *testing.M) {
	code := m.Run()
	closeBrowser()
	os.Exit(code)
}

// New opens a tab. allowed reports whether the page may ask for an address.
func New(tb testing.TB, allowed func(address string) bool) *Tab {
	tb.Helper()
	if _, err := exec.LookPath("chromium"); err != nil {
		tb.Skip("no chromium here: the pages were not looked at in a browser")
	}
	ctx, cancel := chromedp.NewContext(browser())
	tb.Cleanup(cancel)
	b := &Tab{TB: tb, Ctx: ctx}
	b.Do(chromedp.Navigate("about:blank"))
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
		tb.Fatal(err)
	}
	requests := chromedp.Events(ctx, network.RequestWillBeSent)
	go func() {
		for r, err := range requests {
			if err != nil {
				return
			}
			if u := r.Request.URL; u != "about:blank" && !allowed(u) {
				b.complain("request: " + u)
			}
		}
	}()
	return b
}

func (b *Tab) complain(s string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.bad = append(b.bad, s)
}

// Quiet demands that the page complained about nothing and asked for nothing else.
func (b *Tab) Quiet() {
	b.TB.Helper()
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, s := range b.bad {
		b.TB.Error(s)
	}
	b.bad = nil
}

// Do runs actions one after the other.
func (b *Tab) Do(actions ...chromedp.Action[chromedp.Void]) {
	b.TB.Helper()
	if err := chromedp.Do(b.Ctx, actions...); err != nil {
		b.TB.Fatal(err)
	}
}

// Eval returns the value of an expression of JavaScript.
func Eval[T any](b *Tab, expression string) T {
	b.TB.Helper()
	v, err := chromedp.Run(b.Ctx, chromedp.Evaluate[T](expression))
	if err != nil {
		b.TB.Fatalf("%s: %v", expression, err)
	}
	return v
}

// Want compares an expression, as a text.
func (b *Tab) Want(expression, want string) {
	b.TB.Helper()
	if got := Eval[string](b, "String("+expression+")"); got != want {
		b.TB.Errorf("%s is %s, want %s", expression, got, want)
	}
}

// Has demands that the text of an element has a part.
func (b *Tab) Has(css, part string) {
	b.TB.Helper()
	got := Eval[string](b, fmt.Sprintf(`(document.querySelector(%q) || {textContent: "no such element"}).textContent`, css))
	if !strings.Contains(got, part) {
		b.TB.Errorf("%s is %q, want %q in it", css, got, part)
	}
}

// Until waits until an expression is true.
func (b *Tab) Until(expression string) {
	b.TB.Helper()
	for !Eval[bool](b, expression) {
		time.Sleep(5 * time.Millisecond)
	}
}

// Dark chooses the dark or the light colours.
func (b *Tab) Dark(on bool) {
	b.TB.Helper()
	value := "light"
	if on {
		value = "dark"
	}
	b.emulate(emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: value}}})
}

// Media shows the page as it is printed, or with "" as it is on the screen.
func (b *Tab) Media(kind string) {
	b.TB.Helper()
	b.emulate(emulation.SetEmulatedMediaParams{Media: kind})
}

func (b *Tab) emulate(media emulation.SetEmulatedMediaParams) {
	b.TB.Helper()
	if _, err := chromedp.Call(b.Ctx, emulation.SetEmulatedMedia, media); err != nil {
		b.TB.Fatal(err)
	}
}

// Size sets the size of the window.
func (b *Tab) Size(width, height int64) {
	b.TB.Helper()
	b.Do(chromedp.EmulateViewport(width, height))
	Eval[bool](b, `dispatchEvent(new Event("resize"))`) // without waiting for the browser's own
}

// Picture takes a picture of the whole page, with -fp.screenshots.
func (b *Tab) Picture(name string) {
	b.TB.Helper()
	if !Pictures() {
		return
	}
	png, err := chromedp.Run(b.Ctx, chromedp.FullScreenshot(100))
	if err == nil {
		err = os.WriteFile(filepath.Join(*screenshots, name+".png"), png, 0o644)
	}
	if err != nil {
		b.TB.Fatal(err)
	}
}
