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
	"fencepost/internal/ir/irtext"
	"fencepost/internal/memory"
	"fencepost/internal/property"
	"fencepost/internal/testkit"
	"fencepost/internal/transform"
)

// An execution under SC is one under TSO in which every store reaches memory at once, and an execution under TSO is
// one under PSO. So each engine, asked about a program under the three models, may only find more. What happens under one of
// them happens under c11, too, if the program has no data race.

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
// among PSO's, on random programs of all profiles. Those of programs without data races are among c11's.
func TestModelsInOrder(t *testing.T) {
	var compared, more, underC11, moreC11 atomic.Int64
	inParallel(max(20, *programs/4), func(i int) {
		seed := *firstSeed + uint64(i)
		flat, props := testkit.Generate(seed, testkit.Profiles[seed%uint64(len(testkit.Profiles))]).Flat()
		for k := range orderedEngines {
			n, grew, what := inOrder(flat, props, k)
			compared.Add(int64(n))
			more.Add(int64(grew))
			if what != "" {
				t.Errorf("seed %d: %s\n%s", seed, what, irtext.Print(flat))
			}
		}
		orders := withOrders(seed)
		for _, c := range []c11Comparison{
			{flat, transform.C11(flat, true), &property.Set{Checks: props.Checks, Final: props.Final, Deadlock: props.Deadlock, Observe: props.Observe}, testkit.Models},
			{orders, orders, &property.Set{Checks: true, Deadlock: true, Observe: observed(orders)}, testkit.Models[:1]},
		} {
			n, grew, what := c.run()
			underC11.Add(int64(n))
			moreC11.Add(int64(grew))
			if what != "" {
				t.Errorf("seed %d: %s\n%s", seed, what, irtext.Print(c.program))
			}
		}
	})
	t.Logf("%d comparisons, %d with more final states under the weaker model", compared.Load(), more.Load())
	t.Logf("%d comparisons with c11, %d with more final states there", underC11.Load(), moreC11.Load())
	if compared.Load() < 100 || more.Load() < 5 || underC11.Load() < 50 || moreC11.Load() < 1 {
		t.Error("these are too few")
	}
}

// withOrders returns a random program with the orders of C11.
func withOrders(seed uint64) *ir.Program {
	size := [][2]int{{2, 5}, {3, 4}, {2, 6}, {3, 3}, {4, 3}}[seed%5]
	p, diags := irtext.Parse("random", []byte(testkit.RandomC11(seed, size[0], size[1]).Text()))
	if diags.HasErrors() {
		panic(fmt.Sprint("BUG: ", diags))
	}
	return p
}

// observed are the objects and registers of a program.
func observed(p *ir.Program) []property.Var {
	var out []property.Var
	for _, o := range p.Objects {
		out = append(out, property.Var{Name: o.Name, Thread: ir.NoThread, Addr: o.Addr, Type: ir.S64})
	}
	for t := range p.Threads {
		for r, reg := range p.ThreadFunc(ir.ThreadID(t)).Regs {
			out = append(out, property.Var{Name: fmt.Sprintf("%d.%s", t, reg.Name), Thread: ir.ThreadID(t), Reg: ir.Reg(r)})
		}
	}
	return out
}

// c11Comparison is a program, also as c11 wants it, and the other models that it is asked about under. Stores with orders of C11
// are for c11 and SC only: front ends write other operations for the models with buffers. Goals are not asked.
type c11Comparison struct {
	program, inC11 *ir.Program
	props          *property.Set
	models         []memory.Model
}

// run asks about the program under all models. It returns what inOrder returns.
func (c *c11Comparison) run() (compared, more int, what string) {
	if rf.Engine.Supports(&engine.Task{Program: c.inC11, Props: c.props, Model: memory.C11}) != nil {
		return 0, 0, ""
	}
	weak, err := testkit.Ask(&rf.Engine, c.inC11, c.props, memory.C11, testkit.How{Unroll: 3, Work: 200 * budget.Millisecond})
	switch {
	case errors.Is(err, testkit.ErrTooBig) || err != nil && strings.Contains(err.Error(), "gave up") || err == nil && (weak.Cut || weak.Race):
		return 0, 0, ""
	case err != nil:
		return 0, 0, fmt.Sprintf("rf under c11: %v", err)
	}
	for _, m := range c.models {
		strong, err := testkit.Ask(testkit.Explicit, c.program, c.props, m, testkit.How{Memory: 1 << 24})
		if err != nil {
			continue // that is for the other comparison
		}
		compared++
		if missing := lost(&strong, &weak, false); missing != "" {
			return compared, more, fmt.Sprintf("rf under c11 does not find %s, which there is under %s", missing, m)
		}
		if len(weak.Finals) > len(strong.Finals) {
			more++
		}
	}
	return compared, more, ""
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
