package traces

import (
	"testing"

	"fencepost/internal/engine/rf"
	"fencepost/internal/memory"
	"fencepost/internal/pipeline"
	"fencepost/query"
	"fencepost/verdict"
)

const storesTwice = `var x, y;
thread p { x = 1; y = 2; }
thread q { y = 1; x = 2; }
`

const failing = `var x, y;
thread p { reg r; x = 1; r = y; assert r == 1; }
thread q { reg s; y = 1; s = x; x = 2; }
`

// negative is store buffering with cells that have negative numbers.
const negative = `thread p { reg r; mem[-1] = 1; r = mem[-2]; }
thread q { reg s; mem[-2] = 1; s = mem[-1]; }
`

// TestReadsFrom: the numbers of reads-from classes that can be counted by hand, explored as such and as
// traces, with one fingerprint.
func TestReadsFrom(t *testing.T) {
	for _, c := range []struct {
		text, model    string
		count, failing int64
	}{
		{buffering, "sc", 3, 0}, {buffering, "tso", 4, 0}, {passing, "tso", 3, 0}, {passing, "pso", 4, 0},
		{storesTwice, "sc", 1, 0}, {storesTwice, "pso", 1, 0},
		{failing, "sc", 2, 1}, {failing, "tso", 2, 2}, {negative, "sc", 3, 0}, {negative, "tso", 4, 0},
	} {
		opt := query.TraceOptions{Options: query.Defaults()}
		opt.By, opt.Fingerprint = query.ByReadsFrom, true
		classes := ask(t, "test.fp", c.text, c.model, opt, nil)
		if classes.Count != c.count || classes.Failing != c.failing || classes.By != string(query.ByReadsFrom) || !classes.Coverage.Exhaustive {
			t.Errorf("%s under %s: %+v", c.text, c.model, classes)
		}
		opt.Algorithm = "optimal"
		n := int64(0)
		projected := ask(t, "test.fp", c.text, c.model, opt, func(tr *verdict.Trace) {
			n++
			for _, e := range tr.Edges {
				if e.Kind == "st" || e.Kind == "cf" {
					t.Errorf("a class has an order of stores: %+v", e)
				}
			}
		})
		opt.By = query.ByTrace
		listed := ask(t, "test.fp", c.text, c.model, opt, nil)
		if projected.Count != c.count || projected.Failing != c.failing || n != c.count+c.failing || listed.Fingerprint != projected.Fingerprint || classes.Fingerprint != projected.Fingerprint || len(classes.Fingerprint) != 32 {
			t.Errorf("%s under %s: %d classes and %d with failures projected, %d listed; fingerprints %s, %s, %s",
				c.text, c.model, projected.Count, projected.Failing, n, classes.Fingerprint, projected.Fingerprint, listed.Fingerprint)
		}
	}
}

// TestFailing: traces in which a check fails are counted and marked. In store buffering the load of 0 that
// fails the assertion comes from three of six traces.
func TestFailing(t *testing.T) {
	fails := 0
	set := ask(t, "test.fp", failing, "tso", query.TraceOptions{Options: query.Defaults()}, func(tr *verdict.Trace) {
		if len(tr.Fails) > 0 {
			fails++
			if want := "assertion fails: r == 1 at test.fp:2:33"; len(tr.Fails) != 1 || tr.Fails[0] != want {
				t.Errorf("%q, want %q", tr.Fails, want)
			}
		}
	})
	if set.Count != 3 || set.Failing != 3 || fails != 3 || set.Blocked != 0 {
		t.Errorf("%d complete, %d failing, %d marked, %d blocked", set.Count, set.Failing, fails, set.Blocked)
	}
	set = ask(t, "test.fp", "var x;\nthread p { await x == 1; }\nthread q { x = 1; }\n", "tso", query.TraceOptions{Options: query.Defaults()}, nil)
	if set.Count != 1 || set.Blocked != 1 {
		t.Errorf("%d complete, %d blocked", set.Count, set.Blocked)
	}
}

// TestCrossCheck: a program whose classes two algorithms find is accepted, whichever lists them.
func TestCrossCheck(t *testing.T) {
	for _, by := range []query.By{query.ByTrace, query.ByReadsFrom} {
		opt := query.TraceOptions{Options: query.Defaults()}
		opt.By, opt.CrossCheck = by, true
		if set := ask(t, "test.fp", failing, "tso", opt, nil); set.Reason != "" || set.Fingerprint == "" {
			t.Errorf("%s: %+v", by, set)
		}
	}
}

// signalled has a store to a condition, which is in the buffer while the condition is signalled.
const signalled = `#include <pthread.h>
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t c;
int ready;
void *wait(void *arg) {
  pthread_mutex_lock(&m);
  if (!ready)
    pthread_cond_wait(&c, &m);
  pthread_mutex_unlock(&m);
  return 0;
}
void *wake(void *arg) {
  pthread_cond_broadcast(&c);
  pthread_mutex_lock(&m);
  ready = 1;
  pthread_mutex_unlock(&m);
  pthread_cond_signal(&c);
  return 0;
}
int main() {
  pthread_t a, b, d;
  pthread_cond_init(&c, 0);
  pthread_cond_signal(&c);
  pthread_create(&a, 0, wait, 0);
  pthread_create(&b, 0, wake, 0);
  pthread_create(&d, 0, wait, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
  pthread_join(d, 0);
}
`

// TestSignals: the classes of a program with signals, some of which wake no thread, equal those of its traces,
// and each is counted once.
func TestSignals(t *testing.T) {
	opt := query.TraceOptions{Options: query.Defaults()}
	opt.By, opt.CrossCheck = query.ByReadsFrom, true
	set := ask(t, "test.c", signalled, "tso", opt, nil)
	opt.CrossCheck, opt.Algorithm = false, "optimal"
	projected := ask(t, "test.c", signalled, "tso", opt, nil)
	if set.Count != projected.Count || set.Count == 0 || set.Reason != "" {
		t.Errorf("%d classes, %d of traces; %s", set.Count, projected.Count, set.Reason)
	}
}

// TestTwice: an exploration by classes that finds a class twice is an error, except where the text of a
// class does not tell classes apart.
func TestTwice(t *testing.T) {
	const signals = `#include <pthread.h>
pthread_cond_t c = PTHREAD_COND_INITIALIZER;
void *f(void *arg) { pthread_cond_signal(&c); return 0; }
int main() { pthread_t t; pthread_create(&t, 0, f, 0); pthread_cond_signal(&c); pthread_join(t, 0); }
`
	for text, want := range map[string]bool{buffering: true, signals: false} {
		name := "test.fp"
		if text == signals {
			name = "test.c"
		}
		run := pipeline.Open(query.Input{Name: name, Text: []byte(text)})
		opt := query.TraceOptions{Options: query.Defaults()}
		if err := run.Read(t.Context(), pipeline.ReadOptions{Options: opt.Options}); err != nil {
			t.Fatal(err)
		}
		flat, err := run.FlattenFixed(opt.Options)
		if err != nil {
			t.Fatal(err)
		}
		opt.Fingerprint = true
		var set verdict.TraceSet
		x := &exploration{run: run, flat: flat, model: memory.SC, opt: &opt, by: query.ByReadsFrom, set: &set}
		if err := x.explore(t.Context(), true); err != nil {
			t.Fatal(err)
		}
		visit := func(w *verdict.Witness) { x.visit(w, nil, false) }
		again := rf.New(rf.Options{Traces: true, Visit: visit})
		if _, err := again.Run(t.Context(), run.ExploreTask(flat, memory.SC, &opt.Options)); err != nil {
			t.Fatal(err)
		}
		if got := x.broken != nil; got != want {
			t.Errorf("%s: %v", text, x.broken)
		}
	}
}
