package testkit_test

import (
	"context"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"fencepost/internal/question/fences"
	"fencepost/internal/testkit"
	"fencepost/query"
	"fencepost/verdict"
)

// fencesOf returns the repair of a case. The question fences fails if a check of the
// patched text does not find it repaired.
func fencesOf(t *testing.T, c *testkit.Case, forWhat query.Purpose, model query.Model) *verdict.Result {
	t.Helper()
	opt := fences.Defaults(query.FenceOptions{Options: query.Defaults()})
	opt.Options, opt.Deadlock, opt.For, opt.Model = c.Options.Options, c.Options.Deadlock, forWhat, model
	answer, err := fences.Run(context.Background(), c.Input, opt)
	if err != nil {
		t.Fatalf("%s, %s: %v", forWhat, model, err)
	}
	if answer.HasErrors() {
		for _, d := range answer.Diagnostics {
			if d.Severity == verdict.SeverityError && d.Code != "FP0907" && d.Code != "FP0941" && d.Code != "FP0900" && d.Code != "FP0921" {
				t.Fatalf("%s, %s: %+v", forWhat, model, d)
			}
		}
		return nil
	}
	r := &answer.Results[0]
	checkRepair(t, r)
	return r
}

// checkRepair checks that a set of fences comes with a violation of the program, with a
// violation without each fence, and with a patch.
func checkRepair(t *testing.T, r *verdict.Result) {
	t.Helper()
	switch rep := r.Repair; {
	case r.Verdict == verdict.Unsafe && rep.Hopeless == nil:
		t.Error("no set of fences helps, and the result has no reason")
	case r.Verdict == verdict.Safe && (len(r.Fences) == 0) != (rep.Before == nil):
		t.Errorf("%d fences, but something wrong without: %v", len(r.Fences), rep.Before != nil)
	case r.Verdict == verdict.Safe && (len(r.Fences) == 0) != (len(rep.Patches) == 0):
		t.Errorf("%d fences, %d patches", len(r.Fences), len(rep.Patches))
	}
	var sum int64
	for i := range r.Fences {
		f := &r.Fences[i]
		sum += f.Cost
		if f.Without == nil || len(f.Without.Witness().Steps) == 0 || f.Pos == nil || f.Thread == "" || f.Label == "" {
			t.Errorf("fence %+v lacks something", f)
		}
	}
	if sum != r.Cost {
		t.Errorf("the fences cost %d, together %d", sum, r.Cost)
	}
}

// TestCorpusFences, on the programs not in C whose files say how many fences they need and on
// some others: robust programs need no fence, others get as many as their file says.
// Programs with a violation that SC does not have get fences under the weaker model. A
// repaired program needs no more fences.
func TestCorpusFences(t *testing.T) {
	said := 0
	for _, c := range corpus(t) {
		if c.Fences != "" {
			said++
		}
		if (c.Fences == "" || strings.HasSuffix(c.Input.Name, ".c")) && !testkit.InPart(t, c.Name(), 12) {
			continue
		}
		t.Run(strings.TrimSuffix(filepath.Base(c.Path), ".txtar"), func(t *testing.T) {
			t.Parallel()
			if r := fencesOf(t, c, query.ForRobustness, "tso"); r != nil {
				if c.Robust == "yes" && (r.Verdict != verdict.Safe || len(r.Fences) > 0) || c.Robust == "no" && r.Verdict == verdict.Safe && len(r.Fences) == 0 {
					t.Errorf("robust=%s, and it gets %d fences (%s)", c.Robust, len(r.Fences), r.Verdict)
				}
				if c.Fences != "" && (r.Verdict != verdict.Safe || strconv.Itoa(len(r.Fences)) != c.Fences) {
					t.Errorf("want %s fences, got %d (%s, %s)", c.Fences, len(r.Fences), r.Verdict, r.Reason)
				}
			}
			if r := fencesOf(t, c, query.ForRobustness, "pso"); r != nil && c.Robust == "no" && r.Verdict == verdict.Safe && len(r.Fences) == 0 {
				t.Error("not robust against TSO, and it gets no fences for PSO")
			}
			for _, model := range []string{"tso", "pso"} {
				if c.Expect["sc"] != "safe" || c.Verdict(model) != "unsafe" {
					continue
				}
				r := fencesOf(t, c, query.ForAssertions, query.Model(model))
				if r == nil || r.Verdict == verdict.Unknown || r.Verdict == verdict.Safe && len(r.Fences) == 0 {
					t.Errorf("%s: the violation is not repaired: %+v", model, r)
				}
			}
		})
	}
	if said < 15 {
		t.Errorf("only %d programs say how many fences they need", said)
	}
}
