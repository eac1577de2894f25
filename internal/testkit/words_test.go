package testkit_test

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"fencepost/internal/engine"
	"fencepost/internal/ir"
	"fencepost/internal/ir/irtext"
	"fencepost/internal/memory"
	"fencepost/internal/property"
	"fencepost/internal/testkit"
)

// TestStoresIntoMutexes: on random programs that store into mutexes, conditions and barriers, every engine answers as
// the enumerator of package replay does, or says what it does not take. No engine panics.
func TestStoresIntoMutexes(t *testing.T) {
	var mu sync.Mutex
	counts := map[string]int{}
	add := func(what string) {
		mu.Lock()
		defer mu.Unlock()
		counts[what]++
	}
	inParallel(max(60, *programs/2), func(i int) {
		seed := *firstSeed + uint64(i)
		p := testkit.Generate(seed, testkit.Overwriting[seed%uint64(len(testkit.Overwriting))])
		problem := func(p *testkit.Program, add func(string)) string {
			flat, props := p.Flat()
			for _, m := range testkit.Models {
				want, err := testkit.Oracle(flat, props, m)
				if errors.Is(err, testkit.ErrTooBig) {
					add("too big for the oracle")
					continue
				}
				if err != nil {
					return fmt.Sprintf("%s: enumerator: %v", m, err)
				}
				for k := range orderedEngines {
					if what := agrees(flat, props, m, k, want, add); what != "" {
						return fmt.Sprintf("%s, %s: %s", orderedEngines[k].engine.Name, m, what)
					}
				}
			}
			return ""
		}
		what := problem(p, add)
		if what == "" {
			return
		}
		nothing := func(string) {}
		small := testkit.Shrink(p, func(q *testkit.Program) bool { return problem(q, nothing) != "" })
		flat, _ := small.Flat()
		t.Errorf("seed %d: %s\nreproduce: go test ./internal/testkit -run TestStoresIntoMutexes -fp.programs=1 -fp.seed=%d\nshrunk: %s\n%s", seed, what, seed, problem(small, nothing), irtext.Print(flat))
	})
	t.Logf("%v", counts)
	for _, e := range orderedEngines {
		if counts[e.engine.Name+" agrees"] == 0 {
			t.Errorf("%s answered no question", e.engine.Name)
		}
	}
}

// agrees says how the answer of an engine differs from the one that is wanted, "" if it does not. It counts what became
// of the question.
func agrees(flat *ir.Program, props *property.Set, m memory.Model, k int, want testkit.Answers, add func(string)) (what string) {
	defer func() {
		if p := recover(); p != nil {
			what = fmt.Sprint(p)
		}
	}()
	e := orderedEngines[k]
	if e.engine.Supports(&engine.Task{Program: flat, Props: props, Model: m}) != nil {
		add(e.engine.Name + " does not take")
		return ""
	}
	got, err := testkit.Ask(e.engine, flat, props, m, e.how)
	switch {
	case errors.Is(err, testkit.ErrTooBig), err == nil && got.Cut:
		add(e.engine.Name + " meets a bound")
	case err != nil && strings.Contains(err.Error(), "gave up"):
		add(err.Error())
	case err != nil:
		return err.Error()
	case e.how.First && want.Found() != got.Found():
		return fmt.Sprintf("violation: want %v, got %v", want.Found(), got.Found())
	case !e.how.First && testkit.Difference(want, got) != "":
		return testkit.Difference(want, got)
	default:
		add(e.engine.Name + " agrees")
	}
	return ""
}
