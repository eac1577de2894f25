package check

import (
	"context"
	"slices"

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
	case q.opt.Leaks:
		refused = "the question of memory leaks"
	case q.opt.NoReduction:
		refused = "a search without reduction"
	case q.opt.CrossCheck:
		refused = "a second engine for comparison"
	}
	if refused != "" {
		return q.Refuse(verdict.Diagnostic{Code: "FP0939", Message: refused + " is not supported under the model c11"})
	}
	q.opt.Races = false // always asked about, by the engine itself
	if slices.ContainsFunc(q.opt.Engines, func(name query.Engine) bool { return name != "rf" }) {
		q.underSC = q.opt.Engines
		q.opt.Endings = false // their executions are SC's, and have no graphs
	}
	q.opt.Engines = query.Engines{"rf"}
	if q.underSC != nil {
		sc := bySC(q)
		return sc.refused()
	}
	return nil
}

// bySC returns the question under SC, to the engines that the user named.
func bySC(q *question) *question {
	sc := *q
	sc.model, sc.opt.Engines, sc.underSC = memory.SC, q.underSC, nil
	return &sc
}

// byRobustness answers with engines that explore SC: if SC allows everything that c11 allows, it has the same answers, within the
// bounds of both searches. A violation is shown as rf finds it, since an execution under c11 is a graph.
func byRobustness(ctx context.Context, q *question) (*verdict.Result, error) {
	how := askedBy(&q.opt)
	robust, err := pipeline.RobustC11(ctx, q.Program, q.flat, &how)
	if err != nil {
		return nil, err
	}
	if robust.Verdict == verdict.Unsafe && !pipeline.ShowsDataRace(robust) {
		res := q.Result(q.Question(), q.model, "rf")
		res.Verdict, res.Reason = verdict.Unknown, "the program is not robust against c11 ("+robust.Reason+"), so that executions under SC do not decide; engine rf explores those of c11"
		return res, nil
	}
	if robust.Verdict == verdict.Unsafe || robust.Verdict == verdict.Unknown && !robust.BoundedOnly {
		return q.programQuestions(ctx)
	}
	res, err := bySC(q).programQuestions(ctx)
	if err != nil {
		return nil, err
	}
	if res.Verdict == verdict.Unsafe || res.Verdict == verdict.Observed {
		graph, err := q.programQuestions(ctx)
		if err == nil && (graph.Verdict == verdict.Safe || graph.Verdict == verdict.NotObserved) {
			err = &Contradiction{res, graph}
		}
		return graph, err
	}
	res.Model, res.By = q.model.String(), "robustness against C11 and SC exploration"
	pipeline.Join(res, robust, Given(&q.opt))
	return res, nil
}

// answerC11 states the verdict under c11.
func answerC11(ctx context.Context, q *question) (*verdict.Result, error) {
	ask := q.programQuestions
	if q.underSC != nil {
		ask = func(ctx context.Context) (*verdict.Result, error) { return byRobustness(ctx, q) }
	}
	res, err := ask(ctx)
	if err != nil || res == nil {
		return res, err
	}
	sayC11(q, res)
	return res, nil
}

// sayC11 adds what every answer under c11 says: that data races were asked about, and what is not covered.
func sayC11(q *question, res *verdict.Result) {
	if res.Verdict != verdict.Unsafe {
		res.Question += ", " + verdict.DataRaces
	}
	pipeline.WarnLoadBuffering(res, q.flat)
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
