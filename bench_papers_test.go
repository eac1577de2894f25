package fencepost_test

import (
	"context"
	"strconv"
	"testing"
	"time"

	"fencepost"
	"fencepost/query"
	"fencepost/verdict"
)

// TestBench: the tables of papers that take a second have the papers' answers, and the families their numbers of
// traces.
func TestBench(t *testing.T) {
	for _, name := range []string{"trencher", "scaling", "lazy"} {
		rows := 0
		b, err := fencepost.Bench(context.Background(), name, query.BenchOptions{Done: func(*verdict.BenchRow) { rows++ }})
		if err != nil || len(b.Rows) != rows || rows < 10 {
			t.Fatalf("%s: %d rows: %v", name, len(b.Rows), err)
		}
		for _, r := range b.Rows {
			if r.Differs() || r.Note != "" {
				t.Errorf("%s: %s is %s, the paper has %s: %s", name, r.Program, r.Answer, r.PaperAnswer, r.Note)
			}
			if name == "scaling" && r.PaperCount != strconv.FormatInt(r.Count, 10) {
				t.Errorf("%s(%d): %d traces, want %s", r.Program, r.N, r.Count, r.PaperCount)
			}
		}
	}
}

// TestBenchNidhugg: each row of Table 1 of [AAAJLS15] has the paper's answer, without a limit of time.
func TestBenchNidhugg(t *testing.T) {
	b, err := fencepost.Bench(context.Background(), "nidhugg", query.BenchOptions{})
	if err != nil || len(b.Rows) != 28*3 {
		t.Fatalf("%d rows: %v", len(b.Rows), err)
	}
	unsafe := 0
	for _, r := range b.Rows {
		if r.PaperAnswer == "" || r.Answer != r.PaperAnswer || r.Note != "" || r.Count == 0 {
			t.Errorf("%s under %s is %s after %d executions, the paper has %q: %s", r.Program, r.Model, r.Answer, r.Count, r.PaperAnswer, r.Note)
		}
		if r.PaperAnswer == "unsafe" {
			unsafe++
		}
	}
	if unsafe < 20 {
		t.Errorf("only %d rows are unsafe in the paper", unsafe)
	}
}

// TestBenchPrograms: every row of every table has its program and options that are read. The search has no time.
func TestBenchPrograms(t *testing.T) {
	for _, table := range fencepost.BenchTables() {
		if table.Name == "movers" {
			continue // a solver may be missing; the engine's tests prove these programs
		}
		b, err := fencepost.Bench(context.Background(), table.Name, query.BenchOptions{Timeout: 2 * time.Millisecond})
		if err != nil || len(b.Rows) < 10 {
			t.Errorf("%s: %d rows: %v", table.Name, len(b.Rows), err)
		}
		for _, r := range b.Rows {
			if r.Answer == "refused" {
				t.Errorf("%s: %s: %s", table.Name, r.Program, r.Note)
			}
		}
	}
	if _, err := fencepost.Bench(context.Background(), "none", query.BenchOptions{}); err == nil {
		t.Error("a table that does not exist runs")
	}
	if _, err := fencepost.Bench(context.Background(), "lazy", query.BenchOptions{Dir: "testdata"}); err == nil {
		t.Error("lazy takes a directory")
	}
	if _, err := fencepost.Bench(context.Background(), "trencher", query.BenchOptions{Dir: "docs"}); err == nil {
		t.Error("a directory without programs is taken")
	}
}
