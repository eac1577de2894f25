package lin_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"fencepost/internal/question/lin"
	"fencepost/query"
	"fencepost/verdict"
)

// TestCorpus: structures from the literature, as they are known, and with their well-known mistakes.
func TestCorpus(t *testing.T) {
	for _, c := range []struct {
		file   string
		define string
		models string
		calls  int
		spec   string
		want   verdict.Verdict
		slow   bool // some ten seconds
	}{
		{"treiber_reuse.h", "", "sc", 3, "stack", verdict.Safe, false}, // the mistake needs four calls
		{"treiber_reuse.h", "", "sc", 4, "stack", verdict.Unsafe, true},
		{"treiber_tags.h", "", "tso", 3, "stack", verdict.Safe, false},
		{"ms_queue.h", "", "tso", 2, "queue", verdict.Safe, false},
		{"ms_queue.h", "", "tso", 3, "queue", verdict.Safe, true},
		{"ms_queue_reuse.h", "", "tso", 2, "queue", verdict.Safe, false},
		{"ms_queue_reuse.h", "", "c11", 2, "queue", verdict.Safe, false},
		{"ms_queue_reuse.h", "UNCOUNTED", "sc", 4, "", verdict.Unsafe, true},
		{"chase_lev.h", "", "tso", 3, "deque", verdict.Safe, false},
		{"chase_lev.h", "NO_FENCE", "tso", 3, "", verdict.Unsafe, false},
		{"chase_lev.h", "NO_FENCE", "sc", 3, "", verdict.Safe, false},
		{"spsc.h", "", "tso", 3, "queue", verdict.Safe, false},
		{"spsc.h", "", "pso", 3, "queue", verdict.Safe, false},
		{"spsc.h", "", "tso", 5, "", verdict.Unsafe, false}, // full for one thread and empty for the other
		{"spsc.h", "", "c11", 3, "queue", verdict.Safe, false},
		{"spsc_relaxed.h", "", "tso", 3, "", verdict.Safe, false},
		{"spsc_relaxed.h", "", "pso", 2, "", verdict.Unsafe, false},
		{"spsc_relaxed.h", "", "c11", 2, "", verdict.Unsafe, false}, // a data race on the slot
		{"ticket_lock.h", "", "tso", 4, "lock", verdict.Safe, false},
		{"ticket_lock.h", "", "c11", 4, "lock", verdict.Safe, false},
		{"ticket_lock.h", "BROKEN", "tso", 4, "lock", verdict.Unsafe, false},
		{"seqlock.h", "", "tso", 3, "", verdict.Safe, false},
		{"seqlock.h", "", "c11", 2, "", verdict.Safe, false},
		{"seqlock.h", "BROKEN", "sc", 2, "", verdict.Unsafe, false},
		{"harris.h", "", "tso", 2, "set", verdict.Safe, true},
		{"harris.h", "UNMARKED", "sc", 3, "set", verdict.Unsafe, false},
		{"lazy_list.h", "", "sc", 2, "set", verdict.Safe, true},
		{"lazy_list.h", "UNCHECKED", "sc", 3, "set", verdict.Unsafe, false},
		{"elimination.h", "", "tso", 2, "stack", verdict.Safe, false},
		{"elimination.h", "KEPT", "sc", 3, "stack", verdict.Unsafe, false},
		{"ms_queue_acquire.h", "", "c11", 3, "", verdict.Unsafe, true}, // the second of two dequeues
		{"ms_queue_acquire.h", "RELEASED", "c11", 2, "", verdict.Safe, false},
		{"ms_queue_acquire.h", "", "tso", 2, "queue", verdict.Safe, false},
	} {
		name := c.file + " " + c.define + " " + c.models
		if c.slow && *lin.Objects < 3000 {
			continue // make fuzz asks these
		}
		text, err := os.ReadFile(filepath.Join("testdata", c.file))
		if err != nil {
			t.Fatal(err)
		}
		opt := query.LinOptions{Models: query.NamedModels(c.models), Calls: c.calls, Spec: c.spec}
		if c.models == "c11" {
			opt.Unroll = 4 // a reader can go round as long as it likes
		}
		if c.define != "" {
			opt.C.Defines = []string{c.define}
		}
		answer, err := lin.Run(context.Background(), query.Input{Name: c.file, Text: text}, opt)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		for _, d := range answer.Diagnostics {
			t.Errorf("%s: %s: %s %v", name, d.Pos, d.Message, d.Notes)
		}
		for _, r := range answer.Results {
			if r.Verdict != c.want {
				t.Errorf("%s: %s %s, want %s", name, r.Verdict, r.Reason, c.want)
			}
		}
	}
}
