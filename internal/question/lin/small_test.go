package lin_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"fencepost/internal/question/lin"
	"fencepost/query"
	"fencepost/verdict"
)

// TestSmall: mistakes that people make in structures of ten lines, each found with at most 4 calls, and right ones beside them.
func TestSmall(t *testing.T) {
	for _, c := range []struct {
		file   string
		define string
		model  query.Model
		calls  int
		spec   string
		want   verdict.Verdict
		slow   bool
	}{
		{"bq_off.h", "", "sc", 3, "queue", verdict.Unsafe, false},
		{"counter_void_lost.h", "", "sc", 2, "", verdict.Unsafe, false},
		{"set_nomark.h", "", "sc", 4, "", verdict.Unsafe, true},
		{"reg2.h", "", "sc", 3, "", verdict.Unsafe, true},
		{"deque_last.h", "", "sc", 3, "", verdict.Unsafe, false},
		{"ring_wrap.h", "", "sc", 4, "", verdict.Unsafe, false},
		{"reorder.h", "", "sc", 3, "", verdict.Unsafe, true},
		{"blocking_lost.h", "", "sc", 4, "", verdict.Unsafe, true},
		{"uaf.h", "", "sc", 3, "", verdict.Unsafe, true},
		{"rw_bad.h", "", "sc", 4, "rwlock", verdict.Unsafe, false},
		{"peterson_tso.h", "", "sc", 4, "lock", verdict.Safe, false},
		{"peterson_tso.h", "", "tso", 4, "lock", verdict.Unsafe, false},
		{"spin_ok.h", "", "pso", 4, "lock", verdict.Safe, false},
		{"msg_c11.h", "", "tso", 2, "", verdict.Safe, false},
		{"msg_c11.h", "", "c11", 2, "", verdict.Unsafe, false},
		{"map_bad.h", "", "sc", 3, "", verdict.Unsafe, false},
		{"seq_wrap.h", "", "sc", 3, "", verdict.Unsafe, false},
		{"deadlock.h", "", "sc", 2, "", verdict.Unsafe, false},
		{"create_free.h", "", "tso", 2, "", verdict.Safe, true},
		{"snapshot_ok.h", "", "sc", 2, "", verdict.Safe, true},
		{"slots.h", "", "tso", 4, "", verdict.Safe, false},
		{"nodes.h", "", "tso", 4, "", verdict.Safe, false},
		{"ticket_given.h", "", "tso", 4, "", verdict.Safe, false},
		{"ring_spsc.h", "", "tso", 3, "queue", verdict.Safe, false},
		{"numbers_local.h", "", "sc", 2, "", verdict.Safe, false},
		{"numbers_local.h", "", "sc", 3, "", verdict.Unsafe, false},
		{"recursive.h", "", "sc", 3, "", verdict.Safe, false},
		{"torn_pair.h", "", "sc", 2, "", verdict.Unsafe, false},
		{"wait_flag.h", "", "sc", 2, "", verdict.Unsafe, false},
		{"wait_flag.h", "", "c11", 2, "", verdict.Unsafe, false},
		{"event.h", "", "sc", 2, "", verdict.Safe, false},
		{"event.h", "", "c11", 2, "", verdict.Safe, true},
		{"semaphore.h", "", "tso", 2, "", verdict.Safe, false},
		{"semaphore.h", "", "pso", 3, "", verdict.Safe, true},
		{"semaphore.h", "RESERVED", "tso", 2, "", verdict.Unsafe, false},
		{"host_guest.h", "", "sc", 2, "", verdict.Safe, false},
		{"host_guest.h", "", "tso", 2, "", verdict.Unsafe, false},
		{"taken_once.h", "", "sc", 2, "", verdict.Unsafe, false},
		{"freeing.h", "", "sc", 2, "", verdict.Safe, false},
		{"freeing_twice.h", "", "sc", 2, "", verdict.Unsafe, false},
	} {
		if c.slow && *lin.Objects < 3000 {
			continue // make fuzz asks these
		}
		text, err := os.ReadFile(filepath.Join("testdata", "small", c.file))
		if err != nil {
			t.Fatal(err)
		}
		opt := query.LinOptions{Models: query.Models{c.model}, Calls: c.calls, Spec: c.spec}
		if c.define != "" {
			opt.C.Defines = []string{c.define}
		}
		if res := ask(t, string(text), opt); res.Verdict != c.want {
			t.Errorf("%s under %s: %s %s, want %s", c.file, c.model, res.Verdict, res.Reason, c.want)
		}
	}
}

// TestNoClientsAreNotSafe: a lock has no client with 2 or 3 calls, and the one with 4 takes longer than there is time.
func TestNoClientsAreNotSafe(t *testing.T) {
	const lock = "#include <pthread.h>\nstatic pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;\nstatic long n;\n" +
		"void lock(void) { pthread_mutex_lock(&m); for (long i = 0; i < 100000000; i++) n += i; }\nvoid unlock(void) { pthread_mutex_unlock(&m); }\n"
	if res := ask(t, lock, query.LinOptions{Options: query.Options{Timeout: 2 * time.Second}, Models: query.Models{"sc"}}); res.Verdict != verdict.Unknown {
		t.Errorf("%s %s", res.Verdict, res.Reason)
	}
}

// TestHintMayFail: a call that says "again" with a number above 0, which it never returns alone.
func TestHintMayFail(t *testing.T) {
	const ring = "#include <stdatomic.h>\nstatic atomic_int n, busy;\nint add(int v) { if (atomic_exchange(&busy, 1)) return 3; n += v; busy = 0; return 0; }\n"
	res := ask(t, ring, query.LinOptions{Models: query.Models{"sc"}, Calls: 2})
	if hints := strings.Join(res.Linearizability.Hints, "\n"); res.Verdict != verdict.Unsafe || !strings.Contains(hints, "//@ may fail 3") {
		t.Errorf("%s %s: %s", res.Verdict, res.Reason, hints)
	}
}

// TestThreadStateNotFuzzed: the specification of random executions runs in one thread.
func TestThreadStateNotFuzzed(t *testing.T) {
	const text = "static _Thread_local int n;\nint count(void) { return ++n; }\n"
	answer, err := lin.Run(t.Context(), query.Input{Name: "object.h", Text: []byte(text)}, query.LinOptions{Fuzz: 20, Runs: 1})
	if err != nil || len(answer.Diagnostics) != 1 || !strings.Contains(answer.Diagnostics[0].Message, "depends on the thread") {
		t.Errorf("%v %+v", err, answer.Diagnostics)
	}
}

// TestWrongSpecification: a specification with other functions than the object is refused.
func TestWrongSpecification(t *testing.T) {
	const text = "#include <stdatomic.h>\nstatic atomic_int n;\nint next(void) { return n++; }\n"
	for spec, want := range map[string]string{
		"int n; int last(void) { return n; }\n":     "spec.c has no function next",
		"int n; int next(int v) { return n += v; }": "spec.c has a function next with other parameters",
		"int n; void next(void) { n++; }\n":         "spec.c has a function next with another result",
		"int n; int next(void) { return n++; }\n":   "",
	} {
		opt := query.LinOptions{Models: query.Models{"sc"}, Calls: 2, SpecFile: query.Input{Name: "spec.c", Text: []byte(spec)}}
		answer, err := lin.Run(t.Context(), query.Input{Name: "object.h", Text: []byte(text)}, opt)
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		for _, d := range answer.Diagnostics {
			got += d.Message
		}
		if got != want {
			t.Errorf("%s: %q, want %q", spec, got, want)
		}
	}
}

// TestOtherObjects: functions on another struct are named.
func TestOtherObjects(t *testing.T) {
	const text = "#include <stdatomic.h>\nstruct a { atomic_int n; };\nstruct b { atomic_int n; };\n" +
		"int a_inc(struct a *a) { return a->n++; }\nint a_get(struct a *a) { return a->n; }\nint b_inc(struct b *b) { return b->n++; }\n"
	res := ask(t, text, query.LinOptions{Models: query.Models{"sc"}, Calls: 2})
	if got := strings.Join(res.Linearizability.LeftOut, "\n"); got != "not asked about: b_inc, on struct b; --ops names them" {
		t.Errorf("%q", got)
	}
}
