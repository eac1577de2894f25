package pipeline

import (
	"testing"

	"fencepost/verdict"
)

// Every bound with the option that sets it: with all options set but that one, a search
// that met the bound is open; with that option alone it is an answer.
func TestHolds(t *testing.T) {
	pos := &verdict.Pos{File: "f.c", Line: 5, Col: 3}
	set := map[string]func(*Given){
		"buffer": func(g *Given) { g.Buffer = 8 },
		"unroll": func(g *Given) { g.Unroll = 8 },
		"rounds": func(g *Given) { g.Rounds = 8 },
		"clock":  func(g *Given) { g.Clock = 8 },
		"queue":  func(g *Given) { g.Queue = 8 },
		"width":  func(g *Given) { g.Width = 8 },
		"domain": func(g *Given) { g.Domain = true },
	}
	for _, c := range []struct{ name, option, words string }{
		{"buffer", "buffer", "no violation within: at most 8 buffered stores per thread (bound hit at f.c:5)"},
		{"unroll", "unroll", "no violation within: at most 8 iterations per loop (bound hit at f.c:5)"},
		{"recursion", "unroll", "no violation within: at most 8 nested recursive calls (bound hit at f.c:5)"},
		{"threads", "unroll", "no violation within: at most 8 threads started by one statement (bound hit at f.c:5)"},
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
		var others Given
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
		var how Given
		set[c.option](&how)
		r = result(true)
		holds(r, verdict.Safe, how)
		if r.Verdict != verdict.Safe || r.BoundedOnly || r.Reason != "" || !r.Coverage.Bounds[0].Given {
			t.Errorf("%s set by the user: %s %v %q", c.name, r.Verdict, r.BoundedOnly, r.Reason)
		}
	}
	// Another number of iterations than the user's, as for loops that do not end.
	r := &verdict.Result{Coverage: verdict.Coverage{Bounds: []verdict.Bound{{Name: "unroll", Value: 65536, Hit: true}}}}
	if holds(r, verdict.Safe, Given{Unroll: 3}); r.Verdict != verdict.Unknown {
		t.Errorf("another bound than that of the user: %s", r.Verdict)
	}
	// Executions left out for no bound that is known.
	r = &verdict.Result{}
	if holds(r, verdict.NotObserved, Given{}); r.Verdict != verdict.Unknown || r.Reason != "not observed within: not all executions" {
		t.Errorf("without bounds: %s %q", r.Verdict, r.Reason)
	}
}

// A bound set by the user and one that is a default: the answer is open, and names both.
func TestHoldsMixed(t *testing.T) {
	r := &verdict.Result{Coverage: verdict.Coverage{Bounds: []verdict.Bound{{Name: "buffer", Value: 2, Hit: true}, {Name: "unroll", Value: 8, Hit: true}}}}
	holds(r, verdict.Safe, Given{Buffer: 2})
	if want := "no violation within: at most 2 buffered stores per thread (bound hit), at most 8 iterations per loop (bound hit)"; r.Verdict != verdict.Unknown || r.Reason != want {
		t.Errorf("%s %q", r.Verdict, r.Reason)
	}
}
