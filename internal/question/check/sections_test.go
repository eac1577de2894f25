package check_test

import (
	"context"
	"errors"
	"fencepost/internal/question/check"
	"flag"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"fencepost/internal/engine"
	"fencepost/internal/engine/bmc"
	"fencepost/internal/ir"
	"fencepost/internal/ir/irtext"
	"fencepost/internal/memory"
	"fencepost/internal/pipeline"
	"fencepost/internal/property"
	"fencepost/internal/testkit"
	"fencepost/query"
	"fencepost/verdict"
)

var firstSeed = flag.Uint64("fp.seed", 1, "seed of the first random program")

var sectioned = flag.Int("fp.sections", 70, "random programs with sections")

// sectionProfiles have sections in which everything can stand.
var sectionProfiles = []testkit.Profile{
	{Name: "sections", Sections: true, Goal: true},
	{Name: "sections-sync", Sections: true, Goal: true, Sync: true},
	{Name: "sections-mixed", Sections: true, Goal: true, Mixed: true},
	{Name: "sections-spawn", Sections: true, Spawn: true},
}

// answerers are who is asked: the portfolio, and every engine alone.
var answerers = append([]string{""}, pipeline.EngineNames()...)

// tally counts what each of them said.
type tally struct{ unsafe, safe, unknown, refused atomic.Int64 }

// TestSections: programs whose atomic sections contain goals, checks, assumptions and
// waits of every kind. Every answer is that of the enumerator of package replay:
// about goals, checks, deadlocks and the final condition, each alone and all together; bmc
// about one of these under one model. An engine may refuse a program or not know; the explicit engine and the portfolio may not
// miss anything.
func TestSections(t *testing.T) {
	var tooBig, found atomic.Int64
	said := map[string]*tally{}
	for _, name := range answerers {
		said[name] = &tally{}
	}
	var next atomic.Int64
	var wg sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		wg.Go(func() {
			for i := int(next.Add(1)) - 1; i < *sectioned; i = int(next.Add(1)) - 1 {
				seed := *firstSeed + uint64(i)
				pr := sectionProfiles[seed%uint64(len(sectionProfiles))]
				p := testkit.Generate(seed, pr)
				problem := compareSections(p, said, &tooBig, &found)
				if problem == "" {
					continue
				}
				small := testkit.Shrink(p, func(q *testkit.Program) bool { return compareSections(q, nil, nil, nil) != "" })
				flat, props := small.Flat()
				t.Errorf("profile %s, seed %d: %s\ngoals %+v\nreproduce: go test ./internal/question/check -run TestSections -fp.sections=1 -fp.seed=%d\nshrunk to:\n%s",
					pr.Name, seed, compareSections(small, nil, nil, nil), props.Goals, seed, irtext.Print(flat))
			}
		})
	}
	wg.Wait()
	t.Logf("%d programs, 3 models each: %d questions with a violation; %d too big for the oracle", *sectioned, found.Load(), tooBig.Load())
	for _, name := range answerers {
		n := said[name]
		t.Logf("%-9s unsafe %d, safe %d, unknown %d, refused %d", who(name), n.unsafe.Load(), n.safe.Load(), n.unknown.Load(), n.refused.Load())
	}
	if tooBig.Load()*5 > int64(*sectioned)*3 {
		t.Error("the oracle gave up on more than a fifth of the programs")
	}
	if *sectioned >= 70 && found.Load() < int64(*sectioned) {
		t.Error("the programs violate too little to show anything")
	}
}

func who(name string) string {
	if name == "" {
		return "portfolio"
	}
	return name
}

// question is a part of what a program is asked. A check that fails is a violation
// whatever is asked, as it is for the programs of the front ends, so the checks are asked for as well.
type question struct {
	name  string
	props func(property.Set) property.Set
	found func(testkit.Answers) bool
}

var questions = []question{
	{"checks", func(s property.Set) property.Set { return property.Set{Checks: s.Checks, Observe: s.Observe} },
		func(a testkit.Answers) bool { return len(a.Checks) > 0 }},
	{"goals", func(s property.Set) property.Set {
		return property.Set{Checks: s.Checks, Goals: s.Goals, Observe: s.Observe}
	},
		func(a testkit.Answers) bool { return len(a.Goals)+len(a.Checks) > 0 }},
	{"deadlock", func(s property.Set) property.Set {
		return property.Set{Checks: s.Checks, Deadlock: true, Observe: s.Observe}
	},
		func(a testkit.Answers) bool { return a.Deadlock || len(a.Checks) > 0 }},
	{"final", func(s property.Set) property.Set {
		return property.Set{Checks: s.Checks, Final: s.Final, Observe: s.Observe}
	},
		func(a testkit.Answers) bool { return a.Final || len(a.Checks) > 0 }},
	{"all", func(s property.Set) property.Set { return s }, testkit.Answers.Found},
}

// compareSections asks the portfolio and every engine about one program; it returns what is wrong.
func compareSections(p *testkit.Program, said map[string]*tally, tooBig, found *atomic.Int64) string {
	flat, all := p.Flat()
	all.Final.Quantifier = property.Never
	for i, m := range testkit.Models {
		want, err := testkit.Oracle(flat, all, m)
		if errors.Is(err, testkit.ErrTooBig) {
			if tooBig != nil {
				tooBig.Add(1)
			}
			continue
		}
		if err != nil {
			return fmt.Sprintf("%s: enumerator: %v", m, err)
		}
		for j, q := range questions {
			props := q.props(*all)
			if props.Empty() {
				continue
			}
			bad := q.found(want)
			if bad && found != nil {
				found.Add(1)
			}
			for _, name := range answerers {
				// Formulas take far longer than everything else: one for each program.
				if name == bmc.Engine.Name && p.Seed/4%15 != uint64(5*i+j) {
					continue
				}
				if problem := compareAnswer(flat, &props, m, name, bad, said); problem != "" {
					return fmt.Sprintf("%s, %s, %s: %s", m, q.name, who(name), problem)
				}
			}
		}
	}
	return ""
}

// compareAnswer asks one of them.
func compareAnswer(flat *ir.Program, props *property.Set, m memory.Model, name string, bad bool, said map[string]*tally) string {
	opt := query.CheckOptions{Options: query.Defaults()}
	opt.Timeout, opt.Workers, opt.Engines = 0, 1, query.NamedEngines(name)
	if name == bmc.Engine.Name {
		bounds, err := bmc.Complete(&engine.Task{Program: flat, Props: props, Model: m}, 1)
		if err != nil {
			return err.Error()
		}
		opt.BMC, opt.Unroll = bounds, 1
	}
	res, refused, err := check.CheckFlat(context.Background(), flat, props, m, opt)
	if err != nil {
		return err.Error()
	}
	n := &tally{}
	if said != nil {
		n = said[name]
	}
	switch {
	case refused:
		n.refused.Add(1)
		if name == "" || name == "explicit" {
			return "refused"
		}
	case res.Verdict == verdict.Unsafe:
		n.unsafe.Add(1)
		if !bad {
			return "unsafe, and there is no violation: " + res.Reason
		}
	case res.Verdict == verdict.Safe && res.Coverage.Exhaustive:
		n.safe.Add(1)
		if bad {
			return "safe, and there is a violation"
		}
	default:
		n.unknown.Add(1)
		if bad && (name == "" || name == "explicit" || name == "smc") {
			return "unknown, and there is a violation: " + strings.TrimSpace(res.Reason)
		}
	}
	return ""
}
