package promela_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	"fencepost/internal/export/promela"
	"fencepost/internal/ir"
	"fencepost/internal/ir/irtext"
	"fencepost/internal/property"
	"fencepost/internal/testkit"
	"fencepost/query"
)

var (
	all      = flag.Bool("pml.all", false, "run SPIN on the whole corpus")
	randoms  = flag.Int("pml.random", 3, "random programs to run SPIN on")
	seed     = flag.Uint64("pml.seed", 1, "seed of the first random program")
	overlaps = flag.Int("pml.overlap", 12, "random programs whose accesses overlap in part; SPIN runs on those with more final states under TSO")
)

// chosen lists programs that represent the corpus: locks with and without fences, every
// kind of operation, every kind of property, pointers, sections, bounded buffers.
var chosen = strings.Fields(`peterson peterson-forever szymanski-fenced lamport-fast-fenced lock-mcs-pointers lock-ticket
	treiber-stack chase-lev parker-deadlock parker-fixed feature-atomic feature-pointers feature-havoc-read feature-havoc-range
	feature-out-of-bounds feature-goal-memory feature-fetch-ops feature-store-loop feature-deadlock feature-assume-blocks feature-division-by-zero litmus-sb litmus-sb-atomic-one litmus-iriw litmus-cowr litmus-sb-rfi
	feature-newest-store bemt18-fig3-havoc c-join-from-two`)

// TestSpinAgreesOnCorpus: SPIN gives each exported program the verdict that fencepost
// gives the original.
func TestSpinAgreesOnCorpus(t *testing.T) {
	testkit.NeedSpin(t)
	var compared, refused, inconclusive atomic.Int64
	known := map[string]bool{}
	t.Run("corpus", func(t *testing.T) {
		for _, c := range testkit.LoadCorpus(t, filepath.Join(testkit.Root(t), "testdata", "corpus")) {
			name := strings.TrimSuffix(filepath.Base(c.Path), ".txtar")
			known[name] = true
			if !*all && !slices.Contains(chosen, name) {
				continue
			}
			for _, model := range []string{"sc", "tso"} {
				if !*all && !testkit.InPart(t, name+" "+model, 12) {
					continue
				}
				t.Run(name+"/"+model, func(t *testing.T) {
					t.Parallel()
					text, diags, err := c.Export(query.ExportPromela, model)
					if err != nil {
						t.Fatal(err)
					}
					if diags != nil {
						refused.Add(1)
						if !*all {
							t.Errorf("refused: %s", diags[0].Message)
						}
						t.Logf("refused: %s: %s", diags[0].Pos, diags[0].Message)
						return
					}
					one := *c
					one.Expect = map[string]string{model: ""}
					results, err := one.Check(c.Options)
					if err != nil {
						t.Fatal(err)
					}
					got := spin(t, text)
					if got.Inconclusive != "" {
						inconclusive.Add(1)
						t.Errorf("no verdict from SPIN: %s\n%s", got.Inconclusive, got.Output)
						return
					}
					compared.Add(1)
					if verdict := results[0].Verdict.String(); (got.Errors > 0) != bad(verdict) {
						t.Errorf("fencepost says %s (%s), SPIN says errors: %d %s", verdict, results[0].Reason, got.Errors, got.Violation)
					}
				})
			}
		}
	})
	for _, name := range chosen {
		if !known[name] {
			t.Errorf("%s is not in the corpus", name)
		}
	}
	t.Logf("%d verdicts compared, %d exports refused, %d without a verdict from SPIN", compared.Load(), refused.Load(), inconclusive.Load())
}

// bad reports whether SPIN should find an error. The verdict is unknown for final
// conditions that no execution tests, and for states that are not observed up to a bound.
// SPIN finds no error in these cases.
func bad(verdict string) bool { return verdict == "unsafe" || verdict == "observed" }

// spin runs SPIN on a text.
func spin(t *testing.T, text string) *testkit.SpinAnswer {
	t.Helper()
	got, err := testkit.RunSpin(context.Background(), t.TempDir(), text, testkit.SpinCheck)
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	return got
}

// TestSpinAgreesOnRandomPrograms: SPIN agrees with the enumerator that uses replay's rules.
// Each program is asked about its checks and one more property.
func TestSpinAgreesOnRandomPrograms(t *testing.T) {
	testkit.NeedSpin(t)
	var compared, found, refused, large atomic.Int64
	t.Run("seeds", func(t *testing.T) {
		for i := range *randoms {
			s := *seed + uint64(i)
			t.Run(fmt.Sprint(s), func(t *testing.T) {
				t.Parallel()
				pr := testkit.Profiles[s%uint64(len(testkit.Profiles))]
				pr.Heap = false
				prog, props := testkit.Generate(s, pr).Flat()
				props = testkit.OneQuestion(props, s)
				for i, model := range []promela.Model{promela.SC, promela.TSO} {
					text, refusals := promela.Write(prog, props, promela.Options{Model: model, Buffer: 8})
					if len(refusals) > 0 {
						refused.Add(1)
						continue
					}
					want, err := testkit.Oracle(prog, props, testkit.Models[i])
					if errors.Is(err, testkit.ErrTooBig) {
						continue
					}
					if err != nil {
						t.Fatal(err)
					}
					got := spin(t, text)
					if got.TooLarge { // as the exported text says
						large.Add(1)
						continue
					}
					if got.Inconclusive != "" {
						t.Errorf("%s: no verdict from SPIN: %s\n%s", model, got.Inconclusive, got.Output)
						continue
					}
					compared.Add(1)
					violated := len(want.Checks) > 0 || len(want.Goals) > 0 || want.Final || want.Deadlock && props.Deadlock
					if violated {
						found.Add(1)
					}
					if violated != (got.Errors > 0) {
						t.Errorf("%s: the enumerator says %+v, SPIN says errors: %d %s\n%s\n%s", model, want, got.Errors, got.Violation, irtext.Print(prog), text)
					}
				}
			})
		}
	})
	t.Logf("%d verdicts compared, %d of them violations; %d exports refused, %d with a value that does not fit", compared.Load(), found.Load(), refused.Load(), large.Load())
	if compared.Load() >= 100 && 20*large.Load() > compared.Load() {
		t.Error("too many exports end with a value that does not fit")
	}
	if *randoms >= 8 && (found.Load() == 0 || found.Load() == compared.Load()) {
		t.Error("the random programs do not distinguish right from wrong exports")
	}
}

// TestSpinReachesTheSameStates: for programs whose accesses overlap in part, SPIN reaches
// no final states that the enumerator does not reach. Under TSO it reaches a state that SC
// does not have.
func TestSpinReachesTheSameStates(t *testing.T) {
	testkit.NeedSpin(t)
	var compared, weak, refused atomic.Int64
	t.Run("seeds", func(t *testing.T) {
		for i := range *overlaps {
			s := *seed + uint64(i)
			t.Run(fmt.Sprint(s), func(t *testing.T) {
				t.Parallel()
				prog, props := testkit.Generate(s, testkit.Profile{Name: "overlap-plain", Overlap: true, Plain: true}).Flat()
				var finals [2][]string
				for i := range finals {
					want, err := testkit.Oracle(prog, &property.Set{Observe: props.Observe}, testkit.Models[i])
					if errors.Is(err, testkit.ErrTooBig) {
						return
					}
					if err != nil {
						t.Fatal(err)
					}
					finals[i] = want.Finals
				}
				// ask reports whether SPIN reaches a state that is not in the list.
				ask := func(model promela.Model, states []string) bool {
					cond := &property.Cond{Vars: props.Observe, Expr: oneOf(t, states)}
					asked := &property.Set{Final: &property.Final{Quantifier: property.Forall, Cond: cond}}
					text, refusals := promela.Write(prog, asked, promela.Options{Model: model, Buffer: 8})
					if len(refusals) > 0 {
						refused.Add(1)
						t.Skipf("refused: %s", refusals[0].Reason)
					}
					got := spin(t, text)
					if got.Inconclusive != "" {
						t.Fatalf("%s: no verdict from SPIN: %s\n%s", model, got.Inconclusive, got.Output)
					}
					compared.Add(1)
					return got.Errors > 0
				}
				report := func(what string) {
					t.Errorf("%s\nsc: %q\ntso: %q\n%s", what, finals[0], finals[1], irtext.Print(prog))
				}
				fresh := slices.DeleteFunc(slices.Clone(finals[1]), func(f string) bool { return slices.Contains(finals[0], f) })
				if len(fresh) == 0 && s%16 != 0 { // SPIN takes long to start, and these programs are similar
					return
				}
				if ask(promela.TSO, finals[1]) {
					report("tso: SPIN reaches a state that we do not")
				}
				if len(fresh) == 0 {
					return
				}
				weak.Add(1)
				without := fresh[int(s)%len(fresh)]
				if !ask(promela.TSO, slices.DeleteFunc(slices.Clone(finals[1]), func(f string) bool { return f == without })) {
					report("tso: SPIN does not reach " + without)
				}
				if ask(promela.SC, finals[0]) {
					report("sc: SPIN reaches a state that we do not")
				}
			})
		}
	})
	t.Logf("%d verdicts compared; %d programs have more final states under TSO; %d exports refused", compared.Load(), weak.Load(), refused.Load())
	if *overlaps >= 12 && weak.Load() == 0 {
		t.Error("the random programs do not distinguish right from wrong exports")
	}
}

// oneOf returns the condition that a state is in a list. A state has its values in the
// order of the variables.
func oneOf(t *testing.T, states []string) *ir.Expr {
	any := ir.Int(0)
	for _, state := range states {
		all := ir.Int(1)
		for i, field := range strings.Fields(state) {
			v, err := strconv.ParseInt(field[strings.LastIndexByte(field, '=')+1:], 10, 64)
			if err != nil {
				t.Fatalf("%q: %v", state, err)
			}
			all = ir.Binary(ir.LAnd, ir.S64, all, ir.Binary(ir.Eq, ir.S64, ir.R(ir.Reg(i)), ir.Int(v)))
		}
		any = ir.Binary(ir.LOr, ir.S64, any, all)
	}
	return any
}

// TestSpinAgreesOnErrors: SPIN and the enumerator find the same errors of mutexes that
// are destroyed, threads that are joined twice and main threads that end by ThreadExit.
func TestSpinAgreesOnErrors(t *testing.T) {
	testkit.NeedSpin(t)
	const head = "program p flat\nmain a\nobject m size 8\nobject x size 8\n"
	const tail = "\nthread a\nthread b\n"
	for name, text := range map[string]string{
		"destroyed": head + "func a() {\n reg r\n 0 -> 1: lock [&m]\n 1 -> 2: unlock [&m]\n 2 -> 3: store [&m] = -1\n}\n" +
			"func b() {\n 0 -> 1: lock [&m]\n 1 -> 2: unlock [&m]\n}\n" + tail,
		"destroyed later": head + "func a() {\n reg r\n 0 -> 1: r = await [&x] when (seen == 1)\n 1 -> 2: store [&m] = -1\n 2 -> 3: store [&m] = 0\n 3 -> 4: lock [&m]\n}\n" +
			"func b() {\n 0 -> 1: lock [&m]\n 1 -> 2: unlock [&m]\n 2 -> 3: store [&x] = 1\n}\n" + tail,
		"trylock": head + "func a() {\n 0 -> 1: store [&m] = -1\n 1 -> 2: store [&x] = 1\n}\n" +
			"func b() {\n reg r\n 0 -> 1: r = await [&x] when (seen == 1)\n 1 -> 2: r = trylock [&m]\n}\n" + tail,
		"joined twice":       head + "func a() {\n 0 -> 1: join 1\n 1 -> 2: join 1\n}\nfunc b() {\n 0 -> 1: store [&x] = 1\n}\n" + tail,
		"joined once":        head + "func a() {\n 0 -> 1: join 1\n}\nfunc b() {\n 0 -> 1: store [&x] = 1\n}\n" + tail,
		"stuck after exit":   head + "func a() {\n 0 -> 1: lock [&m]\n 1 -> 2: threadexit\n}\nfunc b() {\n 0 -> 1: lock [&m]\n 1 -> 2: unlock [&m]\n}\n" + tail,
		"stuck after return": head + "func a() {\n 0 -> 1: lock [&m]\n 1 -> 2: return\n}\nfunc b() {\n 0 -> 1: lock [&m]\n 1 -> 2: unlock [&m]\n}\n" + tail,
		"either": head + "func a() {\n reg r\n 0 -> 1: lock [&m]\n 1 -> 2: r = load [&x]\n 2 -> 3: assume r\n 3 -> 4: threadexit\n 2 -> 5: assume !r\n 5 -> 6: return\n}\n" +
			"func b() {\n 0 -> 1: store [&x] = 1\n 1 -> 2: lock [&m]\n 2 -> 3: unlock [&m]\n}\n" + tail,
	} {
		if !testkit.InPart(t, name, 3) {
			continue
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			spinAgrees(t, parse(t, text))
		})
	}
}

// spinAgrees compares the verdict of SPIN about checks and deadlocks of a program with that
// of the enumerator, under TSO and for some programs under SC.
func spinAgrees(t *testing.T, p *ir.Program) {
	t.Helper()
	props := &property.Set{Checks: true, Deadlock: true}
	for i, model := range []promela.Model{promela.SC, promela.TSO} {
		if model == promela.SC && !testkit.InPart(t, "", 4) {
			continue
		}
		text, refusals := promela.Write(p, props, promela.Options{Model: model, Buffer: 8})
		if len(refusals) > 0 {
			t.Fatalf("refused: %v", refusals)
		}
		want, err := testkit.Oracle(p, props, testkit.Models[i])
		if err != nil {
			t.Fatal(err)
		}
		got := spin(t, text)
		if got.Inconclusive != "" || want.Found() != (got.Errors > 0) {
			t.Errorf("%s: the enumerator says %+v, SPIN says errors: %d %s %s\n%s", model, want, got.Errors, got.Violation, got.Inconclusive, text)
		}
	}
}
