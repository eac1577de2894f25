package explorer_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"fencepost/internal/explorer"
)

// The deque of Chase and Lev without the fence in take, which fails only where stores are buffered: the assertion is
// about tasks that are done twice.
const deque = `#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
static atomic_long top, bottom;
static atomic_int tasks[4], done[4];
static int take(void) {
  long b = atomic_load_explicit(&bottom, memory_order_relaxed) - 1;
  atomic_store_explicit(&bottom, b, memory_order_relaxed);
  long t = atomic_load_explicit(&top, memory_order_relaxed);
  int x = 0;
  if (t <= b) {
    x = atomic_load_explicit(&tasks[b % 4], memory_order_relaxed);
    if (t == b && !atomic_compare_exchange_strong(&top, &t, t + 1)) x = 0;
  }
  return x;
}
static int steal(void) {
  long t = atomic_load(&top), b = atomic_load(&bottom);
  int x = 0;
  if (t < b) {
    x = atomic_load_explicit(&tasks[t % 4], memory_order_relaxed);
    if (!atomic_compare_exchange_strong(&top, &t, t + 1)) x = 0;
  }
  return x;
}
static void run(int x) { if (x) assert(atomic_fetch_add(&done[x], 1) == 0); }
static void *thief(void *arg) { run(steal()); run(steal()); return 0; }
int main(void) {
  pthread_t t;
  tasks[0] = 1, tasks[1] = 2, bottom = 2;
  pthread_create(&t, 0, thief, 0);
  run(take());
  pthread_join(t, 0);
  return 0;
}
`

// twoFail has an assertion that fails where stores are buffered, soon, and one that fails in any case, later.
const twoFail = `var x, y, f, g;
thread t1 { reg r, p;
  x = 1; r = y; f = 1 + r; p = g;
  assert r == 1 || p != 1;
  p = g; p = g; p = g;
  assert p != 2; }
thread t2 { reg s; y = 1; s = x; g = 1 + s; }
`

// TestAnswersAreAboutTheEditor: an answer is about the program that the editor shows, also where the user asks while
// another one is loaded, or right after typing.
func TestAnswersAreAboutTheEditor(t *testing.T) {
	forms(t, func(t *testing.T, b *tab) {
		b.open("")
		choose := `($("examples").value = fp.start.examples.findIndex((p) => p.name === "dekker.c"), $("examples").dispatchEvent(new Event("change")), `
		b.Want(choose+`$("check").disabled)`, "true") // a click does nothing
		b.idle()
		// Nor does one where a program comes while the one before is still on its way.
		b.Want(`(fp.app.open(fp.start.examples[0], "tso").then(() => (fp.early = $("check").disabled)), `+choose+`$("check").disabled))`, "true")
		b.idle()
		b.Want(`fp.early + " " + $("check").disabled + " " + fp.now.name`, "true false dekker.c")
		b.Want(`$("check").disabled + fp.now.name`, "falsedekker.c")
		b.begin()
		eval[bool](b, choose+`fp.answers.search("check"), true)`) // with the key
		b.idle()
		b.Has("#answer h3", "Check of dekker.c under TSO")
		b.Has("#answer .finding", "dekker.c: unsafe under TSO")
		b.begin()
		eval[bool](b, `($("text").value = "var z; thread only { z = 7; assert 0 == 1; }\n", $("text").dispatchEvent(new Event("input")), fp.answers.search("check"), true)`)
		b.idle()
		b.Has("#answer .finding", "assert")
	})
}

// TestFailingRows: the table of outcomes has a row for every way to fail, which leads to its execution.
func TestFailingRows(t *testing.T) {
	table := asked[*explorer.OutcomesAnswer](t, "outcomes", explorer.Request{Name: "deque.c", Text: deque})
	if len(table.Failures) != 1 || table.Failures[0].Line != 26 || len(table.Outcomes) == 0 {
		t.Fatalf("%+v %+v", table.Failures, table.Diagnostics)
	}
	for k, want := range []bool{false, true, true} {
		if c := table.Failures[0].Cells[k]; c.Reached != want || (c.Witness != nil) != want {
			t.Errorf("%s: %v", table.Models[k].Model, c.Reached)
		}
	}
	both := asked[*explorer.OutcomesAnswer](t, "outcomes", explorer.Request{Name: "p.fp", Text: "var x;\nthread a { assert x == 0; }\nthread b { x = 1;\nassert x == 0; }\n"})
	if len(both.Failures) != 2 {
		t.Errorf("%+v", both.Failures)
	}
	// Under TSO the assertion that fails first is another one than under SC.
	two := asked[*explorer.OutcomesAnswer](t, "outcomes", explorer.Request{Name: "p.fp", Text: twoFail})
	got := map[int][]bool{}
	for _, f := range two.Failures {
		for _, c := range f.Cells {
			got[f.Line] = append(got[f.Line], c.Reached && c.Witness != nil)
		}
	}
	if want := map[int][]bool{4: {false, true, true}, 6: {true, true, true}}; !reflect.DeepEqual(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	forms(t, func(t *testing.T, b *tab) {
		b.open("")
		b.replace(deque)
		b.Want(`document.querySelectorAll("#outcomes tr.fails").length`, "1")
		b.Has("#outcomes tr.fails th", "assertion fails")
		b.Want(`[...document.querySelectorAll("#outcomes tr.fails td")].map((c) => c.textContent).join()`, "–,yes ▸,yes ▸")
		b.click("#outcomes tr.fails [data-model=tso]")
		b.Has("#verdict", "assert")
	})
}

// TestOutcomesOfAnUnfinishedSearch: where a search found no end, the page says that there is none only if it saw all
// executions.
func TestOutcomesOfAnUnfinishedSearch(t *testing.T) {
	forms(t, func(t *testing.T, b *tab) {
		b.open("")
		for complete, want := range map[string]string{
			"true":  "No execution comes to an end.",
			"false": "No execution that was searched comes to an end.* not all executions of TSO were searched: time limit reached",
		} {
			eval[bool](b, `(fp.realAsk = fp.ask, fp.ask = async () => ({ models: [{ model: "tso", complete: `+complete+`, why: "time limit reached" }], outcomes: [], failures: [] }), true)`)
			eval[bool](b, `(fp.outcomes.search(true), true)`)
			b.idle()
			b.Until(`!!$("outcomes").textContent.startsWith("No execution")`)
			b.Want(`$("outcomes").textContent`, want)
			eval[bool](b, `(fp.ask = fp.realAsk, fp.outcomes.clear(), true)`)
		}
	})
}

// TestLanguages: C and litmus tests can be typed or pasted over a program in .fp; the language is guessed and shown, and
// can be chosen.
func TestLanguages(t *testing.T) {
	forms(t, func(t *testing.T, b *tab) {
		b.open("")
		shown := `$("language").selectedOptions[0].textContent`
		b.Want(shown, ".fp (by name)")
		b.replace(deque)
		b.Want(`fp.now.name + " " + `+shown, "program.c C (guessed)")
		b.Has("#machine", "thief")
		b.Want(`document.querySelectorAll("#marks .pp").length > 2 && document.querySelectorAll("#marks .kw").length > 9`, "true")
		b.replace("X86 SB\n{ }\n P0 | P1 ;\n MOV [x],$1 | MOV [y],$1 ;\n MOV EAX,[y] | MOV EAX,[x] ;\nexists (0:EAX=0 /\\ 1:EAX=0)\n")
		b.Want(`fp.now.name + " " + `+shown, "program.litmus litmus (guessed)")
		b.Has("#machine", "P0")
		b.replace("static int x;\nint")
		b.Want(`fp.now.name`, "program.c")
		b.replace("var x;\nthread t { x = 1; }\n")
		b.Want(`fp.now.name + document.querySelectorAll("#steps button").length`, "program.fp1")
		eval[bool](b, `($("language").value = "c", $("language").dispatchEvent(new Event("change")))`)
		b.idle()
		b.Want(`fp.now.name + " " + `+shown+` + document.body.classList.contains("broken")`, "program.c Ctrue")
		b.example("mp.fp")
		b.Want(shown, ".fp (by name)")
	})
}

// TestGuesses: the page guesses the language of every program of the corpus as the command line does by its name.
func TestGuesses(t *testing.T) {
	texts := map[string]string{}
	for _, dir := range []string{"../../examples", "examples", "../../testdata/litmus/mixed"} {
		list, err := os.ReadDir(dir)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range list {
			text, err := os.ReadFile(filepath.Join(dir, f.Name()))
			if ext := filepath.Ext(f.Name()); err == nil && strings.Contains(".c .fp .litmus .rmm", ext) && ext != "" {
				texts[f.Name()] = string(text)
			}
		}
	}
	if len(texts) < 30 {
		t.Fatalf("only %d programs", len(texts))
	}
	data, err := json.Marshal(texts)
	if err != nil {
		t.Fatal(err)
	}
	b := newTab(t, server(t, explorer.Start{}), "")
	b.open("")
	b.Want(`Object.entries(`+string(data)+`).filter(([name, text]) => fp.language.guess(text) !== fp.language.of(name)).map(([name, text]) => name + " " + fp.language.guess(text)).join()`, "")
}

// TestUndo: text, steps and inserted fences can be undone and done again; Back in the browser does the same, and no
// edit is lost when another program is opened.
func TestUndo(t *testing.T) {
	forms(t, func(t *testing.T, b *tab) {
		undo := func(id string) { b.TB.Helper(); b.click("#" + id) }
		control := func(key string) {
			b.TB.Helper()
			eval[bool](b, `(document.activeElement.dispatchEvent(new KeyboardEvent("keydown", { key: "`+key+`", ctrlKey: true, bubbles: true, cancelable: true })), true)`)
			b.idle()
		}
		fences := `fp.now.text.split("fence;").length - 1 + " " + ($("text").value === fp.now.text) + " " + fp.now.run.length`
		b.open("")
		b.press("1", "1", "1", "1", "f")
		b.Want(fences, "1 true 3")
		control("z")
		b.Want(fences, "0 true 4")
		b.Want(cyclic, "true")
		control("y")
		b.Want(fences, "1 true 3")
		undo("undo")
		undo("undo")
		b.Want(fences, "0 true 3")
		undo("redo")
		b.Want(fences, "0 true 4")
		b.replace("var mine;\nthread t { mine = 1; }\n")
		b.replace("var mine;\nthread t { mine = ; }\n")
		b.Want(`document.body.classList.contains("broken")`, "true")
		b.example("mp.fp")
		b.Has("#notice", "Your text is kept")
		eval[bool](b, `(history.back(), true)`)
		b.Until(`fp.now.text.includes("mine = ;")`)
		b.idle()
		b.Want(`$("text").value === fp.now.text`, "true")
		b.example("mp.fp")
		eval[bool](b, `($("text").focus(), true)`)
		control("z")
		b.Has("#diagnostics", "line 2")
		b.Want(`$("text").value.includes("mine = ;")`, "true")
		// Typed a moment before another program is opened.
		eval[bool](b, `($("text").value = "var late; thread t { late = 1; }", $("text").dispatchEvent(new Event("input")), fp.app.open(fp.start.examples[1], "tso"), true)`)
		b.idle()
		undo("undo")
		b.Want(`fp.now.text`, "var late; thread t { late = 1; }")
	})
}

// TestHistoryFits: at 1,280 pixels the history shows every thread of a program in C, with the labels of its stores.
func TestHistoryFits(t *testing.T) {
	four := strings.NewReplacer("pthread_t t;", "pthread_t t, u, v;", "pthread_create(&t, 0, thief, 0);", "pthread_create(&t, 0, thief, 0); pthread_create(&u, 0, thief, 0); pthread_create(&v, 0, thief, 0);").Replace(deque)
	forms(t, func(t *testing.T, b *tab) {
		b.open("")
		b.Size(1280, 900)
		for name, text := range map[string]string{"two": deque, "four": four} {
			b.replace(text)
			b.press("v")
			b.Want(`$("history").scrollWidth <= $("history").clientWidth`, "true")
			b.Want(`[...document.querySelectorAll("#history .lane.starts")].filter((l) => l.scrollWidth > l.clientWidth + 1).map((l) => l.textContent).join()`, "")
			// A thread without steps leaves its room to the others.
			b.Want(`((w) => w("1") > w("0"))((has) => Math.max(...[...document.querySelectorAll("#history col[data-want]")].filter((c) => (c.dataset.want > 0) === (has === "1")).map((c) => parseFloat(c.style.width)), 0))`, "true")
			b.Picture("history-" + name)
		}
	})
}
