package lazy_test

import (
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"fencepost/internal/engine"
	"fencepost/internal/engine/explicit"
	"fencepost/internal/engine/lazy"
	"fencepost/internal/engine/robust"
	"fencepost/internal/ir"
	"fencepost/internal/ir/irtext"
	"fencepost/internal/memory"
	"fencepost/internal/property"
	"fencepost/internal/question/check"
	"fencepost/internal/replay"
	"fencepost/internal/testkit"
	"fencepost/query"
	"fencepost/verdict"
)

var (
	programs  = flag.Int("fp.programs", 400, "random programs")
	firstSeed = flag.Uint64("fp.seed", 1, "seed of the first random program")
)

var lazyEngine = lazy.New(explicit.GoalsFirst, robust.AttacksFirst, lazy.Options{})

// acyclic returns a random program without loops that the engine supports, or nil.
func acyclic(seed uint64) (*testkit.Program, testkit.Profile) {
	profiles := []testkit.Profile{
		{Name: "plain", Plain: true}, {Name: "mixed", Plain: true, Mixed: true}, {Name: "core"}, {Name: "goal", Goal: true}, {Name: "spawn", Spawn: true},
		{Name: "plain", Plain: true}, {Name: "mixed", Mixed: true}, {Name: "sync", Sync: true},
		{Name: "overlap", Overlap: true, Plain: true}, {Name: "overlap", Overlap: true}, {Name: "computed", Overlap: true, Computed: true},
	}
	pr := profiles[seed%uint64(len(profiles))]
	p := testkit.Generate(seed, pr)
	var keep func(list []testkit.Stmt) []testkit.Stmt
	keep = func(list []testkit.Stmt) []testkit.Stmt {
		var out []testkit.Stmt
		for _, s := range list {
			if s.Kind != testkit.Spin && s.Kind != testkit.Loop {
				s.Body, s.Else = keep(s.Body), keep(s.Else)
				out = append(out, s)
			}
		}
		return out
	}
	for i := range p.Threads {
		p.Threads[i] = keep(p.Threads[i])
	}
	return p, pr
}

// lazyAnswer returns the answer of the engine in a mode: "found", "not found", "unknown" or
// "refused". It refuses if a sequence has an operation that a store cannot be delayed past
// in registers, such as a signal, or if the oracle says that its witnesses may not be
// enough. Every violation must replay.
func lazyAnswer(p *ir.Program, props *property.Set, mode query.LazyMode) (string, error) {
	task := &engine.Task{Program: p, Props: props, Model: memory.TSO, Limits: engine.Limits{Workers: 1}}
	out, err := lazy.New(explicit.GoalsFirst, robust.AttacksFirst, lazy.Options{Mode: mode}).Run(context.Background(), task)
	switch {
	case err != nil:
		return "", err
	case len(out.Violations) > 0:
		v := &out.Violations[0]
		target := map[engine.ViolationKind]replay.Target{
			engine.CheckFailed: replay.TargetCheck, engine.GoalReached: replay.TargetGoal, engine.FinalViolated: replay.TargetFinal,
		}[v.Kind]
		want := replay.Expect{Target: target, Class: v.Class, Edge: v.Edge, Goal: v.Goal}
		if err := replay.Replay(p, props, replay.TSO, v.Witness, want); err != nil {
			return "", fmt.Errorf("%s: %w", mode, err)
		}
		return "found", nil
	case strings.Contains(out.Unknown, "a store cannot be delayed past"), strings.Contains(out.Unknown, "one delaying thread"):
		return "refused", nil
	case out.Unknown != "":
		return "unknown", nil
	case !out.Coverage.Exhaustive:
		return "", fmt.Errorf("%s: nothing found, but only within bounds", mode)
	default:
		return "not found", nil
	}
}

// questions returns properties about final states that TSO has and SC does not have, and
// about one that no execution has, as well as the checks and goals of the program.
func questions(props *property.Set, sc, tso []string) []*property.Set {
	var out []*property.Set
	final := func(state string) {
		q := *props
		q.Deadlock = false
		cond := &property.Cond{Vars: props.Observe, Text: state, Expr: ir.Int(1)}
		for i, pair := range strings.Fields(state) {
			_, value, _ := strings.Cut(pair, "=")
			v, err := strconv.ParseInt(value, 10, 64)
			if err != nil {
				panic(err)
			}
			cond.Expr = ir.Binary(ir.LAnd, ir.S64, cond.Expr, ir.Binary(ir.Eq, ir.S64, ir.R(ir.Reg(i)), ir.Int(v)))
		}
		q.Final = &property.Final{Quantifier: property.Never, Cond: cond}
		out = append(out, &q)
	}
	for _, s := range tso {
		if _, both := slices.BinarySearch(sc, s); !both && len(out) < 2 {
			final(s)
		}
	}
	none := make([]string, len(props.Observe))
	for i := range none {
		none[i] = "x=77"
	}
	final(strings.Join(none, " "))
	return out
}

// lazyDiffers compares both modes with the explicit engine.
func lazyDiffers(p *testkit.Program) (diff string, asked, found int) {
	flat, props := p.Flat()
	if lazyEngine.Supports(&engine.Task{Program: flat, Props: &property.Set{Goals: props.Goals}, Model: memory.TSO}) != nil {
		return "", 0, 0
	}
	sc, err := testkit.Ask(testkit.Explicit, flat, props, memory.SC, testkit.How{})
	if err != nil {
		return err.Error(), 0, 0
	}
	tso, err := testkit.Ask(testkit.Explicit, flat, props, memory.TSO, testkit.How{})
	if err != nil {
		return err.Error(), 0, 0
	}
	for _, q := range questions(props, sc.Finals, tso.Finals) {
		real, err := testkit.Ask(testkit.Explicit, flat, q, memory.TSO, testkit.How{})
		if err != nil {
			return err.Error(), 0, 0
		}
		want := "not found"
		if real.Found() {
			want = "found"
			found++
		}
		for _, mode := range lazy.Modes {
			asked++
			got, err := lazyAnswer(flat, q, mode)
			if err != nil {
				return fmt.Sprintf("%s: %v", mode, err), asked, found
			}
			if got == "refused" && signals(flat) {
				continue
			}
			if got != want && !(mode == lazy.Practical && got == "unknown") {
				return fmt.Sprintf("%s: %s, but explicit says %s to %s", mode, got, want, q.Final.Cond.Text), asked, found
			}
		}
	}
	return "", asked, found
}

// signals reports whether a program has operations that a store can be delayed past, but
// that extensions do not support (docs/engines/lazy.md, docs/engines/robust.md).
func signals(p *ir.Program) bool {
	for _, f := range p.Funcs {
		for i := range f.Edges {
			switch op := &f.Edges[i].Op; op.Kind {
			case ir.Signal, ir.Broadcast:
				return true
			case ir.Lock, ir.TryLock, ir.Unlock:
				if op.Mutex.Kind == ir.RecursiveMutex {
					return true
				}
			}
		}
	}
	return false
}

// TestLazyAgainstExplicit: on programs without loops exact mode answers correctly [BCDM15
// Thm 3], and practical mode answers correctly or unknown.
func TestLazyAgainstExplicit(t *testing.T) {
	asked, found := 0, 0
	for i := range *programs {
		seed := *firstSeed + uint64(i)
		p, pr := acyclic(seed)
		diff, n, f := lazyDiffers(p)
		asked, found = asked+n, found+f
		if diff != "" {
			small := testkit.Shrink(p, func(q *testkit.Program) bool { d, _, _ := lazyDiffers(q); return d != "" })
			diff, _, _ = lazyDiffers(small)
			flat, _ := small.Flat()
			t.Fatalf("seed %d, %s: %s\n%s", seed, pr.Name, diff, irtext.Print(flat))
		}
	}
	t.Logf("%d programs, %d answers, %d questions with a violation", *programs, asked, found)
}

// TestLazyExtension: an exact extension neither adds nor removes final states [BCDM15
// Lemma 1]. The last program has the final states under SC that the first one has under
// TSO. No sequence is found twice [BCDM15 Lemma 2], as far as that is true
// (Extended.Name).
func TestLazyExtension(t *testing.T) {
	extensions := 0
	for i := range *programs / 2 {
		seed := *firstSeed + uint64(i)
		p, pr := acyclic(seed)
		diff, n := extensionDiffers(p)
		extensions += n
		if diff != "" {
			small := testkit.Shrink(p, func(q *testkit.Program) bool { d, _ := extensionDiffers(q); return d != "" })
			diff, _ = extensionDiffers(small)
			flat, _ := small.Flat()
			t.Fatalf("seed %d, %s: %s\n%s", seed, pr.Name, diff, irtext.Print(flat))
		}
	}
	t.Logf("%d extensions", extensions)
	if extensions == 0 {
		t.Error("nothing was extended")
	}
}

// extensionDiffers extends a program until it is robust, and compares the answers under TSO
// before and after each extension. It returns a difference, or "".
func extensionDiffers(p *testkit.Program) (string, int) {
	flat, props := p.Flat()
	if robust.Engine.Supports(&engine.Task{Program: flat}) != nil {
		return "", 0
	}
	props.Goals, props.Final, props.Deadlock = nil, nil, false
	want, err := testkit.Ask(testkit.Explicit, flat, props, memory.TSO, testkit.How{})
	if err != nil {
		return err.Error(), 0
	}
	x := lazy.NewExtended(flat, props)
	seen := map[string]bool{}
	for n := 0; ; n++ {
		out, err := robust.Run(context.Background(), &engine.Task{Program: x.Program, Props: props, Model: memory.TSO, Limits: engine.Limits{Workers: 1}})
		if err != nil {
			return err.Error(), n
		}
		if len(out.Violations) == 0 {
			return finalsUnderSC(x.Program, props, out, want), n
		}
		thread, sigma := sigmaOf(&out.Violations[0])
		name := x.Name(sigma)
		key := fmt.Sprint(thread, name)
		if seen[key] && !strings.ContainsAny(name, "^@") {
			return "found twice: " + key, n
		}
		seen[key] = true
		if x, err = x.Extend(thread, sigma, true); err != nil {
			return "", n // an operation that a store cannot be delayed past in registers
		}
		got, err := testkit.Ask(testkit.Explicit, x.Program, props, memory.TSO, testkit.How{})
		if err != nil {
			return err.Error(), n
		}
		if !slices.Equal(got.Finals, want.Finals) || (len(got.Checks) > 0) != (len(want.Checks) > 0) {
			return fmt.Sprintf("extension %d by %s: final states %q, before %q", n+1, key, got.Finals, want.Finals), n
		}
	}
}

// finalsUnderSC returns how the final states of a robust extended program under SC differ
// from the final states of the program under TSO [BCDM15 Thm 3], or "". It returns "" if the
// oracle does not know.
func finalsUnderSC(p *ir.Program, props *property.Set, oracle *engine.Outcome, want testkit.Answers) string {
	if oracle.Unknown != "" {
		return ""
	}
	got, err := testkit.Ask(testkit.Explicit, p, props, memory.SC, testkit.How{})
	switch {
	case err != nil:
		return err.Error()
	case !slices.Equal(got.Finals, want.Finals) || (len(got.Checks) > 0) != (len(want.Checks) > 0):
		return fmt.Sprintf("final states of the extended program under SC %q, of the program under TSO %q", got.Finals, want.Finals)
	}
	return ""
}

// sigmaOf returns the attacker and its instructions from the delayed store to the load.
func sigmaOf(v *engine.Violation) (ir.ThreadID, []ir.EdgeID) {
	steps := v.Witness.Steps
	last := len(steps) - 1
	for steps[last].Edge != int(v.Load) {
		last--
	}
	thread := steps[last].Thread
	flushed := map[int]int{}
	for i := range steps {
		if steps[i].Kind == verdict.StepFlush {
			flushed[steps[i].Of] = i
		}
	}
	first := 0
	for steps[first].Edge != int(v.Edge) || flushed[first] < last {
		first++
	}
	var sigma []ir.EdgeID
	for i := first; i <= last; i++ {
		if steps[i].Thread == thread && steps[i].Kind != verdict.StepFlush {
			sigma = append(sigma, ir.EdgeID(steps[i].Edge))
		}
	}
	return ir.ThreadID(thread), sigma
}

// TestLazyReach: the engine gives the answers of the authors' tool, in as many rounds as
// [BCDM15 §5.3] at most.
func TestLazyReach(t *testing.T) {
	dir := testkit.Shared(t, "bench", "reach")
	table, err := os.ReadFile(filepath.Join(dir, "expected.tsv"))
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range strings.Split(strings.TrimSpace(string(table)), "\n")[1:] {
		f := strings.Split(line, "\t")
		t.Run(f[0], func(t *testing.T) {
			p, props := testkit.LoadTrencher(t, filepath.Join(dir, f[0]))
			rounds := 0
			task := &engine.Task{Program: p, Props: props, Model: memory.TSO, Limits: engine.Limits{Workers: 1}}
			logged := lazy.Options{Log: func(line string) {
				if strings.Contains(line, "states under SC") {
					rounds++
				}
				t.Log(line)
			}}
			out, err := lazy.New(explicit.GoalsFirst, robust.AttacksFirst, logged).Run(context.Background(), task)
			if err != nil {
				t.Fatal(err)
			}
			got, most := "unreachable", 1
			switch {
			case len(out.Violations) > 0:
				got, most = "reachable", 2
			case out.Unknown != "":
				got = out.Unknown
			}
			if got != f[4] {
				t.Errorf("%s, want %s", got, f[4])
			}
			if rounds > most {
				t.Errorf("%d rounds", rounds)
			}
		})
	}
}

// TestLazyEndless: exact mode does not end on [BCDM15 Fig. 12]. It stops at its time limit
// and reports its progress.
func TestLazyEndless(t *testing.T) {
	for _, c := range testkit.LoadCorpus(t, filepath.Join(testkit.Root(t), "testdata", "corpus")) {
		if filepath.Base(c.Path) != "bcdm15-fig12.txtar" {
			continue
		}
		one := *c
		one.Expect = map[string]string{"tso": ""}
		opt := c.Options
		opt.Engines, opt.Lazy, opt.Timeout = query.Engines{"lazy"}, lazy.Exact, 500*time.Millisecond
		results, err := one.Check(opt)
		if err != nil {
			t.Fatal(err)
		}
		if r := results[0]; r.Verdict != verdict.Unknown || !strings.Contains(r.Reason, "limit") {
			t.Errorf("%s: %s", r.Verdict, r.Reason)
		}
		return
	}
	t.Error("the program is not in the corpus")
}

// endless are programs on which the engine does not end.
var endless = []string{"bcdm15-fig12", "bemt18-fig6", "bemt18-fig6-havoc"}

// TestCorpusLazy: on the other programs of the corpus the engine gives the expected verdict,
// answers unknown, or refuses the program.
func TestCorpusLazy(t *testing.T) {
	var asked, unknown atomic.Int64
	t.Run("corpus", func(t *testing.T) {
		for _, c := range testkit.LoadCorpus(t, filepath.Join(testkit.Root(t), "testdata", "corpus")) {
			want := c.Expect["tso"]
			if want == "" || slices.Contains(endless, c.Name()) || !testkit.InPart(t, c.Name(), 2) {
				continue
			}
			t.Run(strings.TrimSuffix(filepath.Base(c.Path), ".txtar"), func(t *testing.T) {
				t.Parallel()
				opt := c.Options
				opt.Engines, opt.Workers, opt.Memory, opt.Timeout = query.Engines{"lazy"}, 1, 64<<20, 0
				opt.KeepGoing, opt.Finals, opt.Deadlock = false, false, false
				a, err := check.Run(context.Background(), c.Input, opt.Under("tso"))
				if err != nil {
					t.Fatal(err)
				}
				if a.HasErrors() {
					return // refused
				}
				asked.Add(1)
				r := &a.Results[0]
				if r.Verdict == verdict.Unknown {
					unknown.Add(1)
					return
				}
				if want == testkit.Nonterminating {
					want = "safe" // as far as lazy asks
				}
				if got := r.Verdict.String(); got != want && want != "unknown" {
					t.Errorf("want %s, got %s (%s)", want, got, r.Reason)
				}
			})
		}
	})
	t.Logf("%d programs asked, %d unknown", asked.Load(), unknown.Load())
	if asked.Load() < 40 {
		t.Errorf("only %d programs were asked", asked.Load())
	}
}
