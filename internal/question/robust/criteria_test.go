package robust

import (
	"context"
	"fencepost/internal/trace"
	"slices"
	"strings"
	"testing"

	"fencepost/query"
	"fencepost/verdict"
)

func askCriterion(t *testing.T, text string, criterion query.Criterion, model string) verdict.Result {
	t.Helper()
	opt := query.RobustOptions{Options: query.Defaults()}
	opt.Criterion, opt.Workers = criterion, 1
	if model != "" {
		opt.Models = query.NamedModels(model)
	}
	opt.Timeout = 0
	return askRobust(t, "test.fp", text, opt).Results[0]
}

// The three criteria part on these programs.
func TestCriteria(t *testing.T) {
	const (
		triangle = "var x, y;\nthread p { reg r; x = 1; r = y; }\nthread q { y = 1; }\n"
		silent   = "var x, y;\nthread p { reg r; x = 1; r = y; }\nthread q { reg s; y = 0; s = x; }\n"
		mp       = "var x, y;\nthread p { x = 1; y = 1; }\nthread q { reg r, s; r = y; s = x; }\n"
		endless  = "var x, y;\nthread p { reg r; loop { x = 1; r = y; } }\nthread q { y = 1; }\n"
	)
	for _, c := range []struct {
		name, text string
		criterion  query.Criterion
		model      string
		want       verdict.Verdict
	}{
		{"triangle", triangle, query.CriterionTRF, "", verdict.Unsafe},
		{"triangle", triangle, query.CriterionTrace, "", verdict.Safe},
		{"silent", silent, query.CriterionTrace, "", verdict.Unsafe},
		{"silent", silent, query.CriterionState, "", verdict.Safe},
		{"store buffering", dekker, query.CriterionState, "tso", verdict.Unsafe},
		{"message passing", mp, query.CriterionTRF, "", verdict.Safe},
		{"message passing", mp, query.CriterionState, "tso", verdict.Safe},
		{"message passing", mp, query.CriterionState, "pso", verdict.Unsafe},
		{"endless", endless, query.CriterionState, "tso", verdict.Unknown},
	} {
		r := askCriterion(t, c.text, c.criterion, c.model)
		if r.Verdict != c.want {
			t.Errorf("%s, %s %s: %s (%s), want %s", c.name, c.criterion, c.model, r.Verdict, r.Reason, c.want)
		}
		if r.Verdict == verdict.Unsafe && r.Witness == nil && len(r.Triangles) == 0 && len(r.Attacks) == 0 {
			t.Errorf("%s, %s: no witness", c.name, c.criterion)
		}
	}
	opt := query.RobustOptions{Options: query.Defaults()}
	opt.Criterion = "hope"
	if _, err := Run(context.Background(), query.Input{Name: "test.fp", Text: []byte(triangle)}, opt); err == nil || !strings.Contains(err.Error(), `unknown criterion "hope"`) {
		t.Errorf("error %v", err)
	}
}

// A witness of a race that is none is an error.
func TestTriangleIsChecked(t *testing.T) {
	const text = "var x, y, z;\nthread p { reg r; z = 1; fence; x = 1; r = x; r = y; }\nthread q { z = 2; y = 1; }\n"
	_, flat := read(t, text)
	triangle := askCriterion(t, text, query.CriterionTRF, "").Triangles[0]
	steps := triangle.Witness.Steps
	find := func(text string) int {
		return slices.IndexFunc(steps, func(s verdict.Step) bool { return s.Text == text })
	}
	if err := trace.Triangle(flat, triangle.Witness, triangle.StoreStep, triangle.LoadStep); err != nil {
		t.Fatal(err)
	}
	if triangle.Thread != "p" || triangle.Other != "q" || triangle.StoreText != "x = 1" || triangle.WriteText != "write y" {
		t.Errorf("%+v", triangle)
	}
	for _, c := range []struct {
		want        string
		store, load int
		cut         int
	}{
		{"drains", find("z = 1"), find("r = y"), len(steps)},
		{"reads only what its thread has stored", find("x = 1"), find("r = x"), len(steps)},
		{"are not in order", find("r = y"), find("x = 1"), len(steps)},
		{"are not in order", find("x = 1"), find("r = y"), len(steps) - 1},
	} {
		w := &verdict.Witness{Threads: triangle.Witness.Threads, Steps: steps[:c.cut]}
		if c.want == "reads only what its thread has stored" { // the last step must still follow the load
			w.Steps = append(slices.Clone(steps[:find("r = x")+1]), steps[len(steps)-1])
		}
		if err := trace.Triangle(flat, w, c.store, c.load); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("store %d, load %d: error %v, want %q", c.store, c.load, err, c.want)
		}
	}
}
