package html_test

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"fencepost/internal/browsertest"
	"fencepost/internal/render/relation"
	"fencepost/internal/testkit"
	"fencepost/verdict"
)

// fits demands that the page is not wider than the window, and that no text leaves its row or lies over its
// neighbour.
func (b *browser) fits(name string) {
	b.TB.Helper()
	if wide := eval[int](b, "document.documentElement.scrollWidth - innerWidth"); wide > 0 {
		b.TB.Errorf("%s: %d pixels wider than a window of %d; first: %s", name, wide, eval[int](b, "innerWidth"),
			eval[string](b, `[...document.querySelectorAll("body *")].filter(e => !e.closest(".listing,.sheet,.drawing") && e.getBoundingClientRect().right > innerWidth + 1).map(e => e.className || e.tagName).slice(0, 3).join()`))
	}
	const overflowing = `(() => {
		const bad = [], box = document.querySelector(".steps");
		if (!box) return "";
		if (box.scrollWidth > box.clientWidth) bad.push("steps");
		for (const row of box.querySelectorAll(".row, .heads")) {
			const r = row.getBoundingClientRect(), boxes = [...row.children].filter(c => !c.classList.contains("wire")).map(c => [c, c.getBoundingClientRect()]).filter(c => c[1].width > 0);
			for (const [c, q] of boxes) if (q.left < r.left - 1 || q.right > r.right + 1 || q.top < r.top - 1 || q.bottom > r.bottom + 2) bad.push(c.className + " " + c.textContent);
			boxes.sort((a, b) => a[1].left - b[1].left);
			for (let i = 1; i < boxes.length; i++) if (boxes[i][1].left < boxes[i - 1][1].right - 1) bad.push(boxes[i - 1][0].className + " " + boxes[i - 1][0].textContent + " over " + boxes[i][0].textContent);
			for (const h of row.classList.contains("heads") ? row.children : []) if (h.getBoundingClientRect().height > 26 || h.classList.contains("buf") && h.scrollWidth > h.clientWidth) bad.push("head " + h.textContent);
		}
		return bad.slice(0, 3).join("; ");
	})()`
	if bad := eval[string](b, overflowing); bad != "" {
		b.TB.Errorf("%s: overflow: %s", name, bad)
	}
	// What the step does is never cut off.
	if cut := eval[string](b, `[...document.querySelectorAll(".caption .effect, .ev b")].filter(e => e.scrollWidth > e.clientWidth + 1 && getComputedStyle(e).display !== "inline").map(e => e.textContent).slice(0, 3).join("; ")`); cut != "" {
		b.TB.Errorf("%s: cut off: %s", name, cut)
	}
	b.Accessible(name)
}

// inView demands that the current step can be seen: inside its box and the window, and nothing over it.
func (b *browser) inView(name string) {
	b.TB.Helper()
	const hidden = `(() => {
		const row = document.querySelector(".row.now");
		if (!row) return /s0$/.test(location.hash) ? "" : "no current row";
		const r = row.getBoundingClientRect(), q = row.querySelector(".ev").getBoundingClientRect(), e = document.elementFromPoint(q.x + q.width / 2, q.y + q.height / 2);
		if (r.top < 0 || r.bottom > innerHeight || q.left < 0 || q.right > innerWidth) return "outside of the window: " + r.top + " to " + r.bottom;
		return row.contains(e) ? "" : "covered by " + (e && (e.className || e.tagName));
	})()`
	if bad := eval[string](b, hidden); bad != "" {
		b.TB.Errorf("%s at %s: %s", name, eval[string](b, "location.hash"), bad)
	}
}

// TestBrowser looks at the pages in a browser; one is enough for all.
func TestBrowser(t *testing.T) {
	b := newBrowser(t)
	for _, c := range []struct {
		name string
		test func(*testing.T, *browser)
	}{
		{"pages", testPages}, {"stepping", testStepping}, {"states", testStates}, {"cycle", testCycle}, {"threads", testThreads}, {"long", testLong},
		{"filters", testFilters}, {"answers", testAnswers}, {"endless", testEndless}, {"captions", testCaptions},
	} {
		t.Run(c.name, func(t *testing.T) {
			outer := b.TB
			b.TB = t
			defer func() { b.TB = outer }()
			b.Dark(false)
			b.Size(1400, 1000)
			c.test(t, b)
			b.Quiet()
		})
	}
}

// testPages: every kind of page loads without a complaint, asks for nothing, and fits a screen and a phone, in
// light and dark.
func testPages(t *testing.T, b *browser) {
	for _, p := range []struct{ name, page, address string }{
		{"violation", render(t, example(t, "dekker.fp", "tso")), "#r1e1s6"},
		{"attacks", render(t, example(t, "dekker.fp")), "#r1e2s4"},
		{"models", render(t, example(t, "mp.fp", "sc", "tso", "pso")), "#r3e1s4"},
		{"c", render(t, example(t, "dekker.c", "tso")), "#r1e1s20"},
		{"safe", render(t, ask(t, "sb.fp", storeBuffering, "sc")), ""},
		{"unknown", render(t, unanswered()), ""},
		{"hostile", render(t, hostile(t)), "#r2e1s3"},
		{"fences", render(t, fenced(t)), ""},
		{"proof", render(t, proved()), ""},
		{"litmus", render(t, litmus(t)), ""},
		{"traces", tracesPage(t), "#r1e2s3"},
		{"tests", testsPage(t), ""},
		{"hostile-lists", hostileLists(t), ""},
		{"bench", benchPage(t), ""},
		{"empty", render(t, nil), ""},
	} {
		b.load(p.name, p.page)
		b.address(p.address)
		b.Picture(p.name + "-light")
		b.fits(p.name)
		if browsertest.Pictures() || browsertest.AskAxe() {
			b.Dark(true)
			b.Picture(p.name + "-dark")
			b.Accessible(p.name + " in the dark")
			b.Dark(false)
			b.print(p.name)
		}
		for _, width := range []int64{800, 1920} {
			b.Size(width, 1080)
			b.Picture(p.name + "-" + strconv.FormatInt(width, 10))
			b.fits(p.name + " at " + strconv.FormatInt(width, 10))
		}
		b.Size(400, 800)
		b.Picture(p.name + "-phone")
		b.fits(p.name + " on a phone")
		b.Size(1400, 1000)
		b.Want("window.hacked", "undefined")
	}
}

// address goes to a step.
func (b *browser) address(to string) {
	b.TB.Helper()
	if to != "" {
		eval[bool](b, `(history.replaceState(null, "", "`+to+`"), dispatchEvent(new HashChangeEvent("hashchange")), true)`)
	}
}

// testStepping: stepping by button, key, slider and click on the steps and the graph; all parts of the page
// follow.
func testStepping(t *testing.T, b *browser) {
	b.open("stepping", stored(t, "dekker.json"))
	counter, hash := `document.querySelector(".count").textContent`, "location.hash"
	b.Want(counter, "0 / 8")
	b.Do(chromedp.Click(chromedp.CSS(`[data-go="forward"]`)))
	b.Want(counter, "1 / 8")
	b.Want(hash, "#r1e1s1")
	b.Want(`document.querySelector(".caption").textContent`, "t1 flag[0] = 1  dekker.fp:11flag[0] = 1 buffered")
	b.Want(`document.querySelector(".buffers").textContent`, "t1flag[0]=1t2empty")
	b.Want(`document.querySelector("mark").textContent`, "flag[0] = 1")
	b.Want(`document.querySelectorAll(".row.now").length`, "1")
	b.Do(chromedp.KeyEvent("f"), chromedp.KeyEvent(kb.ArrowRight), chromedp.KeyEvent(kb.ArrowRight))
	b.Want(counter, "3 / 8")
	b.Want(`document.querySelector(".cells").textContent`, "flag[0]0flag[1]0in_csinitial")
	b.Do(chromedp.KeyEvent(kb.ArrowLeft))
	b.Want(counter, "2 / 8")
	b.Do(chromedp.KeyEvent(kb.End), chromedp.KeyEvent(kb.ArrowRight))
	b.Want(counter, "8 / 8")
	b.Want(`document.querySelector("[data-go=forward]").disabled`, "true")
	b.Do(chromedp.KeyEvent(kb.Home))
	b.Want(counter, "0 / 8")
	b.Do(chromedp.Click(chromedp.CSS(`.ev[data-step="5"]`)))
	b.Want(counter, "5 / 8")
	eval[bool](b, `document.querySelector('.nd[data-step="2"]').dispatchEvent(new MouseEvent("click", {bubbles: true}))`)
	b.Want(counter, "3 / 8")
	b.Do(chromedp.Focus(chromedp.CSS(".slide")), chromedp.KeyEvent(kb.ArrowRight))
	b.Want(counter, "4 / 8")
	// By keyboard alone: the buttons are reached by Tab and work with Enter.
	eval[bool](b, `(document.activeElement.blur(), document.querySelector("[data-go=first]").focus(), true)`)
	b.Do(chromedp.KeyEvent(kb.Tab))
	b.Want(`document.activeElement.dataset.go`, "back")
	b.Do(chromedp.KeyEvent(kb.Enter))
	b.Want(counter, "3 / 8")
	// Several executions, and the theme.
	b.Do(chromedp.KeyEvent("]"))
	b.Want(hash, "#r1e2s0")
	b.Do(chromedp.KeyEvent("["))
	b.Want(hash, "#r1e1s0")
	before := eval[string](b, `getComputedStyle(document.body).backgroundColor`)
	b.Do(chromedp.Click(chromedp.CSS("#theme")))
	if after := eval[string](b, `getComputedStyle(document.body).backgroundColor`); after == before {
		t.Errorf("the button leaves the background at %s", after)
	}
	eval[bool](b, `(localStorage.clear(), true)`)
}

// testStates: every step, forward and back, leaves buffers and memory as the verdict has them.
func testStates(t *testing.T, b *browser) {
	results := example(t, "dekker.c", "tso")
	b.open("states", results)
	w := results[0].Witness
	buffers := relation.Buffers(w)
	order := []int{}
	for i := 0; i < len(w.Steps); i += 2 {
		order = append(order, i+1)
	}
	for i := len(w.Steps) - 1; i > 0; i -= 5 {
		order = append(order, i)
	}
	for _, step := range order {
		b.address("#r1e1s" + strconv.Itoa(step))
		want := ""
		for t := range w.Threads {
			for _, e := range buffers[step-1][t] {
				want += w.Threads[t] + " " + e.Text + ";"
			}
		}
		b.Want(`[...document.querySelectorAll(".buffers .entry")].map(e => e.closest("div").querySelector(".who").textContent + " " + e.textContent + ";").join("")`, want)
	}
}

// testCycle: the cycle is there to be seen: in the colour of the cycle, with an extent, and not covered. Its
// relations have herd's names, or those of the papers.
func testCycle(t *testing.T, b *browser) {
	for name, results := range map[string][]verdict.Result{"attack": stored(t, "dekker-robust.json"), "violation": stored(t, "dekker.json")} {
		b.open(name, results)
		b.Want(`[...document.querySelectorAll(".ed.c path")].length`, "4")
		b.Want(`[...document.querySelectorAll(".ed.c path")].every(p => { const r = p.getBoundingClientRect(); return r.width + r.height > 20 })`, "true")
		b.Want(`[...document.querySelectorAll(".ed.c path")].every(p => getComputedStyle(p).stroke === getComputedStyle(document.querySelector(".graph em")).color)`, "true")
		b.Want(`(document.querySelector(".graph").scrollIntoView({block: "end"}), [...document.querySelectorAll(".nd.c")].every(n => { const r = n.getBoundingClientRect(); const e = document.elementFromPoint(r.x + r.width / 2, r.y + r.height / 2); return n.contains(e) }))`, "true")
		labels := `[...new Set([...document.querySelectorAll(".ed.c text")].map(e => e.textContent))].sort().join(" ")`
		b.Want(labels, "fr po")
		b.Do(chromedp.KeyEvent("r"))
		b.Want(labels, "cf po")
		b.Do(chromedp.KeyEvent("r"))
		b.Want(labels, "fr po")
	}
}

// wide is an execution of n threads with names and instructions as C has them.
func wide(n int) []verdict.Result {
	w := &verdict.Witness{}
	text := map[string]string{"wide.c": strings.Repeat("  atomic_store_explicit(&queue->slots[tail & mask].sequence, tail + 1, memory_order_release);\n", 40)}
	add := func(s verdict.Step) int {
		if s.Kind != verdict.StepFlush {
			s.Of = -1
			line := 1 + len(w.Steps)%40
			s.Pos = &verdict.Pos{File: "wide.c", Line: line, Col: 3, EndLine: line, EndCol: 60}
		}
		w.Steps = append(w.Steps, s)
		return len(w.Steps) - 1
	}
	for t := range n {
		w.Threads = append(w.Threads, fmt.Sprintf("producer_thread_%d", t))
		for range 2 {
			add(verdict.Step{Thread: t, Kind: verdict.StepExec, Instruction: verdict.Instruction{Text: "unsigned long tail = queue->tail & (QUEUE_SIZE - 1)"}})
		}
	}
	for k := range 4 { // on memory that only this thread accesses
		add(verdict.Step{Kind: verdict.StepStore, Addr: uint64(1<<20 + 8*k), Size: 8, Location: fmt.Sprintf("scratch[%d]", k), Data: verdict.Data{Value: 1}, Instruction: verdict.Instruction{Text: fmt.Sprintf("scratch[%d] = 1", k)}, Edge: k})
	}
	for round := range 3 {
		var stores []int
		for t := range n {
			cell := fmt.Sprintf("queue->slots[%d].sequence", t)
			for k := range 2 + t%3 {
				stores = append(stores, add(verdict.Step{Thread: t, Kind: verdict.StepStore, Buffered: true, Addr: uint64(4096 + 64*t + 8*k), Size: 8, Location: fmt.Sprintf("%s[%d]", cell, k),
					Data: verdict.Data{Value: int64(100000 + round)}, Instruction: verdict.Instruction{Text: "atomic_store_explicit(&queue->slots[tail & mask].sequence, tail + 1, memory_order_release)"}}))
			}
			next := (t + 1) % n
			add(verdict.Step{Thread: t, Kind: verdict.StepLoad, Addr: uint64(4096 + 64*next), Size: 8, Location: fmt.Sprintf("queue->slots[%d].sequence[0]", next),
				Data: verdict.Data{Value: int64(min(round, 1) * (99999 + round))}, Instruction: verdict.Instruction{Text: "seen = atomic_load_explicit(&queue->slots[next].sequence, memory_order_acquire)"}})
		}
		for _, s := range stores {
			of := w.Steps[s]
			add(verdict.Step{Thread: of.Thread, Kind: verdict.StepFlush, Of: s, Addr: of.Addr, Size: of.Size, Location: of.Location, Data: verdict.Data{Value: of.Value}})
		}
	}
	add(verdict.Step{Thread: n - 1, Kind: verdict.StepFail, Instruction: verdict.Instruction{Text: "assert(seen == tail + 1)"}, Note: "assertion fails: seen == tail + 1"})
	return []verdict.Result{{Program: "wide.c", Question: "assertions", Model: "tso", Verdict: verdict.Unsafe, Reason: "assertion fails", Witness: w, Origin: verdict.Origin{Sources: text}}}
}

// testThreads: with two, four and eight threads nothing overflows, and the current step is in view after every
// key.
func testThreads(t *testing.T, b *browser) {
	for _, n := range []int{2, 4, 8} {
		if n == 4 && !testkit.Slow() {
			continue // as with eight
		}
		name := fmt.Sprintf("%d threads", n)
		b.open("threads", wide(n))
		b.Picture(fmt.Sprintf("threads-%d", n))
		b.fits(name)
		b.Want(`String(document.querySelector(".steps").classList.contains("list"))`, strconv.FormatBool(n > 2))
		for _, keys := range []struct {
			key   string
			times int
		}{{kb.ArrowRight, 2}, {kb.PageDown, 1}, {kb.End, 1}, {kb.ArrowLeft, 1}, {"f", 1}, {kb.PageUp, 1}, {"c", 1}, {kb.ArrowRight, 1}, {kb.Home, 1}, {kb.End, 1}} {
			for range keys.times {
				b.Do(chromedp.KeyEvent(keys.key))
				b.inView(name + " after " + strconv.Quote(keys.key))
			}
		}
		b.fits(name + " at the end")
		if n == 4 {
			continue // as on a phone with eight
		}
		b.Size(400, 800)
		b.Do(chromedp.KeyEvent(kb.PageUp))
		b.inView(name + " on a phone")
		b.Do(chromedp.KeyEvent(kb.End))
		b.inView(name + " on a phone")
		b.fits(name + " on a phone")
		b.Picture(fmt.Sprintf("threads-%d-phone", n))
		b.Size(1400, 1000)
	}
}

// long is an execution of n steps, in which up to a thousand stores wait, over many cells and lines.
func long(n int) []verdict.Result {
	w := &verdict.Witness{Threads: []string{"producer", "consumer"}}
	var source strings.Builder
	for i := range 3000 {
		fmt.Fprintf(&source, "  buffer[%d] = compute(%d); /* line %d */\n", i, i, i+1)
	}
	var waiting []int
	for i := 0; len(w.Steps) < n; i++ {
		pos := &verdict.Pos{File: "long.c", Line: 1 + i%3000, Col: 3, EndLine: 1 + i%3000, EndCol: 20}
		cell := i % 2000
		switch {
		case i%7 == 6:
			w.Steps = append(w.Steps, verdict.Step{Thread: 1, Kind: verdict.StepLoad, Of: -1, Instruction: verdict.Instruction{Pos: pos, Text: fmt.Sprintf("seen = buffer[%d]", cell)}, Addr: uint64(8192 + 8*(cell-1)), Size: 8, Location: fmt.Sprintf("buffer[%d]", cell-1), Data: verdict.Data{Value: 0}})
		case i%7 == 3 && len(waiting) > 1000:
			of := w.Steps[waiting[0]]
			w.Steps = append(w.Steps, verdict.Step{Thread: 0, Kind: verdict.StepFlush, Of: waiting[0], Addr: of.Addr, Size: 8, Location: of.Location, Data: verdict.Data{Value: of.Value}})
			waiting = waiting[1:]
		case i%3 == 0 && len(waiting) <= 1000:
			waiting = append(waiting, len(w.Steps))
			w.Steps = append(w.Steps, verdict.Step{Thread: 0, Kind: verdict.StepStore, Buffered: true, Of: -1, Instruction: verdict.Instruction{Pos: pos, Text: fmt.Sprintf("buffer[%d] = compute(%d)", cell, i)}, Addr: uint64(8192 + 8*cell), Size: 8, Location: fmt.Sprintf("buffer[%d]", cell), Data: verdict.Data{Value: int64(i)}})
		default:
			w.Steps = append(w.Steps, verdict.Step{Thread: i % 2, Kind: verdict.StepExec, Of: -1, Instruction: verdict.Instruction{Pos: pos, Text: fmt.Sprintf("i = i + 1 /* %d */", i)}})
		}
	}
	return []verdict.Result{{Program: "long.c", Question: "assertions", Model: "tso", Verdict: verdict.Unsafe, Reason: "assertion fails", Witness: w, Origin: verdict.Origin{Sources: map[string]string{"long.c": source.String()}}}}
}

// testLong: ten thousand steps are a page of at most 2 MB with at most 2,000 nodes, wherever one is in it.
func testLong(t *testing.T, b *browser) {
	results := long(10_000)
	if size := len(render(t, results)); size > 2_000_000 {
		t.Errorf("the page has %d bytes", size)
	}
	b.open("long", results)
	nodes := func(when string) {
		t.Helper()
		if n := eval[int](b, `(() => { const w = document.createTreeWalker(document); let n = 0; while (w.nextNode()) n++; return n })()`); n > 2000 {
			t.Errorf("%d nodes %s", n, when)
		}
	}
	nodes("at the start")
	for _, key := range []string{kb.ArrowRight, kb.PageDown, kb.End, kb.PageUp, "f", kb.End, "c", kb.PageUp, kb.ArrowLeft, kb.Home} {
		b.Do(chromedp.KeyEvent(key))
		b.inView(strconv.Quote(key))
		nodes("after " + strconv.Quote(key))
	}
	eval[bool](b, `(document.querySelector(".steps").scrollTop = 1e5, true)`)
	b.Do(chromedp.KeyEvent("f"))
	b.address("#r1e1s5000")
	b.inView("an address")
	nodes("in the middle")
	b.Picture("long")
	eval[bool](b, `dispatchEvent(new Event("beforeprint"))`)
	nodes("in print")
	b.Want(`document.querySelector(".execution .paper").textContent.endsWith("are not printed.")`, "true")
	eval[bool](b, `dispatchEvent(new Event("afterprint"))`)
	b.Want(`document.querySelectorAll(".paper").length`, "0")
}

// testFilters: threads and variables choose steps, a search goes from one match to the next, and folded rows open.
func testFilters(t *testing.T, b *browser) {
	b.open("filters", wide(2))
	rows := `document.querySelector(".steps .rows").style.height.replace("px", "") / 34`
	all := eval[float64](b, rows)
	b.Want(`document.querySelectorAll(".ev.folded").length`, "1")
	b.Do(chromedp.Click(chromedp.CSS(`.ev.folded`)))
	b.Want(rows, fmt.Sprint(all+3))
	b.Do(chromedp.Click(chromedp.CSS(`[data-thread="1"]`)))
	b.Want(`document.querySelector(".steps").textContent.includes("assert(seen")`, "false")
	b.Want(`/^\d+ of \d+ steps are hidden$/.test(document.querySelector(".left-out").textContent)`, "true")
	b.Do(chromedp.Click(chromedp.CSS(`[data-thread="1"]`)))
	b.Do(chromedp.SendKeys(chromedp.CSS(".variable"), "slots[1].sequence[2]"))
	b.Want(rows, "6")
	eval[bool](b, `(v => (v.value = "", v.dispatchEvent(new Event("input", {bubbles: true})), v.blur(), true))(document.querySelector(".variable"))`)
	b.Do(chromedp.KeyEvent("/"))
	b.Want(`document.activeElement.className`, "search")
	eval[bool](b, `(document.activeElement.value = "", true)`) // the driver types the key, too
	b.Do(chromedp.SendKeys(chromedp.CSS(".search"), "assert(seen"), chromedp.KeyEvent(kb.Enter))
	b.Want(`document.querySelector(".row.now").textContent.includes("assert(seen")`, "true")
	b.Want(`document.querySelector(".found").textContent`, "1 of 1")
	b.inView("a search")
	b.Do(chromedp.SendKeys(chromedp.CSS(".search"), " not there"))
	b.Want(`document.querySelector(".found").textContent`, "not found")
}
