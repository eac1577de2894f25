package prove_test

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"fencepost/internal/question/prove"
	"fencepost/internal/testkit"
	"fencepost/query"
	"fencepost/verdict"
)

// mistake is a change that makes an algorithm wrong.
type mistake struct{ right, wrong string }

// algorithm is a program in testdata that is proved for any number of threads.
type algorithm struct {
	file     string
	most     int64 // threads; 0: any number
	verdict  verdict.Verdict
	mistakes []mistake
	given    int  // invariants of the user
	slow     bool // more than ten seconds
}

var algorithms = []algorithm{
	{"ticket.c", 1<<31 - 1, verdict.ValueRobust, []mistake{
		{"atomic_fetch_add_explicit(&l->next, 1, memory_order_relaxed);\n", "l->next;\n  l->next = mine + 1;\n"},
		{"  assert(inside == 0);\n", "  release(&lock);\n  assert(inside == 0);\n"},
	}, 0, false},
	{"ttas.c", 0, verdict.ValueRobust, []mistake{
		{"if (!atomic_exchange_explicit(&lock, 1, memory_order_acquire))\n", "lock = 1;\n"},
	}, 0, false},
	{"dcl.c", 0, verdict.ValueRobust, []mistake{
		{"    if (config == NULL) {\n      struct", "    {\n      struct"},
		{"      c->size = 8;\n      config = c;\n", "      config = c;\n      c->size = 8;\n"},
	}, 0, false},
	{"rcu.c", 0, verdict.ValueRobust, []mistake{
		{"    block.limit = 8;\n    atomic_store_explicit(&current, &block, memory_order_release);\n",
			"    atomic_store_explicit(&current, &block, memory_order_release);\n    block.limit = 8;\n"},
		{"  if (c == NULL) {", "  if (c != NULL) {"},
	}, 0, false},
	{"dcl-malloc.c", 0, verdict.ValueRobust, []mistake{
		{"    if (config == NULL) {\n      struct", "    {\n      struct"},
		{"      c->size = 8;\n      config = c;\n", "      config = c;\n      c->size = 8;\n"},
		{"      config = c;\n", "      config = c;\n      free(c);\n"},
	}, 0, false},
	{"rcu-malloc.c", 0, verdict.ValueRobust, []mistake{
		{"  c->limit = c->size;\n  atomic_store_explicit(&current, c, memory_order_release);\n", "  atomic_store_explicit(&current, c, memory_order_release);\n  c->limit = c->size;\n"},
		{"  if (old != NULL) {", "  {"},
		{"    c->size = old->size + 1;\n  }\n", "    c->size = old->size + 1;\n    free(old);\n  }\n"},
	}, 0, false},
	{"own-block.c", 0, verdict.ValueRobust, []mistake{
		{"  free(b);\n", "  free(b);\n  free(b);\n"},
		{"  x = 2;\n", "  x = 2;\n  free(b);\n"},
	}, 0, false},
	{"seqlock.c", 1<<30 - 1, verdict.ValueRobust, []mistake{
		{"    while (before % 2 == 1);\n", "    while (0);\n"},
		{"  y = next;\n  atomic_store_explicit(&seq, s + 2, memory_order_release);\n", "  atomic_store_explicit(&seq, s + 2, memory_order_release);\n  y = next;\n"},
		{"  } while (before != atomic_load_explicit(&seq, memory_order_relaxed));", "  } while (0);"},
	}, 0, false},
	{"spsc.c", 0, verdict.ValueRobust, []mistake{
		{"  slot[h % size] = h;\n  atomic_store_explicit(&head, h + 1, memory_order_release);\n",
			"  atomic_store_explicit(&head, h + 1, memory_order_release);\n  slot[h % size] = h;\n"},
		{"== size)", "== size + 1)"},
		{"if (!atomic_exchange_explicit(&consuming, 1, memory_order_acquire)) {", "if (!consuming) {"},
	}, 0, false},
	{"clh.c", 0, verdict.ValueRobust, []mistake{
		{"  while (atomic_load", "  if (atomic_load"},
		{"  inside = 1;\n  inside = 0;\n  atomic_store_explicit(&me->locked, 0, memory_order_release);\n",
			"  inside = 1;\n  atomic_store_explicit(&me->locked, 0, memory_order_release);\n  inside = 0;\n"},
		{"  free(before);\n", "  free(me);\n"},
	}, 2, false},
	{"mcs.c", 0, verdict.Abstracted, []mistake{
		{"    while (atomic_load_explicit(&me->locked, memory_order_acquire))\n      ;\n", ""},
		{"  atomic_store_explicit(&me->locked, 1, memory_order_relaxed);\n", "  atomic_store_explicit(&me->locked, 0, memory_order_relaxed);\n"},
		{"    while (next == NULL);\n", "    while (0);\n"},
	}, 14, true},
	{"treiber.c", 0, verdict.ValueRobust, []mistake{
		{"} while (!atomic_compare_exchange_strong_explicit(&top, &old, ((old >> 2) + 1) << 2 | after, memory_order_acq_rel, memory_order_acquire));",
			"} while (0);\n    top = ((old >> 2) + 1) << 2 | after;"},
		{"    //@ ghost in[n] = 1; above[n] = none; above[old & 3] = n;\n", "    value[n] = 0;\n"},
	}, 8, true},
	{"treiber-malloc.c", 0, verdict.ValueRobust, []mistake{
		{"} while (!__atomic_compare_exchange(&top, &old, &new, 0, __ATOMIC_ACQUIRE, __ATOMIC_ACQUIRE));", "} while (0);\n    __atomic_store(&top, &new, __ATOMIC_RELEASE);"},
		{"    //@ ghost n->me = n; n->above = 0; old.first ? (old.first->above = n) : n;\n", "    n->value = 0;\n"},
	}, 10, true},
}

// TestAlgorithms: the algorithms are proved.
func TestAlgorithms(t *testing.T) {
	for _, test := range algorithms {
		t.Run(test.file, func(t *testing.T) {
			if test.slow && !testkit.Slow() {
				t.Skip("it takes long: run with -fp.slow")
			}
			r := proof(t, test.file, source(t, test.file), func(o *query.ProveOptions) { o.Timeout = 0 })
			if r.Verdict != test.verdict || r.Proof.Open() > 0 || r.Proof.MaxThreads != test.most || r.Coverage.Threads != verdict.AnyThreads {
				t.Errorf("%s, %s; for %d threads, %d checks open", r.Verdict, r.Reason, r.Proof.MaxThreads, r.Proof.Open())
			}
			given := 0
			for _, inv := range r.Proof.Invariants {
				if !inv.Found {
					given++
				}
			}
			if given != test.given {
				t.Errorf("%d invariants of the user, want %d", given, test.given)
			}
			for _, w := range r.Warnings {
				if w.Code == "FP0932" {
					t.Errorf("%s", w.Message) // the invariants exclude a step
				}
			}
		})
	}
}

// TestStoredBlocks: a stored proof of a program that allocates is proved again without a search for invariants, with as many
// of them, also if the user states what is found.
func TestStoredBlocks(t *testing.T) {
	for _, file := range []string{"dcl-malloc.c", "rcu-malloc.c", "own-block.c", "clh.c"} {
		text := strings.Replace(source(t, file), "int r = x;", "//@ invariant b->v == 1\n  int r = x;", 1)
		found := proof(t, file, text, func(o *query.ProveOptions) { o.Timeout = 0 })
		again := proof(t, file, text, func(o *query.ProveOptions) { o.Timeout, o.Stored = 0, found.Proof })
		if len(again.Proof.Invariants) != len(found.Proof.Invariants) {
			t.Errorf("%s: %d invariants, %d before", file, len(again.Proof.Invariants), len(found.Proof.Invariants))
		}
		if again.Verdict != verdict.ValueRobust || again.Proof.Open() > 0 || again.Proof.Obligations > found.Proof.Obligations {
			t.Errorf("%s: %s, %s; %d obligations, %d before", file, again.Verdict, again.Reason, again.Proof.Obligations, found.Proof.Obligations)
		}
	}
}

// TestMistakes: with a mistake an execution is shown.
func TestMistakes(t *testing.T) {
	for _, test := range algorithms {
		text := source(t, test.file)
		for _, m := range test.mistakes {
			wrong := strings.Replace(text, m.right, m.wrong, 1)
			if wrong == text {
				t.Fatalf("%s: nothing to change: %q", test.file, m.right)
			}
			if r := &ask(t, test.file, wrong, nil).Results[0]; r.Verdict != verdict.Unsafe || r.Witness == nil {
				t.Errorf("%s with %q: %s, %s", test.file, m.wrong, r.Verdict, r.Reason)
			}
		}
	}
}

// TestTags: Treiber's stack is not proved without tags, nor if a thread goes on when the tag is at its end.
func TestTags(t *testing.T) {
	if !testkit.Slow() {
		t.Skip("it takes long: run with -fp.slow")
	}
	text := source(t, "treiber.c")
	for _, m := range []mistake{
		{") + 1) << 2", ")) << 2"},
		{" || old >> 2 == last", ""},
		{"      if (old >> 2 == last)\n        return NULL;\n", ""},
	} {
		wrong := strings.ReplaceAll(text, m.right, m.wrong)
		if wrong == text {
			t.Fatalf("nothing to change: %q", m.right)
		}
		r := &ask(t, "treiber.c", wrong, nil).Results[0]
		if r.Verdict != verdict.Unsafe && (r.Verdict != verdict.Unknown || r.Proof.Open() == 0) {
			t.Errorf("%q: %s, %d checks open", m.wrong, r.Verdict, r.Proof.Open())
		}
	}
}

func source(t *testing.T, file string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", file))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// BenchmarkAlgorithms measures the proofs of the algorithms and of the examples in C: run it with -benchtime 1x, and
// compare questions and CPU time, of which bench/prove.md has a table.
func BenchmarkAlgorithms(b *testing.B) {
	var files []string
	for _, test := range algorithms {
		files = append(files, filepath.Join("testdata", test.file))
	}
	examples, err := filepath.Glob("../../../examples/*.c")
	if err != nil || len(examples) == 0 {
		b.Fatalf("no examples: %v", err)
	}
	for _, file := range append(files, examples...) {
		text, err := os.ReadFile(file)
		if err != nil {
			b.Fatal(err)
		}
		b.Run(filepath.Base(filepath.Dir(file))+"/"+filepath.Base(file), func(b *testing.B) {
			opt := query.ProveOptions{Options: query.Defaults()}
			opt.Timeout = 0
			questions, solver, self := 0, cpu(b, syscall.RUSAGE_CHILDREN), cpu(b, syscall.RUSAGE_SELF)
			for b.Loop() {
				a, err := prove.Run(b.Context(), query.Input{Name: filepath.Base(file), Text: text}, opt)
				if err != nil {
					b.Fatal(err)
				}
				if len(a.Results) == 1 && a.Results[0].Proof != nil {
					questions = a.Results[0].Proof.Queries
				}
			}
			b.ReportMetric(float64(questions), "questions")
			b.ReportMetric((cpu(b, syscall.RUSAGE_CHILDREN)-solver)/float64(b.N), "solver-cpu-s/op")
			b.ReportMetric((cpu(b, syscall.RUSAGE_SELF)-self)/float64(b.N), "self-cpu-s/op")
		})
	}
}

// cpu returns the seconds of CPU time of this process or of its children.
func cpu(b *testing.B, who int) float64 {
	b.Helper()
	var u syscall.Rusage
	if err := syscall.Getrusage(who, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano()).Seconds()
}
