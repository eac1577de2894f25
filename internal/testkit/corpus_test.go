package testkit_test

import (
	"context"
	"flag"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"fencepost/internal/engine"
	"fencepost/internal/frontend/fp"
	"fencepost/internal/frontend/statement"
	"fencepost/internal/question/check"
	"fencepost/internal/question/robust"
	"fencepost/internal/source"
	"fencepost/internal/testkit"
	"fencepost/query"
	"fencepost/verdict"
)

var update = flag.Bool("update", false, "write the computed answers into the corpus")

func corpus(t *testing.T) []*testkit.Case {
	return testkit.LoadCorpus(t, filepath.Join(testkit.Root(t), "testdata", "corpus"))
}

// TestCorpus: every program of the corpus has the verdicts that its file expects, every
// violation replays (the pipeline fails otherwise), and the answers of some equal the stored
// ones; make lint compares all.
func TestCorpus(t *testing.T) {
	cases := corpus(t)
	if len(cases) < 40 {
		t.Errorf("only %d programs", len(cases))
	}
	for _, c := range cases {
		t.Run(strings.TrimSuffix(filepath.Base(c.Path), ".txtar"), func(t *testing.T) {
			t.Parallel()
			results, err := c.Check(c.Options)
			if err != nil {
				t.Fatal(err)
			}
			for _, r := range results {
				if !c.Meets(&r) {
					t.Errorf("%s: want %s, got %s, %s (%s)", r.Model, c.Expect[r.Model], r.Verdict, r.Question, r.Reason)
				}
				checkHonest(t, &r)
			}
			if !*update && !testkit.InPart(t, c.Name(), 5) {
				return
			}
			all := c.Options
			all.Finals = true
			results, err = c.Check(all)
			if err != nil {
				t.Fatal(err)
			}
			checkOrdered(t, results)
			c.CompareStored(t, results, *update)
		})
	}
}

// allEngines asks all engines, or some that are named, about a case under one model, and waits for all of them that
// end after little work: enough says when an engine begins a turn that is one too many, by the milliseconds of work that
// it has had with it. It counts work and not time, so it compares the same answers every time.
func allEngines(t *testing.T, c *testkit.Case, model query.Model, engines string, enough func(engine string, work int) bool) (*verdict.Result, bool) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	opt := c.Options
	opt.Engines, opt.CrossCheck, opt.Timeout, opt.Workers = query.NamedEngines(engines), true, 0, 1
	had := map[string]int{}
	opt.Turns = func(line string) {
		name, what, _ := strings.Cut(line, ": ")
		var work int
		if _, err := fmt.Sscanf(what, "turn of %d ms", &work); err == nil {
			had[name] += work
		}
		if what == check.NoMoreTurns || enough(name, had[name]) {
			cancel()
		}
	}
	answer, err := check.Run(ctx, c.Input, opt.Under(model))
	refused := func(d verdict.Diagnostic) bool { return d.Code == "FP0907" || d.Code == "FP0941" }
	if err == nil && engines != "" && slices.ContainsFunc(answer.Diagnostics, refused) {
		return nil, false // an engine that was asked for does not take the program
	}
	if err != nil || answer.HasErrors() {
		t.Errorf("%s under %s: %v %+v", c.Name(), model, err, answer.Diagnostics)
		return nil, false
	}
	return &answer.Results[0], true
}

// manyTurns allows each engine a tenth of a second of work, and with -fp.slow a second.
func manyTurns(_ string, work int) bool { return work > 1000 || work > 100 && !testkit.Slow() }

// fewTurns allows an engine a few turns. Most small programs need no more. The first turn of bmc is for the whole
// formula: not every question has it.
func fewTurns(bmc bool) func(engine string, work int) bool {
	return func(engine string, work int) bool {
		if strings.HasPrefix(engine, "bmc ") {
			return !bmc
		}
		return work > 16
	}
}

// TestCorpusCrossCheck: all engines that end after little work agree about the programs of the corpus. Each program
// is asked about under one model, and with -fp.slow under all of them with more work.
func TestCorpusCrossCheck(t *testing.T) {
	compared, programs := 0, map[string]bool{}
	for i, c := range corpus(t) {
		models := c.Models()
		if !testkit.Slow() {
			models = models[i%len(models):][:1]
		}
		for _, model := range models {
			enough := fewTurns(testkit.InPart(t, c.Name(), 12))
			if testkit.Slow() {
				enough = manyTurns
			}
			r, ok := allEngines(t, c, model, "", enough)
			if !ok {
				continue
			}
			if !c.Meets(r) && r.Verdict != verdict.Unknown && !notAsked(c, r) {
				t.Errorf("%s under %s: want %s, got %s, %s (%s)", c.Name(), model, c.Expect[string(model)], r.Verdict, r.Question, r.Reason)
			}
			answers := 0
			for _, e := range r.Engines {
				if e.Question != verdict.Robustness && e.Verdict != verdict.Unknown {
					answers++
				}
			}
			if answers > 1 {
				programs[c.Name()] = true
			}
			compared += max(0, answers-1)
		}
	}
	if compared < 500 || len(programs) < 200 {
		t.Errorf("only %d answers were compared with another one, about %d programs", compared, len(programs))
	}
	t.Logf("%d answers were compared with another one, about %d programs", compared, len(programs))
}

// notAsked reports whether a program is expected to have loops that never end, and the answer is that of an engine
// that does not ask whether loops end.
func notAsked(c *testkit.Case, r *verdict.Result) bool {
	return c.Expect[r.Model] == testkit.Nonterminating && r.Verdict == verdict.Safe && r.Coverage.Checked.Liveness == ""
}

// TestCorpusRobust: every program, of those in C some, is robust exactly if its file says so, and every attack has
// a cycle. A program that is not robust against TSO is not robust against PSO, and its attack has a cycle, too. Of some programs: the answer without filters is the same, the criteria agree, and a
// program with another verdict or other final states under TSO than under SC is not robust.
func TestCorpusRobust(t *testing.T) {
	said := 0
	for _, c := range corpus(t) {
		if c.Robust != "" {
			said++
		}
		if strings.HasSuffix(c.Input.Name, ".c") && !testkit.InPart(t, c.Name(), 6) {
			continue
		}
		others := testkit.InPart(t, c.Name(), 6) || c.TRF != "" || c.State != ""
		t.Run(strings.TrimSuffix(filepath.Base(c.Path), ".txtar"), func(t *testing.T) {
			t.Parallel()
			opt := c.Robustly()
			opt.KeepGoing = true
			got, r, err := c.IsRobust(opt)
			if err != nil {
				t.Fatal(err)
			}
			if c.Robust != "" && got != c.Robust {
				t.Fatalf("robust: want %s, got %s", c.Robust, got)
			}
			if got == testkit.Unsupported {
				return
			}
			for i := range r.Attacks {
				checkAttack(t, &r.Attacks[i])
			}
			if got == "no" || others {
				checkPSO(t, c, got)
			}
			if !others {
				return
			}
			bare := opt
			bare.NoReduction, bare.Workers = true, 2
			if again, all, err := c.IsRobust(bare); err != nil || again != got || len(all.Attacks) != len(r.Attacks) {
				t.Errorf("robust %s with %d attacks, without filters %s (%v)", got, len(r.Attacks), again, err)
			}
			checkCriteria(t, c, opt, got)
			if got != "yes" {
				return
			}
			checkOpt := c.Options
			checkOpt.KeepGoing, checkOpt.Finals = true, true
			results, err := c.Check(checkOpt)
			if err != nil {
				t.Fatal(err)
			}
			byModel := map[string]*verdict.Result{}
			for i := range results {
				byModel[results[i].Model] = &results[i]
			}
			sc, tso := byModel["sc"], byModel["tso"]
			if sc == nil || tso == nil || !tso.Coverage.Exhaustive {
				return
			}
			if sc.Verdict != tso.Verdict && !insideSections(c) || !slices.Equal(sc.FinalStates, tso.FinalStates) {
				t.Errorf("robust, but sc is %s with %d final states, tso %s with %d", sc.Verdict, len(sc.FinalStates), tso.Verdict, len(tso.FinalStates))
			}
		})
	}
	if said < 100 {
		t.Errorf("only %d programs say whether they are robust", said)
	}
}

// insideSections reports whether the properties of an .fp program are about states inside
// atomic sections. In those states a robust program can differ from SC.
func insideSections(c *testkit.Case) bool {
	if filepath.Ext(c.Input.Name) != ".fp" {
		return false
	}
	u, _ := fp.Parse(source.NewFile(c.Input.Name, c.Input.Text), statement.Options{Threads: max(2, c.Options.Threads)})
	props := *u.Props
	props.Deadlock = c.Options.Deadlock
	return engine.InsideSections(u.Program, &props) != ""
}

// checkPSO checks that a program that is not robust against TSO is not robust against PSO.
func checkPSO(t *testing.T, c *testkit.Case, against string) {
	t.Helper()
	opt := c.Robustly()
	opt.Models = query.Models{"pso"}
	got, r, err := c.IsRobust(opt)
	if err != nil || against == "no" && got != "no" {
		t.Errorf("robust against TSO: %s, against PSO: %s (%v)", against, got, err)
		return
	}
	for i := range r.Attacks {
		checkAttack(t, &r.Attacks[i])
	}
}

// checkCriteria checks that a program without triangular races is robust, and that a
// robust program has the same final states under TSO as under SC.
func checkCriteria(t *testing.T, c *testkit.Case, opt query.RobustOptions, isRobust string) {
	t.Helper()
	decide := func(criterion query.Criterion) verdict.Verdict {
		opt.Criterion = criterion
		answer, err := robust.Run(context.Background(), c.Input, opt)
		if err != nil || len(answer.Results) != 1 {
			t.Fatalf("%s: %v %+v", criterion, err, answer.Diagnostics)
		}
		return answer.Results[0].Verdict
	}
	races := decide(query.CriterionTRF)
	if races == verdict.Safe && isRobust == "no" {
		t.Error("free of triangular races, but not robust")
	}
	if c.TRF != "" && (c.TRF == "yes") != (races == verdict.Safe) {
		t.Errorf("free of triangular races: want %s, got %s", c.TRF, races)
	}
	states := decide(query.CriterionState)
	if states == verdict.Unsafe && isRobust == "yes" {
		t.Error("robust, but not state-robust")
	}
	if c.State != "" && states != map[string]verdict.Verdict{"yes": verdict.Safe, "no": verdict.Unsafe}[c.State] {
		t.Errorf("state-robust: want %s, got %s", c.State, states)
	}
}

// checkAttack checks that the edges form a cycle that begins with the store and the load,
// contains another thread, and uses only edges of the relation. Program order is
// transitive.
func checkAttack(t *testing.T, a *verdict.Attack) {
	t.Helper()
	if len(a.Cycle) < 3 {
		t.Fatalf("%s: a cycle of %d edges", a, len(a.Cycle))
	}
	first := a.Cycle[0]
	if first.Kind != "po" || a.Nodes[first.From].Step != a.StoreStep || a.Nodes[first.To].Step != a.LoadStep {
		t.Errorf("%s: the cycle begins with %+v", a, first)
	}
	threads := map[int]bool{}
	for i, e := range a.Cycle {
		next := a.Cycle[(i+1)%len(a.Cycle)]
		from, to := a.Nodes[e.From], a.Nodes[e.To]
		threads[from.Thread] = true
		switch {
		case e.To != next.From:
			t.Errorf("%s: the cycle breaks behind %+v", a, e)
		case e.Kind == "po":
			if from.Thread != to.Thread || from.Step >= to.Step {
				t.Errorf("%s: %s is not before %s in program order", a, from.Text, to.Text)
			}
		case !slices.Contains(a.Edges, e):
			t.Errorf("%s: %+v is no edge of the relation", a, e)
		}
	}
	if len(threads) < 2 {
		t.Errorf("%s: a cycle in one thread", a)
	}
}

// checkHonest checks that an unsafe result has a witness, a safe one its coverage, and an
// unknown one a reason.
func checkHonest(t *testing.T, r *verdict.Result) {
	t.Helper()
	switch r.Verdict {
	case verdict.Unsafe, verdict.Observed:
		if r.Witness == nil {
			t.Errorf("%s: %s without a witness", r.Model, r.Verdict)
		}
	case verdict.Safe, verdict.NotObserved:
		if !r.Coverage.Exhaustive && len(r.Coverage.Bounds) == 0 {
			t.Errorf("%s: %s without coverage", r.Model, r.Verdict)
		}
	case verdict.Unknown:
		if r.Reason == "" {
			t.Errorf("%s: unknown without a reason", r.Model)
		}
	default:
		t.Errorf("%s: no verdict", r.Model)
	}
}

// checkOrdered checks that a weaker model has every final state of a stronger one.
func checkOrdered(t *testing.T, results []verdict.Result) {
	t.Helper()
	for i := 1; i < len(results); i++ {
		strong, weak := &results[i-1], &results[i]
		if len(weak.Coverage.Bounds) > 0 || len(strong.Coverage.Bounds) > 0 {
			continue // a bounded buffer may miss some
		}
		if !testkit.Subset(strong.FinalStates, weak.FinalStates) {
			t.Errorf("%s has final states that %s lacks", strong.Model, weak.Model)
		}
	}
}

// TestCorpusWorkers: several workers give the same verdicts and counts as one.
func TestCorpusWorkers(t *testing.T) {
	for _, c := range testkit.PartOf(t, corpus(t), 8) {
		t.Run(strings.TrimSuffix(filepath.Base(c.Path), ".txtar"), func(t *testing.T) {
			t.Parallel()
			one := c.Options
			one.Finals = true
			many := one
			many.Workers = 4
			a, err := c.Check(one)
			if err != nil {
				t.Fatal(err)
			}
			b, err := c.Check(many)
			if err != nil {
				t.Fatal(err)
			}
			for i := range a {
				x, y := a[i], b[i]
				if x.Verdict != y.Verdict || x.Stats.States != y.Stats.States || x.Stats.Transitions != y.Stats.Transitions {
					t.Errorf("%s: one worker %s %d/%d, four %s %d/%d", x.Model,
						x.Verdict, x.Stats.States, x.Stats.Transitions, y.Verdict, y.Stats.States, y.Stats.Transitions)
				}
			}
		})
	}
}
