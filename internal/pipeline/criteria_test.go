package pipeline

import (
	"context"
	"slices"
	"strings"
	"testing"

	"fencepost/verdict"
)

func askCriterion(t *testing.T, text, criterion, model string) verdict.Result {
	t.Helper()
	opt := Defaults()
	opt.Criterion, opt.CriterionModel, opt.Workers = criterion, model, 1
	return askRobust(t, "test.fp", text, opt).Results[0]
}

// The three criteria part on these programs.
func TestCriteria(t *testing.T) {
	const (
		race    = "var x, y;\nthread p { reg r; x = 1; r = y; }\nthread q { y = 1; }\n"
		silent  = "var x, y;\nthread p { reg r; x = 1; r = y; }\nthread q { reg s; y = 0; s = x; }\n"
		mp      = "var x, y;\nthread p { x = 1; y = 1; }\nthread q { reg r, s; r = y; s = x; }\n"
		endless = "var x, y;\nthread p { reg r; loop { x = 1; r = y; } }\nthread q { reg r; loop { y = 1; r = x; } }\n"
	)
	for _, c := range []struct {
		name, text, criterion, model string
		want                         verdict.Verdict
	}{
		{"race", race, CriterionTRF, "", verdict.Unsafe},
		{"race", race, CriterionTrace, "", verdict.Safe},
		{"silent", silent, CriterionTrace, "", verdict.Unsafe},
		{"silent", silent, CriterionState, "", verdict.Safe},
		{"store buffering", dekker, CriterionState, "tso", verdict.Unsafe},
		{"message passing", mp, CriterionTRF, "", verdict.Safe},
		{"message passing", mp, CriterionState, "tso", verdict.Safe},
		{"message passing", mp, CriterionState, "pso", verdict.Unsafe},
		{"endless", endless, CriterionState, "tso", verdict.Unknown},
	} {
		r := askCriterion(t, c.text, c.criterion, c.model)
		if r.Verdict != c.want {
			t.Errorf("%s, %s %s: %s (%s), want %s", c.name, c.criterion, c.model, r.Verdict, r.Reason, c.want)
		}
		if r.Verdict == verdict.Unsafe && r.Witness == nil && len(r.Triangles) == 0 && len(r.Attacks) == 0 {
			t.Errorf("%s, %s: no witness", c.name, c.criterion)
		}
	}
	opt := Defaults()
	opt.Criterion = "hope"
	if _, err := Robust(context.Background(), Input{Name: "test.fp", Text: []byte(race)}, opt); err == nil || !strings.Contains(err.Error(), `unknown criterion "hope"`) {
		t.Errorf("error %v", err)
	}
}

// A witness of a race that is none is an error.
func TestRaceIsChecked(t *testing.T) {
	const text = "var x, y, z;\nthread p { reg r; z = 1; fence; x = 1; r = x; r = y; }\nthread q { z = 2; y = 1; }\n"
	p := load(t.Context(), Input{Name: "test.fp", Text: []byte(text)}, Defaults())
	flat := p.flat(Defaults())
	race := askCriterion(t, text, CriterionTRF, "").Triangles[0]
	steps := race.Witness.Steps
	find := func(text string) int {
		return slices.IndexFunc(steps, func(s verdict.Step) bool { return s.Text == text })
	}
	if err := holdsRace(flat, race.Witness, race.StoreStep, race.LoadStep); err != nil {
		t.Fatal(err)
	}
	if race.Thread != "p" || race.Other != "q" || race.StoreText != "x = 1" || race.WriteText != "write y" {
		t.Errorf("%+v", race)
	}
	for _, c := range []struct {
		want        string
		store, load int
		cut         int
	}{
		{"drains", find("z = 1"), find("r = y"), len(steps)},
		{"reads only what its own thread has stored", find("x = 1"), find("r = x"), len(steps)},
		{"are not in order", find("r = y"), find("x = 1"), len(steps)},
		{"are not in order", find("x = 1"), find("r = y"), len(steps) - 1},
	} {
		w := &verdict.Witness{Threads: race.Witness.Threads, Steps: steps[:c.cut]}
		if c.want == "reads only what its own thread has stored" { // the last step must still follow the load
			w.Steps = append(slices.Clone(steps[:find("r = x")+1]), steps[len(steps)-1])
		}
		if err := holdsRace(flat, w, c.store, c.load); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("store %d, load %d: error %v, want %q", c.store, c.load, err, c.want)
		}
	}
}
