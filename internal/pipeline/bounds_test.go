package pipeline

import (
	"context"
	"strings"
	"testing"

	"fencepost/internal/engine/param"
	"fencepost/verdict"
)

// Every bound with the option that sets it: with all options set but that one, a search
// that met the bound is open; with that option alone it is an answer.
func TestHolds(t *testing.T) {
	pos := &verdict.Pos{File: "f.c", Line: 5, Col: 3}
	set := map[string]func(*Options){
		"buffer": func(o *Options) { o.Buffer = 8 },
		"unroll": func(o *Options) { o.Unroll = 8 },
		"rounds": func(o *Options) { o.BMC.Rounds = 8 },
		"clock":  func(o *Options) { o.BMC.Clock = 8 },
		"queue":  func(o *Options) { o.BMC.Queue = 8 },
		"width":  func(o *Options) { o.BMC.Width = 8 },
		"domain": func(o *Options) { o.Domain = &param.Domain{Lo: 0, Hi: 8} },
	}
	for _, c := range []struct{ name, option, words string }{
		{"buffer", "buffer", "no violation within: at most 8 buffered stores per thread (bound hit at f.c:5)"},
		{"unroll", "unroll", "no violation within: at most 8 iterations per loop (bound hit at f.c:5)"},
		{"recursion", "unroll", "no violation within: at most 8 nested calls per function (bound hit at f.c:5)"},
		{"threads", "unroll", "no violation within: at most 8 threads started at one place (bound hit at f.c:5)"},
		{"rounds", "rounds", "no violation within: at most 8 rounds of all threads (bound hit at f.c:5)"},
		{"clock", "clock", "no violation within: 8 times at which stores reach memory (bound hit at f.c:5)"},
		{"queue", "queue", "no violation within: at most 7 waiting stores per location (bound hit at f.c:5)"},
		{"width", "width", "no violation within: numbers of at most 8 bits (bound hit at f.c:5)"},
		{"domain", "domain", "no violation within: values of memory from 0 to 8 (bound hit at f.c:5)"},
		{"locations", "", "no violation within: 8 tracked locations (bound hit at f.c:5)"},
		{"section", "", "no violation within: at most 8 steps of other threads beside a section (bound hit at f.c:5)"},
	} {
		result := func(hit bool) *verdict.Result {
			return &verdict.Result{Coverage: verdict.Coverage{Exhaustive: !hit, Bounds: []verdict.Bound{{Name: c.name, Value: 8, Hit: hit, Pos: pos}}}}
		}
		var others Options
		for name, to := range set {
			if name != c.option {
				to(&others)
			}
		}
		r := result(true)
		holds(r, verdict.Safe, others)
		if r.Verdict != verdict.Unknown || !r.BoundedOnly || r.Reason != c.words || r.Coverage.Bounds[0].Given {
			t.Errorf("%s by default: %s %v %q", c.name, r.Verdict, r.BoundedOnly, r.Reason)
		}
		r = result(false)
		holds(r, verdict.Safe, others)
		if r.Verdict != verdict.Safe {
			t.Errorf("%s that was not met: %s %q", c.name, r.Verdict, r.Reason)
		}
		if c.option == "" {
			continue
		}
		var own Options
		set[c.option](&own)
		r = result(true)
		holds(r, verdict.Safe, own)
		if r.Verdict != verdict.Safe || r.BoundedOnly || r.Reason != "" || !r.Coverage.Bounds[0].Given {
			t.Errorf("%s set by the user: %s %v %q", c.name, r.Verdict, r.BoundedOnly, r.Reason)
		}
	}
	// Bounds that bmc raised by itself are nobody's.
	var auto Options
	auto.BMC.Rounds, auto.BMC.Auto = 8, true
	r := &verdict.Result{Coverage: verdict.Coverage{Bounds: []verdict.Bound{{Name: "rounds", Value: 8, Hit: true}}}}
	if holds(r, verdict.Safe, auto); r.Verdict != verdict.Unknown {
		t.Errorf("--auto: %s", r.Verdict)
	}
	// Another number of iterations than the user's, as for loops that do not end.
	auto.Unroll = 3
	r = &verdict.Result{Coverage: verdict.Coverage{Bounds: []verdict.Bound{{Name: "unroll", Value: 65536, Hit: true}}}}
	if holds(r, verdict.Safe, auto); r.Verdict != verdict.Unknown {
		t.Errorf("another bound than that of the user: %s", r.Verdict)
	}
	// Executions left out for no bound that is known.
	r = &verdict.Result{}
	if holds(r, verdict.NotObserved, Options{}); r.Verdict != verdict.Unknown || r.Reason != "not observed within: not all executions" {
		t.Errorf("without bounds: %s %q", r.Verdict, r.Reason)
	}
}

// A bound set by the user and one that is a default: the answer is open, and names both.
func TestHoldsMixed(t *testing.T) {
	r := &verdict.Result{Coverage: verdict.Coverage{Bounds: []verdict.Bound{{Name: "buffer", Value: 2, Hit: true}, {Name: "unroll", Value: 8, Hit: true}}}}
	holds(r, verdict.Safe, Options{Buffer: 2})
	if want := "no violation within: at most 2 buffered stores per thread (bound hit), at most 8 iterations per loop (bound hit)"; r.Verdict != verdict.Unknown || r.Reason != want {
		t.Errorf("%s %q", r.Verdict, r.Reason)
	}
}

// What the first engine says within a default is not the answer while another engine can
// tell; and an exists beside checks is not observed before the checks are decided.
func TestDefaultBounds(t *testing.T) {
	const loop = `
var x, y, go;
thread a { reg r; while (go == 0) { x = 1; } r = y; }
thread b { reg s; go = 1; y = 1; s = x; assert s != 2; }
`
	opt := Defaults()
	r := check(t, loop, opt, "pso").Results[0]
	if r.Verdict != verdict.Unknown || !r.BoundedOnly || !strings.HasPrefix(r.Reason, "no violation within: at most 8 buffered stores per thread (bound hit at test.fp:3)") {
		t.Errorf("%s %q", r.Verdict, r.Reason)
	}
	if len(r.Engines) < 3 {
		t.Errorf("asked: %+v", r.Engines)
	}
	r = check(t, loop+"exists b:s == 1;", opt, "pso").Results[0]
	if r.Verdict != verdict.Unknown || !strings.Contains(r.Reason, "but the rest is not decided: no violation within: at most 8 buffered stores") {
		t.Errorf("%s %q", r.Verdict, r.Reason)
	}
	opt.Buffer = 3
	r = check(t, loop+"exists b:s == 1;", opt, "pso").Results[0]
	if r.Verdict != verdict.Observed || len(r.Warnings) == 0 {
		t.Errorf("%s %q %v", r.Verdict, r.Reason, r.Warnings)
	}
	opt = Defaults()
	opt.Races = true
	a, err := Check(context.Background(), Input{Name: "test.c", Text: []byte(`
#include <pthread.h>
#include <stdatomic.h>
#include <assert.h>
atomic_int x, go;
void *w(void *p) { while (!go) atomic_fetch_add(&x, 1); return 0; }
int main(void) { pthread_t t; pthread_create(&t, 0, w, 0); go = 1; pthread_join(t, 0); assert(x < 3); }
`)}, []string{"sc"}, opt)
	if err != nil || len(a.Results) != 1 || a.Results[0].Verdict != verdict.Unsafe {
		t.Errorf("the races are open, the assertion is not: %v %+v", err, a)
	}
}
