package text_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"fencepost/internal/render/text"
	"fencepost/verdict"
)

// hazard is the execution of a C program with three threads, a block of the heap and a set-up.
func hazard() *verdict.Result {
	r := threads("main", "reader", "writer")
	r.w.Blocks = []verdict.Block{{Name: "node#1", By: "malloc", Step: 0, Pos: &verdict.Pos{File: "dir/prog.c", Line: 54}}}
	r.add(0, verdict.StepExec, 54, "n = malloc(sizeof *n)", "", 0)
	r.flush(r.store(0, 55, "n->value = value", "node#1.value", 42))
	r.flush(r.store(0, 56, "atomic_store_explicit(&head, n, memory_order_release)", "head", 1))
	for i := range 2 {
		r.add(0, verdict.StepExec, 58+i, "pthread_create(&t, NULL, start, NULL)", "", 0).Other = 2 + i
	}
	r.load(1, 21, "p = atomic_load_explicit(&head, memory_order_acquire)", "head", 1).Points = "&node#1"
	hazard := r.store(1, 22, "atomic_store_explicit(&hazard, p, memory_order_release)", "hazard", 1)
	r.w.Steps[hazard].Points = "&node#1"
	r.load(1, 23, "p != atomic_load_explicit(&head, memory_order_acquire)", "head", 1).Points = "&node#1"
	swap := r.add(2, verdict.StepRMW, 47, "old = atomic_exchange(&head, fresh)", "head", 1)
	swap.Points, swap.Wrote, swap.WrittenPoints = "&node#1", true, "null"
	r.load(2, 48, "atomic_load(&hazard) != old", "hazard", 0).Points = "null"
	free := r.store(2, 49, "free(old)", "node#1", 0)
	r.w.Steps[free].Free = true
	r.flush(free)
	r.w.Steps[len(r.w.Steps)-1].Free = true
	r.fail(1, 35, "v = p->value", "use-after-free: node#1.value, freed at prog.c:49")
	res := unsafe("tso", "use-after-free: node#1.value, freed at prog.c:49", 35, r)
	res.Cause = &verdict.Cause{Kind: verdict.CauseDelay, Thread: "reader", First: hazard, Second: hazard + 1,
		Words: []string{"reader's store hazard = &node#1 (prog.c:22) was still in its store buffer when it read head = &node#1 from memory (prog.c:23)."}}
	return res
}

// TestWidths: no line is wider than the terminal, but for the first, which a terminal wraps, and the
// layout at usual widths is as expected.
func TestWidths(t *testing.T) {
	for _, width := range []int{80, 100, 140, 200} {
		for name, r := range map[string]*verdict.Result{"hazard": hazard(), "many-buffered": goldenCases()["many-buffered"], "five-threads": goldenCases()["five-threads"]} {
			var out bytes.Buffer
			text.Result(&out, r, text.Options{Width: width})
			for i, line := range strings.Split(out.String(), "\n") {
				if n := utf8.RuneCountInString(line); n > width && i > 0 {
					t.Errorf("%s at %d columns: line %d has %d: %s", name, width, i+1, n, line)
				}
			}
			golden(t, fmt.Sprintf("%s-%d.txt", name, width), out.Bytes())
		}
	}
}

// TestHostileNames: what the input says never steers the terminal, in no part of an answer.
func TestHostileNames(t *testing.T) {
	const bad = "\x1b[2J\x07</script>\r\n\u202e\"';\x00\x9b31m"
	r := hazard()
	r.Program, r.Reason, r.Model = "dir/"+bad+".c", bad+r.Reason, "tso"
	r.By, r.Engine = bad, "explicit"
	r.Next, r.FinalStates, r.LeftOut = []string{bad}, []string{bad}, []string{bad}
	r.Warnings = []verdict.Warning{{Code: "FP0001", Message: bad, Pos: &verdict.Pos{File: bad, Line: 1}}}
	r.Relies = []verdict.Reliance{{Kind: "fence", Pos: &verdict.Pos{File: bad, Line: 2}, Without: bad}}
	r.Cause.Words = []string{bad}
	r.Cause.Nodes = []verdict.TraceNode{{Text: bad}, {Text: bad}}
	r.Cause.Cycle = []verdict.TraceEdge{{From: 0, To: 1, Kind: "po"}, {From: 1, To: 0, Kind: "cf"}}
	w := r.Witness
	for i := range w.Threads {
		w.Threads[i] += bad
	}
	w.Blocks[0].Name, w.Blocks[0].By, w.Blocks[0].Pos = "node#1"+bad, bad, &verdict.Pos{File: bad, Line: 3}
	for i := range w.Steps {
		s := &w.Steps[i]
		s.Text += bad
		s.Location += bad
		s.Stack = []string{bad, bad}
		if s.Points != "" {
			s.Points += bad
		}
		if s.Pos != nil {
			s.Pos.File += bad
		}
	}
	attack := &verdict.Attack{Thread: bad, StoreText: bad, LoadText: bad, Witness: w, StoreStep: 6, LoadStep: 7, Nodes: r.Cause.Nodes, Cycle: r.Cause.Cycle}
	robust := *r
	robust.Question, robust.Attacks, robust.Witness = verdict.Robustness, []verdict.Attack{*attack}, nil
	unknown := *r
	unknown.Verdict, unknown.Witness = verdict.Unknown, nil
	safe := unknown
	safe.Verdict = verdict.Safe
	var out bytes.Buffer
	for _, one := range []*verdict.Result{r, &robust, &unknown, &safe} {
		for _, full := range []bool{false, true} {
			text.Result(&out, one, text.Options{Full: full})
		}
	}
	text.Comparison(&out, []verdict.Result{*r, safe}, text.Options{})
	at := verdict.ProofInstruction{Thread: bad, Pos: &verdict.Pos{File: bad, Line: 1}, Text: bad}
	broken := &verdict.Break{Attack: attack}
	fence := verdict.Fence{Pos: &verdict.Pos{File: bad, Line: 1}, Kind: "full", Label: bad, Without: broken}
	repaired := safe
	repaired.Fences, repaired.Repair = []verdict.Fence{fence}, &verdict.Repair{For: "robustness", Before: broken, Elsewhere: []verdict.Fence{fence}, Optimal: [][]verdict.Fence{{fence}, {fence}}}
	proved := unknown
	proved.Proof = &verdict.Proof{
		Checks:  []verdict.ProofCheck{{ProofInstruction: at, What: bad, State: []verdict.ProofValue{{Name: bad, Value: bad}}, Missing: []verdict.ProofMissing{{ProofInstruction: at, Cond: bad, Fails: bad, Step: &at}}}, {ProofInstruction: at, Failure: bad}},
		Threads: []verdict.ProofThreads{{Name: bad}},
		Stores:  []verdict.ProofStore{{ProofInstruction: at, Repairs: []string{bad}}}, Invariants: []verdict.ProofInvariant{{ProofInstruction: at, Cond: bad, Fails: bad}},
		Abstractions: []verdict.ProofAbstraction{{ProofInstruction: at, Cond: bad, Found: true}}, Solver: "z3",
	}
	text.Result(&out, &repaired, text.Options{})
	text.Result(&out, &proved, text.Options{})
	proved.Verdict = verdict.ValueRobust
	text.Result(&out, &proved, text.Options{})
	text.Trace(&out, &verdict.Trace{Number: 1, Nodes: []verdict.TraceNode{{Text: bad}, {Text: bad}}, Cycle: r.Cause.Cycle, Edges: r.Cause.Cycle, Fails: []string{bad}, Witness: w})
	text.TraceSet(&out, &verdict.TraceSet{Program: bad, Model: "tso", Reason: bad}, false)
	asked := *r
	asked.Litmus = &verdict.Litmus{Name: bad, Condition: bad, Outcomes: []verdict.LitmusOutcome{{State: bad}}, Notes: []string{bad}}
	text.Litmus(&out, &asked, true)
	text.LitmusCompare(&out, &verdict.LitmusTest{Results: []verdict.Result{asked, asked}}, text.Options{})
	text.Bench(&out, &verdict.Bench{Doc: bad, Theirs: bad, Rows: []verdict.BenchRow{{Program: bad, Answer: bad, Note: bad, PaperCount: bad}}}, text.Options{})
	text.Diagnostic(&out, verdict.Diagnostic{Severity: verdict.SeverityError, Code: "C0001", Message: bad, Notes: []string{bad}, Help: []string{bad}, Pos: verdict.Pos{File: bad, Line: 1, Col: 1}}, text.Options{})
	out.WriteString(text.Headline(r) + text.Delay(w, "tso", verdict.Unsafe))
	for i, c := range out.String() {
		if c != '\n' && (unicode.IsControl(c) || c == '\u202e') {
			from := max(0, i-80)
			t.Fatalf("%q gets through: %q", c, out.String()[from:min(out.Len(), i+20)])
		}
	}
}
