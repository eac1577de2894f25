package explorer

import (
	"cmp"
	"slices"

	"fencepost/internal/question/check"
	"fencepost/query"
	"fencepost/verdict"
)

// OutcomesAnswer is the final states of a program under the models.
type OutcomesAnswer struct {
	Diagnostics []verdict.Diagnostic `json:"diagnostics"`
	Models      []ModelOutcomes      `json:"models"`
	Outcomes    []Outcome            `json:"outcomes"` // sorted by their texts
	Failures    []Outcome            `json:"failures"` // the ways to fail, as results name them, in the order of the models
}

// ModelOutcomes says how far a model was searched.
type ModelOutcomes struct {
	Model string `json:"model"`
	// Complete says that an outcome that is not in the table does not exist under this model.
	Complete bool   `json:"complete"`
	Why      string `json:"why,omitempty"` // what was left out, or why the search did not end
}

// Outcome is a final state, or a way to fail.
type Outcome struct {
	State string        `json:"state"`          // or the words of the failure
	Line  int           `json:"line,omitempty"` // of a failure
	Cells []OutcomeCell `json:"cells"`          // a model each
}

// OutcomeCell says whether a model has the outcome, with an execution that shows it.
type OutcomeCell struct {
	Reached bool             `json:"reached"`
	Witness *verdict.Witness `json:"witness,omitempty"`
}

// outcomes answers with the final states under all models with store buffers, or under SC and c11.
func (a *asking) outcomes() (any, error) {
	models := query.Models{query.SC, query.TSO, query.PSO}
	if a.model == query.C11 {
		models = query.Models{query.SC, query.C11}
	}
	answer, err := check.Run(a.ctx, a.input, query.CheckOptions{Options: a.searchOptions(), KeepGoing: true, Finals: true, Endings: true, Models: models})
	diags, err := a.told(answer, err)
	if err != nil {
		return nil, err
	}
	out := &OutcomesAnswer{Diagnostics: diags, Models: []ModelOutcomes{}, Outcomes: []Outcome{}, Failures: []Outcome{}}
	row := map[string]int{}
	for _, r := range answer.Results {
		for _, s := range r.FinalStates {
			row[s] = 0
		}
	}
	for s := range row {
		out.Outcomes = append(out.Outcomes, Outcome{State: s, Cells: make([]OutcomeCell, len(answer.Results))})
	}
	slices.SortFunc(out.Outcomes, func(a, b Outcome) int { return cmp.Compare(a.State, b.State) })
	for i := range out.Outcomes {
		row[out.Outcomes[i].State] = i
	}
	for k, r := range answer.Results {
		m := ModelOutcomes{Model: r.Model, Complete: r.Coverage.Exhaustive}
		if !m.Complete {
			m.Why = r.Reason
		}
		out.Models = append(out.Models, m)
		for _, s := range r.FinalStates {
			out.Outcomes[row[s]].Cells[k].Reached = true
		}
		for _, e := range r.Endings {
			out.Outcomes[row[e.State]].Cells[k].Witness = e.Witness
		}
	}
	out.Failures = failures(answer.Results)
	return out, nil
}

// failures returns a row for every way in which some model fails, with the execution of each model that does.
func failures(results []verdict.Result) []Outcome {
	out := []Outcome{}
	for k := range results {
		for _, e := range results[k].Executions() {
			if e.Verdict != verdict.Unsafe {
				continue
			}
			row := Outcome{State: e.Reason}
			if e.Pos != nil {
				row.Line = e.Pos.Line
			}
			at := slices.IndexFunc(out, func(o Outcome) bool { return o.State == row.State && o.Line == row.Line })
			if at < 0 {
				at = len(out)
				row.Cells = make([]OutcomeCell, len(results))
				out = append(out, row)
			}
			if cell := &out[at].Cells[k]; !cell.Reached {
				*cell = OutcomeCell{Reached: true, Witness: e.Witness}
			}
		}
	}
	return out
}
