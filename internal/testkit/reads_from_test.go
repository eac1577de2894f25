package testkit_test

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"fencepost/internal/engine"
	"fencepost/internal/engine/rf"
	"fencepost/internal/engine/smc"
	"fencepost/internal/ir"
	"fencepost/internal/memory"
	"fencepost/internal/property"
	"fencepost/internal/question/check"
	"fencepost/internal/testkit"
	"fencepost/internal/trace"
	"fencepost/internal/transform"
	"fencepost/verdict"
)

// found has the reads-from classes that an exploration finds, with how often it finds each.
func found(t *testing.T, flat *ir.Program, m memory.Model, classes bool) (map[string]int, bool) {
	t.Helper()
	all := map[string]int{}
	visit := func(w *verdict.Witness) { all[trace.New(flat, w).ReadsFrom(w, nil)]++ }
	failed := func(w *verdict.Witness, fails []string) { all[trace.New(flat, w).ReadsFrom(w, fails)]++ }
	e := smc.New(smc.Options{Traces: true, Visit: visit, Failed: failed})
	if classes {
		e = rf.New(rf.Options{Traces: true, Visit: visit, Failed: failed})
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
	profiles := slices.Concat(testkit.Profiles, testkit.Rare)
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
			want, _ := found(t, flat, m, false)
			compared++
			total += len(want)
			missing, wrong, twice := 0, 0, 0
			for k, n := range want {
				traces += n
				if got[k] == 0 {
					missing++
				}
			}
			for k, n := range got {
				if want[k] == 0 {
					wrong++
				}
				if n > 1 && (!pr.Sync || pr.Nested) && !strings.Contains(k, "\nfails ") && !strings.HasPrefix(k, "fails ") {
					twice++
				}
			}
			if missing+wrong+twice > 0 {
				t.Fatalf("profile %s, seed %d, %s: %d classes, %d missing, %d wrong, %d found twice\n%s", pr.Name, seed, m, len(want), missing, wrong, twice, ir.Print(flat))
			}
		}
	}
	t.Logf("%d programs and models, %d classes, %d traces", compared, total, traces)
	if compared < *programs/5 {
		t.Errorf("only %d compared", compared)
	}
}

// TestCorpusReadsFrom: the verdicts of the corpus by reads-from classes, of all programs that rf takes.
func TestCorpusReadsFrom(t *testing.T) {
	answered, refused := 0, map[string]int{}
	for _, c := range testkit.PartOf(t, corpus(t), 40) {
		for _, model := range c.Models() {
			opt := c.Options
			opt.Engine, opt.Workers, opt.Timeout = "rf", 1, time.Second
			answer, err := check.Run(t.Context(), c.Input, []string{model}, opt)
			if err != nil {
				t.Errorf("%s under %s: %v", c.Name(), model, err)
				continue
			}
			if answer.HasErrors() {
				refused[answer.Diagnostics[len(answer.Diagnostics)-1].Message]++
				continue
			}
			r := &answer.Results[0]
			if r.Verdict == verdict.Unknown {
				refused[r.Reason]++
				continue
			}
			answered++
			if got := r.Verdict.String(); got != c.Expect[model] && c.Expect[model] != "unknown" {
				t.Errorf("%s under %s: want %s, got %s", c.Name(), model, c.Expect[model], got)
			}
		}
	}
	t.Logf("%d answers; no answer: %v", answered, refused)
	if answered < 5 { // a machine may be slow
		t.Errorf("only %d answers", answered)
	}
}
