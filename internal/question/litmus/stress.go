package litmus

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"fencepost/internal/memory"
	"fencepost/internal/pipeline"
	"fencepost/internal/stress"
	"fencepost/query"
	"fencepost/verdict"
)

// Compiler compiles a program, runs it, and returns what it printed. It returns a *stress.CompileError if the compiler
// refuses the program.
type Compiler func(ctx context.Context, p stress.Program) ([]byte, error)

// Stress runs a litmus test on the processor and compares its outcomes with the
// outcomes under TSO.
func Stress(ctx context.Context, in query.Input, opt query.LitmusOptions, compile Compiler) (test verdict.StressTest, err error) {
	test = verdict.StressTest{File: in.Name, Name: in.Name, Status: verdict.StressNotRun, Outcomes: []verdict.StressOutcome{}}
	r := newTest(pipeline.Open(in), opt)
	answer, err := r.answer(ctx, query.Models{query.SC, query.TSO})
	test.Diagnostics = answer.Diagnostics
	if err != nil || len(answer.Results) == 0 {
		return test, err
	}
	r.run.Stage = "stress program"
	err = r.run.Do(ctx, func(ctx context.Context) error { return r.onProcessor(ctx, &test, answer.Results, compile) })
	return test, err
}

// onProcessor compiles and runs a test. results are the answers under SC and TSO.
func (r *Test) onProcessor(ctx context.Context, test *verdict.StressTest, results []verdict.Result, compile Compiler) error {
	tso := &results[1]
	test.Name, test.Kind, test.Condition = tso.Litmus.Name, tso.Litmus.Kind, tso.Litmus.Condition
	if r.early {
		test.Reason = "executions go wrong: " + strings.Join(tso.Litmus.Notes, "; ")
		return nil
	}
	program, reason := r.run.Litmus.Native()
	if reason != "" {
		test.Reason = reason
		return nil
	}
	text, err := stress.Write(program)
	if unsupported := (*stress.UnsupportedError)(nil); errors.As(err, &unsupported) {
		test.Reason = unsupported.Reason
		return nil
	}
	if program.Program == nil && r.run.Litmus.ComputesAddresses() && !r.complete[memory.TSO.String()] {
		test.Reason = "the search did not cover everything, and an instruction that was not reached may access memory outside all variables"
		return nil
	}
	begun := time.Now()
	output, err := compile(ctx, text)
	if refused := (*stress.CompileError)(nil); errors.As(err, &refused) {
		test.Reason = "the compiler refuses it: " + refused.Message
		return nil
	}
	test.Seconds = time.Since(begun).Seconds()
	var run *stress.Run
	if err == nil {
		run, err = stress.Read(program, output)
	}
	switch {
	case ctx.Err() != nil:
		test.Reason = "interrupted"
		return nil
	case err != nil: // of the machine, not of fencepost
		test.Status, test.Reason = verdict.StressUnknown, err.Error()
		return nil
	}
	c := &stressComparison{test: test, litmus: r, sc: stateSet(&results[0]), tso: stateSet(tso)}
	return c.compare(run)
}

func stateSet(r *verdict.Result) map[string]bool {
	set := map[string]bool{}
	for _, s := range r.FinalStates {
		set[s] = true
	}
	return set
}

// stressComparison compares the outcomes that were seen with the outcomes that are allowed.
type stressComparison struct {
	test    *verdict.StressTest
	litmus  *Test
	sc, tso map[string]bool
}

func (c *stressComparison) compare(run *stress.Run) error {
	test := c.test
	test.Rounds = run.Rounds
	seen := map[string]int{}
	var order []stressLine
	for _, o := range run.Outcomes {
		values := make([]int64, len(o.Values))
		var final strings.Builder
		for i, v := range o.Values {
			values[i] = c.litmus.run.Litmus.NativeValue(v)
			fmt.Fprintf(&final, "%s=%d ", c.litmus.run.Litmus.Props.Observe[i].Name, values[i])
		}
		sum, err := c.litmus.run.Litmus.Summarize([]string{strings.TrimSpace(final.String())})
		if err != nil {
			return err
		}
		if len(sum.States) == 0 { // the filter drops it
			continue
		}
		state, holds := sum.States[0], sum.Holds[0]
		if at, ok := seen[state]; ok {
			order[at].Count += o.Count
			continue
		}
		seen[state] = len(order)
		order = append(order, stressLine{
			StressOutcome: verdict.StressOutcome{State: state, Count: o.Count, Holds: holds, Allowed: c.tso[state], SC: c.underSC(state)},
			values:        values,
		})
	}
	slices.SortFunc(order, func(a, b stressLine) int { return slices.Compare(a.values, b.values) })
	for i := range order {
		o := &order[i].StressOutcome
		test.Outcomes = append(test.Outcomes, *o)
		if o.Holds {
			test.Positive += o.Count
		} else {
			test.Negative += o.Count
		}
	}
	for s := range c.tso {
		if _, ok := seen[s]; !ok {
			test.NotSeen = append(test.NotSeen, s)
		}
	}
	slices.Sort(test.NotSeen)
	c.observation()
	c.status(run)
	return nil
}

// stressLine is an outcome with the values that it is sorted by.
type stressLine struct {
	verdict.StressOutcome
	values []int64
}

func (c *stressComparison) underSC(state string) verdict.SCStatus {
	switch {
	case c.sc[state]:
		return verdict.SCAllows
	case c.litmus.complete[memory.SC.String()]:
		return verdict.SCForbids
	default:
		return verdict.SCUnknown
	}
}

func (c *stressComparison) observation() {
	switch {
	case c.test.Positive == 0:
		c.test.Observation = "Never"
	case c.test.Negative == 0:
		c.test.Observation = "Always"
	default:
		c.test.Observation = "Sometimes"
	}
}

// status judges the outcomes. An outcome that the search has not found is forbidden only if the search
// found all outcomes.
func (c *stressComparison) status(run *stress.Run) {
	test := c.test
	test.Status = verdict.StressAllowed
	for i := range test.Outcomes {
		switch o := &test.Outcomes[i]; {
		case o.Allowed:
		case c.litmus.complete[memory.TSO.String()]:
			test.Status, test.Reason = verdict.StressForbidden, ""
			return
		default:
			test.Status, test.Reason = verdict.StressUnknown, "an outcome was seen that the search, which did not cover everything, has not found: "+o.State
		}
	}
	switch {
	case test.Status != verdict.StressAllowed:
	case run.Fault:
		test.Status, test.Reason = verdict.StressUnknown, "the test accessed memory that is not there"
	case run.Rounds == 0:
		test.Status, test.Reason = verdict.StressUnknown, "no round came to its end"
	case run.Lost > 0:
		test.Status, test.Reason = verdict.StressUnknown, fmt.Sprintf("more outcomes than can be counted: %d rounds have others", run.Lost)
	case !run.Finished:
		test.Reason = "a round did not come to its end"
	}
}
