package html_test

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"fencepost"
	"fencepost/internal/render/html"
	"fencepost/internal/render/relation"
	"fencepost/query"
	"fencepost/verdict"
)

// fenced is an answer about fences: Dekker needs two.
func fenced(t testing.TB) []verdict.Result {
	t.Helper()
	answer, err := fencepost.Fences(context.Background(), query.Input{Name: "sb.fp", Text: []byte(storeBuffering)}, query.FenceOptions{Options: query.Options{Workers: 1}})
	if err != nil || len(answer.Results) != 1 || len(answer.Results[0].Fences) == 0 {
		t.Fatalf("%v %+v", err, answer)
	}
	return answer.Results
}

// proved is a proof with open checks, of all kinds.
func proved() []verdict.Result {
	at := verdict.ProofInstruction{Thread: "t", Pos: &verdict.Pos{File: "p.fp", Line: 3, Col: 1}, Text: "x = 1"}
	state := []verdict.ProofValue{{Name: "x", Value: "1"}}
	return []verdict.Result{{Program: "p.fp", Question: "value-robustness", Model: "tso", Verdict: verdict.Unknown, Reason: "1 store is not shown to be atomic", Engine: "mover",
		Origin: verdict.Origin{Sources: map[string]string{"p.fp": "var x;\nthread t {\n  x = 1;\n}\n"}},
		Details: verdict.Details{Proof: &verdict.Proof{
			Stores: []verdict.ProofStore{{ProofInstruction: at, By: verdict.ByFlow}, {ProofInstruction: at, By: verdict.ByRight, Loads: []verdict.ProofLoad{{ProofInstruction: at}}},
				{ProofInstruction: at, Blocks: []verdict.ProofPair{{ProofInstruction: at, State: state}}, Loads: []verdict.ProofLoad{{ProofInstruction: at, Blocks: []verdict.ProofPair{{ProofInstruction: at, Vague: true}}}}, Repairs: []string{"a fence after x = 1"}}},
			Invariants:   []verdict.ProofInvariant{{Cond: "x >= 0", Found: true}, {ProofInstruction: at, Cond: "x == 2", Fails: "it does not hold at first", State: state}},
			Abstractions: []verdict.ProofAbstraction{{ProofInstruction: at, Cond: "x <= 1", Found: true, Sound: true}},
			Checks:       []verdict.ProofCheck{{ProofInstruction: at, What: "x == 1", Proved: true}, {ProofInstruction: at, What: "x == 0", State: state, Missing: []verdict.ProofMissing{{ProofInstruction: at, Cond: "x == 1", Proves: true, Fails: "is not kept by line 3 of t", Step: &at, State: state}}}},
			Obligations:  12, Queries: 3, Solver: "z3", Arithmetic: verdict.ProofIntegers,
		}}}}
}

// litmus is store buffering under three models, with an execution for every outcome, and IRIW, whose outcome no
// model has.
func litmus(t testing.TB) []verdict.Result {
	t.Helper()
	var all []verdict.Result
	for name, text := range map[string]string{
		"SB": "X86 SB\n{ }\n P0 | P1 ;\n MOV [x],$1 | MOV [y],$1 ;\n MOV EAX,[y] | MOV EAX,[x] ;\nexists (0:EAX=0 /\\ 1:EAX=0)\n",
		"MP": "X86 MP\n{ }\n P0 | P1 ;\n MOV [x],$1 | MOV EAX,[y] ;\n MOV [y],$1 | MOV EBX,[x] ;\nexists (1:EAX=1 /\\ 1:EBX=2)\n",
	} {
		test, err := fencepost.Litmus(context.Background(), query.Input{Name: name + ".litmus", Text: []byte(text)},
			query.LitmusOptions{Options: query.Options{Workers: 1}, Models: []query.Model{"sc", "tso", "pso"}, Witnesses: true, AllWitnesses: true})
		if err != nil || len(test.Results) != 3 {
			t.Fatalf("%s: %v %+v", name, err, test.Diagnostics)
		}
		if name == "SB" {
			all = append(test.Results, all...)
		} else {
			all = append(all, test.Results...)
		}
	}
	return all
}

func traceSet(t testing.TB) *verdict.TraceSet {
	t.Helper()
	var list []verdict.Trace
	answer, err := fencepost.Traces(context.Background(), query.Input{Name: "sb.fp", Text: []byte(storeBuffering)},
		query.TraceOptions{Options: query.Defaults(), Each: func(trace *verdict.Trace) { list = append(list, *trace) }})
	if err != nil || len(list) != 4 {
		t.Fatalf("%d traces: %v", len(list), err)
	}
	answer.Set.Traces = list
	return &answer.Set
}

func tracesPage(t testing.TB) string {
	t.Helper()
	var out bytes.Buffer
	if err := html.Traces(&out, traceSet(t), relation.HerdNames); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

func programTests(t testing.TB) []*verdict.ProgramTest {
	t.Helper()
	failed := ask(t, "sb.fp", storeBuffering, "tso")[0]
	all := []*verdict.ProgramTest{
		{File: "src/sb.fp", Outcomes: []verdict.TestOutcome{
			{Key: "sc", Want: "safe", Got: "safe", Status: verdict.TestPassed, Line: 1},
			{Key: "tso", Want: "safe", Got: "unsafe", Detail: failed.Reason, Status: verdict.TestFailed, Line: 1, Seconds: 0.1, Result: &failed}}},
		{File: "src/bad.fp", Problem: "there is no such answer", Line: 2},
		{File: "src/refused.c", Outcomes: []verdict.TestOutcome{{Key: "tso", Want: "safe", Detail: "not supported", Status: verdict.TestRefused, Line: 1}}},
	}
	for i := range 300 {
		all = append(all, &verdict.ProgramTest{File: fmt.Sprintf("src/deep/directory/of/programs/fine%d.fp", i), Outcomes: []verdict.TestOutcome{{Key: "tso", Want: "safe", Got: "safe", Status: verdict.TestPassed, Line: 1}}})
	}
	return all
}

func testsPage(t testing.TB) string {
	t.Helper()
	var out bytes.Buffer
	if err := html.Tests(&out, programTests(t), relation.HerdNames); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// evil tries to escape from its element, and has control characters.
const evil = `</script></style></title></template><script>window.hacked=1</script><img src=x onerror="window.hacked=1">"'` + "`${window.hacked=1}`<!--\x00\x1b[31m\u202e\n"

// hostileLists is the page of a run, of answers with fences and a proof, and of traces, with names that try to
// escape.
func hostileLists(t testing.TB) string {
	t.Helper()
	tests := programTests(t)[:3]
	r := fenced(t)[0]
	r.Fences[0].Label, r.Fences[0].Pos.File = evil, evil
	r.Repair.Patches[0].File, r.Repair.Patches[0].Diff = evil, "@@ -1,2 +1,2 @@\n-"+evil+"\n+"+evil
	r.Repair.Optimal = [][]verdict.Fence{{r.Fences[0]}, {r.Fences[0]}}
	proof := proved()[0]
	proof.Proof.Checks[0].What, proof.Proof.Invariants[0].Cond, proof.Proof.Stores[2].Repairs[0], proof.Proof.Solver = evil, evil, evil, evil
	other := litmus(t)[1]
	other.Litmus.Name, other.Litmus.Condition, other.Litmus.Outcomes[0].State = evil, evil, evil
	for i, r := range []*verdict.Result{&r, &proof, &other} {
		tests = append(tests, &verdict.ProgramTest{File: evil + ".fp", Problem: evil, Outcomes: []verdict.TestOutcome{{Key: evil, Want: evil, Got: evil, Detail: evil, Status: verdict.TestFailed, Line: i, Result: r}}})
	}
	var out, traces bytes.Buffer
	set := traceSet(t)
	set.Program, set.Reason = evil, evil
	for i := range set.Traces[0].Witness.Steps {
		set.Traces[0].Witness.Steps[i].Location = evil
	}
	if err := html.Tests(&out, tests, relation.HerdNames); err != nil {
		t.Fatal(err)
	}
	if err := html.Traces(&traces, set, relation.HerdNames); err != nil {
		t.Fatal(err)
	}
	for name, page := range map[string]string{"tests": out.String(), "traces": traces.String()} {
		if n := strings.Count(page, "<script"); n != 2 || strings.Contains(page, "<img") || strings.Contains(page, "ZgotmplZ") {
			t.Errorf("%s: %d scripts", name, n)
		}
	}
	return out.String()
}

// testAnswers: what the pages of the commands show beside the steps, and where their buttons lead.
func testAnswers(t *testing.T, b *browser) {
	text := func(selector string) string {
		return `document.querySelector("` + selector + `").textContent.replace(/\s+/g, " ").trim()`
	}
	results := fenced(t)
	b.open("fences", results)
	b.Want(text("h1"), fmt.Sprintf("%d fences make it robust against TSO", len(results[0].Fences)))
	b.Want(`document.querySelectorAll(".side.added").length`, fmt.Sprint(len(results[0].Fences)))
	b.Want(`document.querySelector(".side.added").textContent.includes("fence")`, "true")
	b.Do(chromedp.Click(chromedp.CSS(`[data-address="#r1e3"].go`)))
	b.Want(`location.hash`, "#r1e3s0")
	b.Want(text(".name"), "Without fence 2")

	b.open("proof", proved())
	b.Want(text("h1"), "not proved: 1 of 2 checks open")
	b.Want(`document.querySelectorAll(".proof .facts").length`, "5")

	b.open("litmus", litmus(t))
	b.Want(text("h1"), "observed under TSO")
	asked := `[...document.querySelectorAll(".is-asked td")].map(e => e.textContent).join(" ")`
	b.Want(asked, "asked for: exists (0:EAX=0 /\\ 1:EAX=0) – yes yes")
	b.Do(chromedp.Click(chromedp.CSS(`.is-other .go`)))
	b.Want(text("h1"), "not observed under SC")
	b.Want(`document.querySelectorAll(".row").length > 0`, "true")
	b.Do(chromedp.Click(chromedp.CSS(`.group:nth-child(2) .tab`)))
	b.Want(asked, "asked for: exists (1:EAX=1 /\\ 1:EBX=2) – – –")
	b.Size(400, 800)
	b.Want(`document.querySelector(".matrix td").clientWidth > 250`, "true") // words are not broken
	b.Size(1400, 1000)
	b.Media("print")
	b.Want(`getComputedStyle(document.querySelector(".matrix .go")).display !== "none"`, "true")
	b.Media("")

	b.open("freed", freed())
	b.Do(chromedp.KeyEvent(kb.End))
	b.Want(`[...document.querySelectorAll(".memory-row.freed")].map(e => e.textContent).join(" ")`, "node#1.valuefreed")
	b.address("#r1e1s2")
	b.Want(`document.querySelectorAll(".memory-row.freed").length + document.querySelector(".cells").textContent`, "0node#1.value42")
	b.Want(text(".blocks"), "node#1 is the block of malloc at f.c:1")

	b.load("traces", tracesPage(t))
	b.Want(`document.querySelectorAll(".trace").length + " " + document.querySelectorAll(".trace.cyclic").length`, "4 1")
	b.Do(chromedp.Click(chromedp.CSS(`#list .chip:nth-of-type(2)`)))
	b.Want(`document.querySelectorAll(".trace").length`, "1")
	b.Do(chromedp.Click(chromedp.CSS(`.trace`)))
	b.Want(`document.querySelector(".has-cycle").hidden === false`, "true")
	b.Do(chromedp.Click(chromedp.CSS(`#list .chip:nth-of-type(1)`)), chromedp.SendKeys(chromedp.CSS(".narrow-down"), "x=1 y=1"))
	b.Want(`document.querySelectorAll(".trace").length`, "1")

	b.load("tests", testsPage(t))
	b.Want(text("h1"), "3 not as expected")
	b.Want(`document.querySelectorAll(".test").length`, "3")
	b.Do(chromedp.Click(chromedp.CSS(`.test .go`)))
	b.Want(`location.hash`, "#r1e1s0")
	b.Want(text("main h1"), "unsafe under TSO")
	b.Do(chromedp.Click(chromedp.CSS(`#list .chip`)))
	b.Want(text("#list .left-out"), "")
	eval[bool](b, `dispatchEvent(new Event("beforeprint"))`)
	b.Want(`document.querySelector("#list .paper").textContent.split("\n").length`, "304")
	eval[bool](b, `dispatchEvent(new Event("afterprint"))`)
	b.Want(`document.querySelectorAll(".test").length < 60`, "true")
}

// testEndless: the steps that repeat for ever are one block at the end, marked where it begins, none of them folded
// together with a step before it.
func testEndless(t *testing.T, b *browser) {
	const text = "var x, y;\nthread w { y = 1; }\nthread r { reg a; while (a != 1) { a = x; } }\n"
	answer, err := fencepost.Check(context.Background(), query.Input{Name: "a.fp", Text: []byte(text)}, query.CheckOptions{Options: query.Options{Workers: 1}, Endless: query.Endless{Liveness: query.LivenessSpin}})
	if err != nil || len(answer.Results) != 1 || answer.Results[0].Witness == nil {
		t.Fatalf("%v %+v", err, answer)
	}
	w := answer.Results[0].Witness
	if w.Repeats == 0 || w.Repeats == len(w.Steps) {
		t.Fatalf("%d of %d steps repeat", w.Repeats, len(w.Steps))
	}
	b.open("endless", answer.Results)
	b.Want(`document.querySelectorAll(".row.again").length > 0`, "true")
	b.Want(`document.querySelectorAll(".row:not(.again)").length > 0`, "true")
	b.Want(`document.querySelectorAll(".row.again ~ .row:not(.again)").length`, "0")
	b.Want(`[...document.querySelectorAll(".row .num")].filter(n => n.textContent.startsWith("↻")).length`, "1")
	b.Want(`document.querySelector(".row.again .num").textContent.startsWith("↻")`, "true")
	b.Want(`parseInt(document.querySelector(".row.again .num").textContent.slice(2))`, fmt.Sprint(len(w.Steps)-w.Repeats+1))
	b.Want(`[...document.querySelectorAll(".row.again .ev")].every(e => e.title.endsWith("repeats for ever"))`, "true")
	b.Want(`getComputedStyle(document.querySelector(".row.again")).boxShadow !== getComputedStyle(document.querySelector(".row:not(.again)")).boxShadow`, "true")
}

// benchPage is the page of tables of papers, with a name that tries to escape.
func benchPage(t testing.TB) string {
	t.Helper()
	list := []verdict.Bench{{Name: "table", Doc: evil, Count: "states", Theirs: evil, Rows: []verdict.BenchRow{
		{Program: "Dekker", Source: "corpus/dekker", Model: "tso", Answer: "unsafe", PaperAnswer: "unsafe", Count: 1234567, PaperCount: "12", Seconds: 0.25, PaperSeconds: "14.2"},
		{Program: evil, Source: evil, Model: "pso", Answer: "safe", PaperAnswer: "unsafe", Seconds: 0.1, PaperSeconds: "0.1"},
		{Program: "family", N: 3, Answer: "unknown", Note: evil}, {Program: "other", N: 3, Seconds: 1}, {Program: "other", N: 30, Seconds: 10},
	}}}
	var out bytes.Buffer
	if err := html.Bench(&out, list); err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(out.String(), "<script"); n != 1 || strings.Contains(out.String(), "<img") {
		t.Errorf("%d scripts", n)
	}
	return out.String()
}

// freed is an execution that frees a block and accesses it then.
func freed() []verdict.Result {
	block := []verdict.Access{{Addr: 4096, Size: 16, Wrote: true}}
	pos := &verdict.Pos{File: "f.c", Line: 1, Col: 1}
	w := &verdict.Witness{
		Threads: []string{"main"}, Blocks: []verdict.Block{{Name: "node#1", By: "malloc", Pos: pos}},
		Steps: []verdict.Step{
			{Kind: verdict.StepExec, Of: -1, Instruction: verdict.Instruction{Pos: pos, Text: "n = malloc(16)"}, Sync: verdict.Sync{Accesses: block}},
			{Kind: verdict.StepStore, Of: -1, Instruction: verdict.Instruction{Pos: pos, Text: "n->value = 42"}, Edge: 1, Addr: 4096, Size: 4, Location: "node#1.value", Data: verdict.Data{Value: 42}},
			{Kind: verdict.StepStore, Of: -1, Instruction: verdict.Instruction{Pos: pos, Text: "free(n)"}, Edge: 2, Addr: 4096, Location: "node#1", Free: true, Sync: verdict.Sync{Accesses: block}},
			{Kind: verdict.StepFail, Of: -1, Instruction: verdict.Instruction{Pos: pos, Text: "n->value"}, Edge: 3, Note: "use-after-free: node#1.value"},
		},
	}
	return []verdict.Result{{Program: "f.c", Question: "use-after-free", Model: "tso", Verdict: verdict.Unsafe, Reason: "use-after-free: node#1.value", Witness: w, Origin: verdict.Origin{Sources: map[string]string{"f.c": "n = malloc(16); n->value = 42; free(n); n->value;\n"}}}}
}
