package pipeline

import (
	"context"
	"strings"
	"testing"
	"time"

	"fencepost/internal/engine"
	"fencepost/internal/memory"
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

func check(t *testing.T, text string, opt Options, models ...string) Answer {
	t.Helper()
	a, err := Check(context.Background(), Input{Name: "test.fp", Text: []byte(text)}, models, opt)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func TestModelsInOneRun(t *testing.T) {
	a := check(t, dekker, Defaults(), "sc", "tso", "pso")
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
	opt := Defaults()
	opt.Timeout = 50 * time.Millisecond
	if r := check(t, loops(t), opt, "tso").Results[0]; r.Verdict != verdict.Unknown || !strings.Contains(r.Reason, "time limit") {
		t.Errorf("%s: %s", r.Verdict, r.Reason)
	}
	opt = Defaults()
	opt.Memory = 1 << 20
	if r := check(t, loops(t), opt, "tso").Results[0]; r.Verdict != verdict.Unknown || !strings.Contains(r.Reason, "memory limit") {
		t.Errorf("%s: %s", r.Verdict, r.Reason)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	a, err := Check(ctx, Input{Name: "test.fp", Text: []byte(loops(t))}, []string{"sc"}, Defaults())
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
	opt := Defaults()
	opt.Buffer, opt.Engine = 3, "explicit"
	r := check(t, spin, opt, "tso").Results[0]
	if r.Verdict != verdict.Safe || r.Coverage.Exhaustive || len(r.Coverage.Bounds) != 1 || !r.Coverage.Bounds[0].Hit || r.Coverage.Bounds[0].Value != 3 {
		t.Errorf("%s %+v", r.Verdict, r.Coverage)
	}
	fenced := strings.Replace(spin, "x = 0;", "x = 0; fence;", 1)
	if r := check(t, fenced, opt, "tso").Results[0]; r.Verdict != verdict.Safe || !r.Coverage.Exhaustive || len(r.Coverage.Bounds) != 0 {
		t.Errorf("%s %+v", r.Verdict, r.Coverage)
	}
	observe := strings.Replace(spin, "assert r < 2;", "", 1) + "exists t2:r == 7;"
	observe = strings.Replace(observe, "loop {", "while (y == 0) {", 1)
	if r := check(t, observe, opt, "tso").Results[0]; r.Verdict != verdict.Unknown {
		t.Errorf("an observation not made within bounds is %s", r.Verdict)
	}
}

// Nothing ends, so a final condition holds of nothing: that is not safe.
func TestNoFinalState(t *testing.T) {
	r := check(t, "var x;\nthread t { loop { x = 1; fence; } }\nnever x == 2;", Defaults(), "tso").Results[0]
	if r.Verdict != verdict.Unknown || !strings.Contains(r.Reason, "no execution comes to an end") {
		t.Errorf("%s: %s", r.Verdict, r.Reason)
	}
}

func TestUnreachedAssertionIsWarnedOf(t *testing.T) {
	r := check(t, "var x;\nthread t { reg r; r = x; if (r == 1) { assert r == 2; } }", Defaults(), "sc").Results[0]
	if r.Verdict != verdict.Safe || len(r.Warnings) != 1 || r.Warnings[0].Code != "FP0901" {
		t.Errorf("%s %+v", r.Verdict, r.Warnings)
	}
}

// An observation does not hide a violation further away.
func TestObservationAndViolation(t *testing.T) {
	r := check(t, "var x;\nthread t { x = 1; }\nthread u { reg r; r = x; r = x; r = x; r = x; assert r == 0; }\nexists x == 1;", Defaults(), "sc").Results[0]
	if r.Verdict != verdict.Unsafe || r.Question != "assertion" {
		t.Errorf("%s %s", r.Verdict, r.Question)
	}
}

func TestKeepGoing(t *testing.T) {
	opt := Defaults()
	opt.KeepGoing = true
	r := check(t, "var x;\nthread t { reg r; r = x; assert r == 1; }\nthread u { reg r; r = x; assert r == 2; assert r == 3; }", opt, "sc").Results[0]
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
		a, err := Check(context.Background(), Input{Name: c.name, Text: []byte(c.text)}, []string{"tso"}, Defaults())
		if err != nil || !a.HasErrors() || a.Diagnostics[len(a.Diagnostics)-1].Code != c.code {
			t.Errorf("%s: %v %+v", c.code, err, a.Diagnostics)
		}
	}
	opt := Defaults()
	opt.Threads = 2
	if r := check(t, "var x;\nthread t * n { x = 1; assert x == 1; }", opt, "tso").Results[0]; r.Verdict != verdict.Safe {
		t.Errorf("two instances: %s", r.Verdict)
	}
	opt.Lang = "nonsense"
	if a := check(t, dekker, opt, "tso"); !a.HasErrors() {
		t.Error("unknown language accepted")
	}
}

// A witness that is not an execution is never shown: it is an internal error.
func TestBadWitnessIsRejected(t *testing.T) {
	opt := Defaults()
	p := load(t.Context(), Input{Name: "test.fp", Text: []byte(dekker)}, opt)
	flat := p.flat(opt)
	good := check(t, dekker, opt, "tso").Results[0].Witness
	v := &engine.Violation{Kind: engine.FinalViolated, Witness: good}
	if err := p.replay(flat, memory.TSO, v); err != nil {
		t.Fatal(err)
	}
	if err := p.replay(flat, memory.SC, v); err == nil {
		t.Error("a TSO witness replays under SC")
	}
	short := *good
	short.Steps = short.Steps[:len(short.Steps)-1]
	if err := p.replay(flat, memory.TSO, &engine.Violation{Kind: engine.FinalViolated, Witness: &short}); err == nil {
		t.Error("half a witness replays")
	}
}

func TestBrokenInvariantNamesStageAndInput(t *testing.T) {
	err := func() (err error) {
		stage := "passes"
		defer caught(&stage, Input{Name: "broken.fp"}, &err)
		panic("BUG: for the test")
	}()
	if err == nil || !strings.Contains(err.Error(), "broken.fp, passes: BUG: for the test") {
		t.Error(err)
	}
}

func TestShow(t *testing.T) {
	for form, want := range map[ShowForm]string{
		ShowStructured: "structured", ShowFlat: "flat", ShowDot: "digraph",
	} {
		text, diags, err := Show(Input{Name: "test.fp", Text: []byte(dekker)}, form, Defaults())
		if err != nil || len(diags) > 0 || !strings.Contains(text, want) {
			t.Errorf("form %d: %v %v\n%s", form, err, diags, text)
		}
	}
}
