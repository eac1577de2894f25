package explorer

import (
	"fencepost"
	"fencepost/internal/render/rows"
	"fencepost/internal/render/svg"
	"fencepost/internal/render/text"
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

func (a *asking) explore(opt fencepost.ExploreOptions) (*StateAnswer, error) {
	opt.Options = a.options()
	opt.Progress = nil
	found, err := fencepost.Explore(a.ctx, a.input, opt)
	if err != nil {
		return nil, err
	}
	out := &StateAnswer{State: found.State, Diagnostics: found.Diagnostics, Effects: []string{}, Rows: []Row{}}
	if out.Diagnostics == nil {
		out.Diagnostics = []verdict.Diagnostic{}
	}
	if found.State == nil {
		return out, nil
	}
	for i := range found.State.Next {
		out.Effects = append(out.Effects, text.Effect(found.State.Next[i].Step))
	}
	e := executionOf(found.State)
	out.Rows = timeLine(found.State, e)
	out.Graph = svg.Inline(e, "hb-"+found.State.Model)
	return out, nil
}

// state answers where a run leads.
func (a *asking) state() (any, error) {
	return a.explore(fencepost.ExploreOptions{Model: a.model, Run: a.Run, Witness: a.Witness, Add: a.Add, Advance: true, Lenient: a.Lenient})
}

// executionOf returns the execution so far, for renderers.
func executionOf(s *verdict.State) *verdict.Execution {
	return &verdict.Execution{Name: "run", Verdict: verdict.Observed, Witness: s.Witness, Cause: s.Cause, Model: s.Model}
}

// timeLine returns the rows of the execution so far, without the local steps that leave nothing to choose.
func timeLine(s *verdict.State, e *verdict.Execution) []Row {
	out, stop := []Row{}, 0
	for _, r := range rows.Of(e, rows.Options{Full: true}).Rows {
		for stop < len(s.Stops) && s.Stops[stop] < r.First {
			stop++
		}
		if stop >= len(s.Stops) || s.Stops[stop] > r.Last {
			continue
		}
		row := Row{First: r.First, Last: r.Last, Thread: r.Thread, Text: rows.ShortForm(r.Text), Effect: r.EffectText(), Flush: s.Witness.Steps[r.Last].Kind == verdict.StepFlush, Fails: r.Fails}
		if r.Pos != nil {
			row.Line = r.Pos.Line
		}
		out = append(out, row)
	}
	return out
}

// InsertAnswer is the program with a fence that forbids a run.
type InsertAnswer struct {
	Text        string               `json:"text"`
	Diagnostics []verdict.Diagnostic `json:"diagnostics"`
}

// insert inserts the fence that forbids a run.
func (a *asking) insert() (any, error) {
	opt := a.options()
	opt.Progress = nil
	found, err := fencepost.InsertFence(a.ctx, a.input, fencepost.ExploreOptions{Options: opt, Model: a.model, Run: a.Run, Advance: true})
	if err != nil {
		return nil, err
	}
	return &InsertAnswer{Text: found.Text, Diagnostics: found.Diagnostics}, nil
}

// graph answers with the states of a small program.
func (a *asking) graph() (any, error) {
	found, err := fencepost.Graph(a.ctx, a.input, fencepost.GraphOptions{Options: a.options(), Model: a.model, Limit: min(max(a.Limit, 0), maxGraph)})
	if err != nil {
		return nil, err
	}
	return &found, nil
}
