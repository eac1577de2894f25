package html

import (
	"fmt"
	"path"
	"strings"

	"fencepost/internal/render/text"
	"fencepost/verdict"
)

// group is the results of one program or litmus test under several models, as the script reads it.
type group struct {
	Name    string       `json:"name"`
	Class   string       `json:"class"` // the worst of its results
	Results []int        `json:"results"`
	Models  []string     `json:"models"`
	Rows    []outcomeRow `json:"rows"`
}

// outcomeRow is an outcome, a violation or a verdict, with a cell per model.
type outcomeRow struct {
	Text  string        `json:"text"`
	Kind  string        `json:"kind"` // verdict, asked, holds, other
	Cells []outcomeCell `json:"cells"`
}

// outcomeCell says whether a model has the outcome. A click leads to Address.
type outcomeCell struct {
	Text    string `json:"text"`
	Class   string `json:"class"`
	Address string `json:"address,omitempty"`
}

const (
	yes     = "yes"
	no      = "–"
	unclear = "?"
)

// groups puts the results of one program beside each other.
func groups(results []verdict.Result, data []resultData) []group {
	out := []group{}
	for i := range results {
		r := &results[i]
		if n := len(out); n == 0 || results[out[n-1].Results[0]].Program != r.Program || seen(results, out[n-1].Results, r) {
			out = append(out, group{Name: groupName(r), Class: data[i].Class, Rows: []outcomeRow{}})
		}
		g := &out[len(out)-1]
		g.Results = append(g.Results, i)
		g.Models = append(g.Models, strings.ToUpper(r.Model))
		g.Class = worse(g.Class, data[i].Class)
		data[i].Group = len(out) - 1
	}
	for i := range out {
		out[i].fill(results, data)
	}
	return out
}

// seen reports whether a group has a result of the same kind under the same model, so that r begins another group.
func seen(results []verdict.Result, group []int, r *verdict.Result) bool {
	for _, i := range group {
		if other := &results[i]; other.Model == r.Model || (other.Litmus == nil) != (r.Litmus == nil) || (other.Repair == nil) != (r.Repair == nil) ||
			(other.Proof == nil) != (r.Proof == nil) || (other.Question == verdict.Robustness) != (r.Question == verdict.Robustness) {
			return true
		}
	}
	return false
}

func groupName(r *verdict.Result) string {
	if r.Litmus != nil && r.Litmus.Name != "" {
		return r.Litmus.Name
	}
	return path.Base(r.Program)
}

func worse(a, b string) string {
	rank := map[string]int{"bad": 4, "open": 3, "seen": 2, "good": 1}
	if rank[b] > rank[a] {
		return b
	}
	return a
}

// fill makes the rows of a group.
func (g *group) fill(results []verdict.Result, data []resultData) {
	first := &results[g.Results[0]]
	if len(g.Results) < 2 && first.Litmus == nil {
		return
	}
	row := func(text, kind string, cell func(r *verdict.Result, id string) outcomeCell) {
		one := outcomeRow{Text: text, Kind: kind}
		for _, i := range g.Results {
			one.Cells = append(one.Cells, cell(&results[i], data[i].ID))
		}
		g.Rows = append(g.Rows, one)
	}
	row("verdict", "verdict", func(r *verdict.Result, id string) outcomeCell {
		return outcomeCell{Text: text.VerdictWord(r), Class: class(r.Verdict), Address: "#" + id}
	})
	if first.Litmus != nil {
		g.litmusRows(results, row)
		return
	}
	var violations, finals []string
	known := map[string]bool{}
	for _, i := range g.Results {
		for _, e := range results[i].Executions() {
			if strings.HasPrefix(e.Reason, verdict.EndsIn) { // has its row below
				continue
			}
			if what := text.Placed(e.Reason, e.Pos); !known["v"+what] && what != "" {
				known["v"+what] = true
				violations = append(violations, what)
			}
		}
		for _, s := range results[i].FinalStates {
			if !known["f"+s] {
				known["f"+s] = true
				finals = append(finals, s)
			}
		}
	}
	for _, what := range violations {
		row(what, "holds", func(r *verdict.Result, id string) outcomeCell {
			for k, e := range r.Executions() {
				if text.Placed(e.Reason, e.Pos) == what {
					return outcomeCell{yes, class(e.Verdict), fmt.Sprintf("#%se%d", id, k+1)}
				}
			}
			if r.Verdict == verdict.Unsafe && !everyViolation(r) {
				return outcomeCell{unclear, "open", ""} // the search may have found another one first
			}
			return absent(r)
		})
	}
	for _, s := range finals {
		row(s, "other", func(r *verdict.Result, id string) outcomeCell {
			for _, have := range r.FinalStates {
				if have == s {
					return outcomeCell{Text: yes, Class: "seen", Address: endingAddress(r, id, s)}
				}
			}
			return absent(r)
		})
	}
}

// absent is the cell of something that a result does not show.
func absent(r *verdict.Result) outcomeCell {
	if r.Verdict == verdict.Unknown || !r.Coverage.Complete() {
		return outcomeCell{unclear, "open", ""}
	}
	return outcomeCell{no, "plain", ""}
}

// everyViolation reports whether a result lists every violation, as with --keep-going, and not only the first.
func everyViolation(r *verdict.Result) bool {
	return len(r.Others) > 0 || r.Asked != nil && r.Asked.Options["keep_going"] == true
}

// litmusRows has a row for the condition that the test asks about, even if no model reaches it, and one for each
// outcome.
func (g *group) litmusRows(results []verdict.Result, row func(string, string, func(*verdict.Result, string) outcomeCell)) {
	first := results[g.Results[0]].Litmus
	what := "asked for: " + first.Condition
	if first.Condition == "" {
		what = "the condition"
	}
	row(what, "asked", func(r *verdict.Result, id string) outcomeCell {
		for i := range r.Litmus.Outcomes {
			if r.Litmus.Outcomes[i].Holds {
				cell := outcomeCell{yes, "seen", outcomeAddress(r, id, r.Litmus.Outcomes[i].Witness)}
				if cell.Address != "" {
					return cell
				}
			}
		}
		switch {
		case r.Litmus.Positive > 0:
			return outcomeCell{yes, "seen", ""}
		case r.Litmus.Observation == "Unknown":
			return outcomeCell{unclear, "open", ""}
		}
		return outcomeCell{no, "plain", ""}
	})
	var states []verdict.LitmusOutcome
	known := map[string]bool{}
	for _, i := range g.Results {
		for _, o := range results[i].Litmus.Outcomes {
			if !known[o.State] {
				known[o.State] = true
				states = append(states, o)
			}
		}
	}
	for _, s := range states {
		kind := "other"
		if s.Holds {
			kind = "holds"
		}
		row(s.State, kind, func(r *verdict.Result, id string) outcomeCell {
			for i := range r.Litmus.Outcomes {
				if o := &r.Litmus.Outcomes[i]; o.State == s.State {
					return outcomeCell{yes, "seen", outcomeAddress(r, id, o.Witness)}
				}
			}
			if r.Litmus.Observation == "Unknown" || !r.Coverage.Complete() {
				return outcomeCell{unclear, "open", ""}
			}
			return outcomeCell{no, "plain", ""}
		})
	}
	row("observation", "other", func(r *verdict.Result, id string) outcomeCell {
		return outcomeCell{Text: r.Litmus.Observation, Class: "plain"}
	})
}

// endingAddress is the address of the execution that ends in a state, or "".
func endingAddress(r *verdict.Result, id, state string) string {
	for i := range r.Endings {
		if r.Endings[i].State == state {
			return outcomeAddress(r, id, r.Endings[i].Witness)
		}
	}
	return ""
}

// outcomeAddress is the address of the execution with a witness, or "".
func outcomeAddress(r *verdict.Result, id string, w *verdict.Witness) string {
	if w == nil {
		return ""
	}
	for k, e := range r.Executions() {
		if e.Witness == w {
			return fmt.Sprintf("#%se%d", id, k+1)
		}
	}
	return ""
}
