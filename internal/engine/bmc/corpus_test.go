package bmc_test

import (
	"context"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"fencepost/internal/engine/bmc"
	"fencepost/internal/pipeline"
	"fencepost/internal/question/check"
	"fencepost/internal/testkit"
	"fencepost/verdict"
)

// TestCorpus: on the programs of both corpora and under every model, only expected violations are
// found, and all of them are found with small bounds, or the answer is unknown because an
// instruction is not encoded or the program never ends.
func TestCorpus(t *testing.T) {
	var unsafe, safe, unknown int
	root := testkit.Root(t)
	cases := testkit.LoadCorpus(t, filepath.Join(root, "testdata", "corpus"))
	cases = append(cases, testkit.LoadCorpus(t, filepath.Join(root, "internal", "frontend", "c", "testdata", "corpus"))...)
	for _, c := range testkit.PartOf(t, cases, 15) {
		if c.Name() == "c-function-table" && !testkit.Slow() {
			continue // a hundred thousand clauses
		}
		for model, want := range c.Expect {
			if want != "safe" && want != "unsafe" {
				continue
			}
			var res verdict.Result
			for _, bounds := range [][4]int{{2, 2, 2, 2}, {5, 6, 4, 3}, {9, 3, 3, 3}} { // later ones where earlier ones do not suffice
				opt := c.Options
				opt.Engine, opt.Unroll = "bmc", bounds[0]
				opt.BMC = bmc.Options{Rounds: bounds[1], Clock: bounds[2], Queue: bounds[3]}
				answer, err := check.Run(context.Background(), c.Input, []string{model}, opt)
				if err != nil {
					t.Fatalf("%s under %s: %v", c.Input.Name, model, err)
				}
				if refused(answer) {
					res = verdict.Result{Verdict: verdict.Unknown, Reason: "bmc does not encode it"}
					break
				}
				if answer.HasErrors() {
					t.Fatalf("%s: %v", c.Input.Name, answer.Diagnostics)
				}
				res = answer.Results[0]
				if res.Verdict.String() == want || want == "safe" && endless(res) {
					break
				}
			}
			switch {
			case res.Verdict == verdict.Unknown:
				unknown++
				if !strings.Contains(res.Reason, "does not encode") && !(want == "safe" && endless(res)) {
					t.Errorf("%s under %s: unknown: %s", c.Input.Name, model, res.Reason)
				}
			case res.Verdict.String() != want:
				t.Errorf("%s under %s: %s, want %s", c.Input.Name, model, res.Verdict, want)
			case want == "unsafe":
				unsafe++
			default:
				safe++
			}
		}
	}
	t.Logf("%d unsafe, %d safe, %d not decided", unsafe, safe, unknown)
	if unsafe < 10 || safe < 10 {
		t.Error("too few programs are decided")
	}
}

// TestCorpusInOrder: on the same programs, the order of events finds only expected violations, and
// where it leaves nothing out it finds all of them.
func TestCorpusInOrder(t *testing.T) {
	root := testkit.Root(t)
	cases := testkit.LoadCorpus(t, filepath.Join(root, "testdata", "corpus"))
	cases = append(cases, testkit.LoadCorpus(t, filepath.Join(root, "internal", "frontend", "c", "testdata", "corpus"))...)
	var unsafe, complete, other int
	for _, c := range testkit.PartOf(t, cases, 15) {
		for model, want := range c.Expect {
			if want != "safe" && want != "unsafe" {
				continue
			}
			opt := c.Options
			opt.Engine, opt.Unroll = "bmc", 2
			opt.BMC = bmc.Options{Encoding: bmc.Order}
			answer, err := check.Run(context.Background(), c.Input, []string{model}, opt)
			if err != nil {
				t.Fatalf("%s under %s: %v", c.Input.Name, model, err)
			}
			if refused(answer) {
				continue
			}
			if answer.HasErrors() {
				t.Fatalf("%s: %v", c.Input.Name, answer.Diagnostics)
			}
			res := answer.Results[0]
			switch {
			case res.Verdict == verdict.Unsafe:
				unsafe++
			case res.Verdict == verdict.Safe && res.Coverage.Exhaustive:
				complete++
			default:
				other++
				continue
			}
			if res.Verdict.String() != want {
				t.Errorf("%s under %s: %s, want %s", c.Input.Name, model, res.Verdict, want)
			}
		}
	}
	t.Logf("%d unsafe, %d safe for all executions, %d not decided", unsafe, complete, other)
	if unsafe < 10 || complete < 10 {
		t.Error("too few programs are decided")
	}
}

// refused reports whether the engine does not take the program.
func refused(a pipeline.Answer) bool {
	return slices.ContainsFunc(a.Diagnostics, func(d verdict.Diagnostic) bool { return d.Code == "FP0907" })
}

// endless is the answer for programs that run for ever: within no bound does an execution
// come to its end.
func endless(res verdict.Result) bool {
	return res.Verdict == verdict.Unknown && strings.Contains(res.Reason, "no execution comes to an assertion or its end")
}
