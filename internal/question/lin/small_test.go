package lin_test

import (
	"os"
	"path/filepath"
	"testing"

	"fencepost/internal/question/lin"
	"fencepost/query"
	"fencepost/verdict"
)

// TestSmall: mistakes that people make in structures of ten lines, each found with at most 4 calls, and right ones beside them.
func TestSmall(t *testing.T) {
	for _, c := range []struct {
		file  string
		model query.Model
		calls int
		spec  string
		want  verdict.Verdict
		slow  bool
	}{
		{"bq_off.h", "sc", 3, "queue", verdict.Unsafe, false},
		{"counter_void_lost.h", "sc", 2, "", verdict.Unsafe, false},
		{"set_nomark.h", "sc", 4, "", verdict.Unsafe, true},
		{"reg2.h", "sc", 3, "", verdict.Unsafe, true},
		{"deque_last.h", "sc", 3, "", verdict.Unsafe, false},
		{"ring_wrap.h", "sc", 4, "", verdict.Unsafe, false},
		{"reorder.h", "sc", 3, "", verdict.Unsafe, true},
		{"blocking_lost.h", "sc", 4, "", verdict.Unsafe, true},
		{"uaf.h", "sc", 3, "", verdict.Unsafe, true},
		{"rw_bad.h", "sc", 4, "rwlock", verdict.Unsafe, false},
		{"peterson_tso.h", "sc", 4, "lock", verdict.Safe, false},
		{"peterson_tso.h", "tso", 4, "lock", verdict.Unsafe, false},
		{"spin_ok.h", "pso", 4, "lock", verdict.Safe, false},
		{"msg_c11.h", "tso", 2, "", verdict.Safe, false},
		{"msg_c11.h", "c11", 2, "", verdict.Unsafe, false},
		{"map_bad.h", "sc", 3, "", verdict.Unsafe, false},
		{"seq_wrap.h", "sc", 3, "", verdict.Unsafe, false},
		{"deadlock.h", "sc", 2, "", verdict.Unsafe, false},
		{"create_free.h", "tso", 2, "", verdict.Safe, true},
		{"snapshot_ok.h", "sc", 2, "", verdict.Safe, true},
	} {
		if c.slow && *lin.Objects < 3000 {
			continue // make fuzz asks these
		}
		text, err := os.ReadFile(filepath.Join("testdata", "small", c.file))
		if err != nil {
			t.Fatal(err)
		}
		if res := ask(t, string(text), query.LinOptions{Models: query.Models{c.model}, Calls: c.calls, Spec: c.spec}); res.Verdict != c.want {
			t.Errorf("%s under %s: %s %s, want %s", c.file, c.model, res.Verdict, res.Reason, c.want)
		}
	}
}
