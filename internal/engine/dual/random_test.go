package dual_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"fencepost/internal/engine"
	"fencepost/internal/engine/dual"
	"fencepost/internal/ir"
	"fencepost/internal/ir/irtext"
	"fencepost/internal/memory"
	"fencepost/internal/property"
	"fencepost/internal/replay"
	"fencepost/internal/testkit"
	"fencepost/verdict"
)

var (
	programs  = flag.Int("fp.programs", 150, "random programs without loops")
	looping   = flag.Int("fp.looping", 60, "random programs with loops")
	firstSeed = flag.Uint64("fp.seed", 1, "seed of the first random program")
)

// The answers of an engine.
const (
	found    = "found"
	notFound = "not found"
	unknown  = "unknown"
	refused  = "refused"
)

// ask returns the answer of an engine. Every violation must replay.
func ask(e *engine.Engine, p *ir.Program, props *property.Set, limits engine.Limits) (string, error) {
	limits.Workers = 1
	// The explicit engine reports failed checks even where they are not asked about.
	task := &engine.Task{Program: p, Props: props, Model: memory.TSO, Limits: limits, KeepGoing: e == testkit.Explicit}
	if e.Supports(task) != nil {
		return refused, nil
	}
	out, err := e.Run(context.Background(), task)
	if u := (*engine.Unsupported)(nil); errors.As(err, &u) {
		return refused, nil
	}
	if err != nil {
		return "", err
	}
	if !props.Checks {
		out.Violations = slices.DeleteFunc(out.Violations, func(v engine.Violation) bool { return v.Kind == engine.CheckFailed })
	}
	if len(out.Violations) == 0 {
		if out.Unknown != "" || !out.Coverage.Exhaustive {
			return unknown, nil
		}
		return notFound, nil
	}
	v := &out.Violations[0]
	target := map[engine.ViolationKind]replay.Target{
		engine.CheckFailed: replay.TargetCheck, engine.GoalReached: replay.TargetGoal, engine.FinalViolated: replay.TargetFinal,
		engine.Deadlock: replay.TargetDeadlock,
	}[v.Kind]
	want := replay.Expect{Target: target, Class: v.Class, Edge: v.Edge, Goal: v.Goal}
	if err := replay.Replay(p, props, replay.TSO, v.Witness, want); err != nil {
		return "", fmt.Errorf("%s: %w", e.Name, err)
	}
	return found, nil
}

// question is one question about a program, and the answer, "" if it is not known.
type question struct {
	props *property.Set
	want  string
	text  string
}

// questions returns questions about a program without loops, with the answers of the explicit engine:
// its checks, its goals, and whether the threads can end with certain values, possible ones and others.
func questions(p *ir.Program, props *property.Set, r *rand.Rand) ([]question, error) {
	all, err := testkit.Ask(testkit.Explicit, p, props, memory.TSO, testkit.How{Memory: 16 << 20})
	if err != nil {
		return nil, err
	}
	answer := map[bool]string{true: found, false: notFound}
	out := []question{
		{&property.Set{Checks: true}, answer[len(all.Checks) > 0], "checks"},
		{&property.Set{Final: props.Final}, answer[all.Final], "final"},
	}
	if props.Deadlock {
		out = append(out, question{&property.Set{Deadlock: true}, answer[all.Deadlock], "deadlock"})
	}
	for i := range props.Goals {
		out = append(out, question{&property.Set{Goals: props.Goals[i : i+1]}, answer[slices.Contains(all.Goals, i)], fmt.Sprintf("goal %d", i)})
	}
	return append(out, endings(props, all.Finals, 6, r)...), nil
}

// endings returns questions whether the threads can end with certain values.
func endings(props *property.Set, finals []string, count int, r *rand.Rand) []question {
	known := map[string]bool{}
	values := make([]map[int64]bool, len(props.Observe))
	for _, f := range finals {
		known[f] = true
		for i, pair := range strings.Fields(f) {
			if i >= len(values) {
				return nil // the text shows more than the variables
			}
			if values[i] == nil {
				values[i] = map[int64]bool{}
			}
			_, v, _ := strings.Cut(pair, "=")
			n, err := strconv.ParseInt(v, 10, 64)
			if err != nil {
				return nil
			}
			values[i][n] = true
		}
	}
	if len(finals) == 0 {
		return nil
	}
	var out []question
	for range count {
		chosen := make([]int64, len(values))
		for i := range values {
			list := slices.Sorted(maps.Keys(values[i]))
			chosen[i] = list[r.IntN(len(list))]
		}
		text := engine.FormatFinal(props.Observe, chosen)
		want := notFound
		if known[text] {
			want = found
		}
		out = append(out, question{&property.Set{Final: ending(props.Observe, chosen)}, want, text})
	}
	return out
}

// ending is the condition that variables end with certain values.
func ending(vars []property.Var, values []int64) *property.Final {
	var cond *ir.Expr
	for i, v := range values {
		one := ir.Binary(ir.Eq, ir.S64, ir.R(ir.Reg(i)), ir.Int(v))
		if cond == nil {
			cond = one
		} else {
			cond = ir.Binary(ir.And, ir.S64, cond, one)
		}
	}
	return &property.Final{Quantifier: property.Exists, Cond: &property.Cond{Vars: vars, Expr: cond}}
}

// loopFree has the profiles of programs without loops.
var loopFree = []testkit.Profile{
	{Name: "plain", Plain: true}, {Name: "core"}, {Name: "goal", Goal: true}, {Name: "plain", Plain: true}, {Name: "spawn", Spawn: true},
	{Name: "sync", Sync: true}, {Name: "choices", Choices: true}, {Name: "sections", Sections: true, Goal: true},
	{Name: "joins", Joins: true}, {Name: "joins", Joins: true, Spawn: true}, {Name: "goals of registers", Sections: true, Goal: true, Plain: true},
}

// finite replaces additions, with which values grow.
func finite(list []testkit.Stmt) {
	for i := range list {
		if list[i].RMW == ir.FetchAdd {
			list[i].RMW = ir.FetchOr
		}
		finite(list[i].Body)
		finite(list[i].Else)
	}
}

// generate returns a random program with finite data.
func generate(seed uint64, profiles []testkit.Profile) (*testkit.Program, testkit.Profile) {
	pr := profiles[seed%uint64(len(profiles))]
	p := testkit.Generate(seed, pr)
	for _, th := range p.Threads {
		finite(th)
	}
	return p, pr
}

// limited is enough for nearly all random programs.
var limited = engine.Limits{States: 60_000}

// TestLoopFree: on programs without loops the explicit engine gives the same answers, and every
// execution that is found replays.
func TestLoopFree(t *testing.T) {
	count := map[string]int{}
	problem := func(p *testkit.Program, seed uint64, note bool) string {
		flat, props := p.Flat()
		list, err := questions(flat, props, rand.New(rand.NewPCG(seed, 1)))
		if errors.Is(err, testkit.ErrTooBig) {
			return ""
		}
		if err != nil {
			return err.Error()
		}
		for _, q := range list {
			got, err := safely(&dual.Engine, flat, q.props, limited)
			if err != nil {
				return fmt.Sprintf("%s: %v", q.text, err)
			}
			if note {
				count[got]++
			}
			if (got == found || got == notFound) && got != q.want {
				return fmt.Sprintf("%s: dual says %s, explicit says %s", q.text, got, q.want)
			}
		}
		return ""
	}
	for i := range *programs {
		seed := *firstSeed + uint64(i)
		p, pr := generate(seed, loopFree)
		if what := problem(p, seed, true); what != "" {
			small := testkit.Shrink(p, func(q *testkit.Program) bool { return problem(q, seed, false) != "" })
			flat, _ := small.Flat()
			t.Fatalf("profile %s, seed %d: %s\nshrunk to: %s\n%s", pr.Name, seed, what, problem(small, seed, false), irtext.Print(flat))
		}
	}
	t.Logf("%d programs: %v", *programs, count)
	if count[found] == 0 || count[notFound] == 0 || count[unknown] > 0 {
		t.Errorf("too few definite answers: %v", count)
	}
}

// withLoops has the profiles of programs with loops.
var withLoops = []testkit.Profile{
	{Name: "plain loops", Plain: true, Loops: true}, {Name: "loops", Loops: true}, {Name: "goal loops", Goal: true, Loops: true},
}

// TestLooping: on programs that may store in loops every violation that the explicit engine finds with
// bounded buffers is found, and every execution that is found replays. Where the explicit engine meets
// its bound, a definite answer is news.
func TestLooping(t *testing.T) {
	count, news := compareLooping(t, withLoops, *looping)
	t.Logf("%d programs: %v; definite where explicit is not: %d programs", *looping, count, news)
	if count[found] == 0 || count[notFound] == 0 || news*10 < *looping {
		t.Errorf("too few definite answers: %v, %d", count, news)
	}
}

// starting has the profiles of programs in which spawns share threads: two threads in all, which several threads start in
// loops and outside.
var starting = []testkit.Profile{
	{Name: "starts", Joins: true, Shared: true}, {Name: "starts loops", Joins: true, Shared: true, Loops: true},
	{Name: "starts plain", Plain: true, Shared: true}, {Name: "starts plain loops", Plain: true, Shared: true, Loops: true},
}

// TestStarting is the same for programs that start threads in loops.
func TestStarting(t *testing.T) {
	count, _ := compareLooping(t, starting, *programs)
	t.Logf("%d programs: %v", *programs, count)
	if count[found] == 0 || count[notFound] == 0 || count[unknown] == 0 || count[refused] > 0 || 20*count["bounded"] > count[unknown] {
		t.Errorf("too few definite answers: %v", count)
	}
}

// compareLooping compares the answers about random programs with those of the explicit engine with bounded buffers. It
// returns how often dual gave each answer, and for how many programs an answer is definite where explicit has none; and as
// "bounded" how often it has none where explicit has met no bound.
func compareLooping(t *testing.T, profiles []testkit.Profile, n int) (count map[string]int, definite int) {
	t.Helper()
	count = map[string]int{}
	news := map[uint64]bool{}
	problem := func(p *testkit.Program, seed uint64, note bool) string {
		flat, props := p.Flat()
		r := rand.New(rand.NewPCG(seed, 2))
		buffer := 4 + r.IntN(5)
		all, err := testkit.Ask(testkit.Explicit, flat, props, memory.TSO, testkit.How{Memory: 8 << 20, Buffer: buffer})
		if errors.Is(err, testkit.ErrTooBig) {
			return ""
		}
		if err != nil {
			return err.Error()
		}
		list := []question{{&property.Set{Checks: true}, "", "checks"}, {&property.Set{Final: props.Final}, "", "final"}, {&property.Set{Deadlock: true}, "", "deadlock"}}
		for i := range props.Goals {
			list = append(list, question{&property.Set{Goals: props.Goals[i : i+1]}, "", fmt.Sprintf("goal %d", i)})
		}
		for _, q := range append(list, endings(props, all.Finals, 4, r)...) {
			want, err := safely(testkit.Explicit, flat, q.props, engine.Limits{Buffer: buffer, Memory: 8 << 20})
			if err != nil {
				return fmt.Sprintf("%s: explicit: %v", q.text, err)
			}
			got, err := safely(&dual.Engine, flat, q.props, limited)
			switch {
			case err != nil:
				return fmt.Sprintf("%s: %v", q.text, err)
			case want == found && got == notFound || want == notFound && got == found:
				return fmt.Sprintf("%s: dual says %s, explicit says %s", q.text, got, want)
			case got == notFound && want == unknown && startsTooMany(flat, buffer):
				return fmt.Sprintf("%s: dual says %s although more threads may be started", q.text, got)
			}
			if note {
				count[got]++
				news[seed] = news[seed] || want == unknown && (got == found || got == notFound)
				if got == unknown && want != unknown {
					count["bounded"]++
				}
			}
		}
		return ""
	}
	for i := range n {
		seed := *firstSeed + uint64(i)
		p, pr := generate(seed, profiles)
		if what := problem(p, seed, true); what != "" {
			small := testkit.Shrink(p, func(q *testkit.Program) bool { return problem(q, seed, false) != "" })
			flat, _ := small.Flat()
			t.Fatalf("profile %s, seed %d: %s\nshrunk to: %s\n%s", pr.Name, seed, what, problem(small, seed, false), irtext.Print(flat))
		}
	}
	for _, ok := range news {
		if ok {
			definite++
		}
	}
	return count, definite
}

// startsTooMany reports whether an execution starts more threads than the program has.
func startsTooMany(p *ir.Program, buffer int) bool {
	task := &engine.Task{Program: p, Props: &property.Set{}, Model: memory.TSO, Limits: engine.Limits{Buffer: buffer, Workers: 1}, KeepGoing: true}
	out, err := testkit.Explicit.Run(context.Background(), task)
	return err == nil && slices.ContainsFunc(out.Coverage.Bounds, func(b verdict.Bound) bool { return b.Name == "threads" && b.Hit })
}

// safely asks, and returns a panic as an error.
func safely(e *engine.Engine, p *ir.Program, props *property.Set, limits engine.Limits) (answer string, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("%v", r)
		}
	}()
	return ask(e, p, props, limits)
}

// TestGrowing: programs that add have the answers of the explicit engine as well, whose values grow if
// threads are run alone, so that small domains are tried.
func TestGrowing(t *testing.T) {
	count := map[string]int{}
	for i := range *programs / 3 {
		seed := *firstSeed + uint64(i)
		pr := loopFree[seed%uint64(len(loopFree))]
		p := testkit.Generate(seed, pr)
		if !adds(p) {
			continue
		}
		flat, props := p.Flat()
		list, err := questions(flat, props, rand.New(rand.NewPCG(seed, 1)))
		if errors.Is(err, testkit.ErrTooBig) {
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		for _, q := range list {
			got, err := safely(&dual.Engine, flat, q.props, limited)
			if err != nil {
				t.Fatalf("profile %s, seed %d, %s: %v\n%s", pr.Name, seed, q.text, err, irtext.Print(flat))
			}
			if count[got]++; (got == found || got == notFound) && got != q.want {
				t.Fatalf("profile %s, seed %d, %s: dual says %s, explicit says %s\n%s", pr.Name, seed, q.text, got, q.want, irtext.Print(flat))
			}
		}
	}
	t.Log(count)
	if count[found] == 0 || count[notFound] == 0 {
		t.Errorf("too few definite answers: %v", count)
	}
}

// adds reports whether a program has an addition to memory.
func adds(p *testkit.Program) bool {
	var in func(list []testkit.Stmt) bool
	in = func(list []testkit.Stmt) bool {
		return slices.ContainsFunc(list, func(s testkit.Stmt) bool { return s.RMW == ir.FetchAdd || in(s.Body) || in(s.Else) })
	}
	return slices.ContainsFunc(p.Threads, in)
}
