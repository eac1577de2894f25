package lin_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"fencepost/internal/question/lin"
	"fencepost/query"
	"fencepost/verdict"
)

// TestRepair: the fences and orders that structures from the literature need, where these help.
func TestRepair(t *testing.T) {
	for _, c := range []struct {
		file, define string
		models       query.Model
		orders       bool
		calls        int
		want         verdict.Verdict
		changed      string // lines that the patches add
	}{
		{"chase_lev.h", "NO_FENCE", "tso", false, 3, verdict.Safe, "atomic_thread_fence(memory_order_seq_cst);"},
		{"spsc.h", "", "tso", false, 2, verdict.Safe, ""},
		{
			"spsc_relaxed.h", "", "c11", true, 2, verdict.Safe,
			"atomic_store_explicit(&r->tail, t + 1, memory_order_release); atomic_store_explicit(&r->head, h + 1, memory_order_release);",
		},
		{"spsc_relaxed.h", "", "c11,tso", true, 2, verdict.Safe,
			"atomic_store_explicit(&r->tail, t + 1, memory_order_release); atomic_store_explicit(&r->head, h + 1, memory_order_release);"},
		{"seqlock.h", "BROKEN", "tso", false, 2, verdict.Unsafe, ""},
		{"ticket_lock.h", "BROKEN", "tso", false, 4, verdict.Unsafe, ""},
		{"small/host_guest.h", "", "tso", false, 2, verdict.Safe, "atomic_thread_fence(memory_order_seq_cst); atomic_thread_fence(memory_order_seq_cst);"}, // while a call waits
	} {
		text, err := os.ReadFile(filepath.Join("testdata", c.file))
		if err != nil {
			t.Fatal(err)
		}
		opt := query.FenceOptions{Model: c.models, For: query.ForLinearizability, Calls: c.calls}
		opt.Orders.Accesses = c.orders
		if c.define != "" {
			opt.C.Defines = []string{c.define}
		}
		answer, err := lin.Repair(context.Background(), query.Input{Name: c.file, Text: text}, opt)
		if err != nil || answer.HasErrors() {
			t.Errorf("%s: %v %v", c.file, err, answer.Diagnostics)
			continue
		}
		res := &answer.Results[0]
		var added []string
		for _, p := range res.Repair.Patches {
			if p.File != c.file {
				t.Errorf("%s: %s is changed", c.file, p.File)
			}
			for line := range strings.Lines(p.Diff) {
				if strings.HasPrefix(line, "+") && !strings.HasPrefix(line, "+++") {
					added = append(added, strings.TrimSpace(line[1:]))
				}
			}
		}
		if got := strings.Join(added, " "); res.Verdict != c.want || got != c.changed {
			t.Errorf("%s: %s %s, changed %q, want %s %q", c.file, res.Verdict, res.Reason, got, c.want, c.changed)
		}
		if res.Verdict != verdict.Safe {
			continue
		}
		if want := fmt.Sprintf("at most %d concurrent calls", c.calls); !strings.Contains(res.Coverage.BoundText(), want) {
			t.Errorf("%s: the answer does not say what it covers: %s", c.file, res.Coverage.BoundText())
		}
	}
}

// TestRepairWeakened: beginning with relaxed accesses, orders finds the orders that the clients need, and lin notices that each is.
func TestRepairWeakened(t *testing.T) {
	text, err := os.ReadFile("testdata/spsc.h")
	if err != nil {
		t.Fatal(err)
	}
	opt := query.FenceOptions{Model: query.C11, For: query.ForLinearizability, Calls: 3}
	opt.Orders.Accesses, opt.Orders.Weaken = true, true
	answer, err := lin.Repair(context.Background(), query.Input{Name: "spsc.h", Text: text}, opt)
	if err != nil || answer.HasErrors() {
		t.Fatalf("%v %v", err, answer.Diagnostics)
	}
	res := &answer.Results[0]
	if res.Verdict != verdict.Safe {
		t.Fatalf("%s %s", res.Verdict, res.Reason)
	}
	for _, p := range res.Repair.Patches {
		text = []byte(p.Text)
	}
	whole, err := lin.Run(context.Background(), query.Input{Name: "spsc.h", Text: text}, query.LinOptions{Models: query.Models{query.C11}, Calls: 3, Mutate: true})
	if err != nil || whole.HasErrors() {
		t.Fatalf("%v %v", err, whole.Diagnostics)
	}
	if whole.Results[0].Verdict != verdict.Safe {
		t.Errorf("with the orders that were found: %s", whole.Results[0].Reason)
	}
	for _, m := range whole.Results[0].Linearizability.Mutants {
		if m.Fate != verdict.MutantNoticed {
			t.Errorf("%s: %s: %s", m.Pos, m.Change, m.Fate)
		}
	}
}
