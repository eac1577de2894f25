package bmc_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"fencepost/internal/engine"
	"fencepost/internal/engine/bmc"
	"fencepost/internal/export/sequential"
	"fencepost/internal/ir"
	"fencepost/internal/ir/irtext"
	"fencepost/internal/memory"
	"fencepost/internal/pipeline"
	"fencepost/internal/property"
	question "fencepost/internal/question/export"
	"fencepost/internal/testkit"
	"fencepost/query"
)

var (
	sequentials    = flag.Int("bmc.sequential", 14, "random programs to run sequentialized, per model")
	sequentialCC   = flag.String("bmc.sequential.cc", "gcc", "compiler for them; tcc is fast")
	sequentialSeed = flag.Uint64("bmc.sequential.seed", 1, "seed of the first of them")
)

// sequentialText returns the plan of rounds, its program as sequential C and the sites of its choices, or why not.
func sequentialText(t *testing.T, task *engine.Task, opt bmc.Options) (*bmc.Plan, string, []sequential.Site, string) {
	t.Helper()
	plan, err := bmc.NewPlan(context.Background(), task, opt)
	if err != nil {
		return nil, "", nil, err.Error()
	}
	text, sites, refusals := sequential.Write(question.Sequence(plan, query.Model(task.Model.String())))
	if len(refusals) > 0 {
		return nil, "", nil, refusals[0].Reason
	}
	return plan, text, sites, ""
}

// compiled compiles a sequential program.
func compiled(t *testing.T, compiler, text string) string {
	t.Helper()
	dir := t.TempDir()
	file, program := filepath.Join(dir, "s.c"), filepath.Join(dir, "s")
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.CommandContext(t.Context(), compiler, "-Wall", "-Wextra", "-Werror", "-O1", "-DRUN", file, "-o", program).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s\n%s", err, out, text)
	}
	return program
}

// runAll runs a sequential program with all choices. known is false if there are too many.
func runAll(t *testing.T, program, most string) (said string, found, known bool) {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), program, "all", most).Output()
	exit := (*exec.ExitError)(nil)
	switch {
	case err == nil:
		return string(out), false, true
	case errors.As(err, &exit) && exit.ExitCode() == 1:
		return string(out), true, true
	case errors.As(err, &exit) && exit.ExitCode() == 2:
		return string(out), false, false
	}
	t.Fatalf("%v\n%s", err, out)
	return "", false, false
}

// sequentialProgram returns a random program: one of all profiles, or one of the shapes that tell the models apart.
func sequentialProgram(seed uint64) (*ir.Program, *property.Set) {
	if seed%2 == 0 {
		return shape(seed)
	}
	profiles := slices.Concat(testkit.Profiles, testkit.Rare, testkit.Overwriting, testkit.Looping)
	prog, props := testkit.Generate(seed, profiles[seed/2%uint64(len(profiles))]).Flat()
	return prog, &property.Set{Checks: true, Final: props.Final, Goals: props.Goals, Deadlock: seed/2%3 == 0}
}

// shape returns a random program that is one of the shapes with which models differ, with other statements in between, and
// the final state that tells them apart.
func shape(seed uint64) (*ir.Program, *property.Set) {
	r := rand.New(rand.NewPCG(seed, 7))
	st := func(v int, n int64) testkit.Stmt { return testkit.Stmt{Kind: testkit.Store, Var: v, Size: 8, Val: n} }
	ld := func(v, reg int) testkit.Stmt { return testkit.Stmt{Kind: testkit.Load, Var: v, Size: 8, Reg: reg} }
	type list = []testkit.Stmt
	shapes := []struct {
		threads [2]list
		weak    [4]int64 // t0:r0, t1:r0, t1:r1, x
	}{
		{[2]list{{st(0, 1), ld(1, 0)}, {st(1, 1), ld(0, 0)}}, [4]int64{0, 0, -1, -1}},                    // store buffering
		{[2]list{{st(0, 1), st(1, 1)}, {ld(1, 0), ld(0, 1)}}, [4]int64{-1, 1, 0, -1}},                    // message passing
		{[2]list{{st(0, 1), st(1, 1)}, {st(1, 2), ld(0, 0), ld(1, 1)}}, [4]int64{-1, 0, 2, -1}},          // a store and a load
		{[2]list{{st(0, 2), st(1, 1)}, {ld(1, 0), st(0, 1)}}, [4]int64{-1, 1, -1, 2}},                    // a load and a store
		{[2]list{{st(0, 1), ld(0, 1), ld(1, 0)}, {st(1, 1), ld(1, 1), ld(0, 0)}}, [4]int64{0, 0, 1, -1}}, // with forwarding
		{[2]list{{st(0, 1), st(1, 1)}, {ld(1, 0), {Kind: testkit.Fence}, ld(0, 1)}}, [4]int64{-1, 1, 0, -1}},
	}
	pick := shapes[r.IntN(len(shapes))]
	p := &testkit.Program{Seed: seed, Spawned: r.IntN(4) == 0}
	if p.Spawned {
		p.Threads = append(p.Threads, nil)
	}
	for _, l := range pick.threads {
		var out list
		for i, s := range l {
			if i > 0 && r.IntN(3) == 0 {
				out = append(out, between(r, seed))
			}
			out = append(out, s)
		}
		p.Threads = append(p.Threads, out)
	}
	if r.IntN(5) == 0 {
		p.Threads = append(p.Threads, list{between(r, seed)})
	}
	prog, props := p.Flat()
	first := ir.ThreadID(0)
	if p.Spawned {
		first = 1
	}
	cond := &property.Cond{Text: "weak", Expr: ir.Int(1)}
	for i, v := range pick.weak {
		if v < 0 {
			continue
		}
		of := property.Var{Name: "x", Thread: ir.NoThread, Addr: props.Observe[0].Addr, Type: ir.S64}
		if i < 3 {
			of = property.Var{Name: "r", Thread: first + ir.ThreadID(min(i, 1)), Reg: ir.Reg(i / 2)}
		}
		cond.Expr = ir.Binary(ir.LAnd, ir.S64, cond.Expr, ir.Binary(ir.Eq, ir.S64, ir.R(ir.Reg(len(cond.Vars))), ir.Int(v)))
		cond.Vars = append(cond.Vars, of)
	}
	return prog, &property.Set{Checks: true, Final: &property.Final{Quantifier: property.Exists, Cond: cond}}
}

// between returns a statement that may or may not order what is before and after it.
func between(r *rand.Rand, seed uint64) testkit.Stmt {
	other := testkit.Stmt{Kind: testkit.Store, Var: 2, Size: 8, Val: 1}
	kinds := []testkit.Stmt{
		{Kind: testkit.Fence}, {Kind: testkit.SSFence}, {Kind: testkit.SSFence}, other, {Kind: testkit.Load, Var: 2, Size: 8, Reg: 2},
		{Kind: testkit.Rmw, Var: 2, Size: 8, Reg: 2, RMW: ir.FetchAdd, Val: 1}, {Kind: testkit.Locked, Body: []testkit.Stmt{other}}, {Kind: testkit.TryLock, Reg: 2},
		{Kind: testkit.Scratch, Reg: 2, Body: []testkit.Stmt{{Kind: testkit.Deref, Reg: 2, Val: 1}}}, {Kind: testkit.Signal}, {Kind: testkit.Atomic, Body: []testkit.Stmt{other}},
		{Kind: testkit.Havoc, Reg: 2, Val: 1},
	}
	return kinds[(r.Uint64()+seed)%uint64(len(kinds))]
}

// TestSequentialRandom: some choices make the sequential program of a random program fail exactly if bmc says unsafe with
// the same bounds, and the choices of bmc's model do.
func TestSequentialRandom(t *testing.T) {
	if _, err := exec.LookPath(*sequentialCC); err != nil {
		t.Skip("no gcc here: nothing is run")
	}
	type count struct{ compared, found, large, given int }
	counts := make([]count, len(testkit.Models))
	reasons := map[string]int{}
	weaker := make([]int, len(testkit.Models)) // violations that the model before does not have
	for i := range *sequentials {
		s := *sequentialSeed + uint64(i)
		before := true
		for k, m := range testkit.Models {
			n := &counts[k]
			prog, props := sequentialProgram(s)
			task := &engine.Task{Program: prog, Props: props, Model: m}
			opt := bmc.Options{Unroll: 1, Rounds: 2, Clock: 2 + int(s/2%2), Queue: 2 + int(s/4%2), Encoding: bmc.Rounds}
			plan, text, sites, why := sequentialText(t, task, opt)
			if why == "" && strings.Contains(text, "= any_number(") {
				why = "values without bounds"
			}
			if why != "" {
				reasons[why]++
				continue
			}
			choices, v, err := plan.Choices()
			if err != nil {
				t.Fatal(err)
			}
			program := compiled(t, *sequentialCC, text)
			if v != nil {
				n.given++
				takesChoices(t, program, prog, question.ChoiceLines(sites, choices), v, fmt.Sprintf("seed %d under %s", s, m))
			}
			said, fails, known := runAll(t, program, "300000")
			if !known {
				n.large++
				continue
			}
			if (v != nil) != fails {
				t.Errorf("seed %d under %s with %+v: bmc says %v, the sequential program %v: %s\n%s", s, m, opt, v != nil, fails, said, irtext.Print(prog))
			}
			n.compared++
			if fails {
				n.found++
				if !before {
					weaker[k]++
				}
			}
			before = fails
		}
	}
	for k, m := range testkit.Models {
		t.Logf("%s: %d answers compared, %d of them violations, %d not of the model before; %d with too many choices; %d times the choices of bmc", m, counts[k].compared, counts[k].found, weaker[k], counts[k].large, counts[k].given)
		if *sequentials >= 14 && (counts[k].found == 0 || counts[k].found == counts[k].compared || k > 0 && weaker[k] == 0) {
			t.Error("the random programs do not distinguish right from wrong, or the models")
		}
	}
	t.Logf("refused: %v", reasons)
}

// takesChoices runs a sequential program with the choices of a model of bmc, and demands its violation.
func takesChoices(t *testing.T, program string, prog *ir.Program, choices string, v *engine.Violation, what string) {
	t.Helper()
	want := map[engine.ViolationKind]string{engine.GoalReached: "goal ", engine.FinalViolated: "weak\n", engine.Deadlock: "deadlock\n"}[v.Kind]
	if v.Kind == engine.CheckFailed && v.Edge != ir.NoEdge {
		for _, f := range prog.Funcs {
			for i := range f.Edges {
				if x := &f.Edges[i]; x.ID == v.Edge && x.Pos.IsValid() {
					want = fmt.Sprintf("%s:%d:%d: ", x.Pos.File, x.Pos.Line, x.Pos.Col)
				}
			}
		}
	}
	if said := withChoices(t, program, choices); !strings.HasPrefix(said, "violation: ") || !strings.Contains(said, want) && v.Kind != engine.FinalViolated {
		t.Errorf("%s: bmc has %s at %s; with its choices the program says %s\n%s\n%s", what, v.Kind, want, said, choices, irtext.Print(prog))
	}
}

// withChoices returns what a sequential program prints with choices.
func withChoices(t *testing.T, program, choices string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "choices")
	if err := os.WriteFile(file, []byte(choices), 0o644); err != nil {
		t.Fatal(err)
	}
	out, _ := exec.CommandContext(t.Context(), program, "file", file).CombinedOutput() // the exit code is the answer again
	return string(out)
}

// TestSequentialCorpus: for every program of the corpora that bmc with rounds finds unsafe, the choices of its model make
// the sequential program fail with the same violation. What gcc compiles clang does, too.
func TestSequentialCorpus(t *testing.T) {
	compilers := []string{"gcc", "clang"}
	for _, c := range compilers {
		if _, err := exec.LookPath(c); err != nil {
			t.Skipf("no %s here: nothing is run", c)
		}
	}
	var given, safe, refused int
	reasons := map[string]int{}
	for i, c := range corpora(t) {
		if !testkit.Slow() && i%4 > 0 {
			continue // compilers take their time
		}
		for model := range c.Expect {
			if model != "sc" && model != "tso" && model != "pso" {
				continue
			}
			m, err := pipeline.ParseModel(query.Model(model))
			if err != nil {
				t.Fatal(err)
			}
			task, why := taskOf(t, c, m)
			var (
				plan  *bmc.Plan
				text  string
				sites []sequential.Site
			)
			if why == "" {
				plan, text, sites, why = sequentialText(t, task, bmc.Options{Rounds: 3, Unroll: 3})
			}
			if why != "" {
				refused++
				reasons[why]++
				continue
			}
			choices, v, err := plan.Choices()
			if err != nil {
				t.Fatalf("%s: %v", c.Name(), err)
			}
			t.Run(fmt.Sprintf("%s under %s", c.Name(), model), func(t *testing.T) {
				program := compiled(t, compilers[i/4%2], text)
				if v == nil {
					safe++
					return
				}
				given++
				takesChoices(t, program, task.Program, question.ChoiceLines(sites, choices), v, t.Name())
			})
		}
	}
	t.Logf("%d programs fail with the choices of bmc, %d without a violation, %d refused: %v", given, safe, refused, reasons)
	if given == 0 || safe == 0 {
		t.Error("the programs do not distinguish right from wrong")
	}
}

// taskOf returns the question of a program, or why there is none.
func taskOf(t *testing.T, c *testkit.Case, m memory.Model) (*engine.Task, string) {
	t.Helper()
	run := pipeline.Open(c.Input)
	var task *engine.Task
	err := run.Do(t.Context(), func(ctx context.Context) error {
		if err := run.Read(ctx, pipeline.ReadOptions{Options: c.Options.Options}); err != nil {
			return err
		}
		flat, err := run.FlattenFixed(c.Options.Options)
		if err == nil {
			run.Props.Endless = false
			task = run.QuestionTask(flat, m, &pipeline.Asked{CheckOptions: query.CheckOptions{Options: c.Options.Options, Deadlock: c.Options.Deadlock}})
		}
		return err
	})
	if err != nil {
		return nil, err.Error()
	}
	if task == nil {
		return nil, "it is not read"
	}
	return task, ""
}
