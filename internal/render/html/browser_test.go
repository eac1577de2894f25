package html_test

import (
	"context"
	"flag"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"fencepost/internal/render/relation"
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
	opts := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(path), chromedp.NoSandbox, chromedp.DisableGPU, chromedp.Flag("hide-scrollbars", true))
	base, cancelTime := context.WithTimeout(context.Background(), 3*time.Minute)
	alloc, cancelAlloc := chromedp.NewExecAllocator(base, opts...)
	ctx, cancel := chromedp.NewContext(alloc)
	t.Cleanup(func() { cancel(); cancelAlloc(); cancelTime() })
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

// open writes a page, loads it and waits for its script.
func (b *browser) open(name string, results []verdict.Result) {
	b.t.Helper()
	path := filepath.Join(b.t.TempDir(), name+".html")
	if err := os.WriteFile(path, []byte(render(b.t, results)), 0o644); err != nil {
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

// fits demands that the page is not wider than the window.
func (b *browser) fits(name string) {
	b.t.Helper()
	if wide := eval[int](b, "document.documentElement.scrollWidth - innerWidth"); wide > 0 {
		b.t.Errorf("%s: %d pixels wider than a window of %d; first: %s", name, wide, eval[int](b, "innerWidth"),
			eval[string](b, `[...document.querySelectorAll("body *")].filter(e => !e.closest(".scroller,.listing") && e.getBoundingClientRect().right > innerWidth + 1).map(e => e.className || e.tagName).slice(0, 3).join()`))
	}
}

// TestBrowser looks at the pages in a browser; one is enough for all.
func TestBrowser(t *testing.T) {
	b := newBrowser(t)
	for _, c := range []struct {
		name string
		test func(*testing.T, *browser)
	}{{"pages", testPages}, {"stepping", testStepping}, {"states", testStates}, {"cycle", testCycle}} {
		t.Run(c.name, func(t *testing.T) {
			outer := b.t
			b.t = t
			defer func() { b.t = outer }()
			c.test(t, b)
			b.quiet()
		})
	}
}

// testPages: every kind of page loads without a complaint, asks for nothing, and fits
// a phone.
func testPages(t *testing.T, b *browser) {
	b.dark(false)
	b.size(1400, 1000)
	pages := []struct {
		name    string
		results []verdict.Result
		address string
	}{
		{"violation", example(t, "dekker.fp", "tso"), "#r1e1s6"},
		{"attacks", example(t, "dekker.fp"), "#r1e2s4"},
		{"models", example(t, "mp.fp", "sc", "tso", "pso"), "#r3e1s4"},
		{"c", example(t, "dekker.c", "tso"), "#r1e1s20"},
		{"safe", ask(t, "sb.fp", storeBuffering, "sc"), ""},
		{"unknown", unanswered(), ""},
		{"hostile", hostile(t), "#r2e1s3"},
		{"empty", nil, ""},
	}
	for _, p := range pages {
		b.open(p.name, p.results)
		if p.address != "" {
			eval[bool](b, `(location.hash = "`+p.address+`", true)`)
		}
		b.picture(p.name + "-light")
		b.fits(p.name)
		b.dark(true)
		b.picture(p.name + "-dark")
		b.dark(false)
		b.size(375, 720)
		b.picture(p.name + "-phone")
		b.fits(p.name + " on a phone")
		b.size(1400, 1000)
		b.want("window.hacked", "undefined")
	}
}

// testStepping: stepping by button, key, slider and click on the time line and the graph; all
// parts of the page follow.
func testStepping(t *testing.T, b *browser) {
	b.open("stepping", stored(t, "dekker.json"))
	count, hash := `document.querySelector(".count").textContent`, "location.hash"
	b.want(count, "0 / 8")
	b.do(chromedp.Click(chromedp.CSS(`[data-go="forward"]`)))
	b.want(count, "1 / 8")
	b.want(hash, "#r1e1s1")
	b.want(`document.querySelector(".caption").textContent`, "t1 flag[0] = 1  dekker.fp:11flag[0] = 1 buffered")
	b.want(`document.querySelector(".buffers").textContent`, "t1flag[0]=1t2empty")
	b.want(`document.querySelector("mark").textContent`, "flag[0] = 1")
	b.want(`document.querySelectorAll(".ev.now").length`, "1")
	b.do(chromedp.KeyEvent(kb.ArrowRight), chromedp.KeyEvent(kb.ArrowRight))
	b.want(count, "3 / 8")
	b.want(`document.querySelector(".cells").textContent`, "flag[0]0flag[1]0in_csinitial")
	b.do(chromedp.KeyEvent(kb.ArrowLeft))
	b.want(count, "2 / 8")
	b.do(chromedp.KeyEvent(kb.End), chromedp.KeyEvent(kb.ArrowRight))
	b.want(count, "8 / 8")
	b.want(`document.querySelector("[data-go=forward]").disabled`, "true")
	b.do(chromedp.KeyEvent(kb.Home))
	b.want(count, "0 / 8")
	b.do(chromedp.Click(chromedp.CSS(`.ev[data-step="5"]`)))
	b.want(count, "5 / 8")
	eval[bool](b, `document.querySelector('.nd[data-step="2"]').dispatchEvent(new MouseEvent("click", {bubbles: true}))`)
	b.want(count, "3 / 8")
	b.do(chromedp.Focus(chromedp.CSS(".slide")), chromedp.KeyEvent(kb.ArrowRight))
	b.want(count, "4 / 8")
	// By keyboard alone: the buttons are reached by Tab and work with Enter.
	eval[bool](b, `(document.activeElement.blur(), document.querySelector("[data-go=first]").focus(), true)`)
	b.do(chromedp.KeyEvent(kb.Tab))
	b.want(`document.activeElement.dataset.go`, "back")
	b.do(chromedp.KeyEvent(kb.Enter))
	b.want(count, "3 / 8")
	// Several executions, and the theme.
	b.do(chromedp.KeyEvent("]"))
	b.want(hash, "#r1e2s0")
	b.do(chromedp.KeyEvent("["))
	b.want(hash, "#r1e1s0")
	before := eval[string](b, `getComputedStyle(document.body).backgroundColor`)
	b.do(chromedp.Click(chromedp.CSS("#theme")))
	if after := eval[string](b, `getComputedStyle(document.body).backgroundColor`); after == before {
		t.Errorf("the button leaves the background at %s", after)
	}
}

// testStates: every step, forward and back, leaves buffers and memory as the verdict has them.
func testStates(t *testing.T, b *browser) {
	results := example(t, "dekker.c", "tso")
	b.open("states", results)
	w := results[0].Witness
	buffers := relation.Buffers(w)
	order := []int{}
	for i := range w.Steps {
		order = append(order, i+1)
	}
	for i := len(w.Steps) - 1; i > 0; i-- {
		order = append(order, i)
	}
	for _, step := range order {
		eval[bool](b, `(location.hash = "#r1e1s`+strconv.Itoa(step)+`", true)`)
		b.do(chromedp.Sleep(0))
		want := ""
		for t := range w.Threads {
			for _, e := range buffers[step-1][t] {
				want += w.Threads[t] + " " + e.Text + ";"
			}
		}
		b.want(`(dispatchEvent(new HashChangeEvent("hashchange")), [...document.querySelectorAll(".buffers .entry")].map(e => e.closest("div").querySelector(".who").textContent + " " + e.textContent + ";").join(""))`, want)
	}
}

// testCycle: the cycle is there to be seen: in the colour of the cycle, with an extent, and
// not covered.
func testCycle(t *testing.T, b *browser) {
	b.size(1400, 1000)
	for name, results := range map[string][]verdict.Result{"attack": stored(t, "dekker-robust.json"), "violation": stored(t, "dekker.json")} {
		b.open(name, results)
		b.want(`[...document.querySelectorAll("#r1e1 .ed.c path")].length`, "4")
		b.want(`[...document.querySelectorAll("#r1e1 .ed.c path")].every(p => { const r = p.getBoundingClientRect(); return r.width + r.height > 20 })`, "true")
		b.want(`[...document.querySelectorAll("#r1e1 .ed.c path")].every(p => getComputedStyle(p).stroke === getComputedStyle(document.querySelector(".graph em")).color)`, "true")
		b.want(`(document.querySelector("#r1e1 .graph").scrollIntoView({block: "end"}), [...document.querySelectorAll("#r1e1 .nd.c")].every(n => { const r = n.getBoundingClientRect(); const e = document.elementFromPoint(r.x + r.width / 2, r.y + r.height / 2); return n.contains(e) }))`, "true")
	}
}
