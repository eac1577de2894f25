package explorer

import (
	"cmp"

	"fencepost/internal/question/explore"
	"fencepost/internal/render/rows"
	"fencepost/internal/render/svg"
	"fencepost/internal/render/text"
	"fencepost/query"
	"fencepost/verdict"
)

// StateAnswer is a state as the page shows it. With errors among the diagnostics there is no state.
type StateAnswer struct {
	State       *verdict.State       `json:"state,omitempty"`
	Diagnostics []verdict.Diagnostic `json:"diagnostics"`
	Effects     []string             `json:"effects"` // of the next steps, in words, in their order
	Rows        []Row                `json:"rows"`
	Graph       string               `json:"graph"` // the happens-before relation, an SVG element
}

// Row is a line of the time line: a statement or a flush that a user chose.
type Row struct {
	First  int    `json:"first"` // step of the witness
	Last   int    `json:"last"`
	Thread int    `json:"thread"`
	Text   string `json:"text"`
	Effect string `json:"effect"`
	Line   int    `json:"line,omitempty"`
	Flush  bool   `json:"flush,omitempty"`
	Fails  bool   `json:"fails,omitempty"`
}

func (a *asking) explore(opt query.ExploreOptions) (*StateAnswer, error) {
	opt.Options, opt.Model = a.options(), a.model
	state, diags, err := explore.Run(a.ctx, a.input, opt)
	if err != nil {
		return nil, err
	}
	if diags, err = checked(diags); err != nil {
		return nil, err
	}
	out := &StateAnswer{State: state, Diagnostics: diags, Effects: []string{}, Rows: []Row{}}
	if state == nil {
		return out, nil
	}
	for i := range state.Next {
		out.Effects = append(out.Effects, text.Effect(state.Next[i].Step))
	}
	out.Rows = timeLine(state)
	out.Graph = svg.Inline(executionOf(state), "hb-"+state.Model)
	return out, nil
}

// state answers where a run leads.
func (a *asking) state() (any, error) {
	return a.explore(query.ExploreOptions{Run: a.Run, Witness: a.Witness, Add: a.Add, Advance: true, Lenient: a.Lenient})
}

// executionOf returns the execution so far, for renderers.
func executionOf(s *verdict.State) *verdict.Execution {
	return &verdict.Execution{Name: "run", Verdict: verdict.Observed, Witness: s.Witness, Cause: s.Cause, Model: s.Model}
}

// timeLine returns a row for every step that a user chose. The local steps between them are not shown.
func timeLine(s *verdict.State) []Row {
	out := []Row{}
	for _, at := range s.Stops {
		step := s.Witness.Steps[at]
		row := Row{
			First: at, Last: at, Thread: step.Thread, Text: rows.ShortForm(text.StepText(step)), Effect: text.Effect(step),
			Flush: step.Kind == verdict.StepFlush, Fails: step.Kind == verdict.StepFail,
		}
		if step.Pos != nil {
			row.Line = step.Pos.Line
		}
		out = append(out, row)
	}
	return out
}

// CompareAnswer is a run under another model.
type CompareAnswer struct {
	State   *verdict.State      `json:"state,omitempty"`
	Matches []verdict.StepMatch `json:"matches"` // by step of the run
}

// compare answers what becomes of a run under another model.
func (a *asking) compare() (any, error) {
	state, matches, diags, err := explore.Compare(a.ctx, a.input, query.ExploreOptions{Options: a.options(), Model: a.model, Run: a.Run}, query.Model(a.Other))
	if err != nil {
		return nil, err
	}
	if _, err := checked(diags); err != nil {
		return nil, err
	}
	return &CompareAnswer{State: state, Matches: matches}, nil
}

// InsertAnswer is the program with a fence that forbids a run.
type InsertAnswer struct {
	Text        string               `json:"text"`
	Diagnostics []verdict.Diagnostic `json:"diagnostics"`
}

// insert inserts the fence that forbids a run.
func (a *asking) insert() (any, error) {
	changed, diags, err := explore.InsertFence(a.ctx, a.input, query.ExploreOptions{Options: a.options(), Model: a.model, Run: a.Run, Advance: true})
	if err != nil {
		return nil, err
	}
	if diags, err = checked(diags); err != nil {
		return nil, err
	}
	return &InsertAnswer{Text: changed, Diagnostics: diags}, nil
}

// GraphAnswer is the graph of the states of a program.
type GraphAnswer struct {
	Graph       *verdict.StateGraph  `json:"graph,omitempty"`
	Diagnostics []verdict.Diagnostic `json:"diagnostics"`
}

// graph answers with the states of a small program.
func (a *asking) graph() (any, error) {
	graph, diags, err := explore.Graph(a.ctx, a.input, a.model, cmp.Or(min(max(a.Limit, 0), maxGraph), defaultGraph), a.searchOptions())
	if err != nil {
		return nil, err
	}
	if diags, err = checked(diags); err != nil {
		return nil, err
	}
	return &GraphAnswer{Graph: graph, Diagnostics: diags}, nil
}
