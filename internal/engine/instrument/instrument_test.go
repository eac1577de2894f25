package instrument_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"sort"
	"strings"
	"sync/atomic"
	"testing"

	"fencepost/internal/engine"
	"fencepost/internal/engine/explicit"
	"fencepost/internal/engine/instrument"
	"fencepost/internal/engine/robust"
	"fencepost/internal/export/promela"
	"fencepost/internal/ir"
	"fencepost/internal/ir/irtext"
	"fencepost/internal/memory"
	"fencepost/internal/property"
	"fencepost/internal/replay"
	"fencepost/internal/testkit"
	"fencepost/internal/trace"
	"fencepost/query"
)

var (
	programs  = flag.Int("fp.programs", 400, "random programs")
	firstSeed = flag.Uint64("fp.seed", 1, "seed of the first random program")
)

var instrumented = instrument.New(explicit.Engine)

var errTooManyStates = errors.New("too many states")

// feasible returns the feasible attacks that an engine finds, each once. It checks that the
// execution of each attack replays under TSO and has a cycle.
func feasible(e engine.Engine, p *ir.Program, limit int64) (string, int64, error) {
	out, err := e.Run(context.Background(), &engine.Task{
		Program: p, Props: &property.Set{}, Model: memory.TSO, KeepGoing: true,
		Limits: engine.Limits{Workers: 1, Memory: limit}, // a loop that counts has no end
	})
	if err != nil {
		return "", 0, err
	}
	if out.Unknown != "" {
		return "", 0, errTooManyStates
	}
	seen := map[string]bool{}
	for _, v := range out.Violations {
		seen[fmt.Sprintf("%d past %d", v.Edge, v.Load)] = true
		if err := replay.Replay(p, &property.Set{}, replay.TSO, v.Witness, replay.Expect{Target: replay.TargetExecution}); err != nil {
			return "", 0, fmt.Errorf("%s: %w", e.Name, err)
		}
		if trace.New(p, v.Witness).Cycle() == nil {
			return "", 0, fmt.Errorf("%s: no cycle", e.Name)
		}
	}
	var list []string
	for a := range seen {
		list = append(list, a)
	}
	sort.Strings(list)
	return strings.Join(list, ", "), out.Stats.States, nil
}

// methodsDiffer returns how the answers of the engines robust and instrument differ, or "".
// ok is false if one of them does not answer.
func methodsDiffer(p *ir.Program) (diff string, broken, ok bool) {
	task := &engine.Task{Program: p}
	if robust.Engine.Supports(task) != nil || instrumented.Supports(task) != nil {
		return "", false, false
	}
	one, _, err := feasible(robust.Engine, p, 8<<20)
	if err != nil {
		return err.Error(), false, err != errTooManyStates
	}
	many, _, err := feasible(instrumented, p, 8<<20)
	switch {
	case err == errTooManyStates:
		return "", false, false
	case err != nil:
		return err.Error(), false, true
	case one != many:
		return fmt.Sprintf("one search: %s; instrumentation: %s", one, many), one != "", true
	}
	return "", one != "", true
}

// TestInstrumentationAgrees: the single search and the instrumented programs find the same
// attacks, on random programs of all kinds, with loops too.
func TestInstrumentationAgrees(t *testing.T) {
	profiles := []testkit.Profile{
		{Name: "plain", Plain: true}, {Name: "mixed", Plain: true, Mixed: true}, {Name: "core"}, {Name: "plain", Plain: true},
		{Name: "loops", Plain: true, Loops: true}, {Name: "sync", Sync: true}, {Name: "spawn", Spawn: true}, {Name: "mixed", Mixed: true},
		{Name: "overlap", Overlap: true, Plain: true}, {Name: "overlap", Overlap: true}, {Name: "computed", Overlap: true, Computed: true},
	}
	asked, broken := map[string]int{}, map[string]int{}
	for i := range *programs {
		s := *firstSeed + uint64(i)
		pr := profiles[s%uint64(len(profiles))]
		p := testkit.Generate(s, pr)
		flat, _ := p.Flat()
		diff, is, ok := methodsDiffer(flat)
		if !ok {
			continue
		}
		asked[pr.Name]++
		if is {
			broken[pr.Name]++
		}
		if diff != "" {
			small := testkit.Shrink(p, func(q *testkit.Program) bool {
				flat, _ := q.Flat()
				d, _, ok := methodsDiffer(flat)
				return ok && d != ""
			})
			flat, _ := small.Flat()
			d, _, _ := methodsDiffer(flat)
			t.Fatalf("seed %d, %s: %s\n%s", s, pr.Name, d, irtext.Print(flat))
		}
	}
	t.Logf("asked %v, of which not robust %v", asked, broken)
}

// TestInstrumentationTrencher: on the authors' benchmark both methods give the verdicts of
// the authors' tool. The log has the number of states that each visits.
func TestInstrumentationTrencher(t *testing.T) {
	dir := testkit.Shared(t, "bench", "trencher")
	table, err := os.ReadFile(filepath.Join(dir, "expected.tsv"))
	if err != nil {
		t.Fatal(err)
	}
	var ones, manys int64
	for _, line := range strings.Split(strings.TrimSpace(string(table)), "\n")[1:] {
		f := strings.Split(line, "\t")
		if f[0] == "cilk-the-wsq-wrongdoing.txt" && !testkit.Slow() {
			continue // half of all states
		}
		t.Run(f[0], func(t *testing.T) {
			p, _ := testkit.LoadTrencher(t, filepath.Join(dir, f[0]))
			one, n, err := feasible(robust.Engine, p, 1<<30)
			if err != nil {
				t.Fatal(err)
			}
			many, m, err := feasible(instrumented, p, 1<<30)
			if err != nil {
				t.Fatal(err)
			}
			ones, manys = ones+n, manys+m
			t.Logf("%s: %d states by one search, %d in all instrumented programs", f[0], n, m)
			if one != many {
				t.Errorf("one search: %s; instrumentation: %s", one, many)
			}
			if want := map[string]bool{"yes": true, "no": false}[f[3]]; want != (many == "") {
				t.Errorf("attacks %q, but robust is %s", many, f[3])
			}
		})
	}
	t.Logf("all: %d states by one search, %d in all instrumented programs", ones, manys)
}

// TestInstrumentationPrints: the printed form of an instrumented program parses to the same
// program.
func TestInstrumentationPrints(t *testing.T) {
	for i := range 40 {
		p, _ := testkit.Generate(*firstSeed+uint64(i), testkit.Profiles[i%len(testkit.Profiles)]).Flat()
		in, err := instrument.NewInstrumenter(p, instrument.Options{})
		if err != nil {
			continue
		}
		for _, a := range listed(t, p).Attacks {
			inst, err := in.Attack(a)
			if err != nil {
				t.Fatal(err)
			}
			text := irtext.Print(inst.Program)
			back, diags := irtext.Parse("i.ir", []byte(text))
			if diags.HasErrors() {
				t.Fatalf("%v\n%s", diags.All, text)
			}
			if again := irtext.Print(back); again != text {
				t.Fatalf("printed %s\nand again %s", text, again)
			}
		}
	}
}

// TestInstrumentationSpin: SPIN's answers about the exported instrumented programs agree
// with the single search, for some random programs and some of the authors' programs.
func TestInstrumentationSpin(t *testing.T) {
	testkit.NeedSpin(t)
	var list []*ir.Program
	for i := 0; len(list) < max(2, *programs/400); i++ {
		pr := []testkit.Profile{{Plain: true}, {Spawn: true}, {}, {Plain: true, Loops: true}, {Sync: true}}[i%5]
		p, _ := testkit.Generate(*firstSeed+uint64(i), pr).Flat()
		if len(listed(t, p).Attacks) > 0 {
			list = append(list, p)
		}
	}
	dir := testkit.Shared(t, "bench", "trencher")
	names := []string{"simple-dekker.txt"}
	if testkit.Slow() {
		names = append(names, "mcs-lock.txt", "nbw-w-wr.txt")
	}
	for _, name := range names {
		p, _ := testkit.LoadTrencher(t, filepath.Join(dir, name))
		list = append(list, p)
	}
	asked, found := 0, 0
	for _, p := range list {
		in, err := instrument.NewInstrumenter(p, instrument.Options{Export: true})
		if err != nil {
			continue
		}
		want, _, err := feasible(robust.Engine, p, 8<<20)
		if err != nil {
			continue
		}
		attacks := listed(t, p).Attacks
		for _, a := range attacks[:min(1+*programs/4000, len(attacks))] {
			inst, err := in.Attack(a)
			if err != nil {
				continue
			}
			text, refusals := promela.Write(inst.Program, inst.Props, promela.Options{Model: promela.SC, FaultsStop: true})
			if len(refusals) > 0 {
				t.Logf("%s: refused: %s", p.Name, refusals[0].Reason)
				continue
			}
			got, err := testkit.RunSpin(context.Background(), t.TempDir(), text, testkit.SpinCheck)
			if err != nil {
				t.Fatal(err)
			}
			if got.Inconclusive != "" {
				t.Logf("%s: no answer: %s", p.Name, got.Inconclusive)
				continue
			}
			asked++
			is := strings.Contains(", "+want+",", fmt.Sprintf(", %d past %d,", a.Store, a.Load))
			if is {
				found++
			}
			if is != (got.Errors > 0) {
				t.Errorf("%s, attack %d past %d: feasible %v, SPIN says errors: %d\n%s\n%s", p.Name, a.Store, a.Load, is, got.Errors, irtext.Print(p), text)
			}
		}
	}
	t.Logf("%d attacks asked, %d feasible", asked, found)
	if asked == 0 {
		t.Error("SPIN answered nothing")
	}
}

// BenchmarkInstrumentation reports the number of states that the single search visits and
// that all instrumented programs together have, over the authors' benchmark.
func BenchmarkInstrumentation(b *testing.B) {
	dir := testkit.Shared(b, "bench", "trencher")
	files, err := filepath.Glob(filepath.Join(dir, "*.txt"))
	if err != nil {
		b.Fatal(err)
	}
	for range b.N {
		var ones, manys int64
		for _, file := range files {
			p, _ := testkit.LoadTrencher(b, file)
			_, n, err := feasible(robust.Engine, p, 1<<30)
			if err != nil {
				b.Fatal(err)
			}
			_, m, err := feasible(instrumented, p, 1<<30)
			if err != nil {
				b.Fatal(err)
			}
			ones, manys = ones+n, manys+m
		}
		b.ReportMetric(float64(ones), "search-states")
		b.ReportMetric(float64(manys), "instrumented-states")
		b.ReportMetric(float64(manys)/float64(ones), "ratio")
	}
}

// TestCorpusInstrumentation: both methods give the same verdicts about the programs of the
// corpus that both answer.
func TestCorpusInstrumentation(t *testing.T) {
	var asked, open atomic.Int64
	costly := map[string]bool{"c-mutex-recursive": true, "c-sb-recursive-relock": true} // a second each
	t.Run("corpus", func(t *testing.T) {
		for _, c := range testkit.PartOf(t, testkit.LoadCorpus(t, filepath.Join(testkit.Root(t), "testdata", "corpus")), 3) {
			if costly[c.Name()] && !testkit.Slow() {
				continue
			}
			t.Run(c.Name(), func(t *testing.T) {
				t.Parallel()
				opt := c.Robustly()
				opt.Workers, opt.Memory, opt.Timeout = 1, 64<<20, 0
				want, _, err := c.IsRobust(opt)
				if err != nil {
					t.Fatal(err)
				}
				opt.Method = query.MethodInstrument
				got, _, err := c.IsRobust(opt)
				if err != nil {
					t.Fatal(err)
				}
				if want == testkit.Unsupported || got == testkit.Unsupported {
					return
				}
				asked.Add(1)
				if strings.HasPrefix(want, "unknown") || strings.HasPrefix(got, "unknown") {
					open.Add(1)
					return
				}
				if got != want {
					t.Errorf("robust by one search: %s, by instrumentation: %s", want, got)
				}
			})
		}
	})
	t.Logf("%d programs asked, %d of them too large", asked.Load(), open.Load())
	if asked.Load() < 40 {
		t.Errorf("only %d programs were asked", asked.Load())
	}
}

// listed returns the attacks of a program.
func listed(t testing.TB, p *ir.Program) instrument.AttackList {
	t.Helper()
	list, err := instrument.Attacks(t.Context(), p)
	if err != nil {
		t.Fatal(err)
	}
	return list
}
