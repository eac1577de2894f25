package testkit_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"

	"fencepost/internal/engine"
	"fencepost/internal/ir"
	"fencepost/internal/ir/irtext"
	"fencepost/internal/memory"
	"fencepost/internal/pipeline"
	"fencepost/internal/property"
	"fencepost/internal/testkit"
	"fencepost/internal/transform"
	"fencepost/query"
	"fencepost/verdict"
)

// TestUnsupported compares all engines with the enumerator on random programs with operations that are
// not supported. A violation elsewhere is found. If there is none, an engine that searched everything
// says unknown exactly if an execution reaches such an operation, and shows the execution. No engine
// says safe then.
func TestUnsupported(t *testing.T) {
	var tooBig, unsafes, unknowns, safes atomic.Int64
	n := (*programs + 19) / 20
	inParallel(n, func(i int) {
		seed := *firstSeed + uint64(i)
		flat, props := testkit.Generate(seed, testkit.Profiles[seed%uint64(len(testkit.Profiles))]).Flat()
		flat = testkit.WithUnsupported(flat, seed)
		asked := &property.Set{Checks: true, Goals: props.Goals, Deadlock: true}
		for _, m := range testkit.Models {
			want, err := testkit.Oracle(flat, asked, m)
			if errors.Is(err, testkit.ErrTooBig) {
				tooBig.Add(1)
				continue
			}
			if err != nil {
				t.Errorf("seed %d, %s: enumerator: %v", seed, m, err)
				return
			}
			violated, reached := classify(want)
			switch {
			case violated:
				unsafes.Add(1)
			case reached:
				unknowns.Add(1)
			default:
				safes.Add(1)
			}
			if problem := judgeReachable(flat, m, len(want.Checks) > 0, reached); problem != "" {
				t.Errorf("seed %d, %s: %s", seed, m, problem)
				return
			}
			for _, e := range pipeline.Engines(nil) {
				if e.Name == "bmc" && seed%16 != 0 || e.Supports(&engine.Task{Program: flat, Props: asked, Model: m}) != nil {
					continue
				}
				if problem := judgeUnsupported(e, flat, asked, m, violated, reached); problem != "" {
					t.Errorf("seed %d, %s, %s: %s\nreproduce: go test ./internal/testkit -run TestUnsupported -fp.programs=1 -fp.seed=%d\n%s", seed, e.Name, m, problem, seed, irtext.Print(flat))
					return
				}
			}
		}
	})
	t.Logf("%d programs, 3 models each: %d unsafe, %d unknown, %d safe; %d too big for the oracle", n, unsafes.Load(), unknowns.Load(), safes.Load(), tooBig.Load())
	if n >= 100 && (unsafes.Load() == 0 || unknowns.Load() == 0 || safes.Load() == 0) {
		t.Error("one of the three answers is missing")
	}
}

// classify says of the answers of the enumerator whether something is violated, and whether an execution
// reaches an operation that is not supported.
func classify(a testkit.Answers) (violated, reached bool) {
	violated = len(a.Goals) > 0 || a.Deadlock
	for _, c := range a.Checks {
		if strings.HasPrefix(c, ir.NotSupported.String()+"@") {
			reached = true
		} else {
			violated = true
		}
	}
	return violated, reached
}

// judgeReachable compares the search before questions about all executions with the enumerator. In that
// search other checks only stop their thread, so it reaches more if some fail.
func judgeReachable(flat *ir.Program, m memory.Model, fails, reached bool) string {
	p := pipeline.Open(query.Input{Name: "random"}).Program
	opt := query.Options{Workers: 1, Buffer: 8}
	rest, met, err := pipeline.Reachable(context.Background(), p, flat, m, &opt)
	switch {
	case err != nil:
		return err.Error()
	case reached && met == nil:
		return "Reachable says that no execution reaches an unsupported operation"
	case !reached && !fails && met != nil && met.Coverage.Unsupported != nil:
		return "Reachable says that an execution reaches an unsupported operation"
	case met == nil && transform.FirstUnsupported(rest) != nil:
		return "Reachable leaves an unsupported operation"
	}
	return ""
}

// judgeUnsupported asks an engine, and returns what is wrong with its answer, or "".
func judgeUnsupported(e *engine.Engine, flat *ir.Program, props *property.Set, m memory.Model, violated, reached bool) string {
	p := pipeline.Open(query.Input{Name: "random"}).Program.With(props)
	opt := query.Options{Workers: 1, Unroll: 2}
	ask := &pipeline.Asking{Engine: e, Model: m, Under: m}
	p.Ask(context.Background(), ask, flat, pipeline.Asked{CheckOptions: query.CheckOptions{Options: opt}})
	if ask.Err != nil {
		return ask.Err.Error()
	}
	r := ask.Result
	whole := !ask.Cut && !r.BoundedOnly
	for _, b := range r.Coverage.Met() {
		whole = whole && b.Name == verdict.BoundUnsupported
	}
	switch u := r.Coverage.Unsupported; {
	case r.Verdict == verdict.Unsafe && !violated:
		return "unsafe, but nothing is violated"
	case r.Verdict == verdict.Safe && (violated || reached):
		return "safe, but an execution violates something or reaches an unsupported operation"
	case violated && whole && r.Verdict != verdict.Unsafe:
		return fmt.Sprintf("%s (%s), but something is violated", r.Verdict, r.Reason)
	case u != nil && !reached:
		return "no execution reaches the operation: " + u.String()
	case !violated && reached && whole && (u == nil || u.Witness == nil || r.Verdict != verdict.Unknown):
		return fmt.Sprintf("%s (%s), but an execution reaches an unsupported operation", r.Verdict, r.Reason)
	}
	return ""
}
