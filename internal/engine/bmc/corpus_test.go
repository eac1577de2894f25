package bmc_test

import (
	"context"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"fencepost/internal/engine/bmc"
	"fencepost/internal/question/check"
	"fencepost/internal/testkit"
	"fencepost/query"
	"fencepost/verdict"
)

// corpora returns the programs of both corpora that a test runs on. Each is a subtest, so that -run can name some
// of them.
func corpora(t *testing.T) []*testkit.Case {
	root := testkit.Root(t)
	cases := testkit.LoadCorpus(t, filepath.Join(root, "testdata", "corpus"))
	cases = append(cases, testkit.LoadCorpus(t, filepath.Join(root, "internal", "frontend", "c", "testdata", "corpus"))...)
	return testkit.PartOf(t, cases, 15)
}

// tally counts answers.
type tally struct{ asked, unsafe, safe, other int }

// report fails if almost none of the answers decide.
func (n *tally) report(t *testing.T) {
	t.Logf("%d unsafe, %d safe, %d not decided", n.unsafe, n.safe, n.other)
	if n.asked >= 40 && (n.unsafe < 10 || n.safe < 10) {
		t.Error("too few programs are decided")
	}
}

// TestCorpus: on the programs of both corpora and under every model, only expected violations are
// found, and all of them are found with small bounds, or the answer is unknown because an
// instruction or floating point is not encoded or the program never ends.
func TestCorpus(t *testing.T) {
	var n tally
	for _, c := range corpora(t) {
		if c.Name() == "c-function-table" && !testkit.Slow() {
			continue // a hundred thousand clauses
		}
		t.Run(c.Name(), func(t *testing.T) {
			for model, want := range c.Expect {
				if want == "safe" || want == "unsafe" {
					inRounds(t, c, model, want, &n)
				}
			}
		})
	}
	n.report(t)
}

func inRounds(t *testing.T, c *testkit.Case, model, want string, n *tally) {
	var res verdict.Result
	for _, bounds := range [][4]int{{2, 2, 2, 2}, {5, 3, 2, 2}, {5, 6, 4, 3}, {9, 3, 3, 3}, {24, 3, 3, 3}} { // later ones where earlier ones do not suffice
		var ok bool
		res, ok = askCase(t, c, model, bounds[0], bmc.Options{Rounds: bounds[1], Clock: bounds[2], Queue: bounds[3]})
		if !ok {
			res = verdict.Result{Verdict: verdict.Unknown, Reason: "bmc does not encode it"}
			break
		}
		if res.Verdict.String() == want || want == "safe" && endless(res) || reachesFloatingPoint(res) {
			break
		}
	}
	n.asked++
	switch {
	case res.Verdict == verdict.Unknown:
		n.other++
		if !strings.Contains(res.Reason, "does not encode") && !(want == "safe" && endless(res)) && !reachesFloatingPoint(res) {
			t.Errorf("under %s: unknown: %s", model, res.Reason)
		}
	case res.Verdict.String() != want:
		t.Errorf("under %s: %s, want %s", model, res.Verdict, want)
	case want == "unsafe":
		n.unsafe++
	default:
		n.safe++
	}
}

// askCase asks about a program of a corpus, and returns false if the engine does not take it.
func askCase(t *testing.T, c *testkit.Case, model string, unroll int, bounds bmc.Options) (verdict.Result, bool) {
	opt := c.Options
	opt.Engines, opt.Unroll, opt.BMC = query.Engines{"bmc"}, unroll, bounds
	answer, err := check.Run(context.Background(), c.Input, opt.Under(query.Model(model)))
	if err != nil {
		t.Fatalf("under %s: %v", model, err)
	}
	if refused(answer) {
		return verdict.Result{}, false
	}
	if answer.HasErrors() {
		t.Fatalf("under %s: %v", model, answer.Diagnostics)
	}
	return answer.Results[0], true
}

// TestCorpusInOrder: on the same programs, the order of events finds only expected violations, and
// where it leaves nothing out it finds all of them.
func TestCorpusInOrder(t *testing.T) {
	var n tally
	for _, c := range corpora(t) {
		t.Run(c.Name(), func(t *testing.T) {
			for model, want := range c.Expect {
				if want == "safe" || want == "unsafe" {
					inOrder(t, c, model, want, &n)
				}
			}
		})
	}
	n.report(t)
}

func inOrder(t *testing.T, c *testkit.Case, model, want string, n *tally) {
	res, ok := askCase(t, c, model, 2, bmc.Options{Encoding: bmc.Order})
	if !ok {
		return
	}
	n.asked++
	switch {
	case res.Verdict == verdict.Unsafe:
		n.unsafe++
	case res.Verdict == verdict.Safe && res.Coverage.Exhaustive:
		n.safe++
	default:
		n.other++
		return
	}
	if res.Verdict.String() != want {
		t.Errorf("under %s: %s, want %s", model, res.Verdict, want)
	}
}

// refused reports whether the engine does not take the program.
func refused(a query.Answer) bool {
	return slices.ContainsFunc(a.Diagnostics, func(d verdict.Diagnostic) bool { return d.Code == "FP0907" || d.Code == "FP0941" })
}

// reachesFloatingPoint is the answer where executions come to floating point.
func reachesFloatingPoint(res verdict.Result) bool {
	return res.Verdict == verdict.Unknown && slices.ContainsFunc(res.Coverage.Bounds, func(b verdict.Bound) bool { return b.Hit && b.Name == verdict.BoundFloatingPoint })
}

// endless is the answer for programs that run for ever: within no bound does an execution
// come to its end.
func endless(res verdict.Result) bool {
	return res.Verdict == verdict.Unknown && (strings.Contains(res.Reason, "no execution comes to an assertion or its end") || strings.Contains(res.Reason, "no execution comes to its end within the bounds"))
}
