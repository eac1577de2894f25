package explorer_test

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"fencepost/internal/explorer"
)

// TestSteps: click, number keys, back, forward, random walk, and a click in the history and on a chip.
func TestSteps(t *testing.T) {
	forms(t, func(t *testing.T, b *tab) {
		b.open("")
		b.Has("#steps", "goes into the store buffer")
		b.click(`[data-name="1"]`)
		b.Want(`fp.now.run.join()`, "1")
		b.Want(`document.querySelector(".thread[data-thread=t2] .chip").textContent`, "y = 13")
		b.press("1", "1")
		b.Want(`fp.now.run.join()`, "1,0,0")
		b.Has(`[data-thread=t1] [data-reg=r1]`, "r1 0")
		b.press(kb.ArrowLeft, kb.ArrowLeft)
		b.Want(`fp.now.run.join()`, "1")
		b.Want(`document.querySelectorAll("#history tr.later").length`, "2")
		b.press(kb.ArrowRight)
		b.Want(`fp.now.run.join()`, "1,0")
		b.click("#history tbody tr:nth-child(3) button")
		b.Want(`fp.now.run.join()`, "1,0,0")
		b.click(`[data-thread=t2] button.chip`)
		b.Want(`fp.now.run.join()`, "1,0,0,f1")
		b.Has(`.memory [data-cell=y]`, "y1")
		b.press("w")
		b.Want(`fp.now.answer.state.end`, "final")
		b.Has("#verdict", "inal state")
		b.press(kb.Home)
		b.Want(`fp.now.run.length`, "0")
	})
}

// TestModels: the run is taken again under another model; PSO has a queue per variable, SC none.
func TestModels(t *testing.T) {
	forms(t, func(t *testing.T, b *tab) {
		b.open("")
		b.example("mp.fp")
		b.Want(`document.querySelectorAll("#outcomes tr.weak").length`, "1") // PSO alone has it
		b.press("m")
		b.Want(`fp.now.model`, "pso")
		b.press("1", "1")
		b.Want(`[...document.querySelectorAll("[data-thread=writer] .queue")].map((q) => q.dataset.cell).join()`, "data,flag")
		b.click(`[data-thread=writer] [data-cell=flag] button.chip`)
		b.press("1", "1")
		b.Want(`document.body.classList.contains("cyclic")`, "true")
		b.Picture("pso")
		b.press("c")
		b.Want(`document.querySelectorAll("#compare s").length > 0`, "true")
		b.Picture("compare")
		b.press("m")
		b.Want(`fp.now.model + document.querySelectorAll("#machine .chip").length`, "sc0")
	})
}

// TestC11Button: the answers under C11's own model, and the steps of a graph.
func TestC11Button(t *testing.T) {
	forms(t, func(t *testing.T, b *tab) {
		b.open("")
		b.example("mp.fp")
		b.click("#c11")
		b.Has("#answer", "not robust")
		b.Has("#answer", "no steps can be taken under it")
		b.Has("#answer", "not under SC")
		b.Want(`document.querySelector("#answer .graph-steps li.now").textContent === document.querySelector("#answer .graph-steps li").textContent`, "true")
		b.click("#answer .graph-steps button:nth-child(2)")
		b.Want(`document.querySelector("#answer .graph-steps li:nth-child(2)").className`, "now")
	})
}

// TestSearchButtons: check, robust and fences, run to the violation, apply a patch, cancel.
func TestSearchButtons(t *testing.T) {
	forms(t, func(t *testing.T, b *tab) {
		b.open("")
		b.click("#check")
		b.Has("#answer .finding", "unsafe under TSO")
		b.click("#play")
		b.Has("#verdict", "violates")
		b.press(kb.Home, "v")
		b.Has("#verdict", "violates")
		b.press("n")
		b.Has("#answer", "2 fences make it robust")
		b.Picture("fences")
		b.click("#apply")
		b.Want(`fp.now.text.split("fence;").length + " " + document.querySelectorAll("#outcomes tr.weak").length`, "3 0")
		eval[bool](b, `fp.editor.set(""), true`)
		b.write("var a, b, c, d, e;\nthread t1 { reg r; while (0 == 0) { a = a + 1; b = a + c; r = a; assert r >= 0; } }\nthread t2 { while (0 == 0) { b = b + 1; c = b + d; } }\nthread t3 { while (0 == 0) { c = c + 1; d = c + e; } }\n")
		b.Do(chromedp.KeyEvent(kb.Escape))
		b.Until(`fp.now.text === document.querySelector("#text").value && document.querySelector("#outcomes-note button") !== null`) // of the whole text
		b.cancel("#outcomes-note button")
		b.Has("#outcomes", "Not searched")
		b.Do(chromedp.KeyEvent("k"))
		b.Until(`document.querySelector("#cancel") !== null`)
		b.cancel("#cancel")
		b.Has("#answer", "Canceled")
		b.press("1")
		b.Want(`fp.now.run.length > 0`, "true")
	})
}

// TestEditor: messages while typing, and a file of the user.
func TestEditor(t *testing.T) {
	forms(t, func(t *testing.T, b *tab) {
		b.open("")
		eval[bool](b, `fp.editor.set(""), true`)
		b.write("var x;\nthread t { x = ; }\n")
		b.Want(`document.body.classList.contains("broken") + document.querySelector("#diagnostics li").className`, "trueerror")
		b.Want(`document.querySelectorAll("#marks .wrong").length > 0`, "true")
		b.Has("#diagnostics", "line 2")
		b.Picture("broken")
		path := filepath.Join(t.TempDir(), "mine.fp")
		if err := os.WriteFile(path, []byte("var z; thread only { z = 7; }\n"), 0o644); err != nil {
			t.Fatal(err)
		}
		b.Do(chromedp.SetUploadFiles(chromedp.CSS("#file"), []string{path}))
		b.Until(`fp.now.name === "mine.fp"`)
		b.idle()
		b.Has("#steps", "z = 7")
	})
}

// TestGraph: the states of store buffering; the one outcome that SC does not have is outlined; a click goes there.
func TestGraph(t *testing.T) {
	forms(t, func(t *testing.T, b *tab) {
		b.open("")
		b.press("1", "g")
		b.Want(`document.querySelectorAll(".state.final").length + " " + document.querySelectorAll(".state.final.weak").length`, "4 1")
		b.Want(`document.querySelectorAll(".state.now").length`, "1")
		b.Picture("graph")
		eval[bool](b, `document.querySelector(".state.final.weak").focus(), true`)
		b.press(kb.Enter)
		b.Has("#verdict", "violates")
		b.Want(`document.querySelector(".state.final.weak").classList.contains("now")`, "true")
	})
}

// TestLinks: a link leads to the same state; a forged one, one of a newer version and a broken one are refused.
func TestLinks(t *testing.T) {
	forms(t, func(t *testing.T, b *tab) {
		b.open("")
		b.press("1", "1", "2", "l")
		link := eval[string](b, `fp.copied`)
		if eval[bool](b, `fp.start.form === "server" && !!(fp.remote.token = "secret")`) {
			b.press("l")
			b.Has("#notice", "without the token of this server")
			if copied := eval[string](b, `fp.copied`); strings.Contains(copied, "secret") {
				t.Errorf("the link has the token: %s", copied)
			}
		}
		fragment := link[strings.Index(link, "#"):]
		b.open(fragment)
		b.Want(`fp.now.run.join() + $("notice").hidden`, "0,0,f0true")
		for forged, why := range map[string]string{
			strings.Replace(fragment, "run=0,0,f0", "run=0,f1", 1): "step 2",
			strings.Replace(fragment, "run=0,0,f0", "run=0,9", 1):  "step 2",
			strings.Replace(fragment, "v=1", "v=2", 1):             "newer version",
			strings.Replace(fragment, "src=", "src=AAAA", 1):       "cannot be read",
			strings.Replace(fragment, "model=tso", "model=arm", 1): "no memory model",
			fragment + "&extra=1":                                  "newer version",
		} {
			b.open(forged)
			b.Has("#notice", "This link is refused")
			b.Has("#notice", why)
			b.Want(`fp.now.run.length`, "0")
		}
		b.open(fragment)
		for kind, part := range map[string]string{"svg": "<svg", "markdown": "| step | t1 | t2 |", "command": "fencepost serve sb.fp --model tso --run 0,0,f0)", "litmus": "X86_64 sb", "c": "pthread_create("} {
			eval[bool](b, `(document.querySelector('[data-copy=`+kind+`]').click(), true)`)
			b.idle()
			if got := eval[string](b, `fp.copied`); !strings.Contains(got, part) {
				t.Errorf("%s: %s", kind, got)
			}
		}
	})
}

// TestEditorKeys: keys that are commands elsewhere are text in the editor, and Escape leads out of it.
func TestEditorKeys(t *testing.T) {
	forms(t, func(t *testing.T, b *tab) {
		b.open("")
		b.press("e")
		b.Want(`document.activeElement.id`, "text")
		before := eval[int](b, `$("text").value.length`)
		b.press("1", "w")
		b.Want(`$("text").value.length`, strconv.Itoa(before+2))
		b.Want(`fp.now.run.length`, "0")
		b.press(kb.Escape)
		b.Want(`document.activeElement === document.body`, "true")
	})
}

// TestFocus: a user without a mouse goes on where the focus is, although what is shown has changed.
func TestFocus(t *testing.T) {
	forms(t, func(t *testing.T, b *tab) {
		b.open("")
		b.tabTo("#steps button")
		for range 4 {
			b.press(kb.Enter)
		}
		b.Want(run, "0,0,1,1")
		b.Want(`document.activeElement.closest("#steps") !== null`, "true")
		b.tabTo("#history button")
		b.press(kb.Enter)
		b.Want(run, "0")
		b.Want(`document.activeElement.closest("#history") !== null`, "true")
	})
}

// TestGrowth: with every step the history, the relation and the marks in the program follow.
func TestGrowth(t *testing.T) {
	forms(t, func(t *testing.T, b *tab) {
		b.open("")
		marks := `[...document.querySelectorAll("#gutter .line.at")].map((l) => l.textContent).join()`
		b.Want(marks, "t17,t213")
		b.Want(`[...document.querySelectorAll("#marks .here")].map((m) => m.textContent).join()`, "x = 1,y = 1")
		for i, want := range []struct{ marks, bars, cyclic string }{
			{"t18,t213", "x=1", "false"},
			{"t213", "x=1", "false"},
			{"t214", "x=1 y=1", "false"},
			{"", "x=1 y=1", "true"},
		} {
			b.press("1")
			n := strconv.Itoa(i + 1)
			b.Want(marks, want.marks)
			b.Want(`document.querySelectorAll("#history tbody tr").length`, n)
			b.Want(`document.querySelectorAll("#relation .nd").length`, n)
			b.Want(`[...document.querySelectorAll("#history .lane.starts")].map((l) => l.textContent).join(" ")`, want.bars)
			b.Want(cyclic, want.cyclic)
			b.Want(`document.querySelectorAll("#relation .ed.c").length > 0`, want.cyclic)
		}
		b.Has("#cause", "x = 1")
		b.Want(`document.querySelectorAll("#history .lane.delayed").length > 0`, "true")
	})
}

// TestReasons: a thread that cannot go on says why, and so does a step that is possible.
func TestReasons(t *testing.T) {
	forms(t, func(t *testing.T, b *tab) {
		b.open("")
		b.replace("var x, y;\nthread t1 { reg r; x = 1; fence; y = 1; r = x; }\nthread t2 { reg s; await y == 1; s = x; }\n")
		b.Has(".step.blocked", "t2")
		b.Has(".step.blocked", "waits: y is 0")
		b.press("1")
		b.Has("#steps", "waits: buffer not empty")
		b.Has(`[data-name="f0"]`, "let x = 1 reach memory")
		b.press("1")
		b.Has(`[data-name="0"]`, "the buffer is empty")
		b.press("1", "1")
		b.Has(`[data-name="0"]`, "will read 1 from memory")
		b.Has("#steps", "waits: y is 0")
		b.replace("var x, y;\nthread t { x = 1; atomic { x = 2; y = 1; } }\nthread u { reg r; x = 5; r = x; }\n")
		b.press("2")
		b.Has(`[data-name="1"]`, "will read 5 from its own store buffer")
	})
}

// TestOutcomeRows: a click on every cell of the table replays an execution with that final state under that model.
func TestOutcomeRows(t *testing.T) {
	forms(t, func(t *testing.T, b *tab) {
		for name, cells := range map[string]int{"sb.fp": 3 + 4 + 4, "mp.fp": 3 + 3 + 4, "sb.litmus": 3 + 4 + 4} {
			b.open("")
			b.example(name)
			n := eval[int](b, `document.querySelectorAll("#outcomes tr[data-state] button").length`)
			if n != cells {
				t.Errorf("%s: %d cells, want %d", name, n, cells)
			}
			for i := range n {
				got := eval[string](b, `((cell) => (cell.click(), cell.dataset.model + " " + cell.closest("tr").dataset.state))(document.querySelectorAll("#outcomes tr[data-state] button")[`+strconv.Itoa(i)+`])`)
				b.idle()
				b.Want(`fp.now.model + " " + fp.now.answer.state.final`, got)
				b.Want(`document.querySelector("#outcomes tr.now").dataset.state`, strings.SplitN(got, " ", 2)[1])
			}
		}
	})
}

// TestParts: the playground loads C when a program in C is opened, and not before.
func TestParts(t *testing.T) {
	forms(t, func(t *testing.T, b *tab) {
		b.open("")
		b.press("1", "k")
		b.example("sb.litmus")
		b.Has("#steps", "MOV")
		if b.playground {
			b.Want(`fp.local.part()`, "small")
		}
		b.example("dekker.c")
		b.Has("#machine", "flag[0]")
		b.Want(`document.querySelectorAll("#outcomes tbody tr").length > 0`, "true")
		if b.playground {
			b.Want(`fp.local.part()`, "whole")
		}
		b.Want(`$("notice").hidden`, "true")
		b.press("v")
		b.Has("#verdict", "assert")
		b.example("sb.fp")
		b.press("1", "1")
		b.Want(`fp.now.run.join()`, "0,0")
	})
}

// example opens an example, by the name of its file.
func (b *tab) example(name string) {
	b.TB.Helper()
	if !eval[bool](b, `((at) => at >= 0 && (($("examples").value = at), $("examples").dispatchEvent(new Event("change")), true))(fp.start.examples.findIndex((p) => p.name === "`+name+`"))`) {
		b.TB.Fatalf("no example %s", name)
	}
	b.idle()
	b.Want(`fp.now.name`, name)
}

// TestStartWithRun: the page begins with the program, the model and the run that the command line names, and refuses a
// run that is not possible.
func TestStartWithRun(t *testing.T) {
	program := &explorer.Program{Name: "mine.fp", Title: "mine.fp", Text: "var x; thread t { x = 1; x = 2; }"}
	b := newTab(t, server(t, explorer.Start{Program: program, Model: "pso", Run: []string{"0", "0", "f0"}}), "")
	b.open("")
	b.Want(`fp.now.model + fp.now.run.join()`, "pso0,0,f0")
	b.Quiet()
	b = newTab(t, server(t, explorer.Start{Program: program, Run: []string{"f0"}}), "")
	b.open("")
	b.Has("#notice", "Refused: step 1")
	b.Want(`fp.now.run.length`, "0")
}

// write types into the editor.
func (b *tab) write(text string) {
	b.TB.Helper()
	b.Do(chromedp.SendKeys(chromedp.CSS("#text"), text))
	if !strings.Contains(text, "while") {
		b.idle()
	}
}

// cancel clicks a button while the page is busy, and waits until it is not.
func (b *tab) cancel(css string) {
	b.TB.Helper()
	eval[bool](b, `(document.querySelector("`+css+`").click(), true)`)
	b.idle()
}
