package testkit_test

import (
	"strings"
	"testing"

	"fencepost/internal/testkit"
	"fencepost/query"
	"fencepost/verdict"
)

// TestUndefinedCost: on the C programs of the corpus, the default search for undefined values visits few more states than
// reading such memory as 0, and the two differ only where the program decides something by an undefined value. With -v
// it prints states and time; docs/adr/0028-where-are-undefined-values-kept.md has the table.
func TestUndefinedCost(t *testing.T) {
	type cost struct {
		states  int64
		seconds float64
	}
	total := map[query.Uninitialised]map[string]*cost{}
	modes := []query.Uninitialised{query.UninitialisedZero, query.UninitialisedError}
	for _, mode := range modes {
		total[mode] = map[string]*cost{"sc": {}, "tso": {}, "pso": {}}
	}
	programs := 0
	for _, c := range corpus(t) {
		if !strings.HasSuffix(c.Input.Name, ".c") || !testkit.InPart(t, c.Name(), 12) {
			continue
		}
		programs++
		var answers [2][]verdict.Result
		for i, mode := range modes {
			opt := c.Options
			opt.C.Uninitialised = mode
			opt.Engines = query.Engines{"explicit"}
			results, err := c.Check(opt)
			if err != nil {
				break // an input that explicit does not take
			}
			for _, r := range results {
				total[mode][r.Model].states += r.Stats.States
				total[mode][r.Model].seconds += r.Stats.Seconds
			}
			answers[i] = results
		}
		for i := range answers[0] {
			zero, found := &answers[0][i], &answers[1][i]
			if zero.Verdict != found.Verdict && !strings.HasPrefix(found.Reason, "uninitialised value") {
				t.Errorf("%s under %s: %s with zero, %s (%s) with error", c.Name(), zero.Model, zero.Verdict, found.Verdict, found.Reason)
			}
			if strings.HasPrefix(found.Reason, "uninitialised value") {
				t.Logf("%s under %s: %s with zero, %s with error", c.Name(), zero.Model, zero.Verdict, found.Reason)
			}
		}
	}
	for _, model := range []string{"sc", "tso", "pso"} {
		zero, found := total[modes[0]][model], total[modes[1]][model]
		t.Logf("%d programs under %s: %d states in %.2f s with zero, %d states in %.2f s with error", programs, model, zero.states, zero.seconds, found.states, found.seconds)
		if found.states > zero.states+zero.states/4 {
			t.Errorf("under %s, %d states with error and %d with zero", model, found.states, zero.states)
		}
	}
}
