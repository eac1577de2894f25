package testkit_test

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"fencepost/internal/engine"
	"fencepost/internal/engine/rf"
	"fencepost/internal/engine/smc"
	"fencepost/internal/ir"
	"fencepost/internal/ir/irtext"
	"fencepost/internal/memory"
	"fencepost/internal/property"
	"fencepost/internal/question/traces"
	"fencepost/internal/testkit"
	"fencepost/internal/trace"
	"fencepost/internal/transform"
	"fencepost/query"
	"fencepost/verdict"
)

// found has the reads-from classes that an exploration finds, with how often it finds each.
func found(t *testing.T, flat *ir.Program, m memory.Model, classes bool) (map[string]int, bool) {
	t.Helper()
	all := map[string]int{}
	visit := func(w *verdict.Witness) { all[trace.New(flat, w).ReadsFrom(w, nil)]++ }
	failed := func(w *verdict.Witness, fails []string) { all[trace.New(flat, w).ReadsFrom(w, fails)]++ }
	blocked := func(w *verdict.Witness) { all["blocked\n"+trace.New(flat, w).ReadsFrom(w, nil)]++ }
	e := smc.New(smc.Options{Traces: true, Visit: visit, Failed: failed, Blocked: blocked})
	if classes {
		e = rf.New(rf.Options{Traces: true, Visit: visit, Failed: failed, Blocked: blocked})
	}
	task := &engine.Task{Program: flat, Props: &property.Set{}, Model: m, KeepGoing: true}
	if e.Supports(task) != nil {
		return nil, false
	}
	out, err := e.Run(context.Background(), task)
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(out.Unknown, "rf does not take") {
		return nil, false
	}
	if out.Unknown != "" {
		t.Fatal(out.Unknown)
	}
	return all, true
}

// TestReadsFromAgainstTraces: on random programs, also too large ones for brute force, exactly the
// reads-from classes that the traces have, those with failing checks included. Each complete one is found once,
// except where conditions are: the text of a class does not have the order of signals that wake no thread.
func TestReadsFromAgainstTraces(t *testing.T) {
	total, traces, compared := 0, 0, 0
	profiles := slices.DeleteFunc(slices.Concat(testkit.Profiles, testkit.Rare), func(pr testkit.Profile) bool {
		return pr.Global || pr.Nested && pr.Waits // smc takes no stores to mutexes that are held, and lists nothing with global fences
	})
	for i := range *programs / 5 {
		seed := *firstSeed + uint64(i)
		pr := profiles[seed%uint64(len(profiles))]
		p, _ := testkit.Generate(seed, pr).Flat()
		flat, _, err := transform.Unroll(p, &property.Set{}, 2, nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range testkit.Models {
			got, ok := found(t, flat, m, true)
			if !ok {
				continue
			}
			want, ok := found(t, flat, m, false)
			if !ok { // a mutex inside a section
				continue
			}
			compared++
			total += len(want)
			for _, n := range want {
				traces += n
			}
			missing, wrong, twice := compareClasses(want, got)
			if pr.Sync && !pr.Nested {
				twice = 0
			}
			if missing+wrong+twice > 0 {
				t.Fatalf("profile %s, seed %d, %s: %d classes, %d missing, %d wrong, %d found twice\n%s", pr.Name, seed, m, len(want), missing, wrong, twice, irtext.Print(flat))
			}
		}
	}
	t.Logf("%d programs and models, %d classes, %d traces", compared, total, traces)
	if compared < *programs/5 {
		t.Errorf("only %d compared", compared)
	}
}

// compareClasses compares the classes that rf has found with those of the traces: how many are missing, how many are
// wrong, and how many complete ones were found more than once.
func compareClasses(want, got map[string]int) (missing, wrong, twice int) {
	for k := range want {
		if got[k] == 0 {
			missing++
		}
	}
	for k, n := range got {
		if want[k] == 0 {
			wrong++
		}
		if n > 1 && !strings.Contains(k, "\nfails ") && !strings.HasPrefix(k, "fails ") && !strings.HasPrefix(k, "blocked\n") {
			twice++
		}
	}
	return missing, wrong, twice
}

// TestChoicesReadsFrom: exactly the reads-from classes that the traces have, in programs whose threads choose among locks,
// joins and spawns that others may make impossible.
func TestChoicesReadsFrom(t *testing.T) {
	total, traces, compared := 0, 0, 0
	for i := range *programs / 5 {
		seed := *firstSeed + uint64(i)
		p, diags := irtext.Parse("choices.ir", []byte(testkit.ChoiceProgram(seed)))
		if diags.HasErrors() {
			t.Fatal(diags.All)
		}
		p = transform.SplitFailures(p)
		m := testkit.Models[i%3]
		got, ok := found(t, p, m, true)
		if !ok {
			continue
		}
		want, ok := found(t, p, m, false)
		if !ok {
			continue
		}
		compared++
		total += len(want)
		for _, n := range want {
			traces += n
		}
		missing, wrong, twice := compareClasses(want, got)
		if p.UnevenStarters() {
			twice = 0 // the text of a class does not have the order of spawns that start the same threads in any order
		}
		if missing+wrong+twice > 0 {
			t.Fatalf("seed %d, %s: %d classes, %d missing, %d wrong, %d found twice\n%s", seed, m, len(want), missing, wrong, twice, irtext.Print(p))
		}
	}
	t.Logf("%d programs, %d classes, %d traces", compared, total, traces)
	if compared < *programs/10 {
		t.Errorf("only %d compared", compared)
	}
}

// TestCorpusReadsFrom: the verdicts of the corpus by reads-from classes, of the programs that rf answers after little
// work.
func TestCorpusReadsFrom(t *testing.T) {
	answered, without := 0, 0
	for _, c := range testkit.PartOf(t, corpus(t), 40) {
		for _, model := range c.Models() {
			r, ok := allEngines(t, c, model, "rf,explicit", manyTurns) // explicit takes all programs
			if !ok {
				without++
				continue
			}
			i := slices.IndexFunc(r.Engines, func(e verdict.EngineReport) bool { return e.Engine == "rf" })
			if i < 0 || r.Engines[i].Verdict == verdict.Unknown {
				without++
				continue
			}
			answered++
			if got := r.Engines[i].Verdict.String(); got != c.Verdict(string(model)) && c.Expect[string(model)] != "unknown" {
				t.Errorf("%s under %s: want %s, got %s", c.Name(), model, c.Expect[string(model)], got)
			}
		}
	}
	t.Logf("%d answers of rf, %d without one", answered, without)
	if answered < 5 {
		t.Errorf("only %d answers", answered)
	}
}

// crossChecked explores a program by classes and by traces, which must agree, and reports whether both came to
// their end.
func crossChecked(t *testing.T, in query.Input, model query.Model, given query.Options, limit time.Duration) bool {
	t.Helper()
	opt := query.TraceOptions{Options: given, By: query.ByReadsFrom, CrossCheck: true}
	opt.Workers, opt.Timeout = 1, limit
	opt.Model = model
	a, err := traces.Run(t.Context(), in, opt)
	set, diags := a.Set, a.Diagnostics
	if err != nil {
		t.Errorf("%s under %s: %v", in.Name, model, err)
	}
	return err == nil && !query.HasErrors(diags) && set.Reason == "" && set.Coverage.Exhaustive
}

// TestCorpusClasses: the classes of the programs of the corpus equal those of their traces.
func TestCorpusClasses(t *testing.T) {
	done, left := 0, 0
	limit := time.Minute // the programs in part take milliseconds, and a machine may be slow
	if testkit.Slow() {
		limit = time.Second
	}
	for _, c := range testkit.PartOf(t, corpus(t), 100) {
		for _, model := range c.Models() {
			if crossChecked(t, c.Input, model, c.Options.Options, limit) {
				done++
			} else {
				left++
			}
		}
	}
	t.Logf("%d compared, %d not, since rf does not take them or they take too long", done, left)
	if done < 3 {
		t.Errorf("only %d compared", done)
	}
}

// TestLitmusClasses: the classes of the shared litmus tests equal those of their traces.
func TestLitmusClasses(t *testing.T) {
	dir := testkit.Shared(t, "litmus", "x86")
	done := 0
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || filepath.Ext(path) != ".litmus" || !testkit.InPart(t, d.Name(), 100) {
			return err
		}
		text, err := os.ReadFile(path)
		for _, m := range testkit.Models {
			if err == nil && !crossChecked(t, query.Input{Name: d.Name(), Text: text}, query.Model(m.String()), query.Options{}, 0) {
				t.Errorf("%s under %s: not compared", d.Name(), m)
			}
			done++
		}
		return err
	})
	t.Logf("%d compared", done)
	if err != nil || done < 20 {
		t.Errorf("only %d compared: %v", done, err)
	}
}
