package explorer_test

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// feature is something that a user can do, with the mouse and without one. Both must lead to the same.
type feature struct {
	name     string
	before   func(*tab) // on the page of store buffering under TSO; nil: nothing
	mouse    func(*tab)
	keyboard func(*tab)
	after    func(*tab)
}

// clicks returns a function that clicks elements one after the other.
func clicks(css ...string) func(*tab) {
	return func(b *tab) {
		b.TB.Helper()
		for _, c := range css {
			b.click(c)
		}
	}
}

// keys returns a function that presses keys.
func keys(list ...string) func(*tab) {
	return func(b *tab) { b.TB.Helper(); b.press(list...) }
}

// entered returns a function that goes to elements with the Tab key, and presses Enter at each.
func entered(css ...string) func(*tab) {
	return func(b *tab) {
		b.TB.Helper()
		for _, c := range css {
			b.tabTo(c)
			b.press(kb.Enter)
		}
	}
}

func wants(expression, want string) func(*tab) {
	return func(b *tab) { b.TB.Helper(); b.Want(expression, want) }
}

func shows(css, part string) func(*tab) {
	return func(b *tab) { b.TB.Helper(); b.Has(css, part) }
}

// all returns a function that calls others.
func all(list ...func(*tab)) func(*tab) {
	return func(b *tab) {
		b.TB.Helper()
		for _, f := range list {
			f(b)
		}
	}
}

const (
	run    = `fp.now.run.join()`
	cyclic = `document.body.classList.contains("cyclic")`
)

// features has a row for everything that the page offers.
var features = []feature{
	{"choose an example", nil, func(b *tab) { b.example("mp.fp") },
		all(func(b *tab) { b.tabTo("#examples") }, keys(kb.ArrowDown)),
		all(wants(`fp.now.name`, "mp.fp"), shows("#machine", "writer"))},
	{"open a file", nil, openFile(clicks("#open")), openFile(entered("#open")), shows("#steps", "z = 7")},
	{"go to what is wrong", func(b *tab) { b.replace("var x;\nthread t { x = ; }\n") },
		clicks("#diagnostics button"), entered("#diagnostics button"),
		wants(`document.activeElement.id + $("text").value.slice(0, $("text").selectionStart).split("\n").length`, "text2")},
	{"choose a model", keys("1"), clicks("#models label:has([value=pso])"),
		all(func(b *tab) { b.tabTo("#models input") }, keys(kb.ArrowRight)),
		all(wants(`fp.now.model + " " + `+run, "pso 0"), shows("#machine .heads", "one per variable"))},
	{"take a step", nil, clicks(`[data-name="1"]`), entered(`[data-name="1"]`),
		all(wants(run, "1"), shows("[data-thread=t2] .queue", "y = 1"), shows(".memory [data-cell=y]", "y0"))},
	{"take a step by its number", nil, clicks(`#steps li:nth-child(2) button`), keys("2"), wants(run, "1")},
	{"flush a store", keys("1"), clicks(`[data-thread=t1] button.chip`), entered(`[data-thread=t1] button.chip`),
		all(wants(run, "0,f0"), shows(".memory [data-cell=x]", "x1"))},
	{"go back", keys("1", "2"), clicks("#back"), keys(kb.ArrowLeft), wants(run, "0")},
	{"go forward", keys("1", "1", kb.ArrowLeft), clicks("#forward"), keys(kb.ArrowRight), wants(run, "0,0")},
	{"go to the start", keys("1", "1"), clicks("#reset"), keys(kb.Home), wants(run, "")},
	{"take a random step", nil, clicks("#random"), keys("r"), wants(`fp.now.answer.rows.length`, "1")},
	{"walk at random", nil, clicks("#walk"), keys("w"), all(wants(`fp.now.answer.state.end`, "final"), shows("#steps", "the run has ended"))},
	{"run to the violation", nil, clicks("#violation"), keys("v"), all(shows("#verdict", "violates"), wants(cyclic, "true"))},
	{"go to a line of the history", keys("1", "1", "1"), clicks("#history tbody tr:nth-child(2) button"), entered("#history tbody tr:nth-child(2) button"),
		all(wants(run, "0,0"), wants(`document.querySelectorAll("#history tr.later").length`, "1"))},
	{"insert the fence", keys("1", "1", "1", "1"), clicks("#insert"), keys("f"),
		all(wants(`fp.now.text.includes("x = 1;\n  fence;")`, "true"), wants(cyclic, "false"), shows(".step.blocked", "waits: buffer not empty"))},
	{"play an outcome", nil, clicks("#outcomes tr.weak [data-model=pso]"), entered("#outcomes tr.weak [data-model=pso]"),
		all(wants(`fp.now.model`, "pso"), wants(`fp.now.answer.state.final`, "t1:r1=0 t2:r2=0 x=1 y=1"))},
	{"undo a step", keys("1", "1"), clicks("#undo"), entered("#undo"), wants(run, "0")},
	{"do a step again", all(keys("1", "1"), clicks("#undo")), clicks("#redo"), entered("#redo"), wants(run, "0,0")},
	{"play a failure", nil, clicks("#outcomes tr.fails [data-model=tso]"), entered("#outcomes tr.fails [data-model=tso]"),
		all(wants(`fp.now.model`, "tso"), shows("#verdict", "violates"))},
	{"check", nil, clicks("#check"), keys("k"), shows("#answer .finding", "unsafe under TSO")},
	{"robust", nil, clicks("#robust"), keys("b"), shows("#answer .finding", "not robust against TSO")},
	{"fences", nil, clicks("#fences"), keys("n"), shows("#answer .diff", "+  fence;")},
	{"show the execution of an answer", keys("k"), clicks("#play"), entered("#play"), wants(cyclic, "true")},
	{"insert the fences of an answer", keys("n"), clicks("#apply"), entered("#apply"),
		wants(`fp.now.text.split("fence;").length + " " + document.querySelectorAll("#outcomes tr.weak").length`, "3 0")},
	{"cancel a search", endless, canceled(func(b *tab) { b.cancel("#cancel") }), canceled(func(b *tab) { b.Do(chromedp.KeyEvent(kb.Escape)); b.idle() }),
		shows("#answer", "Canceled")},
	{"compare models", keys("1", "1", "1", "1"), clicks("#tab-compare"), keys("c"),
		all(wants(`document.querySelectorAll("#compare tbody tr").length`, "4"), shows("#compare s", "r2 = x"), shows("#compare .bad", "reads 1 here"))},
	{"compare with another model", all(keys("1", "1", "c")), func(b *tab) {
		b.Do(chromedp.SetValue(chromedp.CSS("#other-model"), "pso"))
		eval[bool](b, `$("other-model").dispatchEvent(new Event("change"))`)
		b.idle()
	}, all(func(b *tab) { b.tabTo("#other-model") }, keys(kb.ArrowDown)),
		all(shows("#compare h3:last-child, #compare .side > :last-child h3", "PSO"), wants(`document.querySelectorAll("#compare s").length`, "0"))},
	{"go to a state of the graph", keys("g"), clicks(".state.final.weak circle"), entered(".state.final.weak"),
		all(shows("#verdict", "violates"), wants(`document.querySelector(".state.final.weak").classList.contains("now")`, "true"))},
	{"see the graph", nil, clicks("#tab-graph"), keys("g"),
		wants(`document.querySelectorAll(".state.final").length + " " + document.querySelectorAll(".state.final.weak").length`, "4 1")},
	{"see happens-before", keys("1", "g"), clicks("#tab-hb"), keys("h"), wants(`$("hb").hidden + " " + document.querySelectorAll("#relation .nd").length`, "false 1")},
	{"copy a link", keys("1"), copied("link"), keys("l"), wants(`fp.copied.includes("model=tso&run=0&src=")`, "true")},
	{"copy a drawing", keys("1"), copied("svg"), enteredCopy("svg"), wants(`fp.copied.startsWith("<svg")`, "true")},
	{"copy a picture", keys("1"), copied("png"), enteredCopy("png"), all(wants(`fp.copied.type + " " + (fp.copied.size > 1000)`, "image/png true"), wants(`fp.noticed()`, "good"))},
	{"copy for LaTeX", keys("1"), copied("tikz"), enteredCopy("tikz"), wants(`fp.copied.includes("\\begin{tikzpicture}") && fp.copied.includes("texttt{x = 1}")`, "true")},
	{"copy a table", keys("1"), copied("markdown"), enteredCopy("markdown"), wants(`fp.copied.includes("| 1 | `+"`x = 1`"+` |")`, "true")},
	{"copy a command line", keys("1"), copied("command"), enteredCopy("command"), wants(`fp.copied.includes("fencepost serve sb.fp --model tso --run 0)")`, "true")},
	{"see the keys", nil, clicks("#help"), keys("?"), wants(`$("keys").open`, "true")},
	{"turn the lights off", nil, clicks("#theme"), entered("#theme"), wants(`getComputedStyle(document.body).colorScheme + document.documentElement.dataset.theme`, "darkdark")},
	{"see where a thread is", keys("1"), clicks("[data-thread=t1] button.pos"), entered("[data-thread=t1] button.pos"),
		wants(`document.activeElement.id + $("text").value.slice($("text").selectionStart, $("text").selectionEnd)`, "textr1 = y")},
}

// TestFeatures: everything that the page offers, with the mouse and with the keyboard alone.
func TestFeatures(t *testing.T) {
	forms(t, func(t *testing.T, b *tab) {
		b.open("")
		for _, f := range features {
			for way, act := range map[string]func(*tab){"mouse": f.mouse, "keyboard": f.keyboard} {
				t.Run(f.name+" with the "+way, func(t *testing.T) {
					defer func(tb testing.TB) { b.TB = tb }(b.TB)
					b.TB = t
					b.begin()
					if f.before != nil {
						f.before(b)
					}
					act(b)
					f.after(b)
					b.Quiet()
				})
			}
		}
	})
}

// begin brings the page to what it shows first, without loading it anew, which takes long in the playground.
func (b *tab) begin() {
	b.TB.Helper()
	eval[bool](b, `(document.activeElement.blur(), $("keys").close(), ($("share-list").hidden = true), delete document.documentElement.dataset.theme, fp.tab("hb"), fp.app.open(fp.start.examples[0], "tso"), ($("examples").value = 0), fp.notice(""), delete fp.copied, delete fp.dialog, true)`)
	b.idle()
}

// tabTo goes with the Tab key to the first element that a selector means.
func (b *tab) tabTo(css string) {
	b.TB.Helper()
	const most = 300
	for range most {
		if eval[bool](b, `document.activeElement.matches(`+strconv.Quote(css)+`)`) {
			return
		}
		b.Do(chromedp.KeyEvent(kb.Tab))
	}
	b.TB.Fatalf("the Tab key does not reach %s", css)
}

// replace replaces the program.
func (b *tab) replace(text string) {
	b.TB.Helper()
	eval[bool](b, `($("text").value = `+strconv.Quote(text)+`, $("text").dispatchEvent(new Event("input")))`)
	if !strings.Contains(text, "while") {
		b.idle()
	}
}

// openFile answers the dialog that act opens with a file.
func openFile(act func(*tab)) func(*tab) {
	return func(b *tab) {
		b.TB.Helper()
		path := filepath.Join(b.TB.TempDir(), "mine.fp")
		if err := os.WriteFile(path, []byte("var z; thread only { z = 7; }\n"), 0o644); err != nil {
			b.TB.Fatal(err)
		}
		eval[bool](b, `(($("file").onclick = (e) => (e.preventDefault(), (fp.dialog = true))), true)`)
		act(b)
		b.Want(`fp.dialog`, "true")
		b.Do(chromedp.SetUploadFiles(chromedp.CSS("#file"), []string{path}))
		b.Until(`fp.now.name === "mine.fp"`)
		b.idle()
	}
}

// endless opens a program whose searches do not end.
func endless(b *tab) {
	b.TB.Helper()
	b.replace("var a, b, c, d, e;\nthread t1 { reg r; while (0 == 0) { a = a + 1; b = a + c; r = a; assert r >= 0; } }\nthread t2 { while (0 == 0) { b = b + 1; c = b + d; } }\nthread t3 { while (0 == 0) { c = c + 1; d = c + e; } }\n")
	b.Until(`document.querySelector("#outcomes-note button") !== null`)
	b.cancel("#outcomes-note button")
	b.Has("#outcomes", "Not searched")
}

// canceled begins a check, waits until it shows its progress, and ends it.
func canceled(end func(*tab)) func(*tab) {
	return func(b *tab) {
		b.TB.Helper()
		b.Do(chromedp.KeyEvent("k"))
		b.Until(`/ states?, \d+ s/.test((document.querySelector("#answer .progress") || {}).textContent)`)
		end(b)
	}
}

func copied(kind string) func(*tab) { return clicks("#share", "[data-copy="+kind+"]") }

func enteredCopy(kind string) func(*tab) { return entered("#share", "[data-copy="+kind+"]") }
