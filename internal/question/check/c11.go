package check

import (
	"context"

	"fencepost/internal/memory"
	"fencepost/internal/pipeline"
	"fencepost/query"
	"fencepost/verdict"
)

// The program's own questions under C11's own model. Engine rf answers them, and data races are always asked about:
// they are undefined behaviour.

// prepareC11 turns the question into one under c11.
func prepareC11(q *question) error {
	flat, err := pipeline.ForC11(q.Program, q.flat)
	if err != nil {
		return err
	}
	q.flat = flat
	refused := ""
	switch {
	case q.opt.Robustness:
		refused = "robustness by traces"
	case q.opt.NoReduction:
		refused = "a search without reduction"
	case q.opt.Endings:
		refused = "executions that lead to final states"
	case q.opt.CrossCheck:
		refused = "a second engine for comparison"
	}
	if refused != "" {
		return q.Refuse(verdict.Diagnostic{Code: "FP0939", Message: refused + " is not supported under the model c11"})
	}
	q.opt.Races = false // always asked about, by the engine itself
	if len(q.opt.Engines) == 0 {
		q.opt.Engines = query.Engines{"rf"}
	}
	return nil
}

// answerC11 states the verdict under c11.
func answerC11(ctx context.Context, q *question) (*verdict.Result, error) {
	res, err := q.programQuestions(ctx)
	if err != nil || res == nil {
		return res, err
	}
	if res.Verdict != verdict.Unsafe {
		res.Question += ", " + verdict.DataRaces
	}
	pipeline.WarnLoadBuffering(res, q.flat)
	return res, nil
}

// onlyC11 reports whether all models that are asked about are C11's own.
func onlyC11(models query.Models) bool {
	for _, name := range models.OrTSO() {
		if m, err := pipeline.ParseAnyModel(name); err != nil || m != memory.C11 {
			return false
		}
	}
	return true
}
