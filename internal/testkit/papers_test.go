package testkit_test

import (
	"path/filepath"
	"strings"
	"testing"

	"fencepost/internal/frontend/fp"
	"fencepost/internal/frontend/statement"
	"fencepost/internal/ir"
	"fencepost/internal/property"
	"fencepost/internal/replay"
	"fencepost/internal/source"
	"fencepost/internal/testkit"
	"fencepost/internal/transform"
	"fencepost/verdict"
)

// Helpers for the tests of the papers' examples, which have one file per paper. The programs
// are in the corpus under the paper's key and the figure's number.

// example is a program of the corpus with its results, which include final states.
type example struct {
	t       *testing.T
	c       *testkit.Case
	results map[string]verdict.Result
}

func paperExample(t *testing.T, name string) *example {
	t.Helper()
	for _, c := range testkit.LoadCorpus(t, filepath.Join(testkit.Root(t), "testdata", "corpus")) {
		if filepath.Base(c.Path) != name+".txtar" {
			continue
		}
		opt := c.Options
		opt.Finals = true
		results, err := c.Check(opt)
		if err != nil {
			t.Fatal(err)
		}
		e := &example{t: t, c: c, results: map[string]verdict.Result{}}
		for _, r := range results {
			e.results[r.Model] = r
		}
		return e
	}
	t.Fatalf("no %s in the corpus", name)
	return nil
}

// verdicts checks the verdicts under SC, TSO and PSO.
func (e *example) verdicts(want string) {
	e.t.Helper()
	var got []string
	for _, m := range testkit.Models {
		got = append(got, e.results[m.String()].Verdict.String())
	}
	if strings.Join(got, " ") != want {
		e.t.Errorf("verdicts %v, want %s", got, want)
	}
}

// finals checks the number of final states under a model.
func (e *example) finals(model string, want int) {
	e.t.Helper()
	if got := e.results[model].FinalStates; len(got) != want {
		e.t.Errorf("%s: %d final states, want %d: %q", model, len(got), want, got)
	}
}

// outcome checks whether a model has a final state with these values.
func (e *example) outcome(model, values string, want bool) {
	e.t.Helper()
	found := false
	for _, f := range e.results[model].FinalStates {
		all := true
		for _, v := range strings.Fields(values) {
			all = all && strings.Contains(" "+f+" ", " "+v+" ")
		}
		found = found || all
	}
	if found != want {
		e.t.Errorf("%s: outcome %s: %v, want %v", model, values, found, want)
	}
}

// flat returns the flat program and its properties.
func (e *example) flat() (*ir.Program, *property.Set) {
	e.t.Helper()
	u, diags := fp.Parse(source.NewFile(e.c.Input.Name, e.c.Input.Text), statement.Options{})
	if diags.HasErrors() {
		e.t.Fatal(diags.All)
	}
	flat, err := transform.Run(u.Program, transform.Options{}, nil)
	if err != nil {
		e.t.Fatal(err)
	}
	return flat, u.Props
}

// computation returns an error if the actions are no execution under TSO that ends in goal
// number 0. Actions are written as in the papers, one per word: `t1:isu` is the next store
// of t1, `t1:st` the flush of its oldest entry, `t1:ld` its next load, `t1:loc` a local
// step.
func (e *example) computation(actions string) error {
	e.t.Helper()
	p, props := e.flat()
	at := make([]ir.Loc, len(p.Threads))
	issued := make([][]int, len(p.Threads))
	w := &verdict.Witness{}
	for t := range p.Threads {
		at[t] = p.ThreadFunc(ir.ThreadID(t)).Entry
		w.Threads = append(w.Threads, p.Threads[t].Name)
	}
	memory := map[uint64]int64{}
	for _, word := range strings.Fields(actions) {
		name, action, _ := strings.Cut(word, ":")
		t := 0
		for p.Threads[t].Name != name {
			t++
		}
		step := verdict.Step{Thread: t, Edge: -1, Of: -1}
		if action == "st" {
			step.Kind, step.Of = verdict.StepFlush, issued[t][0]
			from := w.Steps[step.Of]
			step.Addr, step.Size, step.Value = from.Addr, from.Size, from.Value
			memory[step.Addr] = step.Value
			issued[t] = issued[t][1:]
			w.Steps = append(w.Steps, step)
			continue
		}
		f := p.ThreadFunc(ir.ThreadID(t))
		edge := &f.Edges[f.Out(at[t])[0]]
		step.Edge, at[t] = int(edge.ID), edge.To
		if edge.Op.Addr != nil {
			step.Addr, step.Size = uint64(edge.Op.Addr.Eval(ir.Env{Prog: p})), edge.Op.Type.Size()
		}
		switch action {
		case "isu":
			step.Kind, step.Buffered, step.Value = verdict.StepStore, true, edge.Op.Val.Eval(ir.Env{})
			issued[t] = append(issued[t], len(w.Steps))
		case "ld":
			step.Kind, step.Value = verdict.StepLoad, memory[step.Addr]
		case "loc":
			step.Kind = verdict.StepExec
		}
		w.Steps = append(w.Steps, step)
	}
	return replay.Replay(p, props, replay.TSO, w, replay.Expect{Target: replay.TargetGoal})
}
