package check

import (
	"context"
	"errors"
	"fencepost/internal/pipeline"
	"fmt"
	"strings"
	"testing"

	"fencepost/internal/engine"
	"fencepost/verdict"
)

// result is the answer of a made-up engine.
func result(name string, v verdict.Verdict, exhaustive bool) *verdict.Result {
	return &verdict.Result{Engine: name, Verdict: v, Reason: "because", Coverage: verdict.Coverage{Exhaustive: exhaustive}}
}

// runCompetition lets engines answer in the order given: each waits for the one before.
func runCompetition(t *testing.T, answers ...*verdict.Result) (*verdict.Result, error) {
	t.Helper()
	turn := make([]chan struct{}, len(answers)+1)
	for i := range turn {
		turn[i] = make(chan struct{})
	}
	close(turn[0])
	all := make([]*pipeline.Asking, len(answers))
	index := map[*pipeline.Asking]int{}
	for i, r := range answers {
		all[i] = &pipeline.Asking{Engine: &engine.Engine{Name: r.Engine}}
		index[all[i]] = i
	}
	res, err := compete(context.Background(), all, func(_ context.Context, a *pipeline.Asking) {
		i := index[a]
		<-turn[i]
		a.Result = answers[i]
		close(turn[i+1])
	})
	if err == nil && res == nil {
		res = bestOf(all)
	}
	return res, err
}

func TestCompete(t *testing.T) {
	unknown := result("a", verdict.Unknown, false)
	bounded := result("b", verdict.Safe, false)
	safe := result("c", verdict.Safe, true)
	unsafe := result("d", verdict.Unsafe, false)
	tests := []struct {
		name    string
		answers []*verdict.Result
		want    *verdict.Result
	}{
		{"a definite answer beats the others", []*verdict.Result{unknown, bounded, safe}, safe},
		{"a violation beats a bounded safe", []*verdict.Result{bounded, unsafe}, unsafe},
		{"a bounded safe beats an unknown", []*verdict.Result{unknown, bounded}, bounded},
	}
	for _, test := range tests {
		got, err := runCompetition(t, test.answers...)
		if err != nil || got != test.want {
			t.Errorf("%s: got %+v, %v", test.name, got, err)
		}
	}
	got, err := runCompetition(t, result("a", verdict.Unknown, false), result("b", verdict.Unknown, false))
	if err != nil || got.Verdict != verdict.Unknown || got.Reason != "a: because; b: because" {
		t.Errorf("two unknowns: %+v, %v", got, err)
	}
}

// Engines that contradict each other are an internal error with both results.
func TestContradiction(t *testing.T) {
	_, err := runCompetition(t, result("one", verdict.Safe, true), result("two", verdict.Unsafe, false))
	var c *Contradiction
	if !errors.As(err, &c) {
		t.Fatalf("got %v", err)
	}
	for _, part := range []string{"one says safe", "two says unsafe", `"verdict":"safe"`, `"verdict":"unsafe"`} {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("%q is not in %q", part, err)
		}
	}
	if _, err := runCompetition(t, result("one", verdict.Safe, false), result("two", verdict.Unsafe, false)); err != nil {
		t.Errorf("a safe with bounds contradicts nothing: %v", err)
	}
}

// A robust program is decided under SC, and its violations are executions under TSO.
func TestRobustFirst(t *testing.T) {
	const broken = `
var x, y;
thread t1 { x = 1; fence; y = 1; }
thread t2 { reg r, s; r = y; s = x; assert r == 0; }
`
	r := ask1(t, broken, Defaults(), "tso").Results[0]
	if r.Verdict != verdict.Unsafe || r.Model != "tso" || len(r.Engines) != 2 || r.Engines[0].Question != verdict.Robustness || r.Engines[0].Verdict != verdict.Safe {
		t.Fatalf("%+v", r)
	}
	if r.Cause == nil || r.Cause.Kind != verdict.CauseOrder {
		t.Errorf("cause %+v", r.Cause)
	}
	flushes := 0
	for _, st := range r.Witness.Steps {
		if st.Kind == verdict.StepFlush {
			flushes++
		}
	}
	if flushes != 2 {
		t.Errorf("%d of 2 stores reach memory in the witness", flushes)
	}
	safe := strings.Replace(broken, "assert r == 0", "assert r <= s", 1)
	r = ask1(t, safe, Defaults(), "tso").Results[0]
	if r.Verdict != verdict.Safe || !r.Coverage.Exhaustive || !strings.Contains(r.By, "robustness") {
		t.Errorf("%+v", r)
	}
}

// Violations with the same two accesses reordered are one bug.
func TestRootCauses(t *testing.T) {
	const sb = `
var x, y, z;
thread t1 { reg r; x = 1; r = y; z = 1 - r; }
thread t2 * 2 { reg s, u; y = 1; fence; s = x; if (s == 0) { u = z; assert u == 0; } }
thread t3 { reg q; q = z; assert q == 0; }
`
	opt := Defaults()
	opt.KeepGoing = true
	r := ask1(t, sb, opt, "tso").Results[0]
	if r.Verdict != verdict.Unsafe || len(r.Others) != 2 {
		t.Fatalf("%s and %d others", r.Verdict, len(r.Others))
	}
	delays, order := 0, 0
	for _, v := range append([]verdict.Violation{{Witness: r.Witness, Cause: r.Cause}}, r.Others...) {
		switch c := v.Cause; c.Kind {
		case verdict.CauseDelay:
			delays++
			first, second := &v.Witness.Steps[c.First], &v.Witness.Steps[c.Second]
			if first.Cell() != "x" || second.Cell() != "y" || len(c.Cycle) != 4 || c.Fence.Kind != "full" || c.Fence.After.Line != 3 {
				t.Errorf("%+v", c)
			}
			if like := v.Like > 0; like != (delays == 2) {
				t.Errorf("delay number %d is like %d", delays, v.Like)
			}
		case verdict.CauseOrder:
			order++
		}
	}
	if delays != 2 || order != 1 {
		t.Errorf("%d by a delay, %d by the order of steps", delays, order)
	}
}

// A safe says which fences and atomic operations it needs, and no others.
func TestRelies(t *testing.T) {
	const fenced = `
var x, y, lock, z;
thread t1 { reg r, g;
  x = 1;
  fence;
  r = y;
  fence;
  g = xchg(lock, 1); }
thread t2 { reg r, g;
  y = 1;
  fence;
  r = x;
  g = xchg(lock, 1); }
never t1:r == 0 && t2:r == 0 || t1:g == 0 && t2:g == 0;
`
	r := ask1(t, fenced, Defaults(), "tso").Results[0]
	if r.Verdict != verdict.Safe {
		t.Fatalf("%s", r.Verdict)
	}
	var got []string
	for _, x := range r.Relies {
		got = append(got, fmt.Sprintf("%s %d", x.Kind, x.Pos.Line))
		if x.Without == "" {
			t.Errorf("nothing happens without the %s in line %d", x.Kind, x.Pos.Line)
		}
	}
	if want := "fence 5, atomic 8, fence 11, atomic 13"; strings.Join(got, ", ") != want {
		t.Errorf("it relies on %v, want %s", got, want)
	}
}
