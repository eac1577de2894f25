package check

import (
	"context"
	"strings"
	"testing"
	"time"

	"fencepost/query"
	"fencepost/verdict"
)

const dekker = `
var x, y;
thread t1 { reg r; x = 1; r = y; }
thread t2 { reg r; y = 1; r = x; }
never t1:r == 0 && t2:r == 0;
`

// endless has far more states than any limit in these tests.
const endless = `
var a, b, c, d;
thread p[i] * 4 {
  reg n;
  loop { n = n + 1; a = n; b = a; c = b; }
}
goal p[0]:never_there;
thread q { never_there: skip; }
`

// ask1 asks about a program of one file.
func ask1(t *testing.T, text string, opt query.CheckOptions, models ...string) query.Answer {
	t.Helper()
	a, err := Run(context.Background(), query.Input{Name: "test.fp", Text: []byte(text)}, opt.Under(query.NamedModels(models...)...))
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func TestModelsInOneRun(t *testing.T) {
	a := ask1(t, dekker, query.CheckOptions{Options: query.Defaults()}, "sc", "tso", "pso")
	var got []string
	for _, r := range a.Results {
		got = append(got, r.Model+"="+r.Verdict.String())
	}
	if want := "sc=safe tso=unsafe pso=unsafe"; strings.Join(got, " ") != want {
		t.Errorf("%s, want %s", got, want)
	}
	w := a.Results[1].Witness
	if w == nil || w.Steps[0].Text == "" || a.Results[1].Sources["test.fp"] != dekker {
		t.Errorf("the result does not stand alone: %+v", a.Results[1])
	}
}

func loops(t *testing.T) string {
	t.Helper()
	return strings.Replace(endless, "goal p[0]:never_there;\n", "", 1) + "goal q:never_there with a == -1;\n"
}

func TestLimitsGiveUnknown(t *testing.T) {
	opt := query.CheckOptions{Options: query.Defaults()}
	opt.Timeout = 50 * time.Millisecond
	if r := ask1(t, loops(t), opt, "tso").Results[0]; r.Verdict != verdict.Unknown || !strings.Contains(r.Reason, "time limit") {
		t.Errorf("%s: %s", r.Verdict, r.Reason)
	}
	opt = query.CheckOptions{Options: query.Defaults()}
	opt.Memory = 1 << 20
	if r := ask1(t, loops(t), opt, "tso").Results[0]; r.Verdict != verdict.Unknown || !strings.Contains(r.Reason, "memory limit") {
		t.Errorf("%s: %s", r.Verdict, r.Reason)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	a, err := Run(ctx, query.Input{Name: "test.fp", Text: []byte(loops(t))}, query.CheckOptions{Options: query.Defaults()}.Under("sc"))
	if err != nil || a.Results[0].Verdict != verdict.Unknown || !strings.Contains(a.Results[0].Reason, "interrupted") {
		t.Errorf("%v %+v", err, a.Results)
	}
}

// A bound that was hit is stated, one that was not is not.
func TestCoverage(t *testing.T) {
	const spin = `
var x, y;
thread t1 { loop { x = 1; x = 0; } }
thread t2 { reg r; r = x; assert r < 2; }
`
	opt := query.CheckOptions{Options: query.Defaults()}
	opt.Buffer, opt.Engines = 3, query.Engines{"explicit"}
	r := ask1(t, spin, opt, "tso").Results[0]
	if r.Verdict != verdict.Safe || r.Coverage.Exhaustive || len(r.Coverage.Bounds) != 1 || !r.Coverage.Bounds[0].Hit || r.Coverage.Bounds[0].Value != 3 {
		t.Errorf("%s %+v", r.Verdict, r.Coverage)
	}
	fenced := strings.Replace(spin, "x = 0;", "x = 0; fence;", 1)
	if r := ask1(t, fenced, opt, "tso").Results[0]; r.Verdict != verdict.Safe || !r.Coverage.Exhaustive || len(r.Coverage.Bounds) != 0 {
		t.Errorf("%s %+v", r.Verdict, r.Coverage)
	}
	observe := strings.Replace(spin, "assert r < 2;", "", 1) + "exists t2:r == 7;"
	observe = strings.Replace(observe, "loop {", "while (y == 0) {", 1)
	if r := ask1(t, observe, opt, "tso").Results[0]; r.Verdict != verdict.Unknown {
		t.Errorf("an observation not made within bounds is %s", r.Verdict)
	}
}

// Nothing ends, so a final condition holds of nothing: that is not safe.
func TestNoFinalState(t *testing.T) {
	r := ask1(t, "var x;\nthread t { loop { x = 1; fence; } }\nnever x == 2;", query.CheckOptions{Options: query.Defaults()}, "tso").Results[0]
	if r.Verdict != verdict.Unknown || !strings.Contains(r.Reason, "no execution comes to an end") {
		t.Errorf("%s: %s", r.Verdict, r.Reason)
	}
}

func TestUnreachedAssertionIsWarnedOf(t *testing.T) {
	r := ask1(t, "var x;\nthread t { reg r; r = x; if (r == 1) { assert r == 2; } }", query.CheckOptions{Options: query.Defaults()}, "sc").Results[0]
	if r.Verdict != verdict.Safe || len(r.Warnings) != 1 || r.Warnings[0].Code != "FP0901" {
		t.Errorf("%s %+v", r.Verdict, r.Warnings)
	}
}

// An observation does not hide a violation further away.
func TestObservationAndViolation(t *testing.T) {
	r := ask1(t, "var x;\nthread t { x = 1; }\nthread u { reg r; r = x; r = x; r = x; r = x; assert r == 0; }\nexists x == 1;", query.CheckOptions{Options: query.Defaults()}, "sc").Results[0]
	if r.Verdict != verdict.Unsafe || r.Question != "assertion" {
		t.Errorf("%s %s", r.Verdict, r.Question)
	}
}

func TestKeepGoing(t *testing.T) {
	opt := query.CheckOptions{Options: query.Defaults()}
	opt.KeepGoing = true
	r := ask1(t, "var x;\nthread t { reg r; r = x; assert r == 1; }\nthread u { reg r; r = x; assert r == 2; assert r == 3; }", opt, "sc").Results[0]
	if r.Verdict != verdict.Unsafe || len(r.Others) != 1 {
		t.Errorf("%s, %d others", r.Verdict, len(r.Others))
	}
}

func TestRefusals(t *testing.T) {
	for _, c := range []struct{ name, text, code string }{
		{"x.fp", "var x;\nthread t { x = 1; }", "FP0900"},
		{"x.fp", "var x;\nthread t * n { x = 1; assert x == 1; }", "FP0902"},
		{"x.unheard", "", "FP0903"},
	} {
		a, err := Run(context.Background(), query.Input{Name: c.name, Text: []byte(c.text)}, query.CheckOptions{Options: query.Defaults()}.Under("tso"))
		if err != nil || !a.HasErrors() || a.Diagnostics[len(a.Diagnostics)-1].Code != c.code {
			t.Errorf("%s: %v %+v", c.code, err, a.Diagnostics)
		}
	}
	opt := query.CheckOptions{Options: query.Defaults()}
	opt.Threads = 2
	if r := ask1(t, "var x;\nthread t * n { x = 1; assert x == 1; }", opt, "tso").Results[0]; r.Verdict != verdict.Safe {
		t.Errorf("two instances: %s", r.Verdict)
	}
	opt.Lang = "nonsense"
	if a := ask1(t, dekker, opt, "tso"); !a.HasErrors() {
		t.Error("unknown language accepted")
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
	opt := query.CheckOptions{Options: query.Defaults()}
	r := ask1(t, loop, opt, "pso").Results[0]
	if r.Verdict != verdict.Unknown || !r.BoundedOnly || !strings.HasPrefix(r.Reason, "no violation within: at most 8 buffered stores per thread (bound hit at test.fp:3)") {
		t.Errorf("%s %q", r.Verdict, r.Reason)
	}
	if len(r.Engines) < 3 {
		t.Errorf("asked: %+v", r.Engines)
	}
	r = ask1(t, loop+"exists b:s == 1;", opt, "pso").Results[0]
	if r.Verdict != verdict.Unknown || !strings.Contains(r.Reason, "but the rest is not decided: no violation within: at most 8 buffered stores") {
		t.Errorf("%s %q", r.Verdict, r.Reason)
	}
	opt.Buffer = 3
	r = ask1(t, loop+"exists b:s == 1;", opt, "pso").Results[0]
	if r.Verdict != verdict.Observed || len(r.Warnings) == 0 {
		t.Errorf("%s %q %v", r.Verdict, r.Reason, r.Warnings)
	}
	opt = query.CheckOptions{Options: query.Defaults()}
	opt.Races = true
	a, err := Run(context.Background(), query.Input{Name: "test.c", Text: []byte(`
#include <pthread.h>
#include <stdatomic.h>
#include <assert.h>
atomic_int x, go;
void *w(void *p) { while (!go) atomic_fetch_add(&x, 1); return 0; }
int main(void) { pthread_t t; pthread_create(&t, 0, w, 0); go = 1; pthread_join(t, 0); assert(x < 3); }
`)}, opt.Under("sc"))
	if err != nil || len(a.Results) != 1 || a.Results[0].Verdict != verdict.Unsafe {
		t.Errorf("the races are open, the assertion is not: %v %+v", err, a)
	}
}

// Bounds that bmc raised by itself were not set by the user.
func TestGiven(t *testing.T) {
	opt := query.CheckOptions{}
	opt.BMC.Rounds = 8
	if g := Given(&opt); g.Rounds != 8 {
		t.Errorf("%+v", g)
	}
	opt.BMC.Auto = true
	if g := Given(&opt); g.Rounds != 0 {
		t.Errorf("--auto: %+v", g)
	}
}
