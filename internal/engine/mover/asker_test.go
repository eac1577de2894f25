package mover_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"fencepost/internal/engine/mover"
	"fencepost/internal/solver/smt"
	"fencepost/query"
	"fencepost/verdict"
)

const passing = "var x, y; thread s * n { y = 42; x = 1; } thread r * n { reg r; await x == 1; r = y; assert r == 42; }"

// second puts a program with the name of a solver first into PATH: z3, with a filter on what it answers.
func second(t *testing.T, filter string) {
	t.Helper()
	s, err := smt.StartNamed(context.Background(), "z3", smt.Limit{})
	if err != nil {
		t.Skipf("notice: %v", err)
	}
	s.Close()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "cvc5"), []byte("#!/bin/sh\nz3 -in -smt2 | "+filter+"\n"), 0o777); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir+string(os.PathListSeparator)+os.Getenv("PATH"))
}

// TestSecondSolver: what a second solver confirms is counted, and of what it contradicts nothing follows.
func TestSecondSolver(t *testing.T) {
	second(t, "cat")
	out := prove(t, passing, mover.Options{CheckWith: "cvc5"})
	if c := out.Proof.CheckedWith; out.Verdict != verdict.ValueRobust || c == nil || c.Confirmed == 0 || c.Confirmed != out.Proof.Queries || c.Open+c.Disputed != 0 {
		t.Errorf("%s %q, %+v of %d", out.Verdict, out.Reason, c, out.Proof.Queries)
	}
	second(t, "sed -u s/unsat/unknown/")
	out = prove(t, passing, mover.Options{CheckWith: "cvc5"})
	if c := out.Proof.CheckedWith; out.Verdict != verdict.ValueRobust || c.Open == 0 || c.Disputed != 0 {
		t.Errorf("a solver that gives no answer: %s %q, %+v", out.Verdict, out.Reason, c)
	}
	second(t, "sed -u s/unsat/sat/")
	out = prove(t, passing, mover.Options{CheckWith: "cvc5"})
	if c := out.Proof.CheckedWith; out.Verdict != verdict.Unknown || !strings.Contains(out.Reason, "z3 and cvc5 contradict each other") || c.Disputed == 0 {
		t.Errorf("a solver that contradicts: %s %q, %+v", out.Verdict, out.Reason, c)
	}
}

// TestRealSecondSolver: cvc5 agrees with z3.
func TestRealSecondSolver(t *testing.T) {
	needsSolver(t)
	flat, props := parse(t, passing)
	out, err := mover.Prove(context.Background(), flat, props, mover.Options{CheckWith: "cvc5"})
	if missing := (*mover.SolverMissing)(nil); errors.As(err, &missing) {
		t.Skipf("notice: %v", err)
	}
	if err != nil || out.Verdict != verdict.ValueRobust || out.Proof.CheckedWith.Disputed != 0 || out.Proof.CheckedWith.Confirmed == 0 {
		t.Errorf("%v, %+v", err, out)
	}
}

// TestQuestionsStandAlone: the text of every question has the answer that it states.
func TestQuestionsStandAlone(t *testing.T) {
	needsSolver(t)
	var list []query.SMTQuestion
	out := prove(t, passing, mover.Options{Questions: func(q query.SMTQuestion) { list = append(list, q) }})
	if len(list) == 0 || len(list) != out.Proof.Queries {
		t.Fatalf("%d questions, %d counted", len(list), out.Proof.Queries)
	}
	seen := map[string]bool{}
	for i, q := range list {
		if seen[q.Status] = true; q.Number != i+1 || !strings.Contains(q.Text, "(set-info :status "+q.Status+")") {
			t.Errorf("question %d is number %d, %s:\n%s", i+1, q.Number, q.Status, q.Text)
		}
		if i%7 != 0 {
			continue
		}
		file := filepath.Join(t.TempDir(), "question.smt2")
		if err := os.WriteFile(file, []byte(q.Text), 0o600); err != nil {
			t.Fatal(err)
		}
		answer, err := exec.Command(out.Proof.Solver, file).CombinedOutput()
		if err != nil || strings.TrimSpace(string(answer)) != q.Status {
			t.Errorf("%s %v, want %s:\n%s", answer, err, q.Status, q.Text)
		}
	}
	if !seen["sat"] || !seen["unsat"] {
		t.Errorf("answers: %v", seen)
	}
}

// TestStoredProofs: a proof is proved again with its own invariants and abstractions, and one without the invariants
// that it needs is not.
func TestStoredProofs(t *testing.T) {
	ticket := `var n, s, x; thread w * n { reg t, u, v; t = fetch_add(n, 1); await s == t; v = x; assert v == 0; x = 1; x = 0; u = s; s = u + 1; }`
	abstracted := "var x, y; thread foo { reg r2; x = 1; r2 = y; assert r2 < 2; } thread bar { reg r1; do { r1 = x; y = 1; } while (r1 == 0); }"
	for _, text := range []string{passing, ticket, abstracted} {
		first := prove(t, text, mover.Options{Reach: reach(5000)})
		if first.Verdict == verdict.Unknown || first.Proof.Open() > 0 {
			t.Fatalf("%s %q\n%s", first.Verdict, first.Reason, text)
		}
		again := prove(t, text, mover.Options{Stored: first.Proof})
		if again.Verdict != first.Verdict || again.Proof.Open() > 0 || again.Proof.Queries > first.Proof.Queries ||
			fmt.Sprint(again.Proof.Abstractions) != fmt.Sprint(first.Proof.Abstractions) {
			t.Errorf("again: %s %q, %d questions instead of %d\n%s", again.Verdict, again.Reason, again.Proof.Queries, first.Proof.Queries, text)
		}
		without := *first.Proof
		without.Invariants, without.Abstractions = nil, nil
		if out := prove(t, text, mover.Options{Stored: &without}); out.Verdict != verdict.Unknown && out.Proof.Open() == 0 {
			t.Errorf("proved without its invariants\n%s", text)
		}
	}
}

// TestStoredLies: conditions that are none, and forms that fit no program, prove nothing.
func TestStoredLies(t *testing.T) {
	text := "var x; thread w * n { reg r; r = x; x = 1; assert r == 0; }"
	at := func(f verdict.ProofForm, cond string) verdict.ProofInvariant {
		return verdict.ProofInvariant{Cond: cond, Found: true, Form: &f}
	}
	lies := &verdict.Proof{Abstractions: []verdict.ProofAbstraction{{Found: true, Variant: 99}, {Found: true, Variant: 1, Fails: true}}}
	for l := range 4 {
		for _, cond := range []string{"r == 0", "x == 0", "x is one of [0 1]"} {
			lies.Invariants = append(lies.Invariants, at(verdict.ProofForm{Kind: verdict.FormLocal, Loc: l}, cond))
		}
		for n := range 4 {
			lies.Invariants = append(lies.Invariants, at(verdict.ProofForm{Kind: verdict.FormPair, Pairs: [][2]int{{l, n}}}, ""))
		}
		lies.Invariants = append(lies.Invariants, at(verdict.ProofForm{Kind: verdict.FormCount, Variables: []int{0}, Counted: [][]int{{l}}}, ""))
	}
	for _, f := range []verdict.ProofForm{
		{Kind: verdict.FormLocal, Class: 7}, {Kind: verdict.FormLocal, Loc: 700}, {Kind: verdict.FormPair, With: 9}, {Kind: verdict.FormPair, Pairs: [][2]int{{0, 99}}},
		{Kind: verdict.FormPair, Registers: []int{0}}, {Kind: verdict.FormPair, Registers: []int{0, 5}}, {Kind: verdict.FormCount}, {Kind: verdict.FormCount, Variables: []int{5}},
		{Kind: verdict.FormCount, Variables: []int{0, -1}, Counted: [][]int{{0}}}, {Kind: verdict.FormCount, Variables: []int{0}, Counted: [][]int{{88}}}, {Kind: "other"},
	} {
		lies.Invariants = append(lies.Invariants, at(f, "x == 0"))
	}
	if out := prove(t, text, mover.Options{Stored: lies}); out.Proof.Open() != 1 {
		t.Errorf("%s, %+v", out.Verdict, out.Proof.Checks)
	}
}
