package text_test

import (
	"bytes"
	"strings"
	"testing"

	"fencepost/internal/render/text"
	"fencepost/verdict"
)

// TestProofAnswer: an answer begins with whether the program is proved, and then says for which threads and data.
func TestProofAnswer(t *testing.T) {
	at := func(line int, what string) verdict.ProofInstruction {
		return verdict.ProofInstruction{Thread: "w", Pos: &verdict.Pos{File: "p.c", Line: line, Col: 1}, Text: what}
	}
	load := at(4, "r = y")
	r := verdict.Result{Program: "p.c", Model: "tso", Verdict: verdict.ValueRobust, Details: verdict.Details{Proof: &verdict.Proof{
		Threads:    []verdict.ProofThreads{{Name: "main", Number: 1}, {Name: "w", Any: true}, {Name: "v", Number: 2}},
		Arithmetic: verdict.ProofExact, MaxThreads: 1000,
		Stores: []verdict.ProofStore{
			{ProofInstruction: at(3, "x = 1"), By: verdict.ByRight, Loads: []verdict.ProofLoad{{ProofInstruction: load, Crosses: []verdict.ProofInstruction{at(7, "y = 1")}}}},
			{ProofInstruction: at(5, "z = 1"), By: verdict.ByLeft, Loads: []verdict.ProofLoad{{ProofInstruction: at(6, "r = x"), Blocks: []verdict.ProofPair{{}}}}},
		},
		Checks: []verdict.ProofCheck{{ProofInstruction: at(8, "assert(r)"), What: "assert(r)", Proved: true}, {ProofInstruction: at(9, "a[r] = 1"), What: "out-of-bounds", Failure: "out-of-bounds", Proved: true}},
	}}}
	show := func() string {
		var out bytes.Buffer
		text.Result(&out, &r, text.Options{})
		return out.String()
	}
	expect := func(what string, lines ...string) {
		t.Helper()
		got := show()
		for _, line := range lines {
			if !strings.Contains("\n"+got, "\n"+line) {
				t.Errorf("%s: no line begins with %q:\n%s", what, line, got)
			}
		}
	}
	expect("proved",
		"p.c: proved: both checks hold under TSO, and TSO and SC reach the same shared states\n",
		"  threads: main, any number of w, 2 of v; for up to 1,000 threads",
		"  data: all values, exactly as in the program\n",
		"  p.c:9  a[r] = 1: no out-of-bounds",
		"  p.c:3  x = 1   not needed  atomic: only right movers can overtake it: line 4",
		"  p.c:5  z = 1   left        atomic: no other thread accesses what it writes",
		"  p.c:4  r = y   right       the invariants make it commute with line 7",
	)
	if strings.Contains(show(), "p.c:6") {
		t.Errorf("a load that overtakes only left movers is shown:\n%s", show())
	}
	r.Proof.Abstractions = []verdict.ProofAbstraction{{ProofInstruction: load, Cond: "any value", Found: true, Sound: true}}
	r.Verdict = verdict.Abstracted
	expect("abstracted", "p.c: proved: both checks hold under TSO\n", "  the proof abstracts 1 instruction: ", "  p.c:4  r = y   right       abstracted to any value")
	c := &r.Proof.Checks[0]
	c.Proved, c.State = false, []verdict.ProofValue{{Name: "x", Value: "3"}}
	c.Missing = []verdict.ProofMissing{{ProofInstruction: at(8, ""), Cond: "x < 3", Proves: true, Fails: "is not kept by line 3 of w", Step: &load, State: []verdict.ProofValue{{Name: "x", Value: "2"}}}}
	r.Proof.Instances = 3
	expect("open", "p.c: not proved: 1 of 2 checks open\n", "  no execution with up to 3 threads",
		"      the invariants allow x = 3\n", "      it would be proved with x < 3 (p.c:8), which holds",
		"        and is not proved: it is not kept by line 3 of w (r = y), for example from x = 2\n")
	r.Verdict, r.Reason = verdict.Unknown, "2 stores are not shown to be atomic"
	expect("unknown", "p.c: not proved: 2 stores are not shown to be atomic\n")
}
