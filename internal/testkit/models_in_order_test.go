package testkit_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"fencepost/internal/budget"
	"fencepost/internal/engine"
	"fencepost/internal/engine/bmc"
	"fencepost/internal/engine/dual"
	"fencepost/internal/engine/explicit"
	"fencepost/internal/engine/lazy"
	"fencepost/internal/engine/rf"
	"fencepost/internal/engine/robust"
	"fencepost/internal/engine/smc"
	"fencepost/internal/ir"
	"fencepost/internal/property"
	"fencepost/internal/testkit"
)

// An execution under SC is one under TSO in which every store reaches memory at once, and an execution under TSO is
// one under PSO. So each engine, asked about a program under the three models, may only find more.

var lazyEngine = lazy.New(explicit.GoalsFirst, robust.AttacksFirst, lazy.Options{})

// orderedEngines are the engines, and how much each may do. An engine that only answers whether there is a violation
// has First; for a model that it does not support, explicit answers.
var orderedEngines = []struct {
	engine *engine.Engine
	how    testkit.How
}{
	{testkit.Explicit, testkit.How{Memory: 1 << 24}},
	{testkit.Explicit, testkit.How{Memory: 1 << 24, NoReduction: true}},
	{&smc.Engine, testkit.How{Unroll: 3, Work: 55 * budget.Millisecond}},
	{&rf.Engine, testkit.How{Unroll: 3, Work: 100 * budget.Millisecond}},
	{&bmc.Engine, testkit.How{Unroll: 3, Work: 5 * budget.Millisecond}},
	{&lazyEngine, testkit.How{Unroll: 3, Work: 30 * budget.Millisecond, First: true}},
	{&dual.Engine, testkit.How{Work: 200 * budget.Millisecond, First: true}},
}

// TestModelsInOrder: for every engine the final states and violations under SC are among those under TSO, and those
// among PSO's, on random programs of all profiles.
func TestModelsInOrder(t *testing.T) {
	var compared, more atomic.Int64
	inParallel(max(20, *programs/4), func(i int) {
		seed := *firstSeed + uint64(i)
		flat, props := testkit.Generate(seed, testkit.Profiles[seed%uint64(len(testkit.Profiles))]).Flat()
		for k := range orderedEngines {
			n, grew, what := inOrder(flat, props, k)
			compared.Add(int64(n))
			more.Add(int64(grew))
			if what != "" {
				t.Errorf("seed %d: %s\n%s", seed, what, ir.Print(flat))
			}
		}
	})
	t.Logf("%d comparisons, %d with more final states under the weaker model", compared.Load(), more.Load())
	if compared.Load() < 100 || more.Load() < 5 {
		t.Errorf("only %d comparisons, %d with more final states under the weaker model", compared.Load(), more.Load())
	}
}

// inOrder asks an engine about a program under all models. It returns how many pairs of models it compared, in how many
// the weaker model has more final states, and what is wrong.
func inOrder(flat *ir.Program, props *property.Set, k int) (compared, more int, what string) {
	e := orderedEngines[k]
	var before *testkit.Answers
	asked := 0
	for _, m := range testkit.Models {
		by := e.engine
		if by.Supports(&engine.Task{Program: flat, Props: props, Model: m}) != nil {
			by = testkit.Explicit
		} else {
			asked++
		}
		if by != e.engine && !e.how.First {
			before = nil
			continue
		}
		a, err := testkit.Ask(by, flat, props, m, e.how)
		if errors.Is(err, testkit.ErrTooBig) || err != nil && strings.Contains(err.Error(), "gave up") || err == nil && a.Cut {
			before = nil
			continue
		}
		if err != nil {
			return compared, more, fmt.Sprintf("%s under %s: %v", e.engine.Name, m, err)
		}
		if before != nil {
			compared += min(asked, 1)
			if missing := lost(before, &a, e.how.First); missing != "" {
				return compared, more, fmt.Sprintf("%s under %s does not find %s", e.engine.Name, m, missing)
			}
			if len(a.Finals) > len(before.Finals) {
				more++
			}
		}
		before = &a
	}
	return compared, more, ""
}

// lost says what an engine found under a model and not under a weaker one, "" for nothing. first says that both looked
// for one violation.
func lost(strong, weak *testkit.Answers, first bool) string {
	if first {
		if strong.Found() && !weak.Found() {
			return "any violation"
		}
		return ""
	}
	for _, f := range strong.Finals {
		if !slices.Contains(weak.Finals, f) {
			return "the final state " + f
		}
	}
	for _, c := range strong.Checks {
		if !slices.Contains(weak.Checks, c) {
			return "the failing check " + c
		}
	}
	for _, g := range strong.Goals {
		if !slices.Contains(weak.Goals, g) {
			return fmt.Sprintf("goal %d", g)
		}
	}
	switch {
	case strong.Final && !weak.Final:
		return "the violation of the final condition"
	case strong.Deadlock && !weak.Deadlock:
		return "the deadlock"
	}
	return ""
}
