package prove_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"fencepost/verdict"
)

// TestAlgorithms: the algorithms in testdata are proved without annotations, for any number of
// threads, and a mistake in each is not.
func TestAlgorithms(t *testing.T) {
	for _, test := range []struct {
		file       string
		most       int64  // threads
		right, bad string // a mistake
	}{
		{"ticket.c", 1<<31 - 1, "atomic_fetch_add_explicit(&l->next, 1, memory_order_relaxed);\n", "l->next;\n  l->next = mine + 1;\n"},
		{"ttas.c", 1<<31 - 1, "if (!atomic_exchange_explicit(&lock, 1, memory_order_acquire))\n", "lock = 1;\n"},
	} {
		text, err := os.ReadFile(filepath.Join("testdata", test.file))
		if err != nil {
			t.Fatal(err)
		}
		a := ask(t, test.file, string(text), nil)
		r := &a.Results[0]
		if r.Verdict != verdict.ValueRobust || r.Proof.Open() > 0 || r.Proof.MaxThreads != test.most || r.Coverage.Threads != verdict.AnyThreads {
			t.Errorf("%s: %s, %s; %+v", test.file, r.Verdict, r.Reason, r.Proof)
		}
		wrong := strings.Replace(string(text), test.right, test.bad, 1)
		if wrong == string(text) {
			t.Fatalf("%s: nothing to change", test.file)
		}
		a = ask(t, test.file, wrong, nil)
		if r := &a.Results[0]; r.Verdict != verdict.Unsafe {
			t.Errorf("%s with a mistake: %s, %s", test.file, r.Verdict, r.Reason)
		}
	}
}
