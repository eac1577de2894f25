package check

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"fencepost/internal/budget"
	"fencepost/internal/engine"
	"fencepost/internal/memory"
	"fencepost/internal/pipeline"
	"fencepost/internal/supervise"
	"fencepost/query"
	"fencepost/verdict"
)

// result is the answer of a made-up engine.
func result(name string, v verdict.Verdict, exhaustive bool) *verdict.Result {
	return &verdict.Result{Engine: name, Verdict: v, Reason: "because", Coverage: verdict.Coverage{Exhaustive: exhaustive}}
}

// halfTurn is the work of a step of a made-up engine.
const halfTurn = firstTurn / 2

// made returns the attempt of a made-up engine, which does some steps and then answers. The answer
// nil is that of an engine which works until it is interrupted.
func made(name string, steps int64, answer *verdict.Result) *attempt {
	a := &attempt{ask: &pipeline.Asking{Engine: &engine.Engine{Name: name}, Model: memory.TSO, Under: memory.TSO}, share: shareOf(name)}
	a.work = func(ctx context.Context) {
		for done := int64(0); answer == nil || done < steps; done++ {
			if budget.Spend(ctx, halfTurn) != nil {
				a.ask.Result = result(name, verdict.Unknown, false)
				return
			}
		}
		a.ask.Result = answer
	}
	return a
}

// runSchedule asks made-up engines, which answer in the order given.
func runSchedule(t *testing.T, crossCheck bool, answers ...*verdict.Result) (*verdict.Result, error) {
	t.Helper()
	s := &schedule{crossCheck: crossCheck}
	for i, r := range answers {
		s.attempts = append(s.attempts, made(r.Engine, int64(1+i), r))
	}
	res, err := s.answer(context.Background())
	if err == nil && res == nil {
		res = bestOf(s.answered())
	}
	return res, err
}

func TestFirstDefiniteAnswer(t *testing.T) {
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
		got, err := runSchedule(t, false, test.answers...)
		if err != nil || got != test.want {
			t.Errorf("%s: got %+v, %v", test.name, got, err)
		}
	}
	got, err := runSchedule(t, false, result("a", verdict.Unknown, false), result("b", verdict.Unknown, false))
	if err != nil || got.Verdict != verdict.Unknown || got.Reason != "a: because; b: because" {
		t.Errorf("two unknowns: %+v, %v", got, err)
	}
}

// Engines that contradict each other are an internal error with both results.
func TestContradiction(t *testing.T) {
	_, err := runSchedule(t, true, result("one", verdict.Safe, true), result("two", verdict.Unsafe, false))
	var c *Contradiction
	if !errors.As(err, &c) {
		t.Fatalf("got %v", err)
	}
	for _, part := range []string{"one says safe", "two says unsafe", `"verdict":"safe"`, `"verdict":"unsafe"`} {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("%q is not in %q", part, err)
		}
	}
	if _, err := runSchedule(t, true, result("one", verdict.Safe, false), result("two", verdict.Unsafe, false)); err != nil {
		t.Errorf("a safe with bounds contradicts nothing: %v", err)
	}
}

// Engines take turns: which one answers depends on the work they need, and not on the clock.
func TestTurns(t *testing.T) {
	tests := []struct {
		name   string
		steps  []int64
		want   string
		turned string
	}{
		{"the first is fast enough", []int64{1, 1}, "a", "a"},
		{"the second is faster", []int64{20, 1}, "b", "ab"},
		{"the first goes on where it stopped", []int64{5, 20}, "a", "ababa"},
		{"turns grow", []int64{1 << 40, 2 + 2 + 2 + 3 + 1}, "b", "ababababab"},
		{"all at the same time in the end", []int64{1 << 40, 2 * lastTurn / halfTurn}, "b", strings.Repeat("ab", 25)},
	}
	for _, test := range tests {
		turned := ""
		s := &schedule{log: func(line string) {
			if name, rest, _ := strings.Cut(line, " under tso: "); strings.HasPrefix(rest, "turn") {
				turned += name
			}
		}}
		for i, steps := range test.steps {
			name := string(rune('a' + i))
			s.attempts = append(s.attempts, made(name, steps, result(name, verdict.Safe, true)))
		}
		ctx := supervise.WithScope(context.Background())
		res, err := s.answer(ctx)
		if err != nil || res.Engine != test.want || turned != test.turned {
			t.Errorf("%s: %s answers after turns of %s, %v; want %s after %s", test.name, res.Engine, turned, err, test.want, test.turned)
		}
		supervise.Wait(ctx)
	}
}

// An engine that does not stop when it is told to is not waited for, except by the next question.
func TestAbandoned(t *testing.T) {
	gate, ended := make(chan struct{}), false
	busy := made("busy", 0, nil)
	busy.work = func(ctx context.Context) {
		_ = budget.Spend(ctx, firstTurn)
		<-gate
		ended = true
	}
	s := &schedule{attempts: []*attempt{busy, made("quick", 1, result("quick", verdict.Safe, true))}}
	ctx := supervise.WithScope(context.Background())
	res, err := s.answer(ctx)
	if err != nil || res.Engine != "quick" {
		t.Fatalf("%+v, %v", res, err)
	}
	if reports := s.reports(nil, "assertions"); len(reports) != 2 || !reports[0].Abandoned || reports[1].Abandoned {
		t.Errorf("%+v", reports)
	}
	close(gate)
	supervise.Wait(ctx)
	if !ended {
		t.Error("an engine still runs when the next question begins")
	}
}

// The memory of an engine that has ended goes to the others.
func TestShareOfMemory(t *testing.T) {
	s := &schedule{memory: 900}
	var shares []int64
	end := func(name string, work int64) *attempt {
		a := made(name, work, nil)
		a.work = func(ctx context.Context) {
			for range work {
				_ = budget.Spend(ctx, 1)
			}
			shares = append(shares, s.share())
			a.ask.Result = result(name, verdict.Unknown, false)
		}
		return a
	}
	s.attempts = []*attempt{end("a", 1), end("b", firstTurn+1), end("c", 3*firstTurn+1)}
	if _, err := s.answer(context.Background()); err != nil {
		t.Fatal(err)
	}
	if want := []int64{300, 450, 900}; !slices.Equal(shares, want) {
		t.Errorf("shares %v, want %v", shares, want)
	}
}

// The time limit loses no answer, and a cross-check ends with it.
func TestTimeLimit(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	endless := made("endless", 0, nil)
	s := &schedule{crossCheck: true, attempts: []*attempt{made("quick", 1, result("quick", verdict.Safe, true)), endless}, log: func(line string) {
		if strings.HasPrefix(line, "endless") {
			cancel()
		}
	}}
	if res, err := s.answer(ctx); err != nil || res.Engine != "quick" {
		t.Errorf("%+v, %v", res, err)
	}
}

// An engine that does not notice the time limit holds up no answer, whether engines take turns or
// run at the same time.
func TestNotStoppedAtTheTimeLimit(t *testing.T) {
	for _, work := range []int64{0, 4 * lastTurn} {
		ctx, cancel := context.WithCancel(supervise.WithScope(context.Background()))
		gate := make(chan struct{})
		busy := made("busy", 0, nil)
		busy.work = func(ctx context.Context) {
			_ = budget.Spend(ctx, work)
			cancel()
			<-gate
		}
		s := &schedule{attempts: []*attempt{made("bounded", 1, result("bounded", verdict.Safe, false)), busy}}
		if res, err := s.answer(ctx); res != nil || err != nil {
			t.Errorf("%+v, %v", res, err)
		}
		if all := s.answered(); len(all) != 1 || bestOf(all).Engine != "bounded" {
			t.Errorf("%d answers", len(all))
		}
		if reports := s.reports(nil, "assertions"); len(reports) != 2 || reports[0].Abandoned || !reports[1].Abandoned {
			t.Errorf("%+v", reports)
		}
		close(gate)
		supervise.Wait(ctx)
	}
}

// A robust program is decided under SC, and its violations are executions under TSO.
func TestRobustFirst(t *testing.T) {
	const broken = `
var x, y;
thread t1 { x = 1; fence; y = 1; }
thread t2 { reg r, s; r = y; s = x; assert r == 0; }
`
	r := ask1(t, broken, query.CheckOptions{Options: query.Defaults()}, "tso").Results[0]
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
	r = ask1(t, safe, query.CheckOptions{Options: query.Defaults()}, "tso").Results[0]
	if r.Verdict != verdict.Safe || !r.Coverage.Exhaustive || !strings.Contains(r.By, "robustness") {
		t.Errorf("%+v", r)
	}
}

// The planning of robustness is work: other engines have turns before it ends, and it goes on then.
func TestPlanningTakesTurns(t *testing.T) {
	var text strings.Builder
	text.WriteString("var x[2];\n")
	for thread := range 2 {
		fmt.Fprintf(&text, "thread t%d { reg r;\n", thread)
		for i := range 800 { // 640,000 pairs of accesses
			fmt.Fprintf(&text, "x[%d] = %d; r = x[%d];\n", thread, i, i%2)
		}
		text.WriteString("}\n")
	}
	text.WriteString("never t0:r == 900;\n")
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	var lines []string
	opt := query.CheckOptions{Options: query.Defaults()}
	opt.Workers, opt.Timeout = 1, 0
	opt.Turns = func(line string) {
		if lines = append(lines, line); len(lines) == 4 {
			cancel()
		}
	}
	if _, err := Run(ctx, query.Input{Name: "test.fp", Text: []byte(text.String())}, opt.Under("tso")); err != nil {
		t.Fatal(err)
	}
	want := []string{"robust under tso: turn of 2 ms", "explicit under tso: turn of 2 ms", "smc under tso: turn of 2 ms", "robust under tso: turn of 2 ms"}
	if len(lines) < 4 || !slices.Equal(lines[:4], want) {
		t.Errorf("got %q, want %q", lines, want)
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
	opt := query.CheckOptions{Options: query.Defaults()}
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
	r := ask1(t, fenced, query.CheckOptions{Options: query.Defaults()}, "tso").Results[0]
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
