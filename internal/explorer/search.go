package explorer

import (
	"strings"

	"fencepost/internal/pipeline"
	"fencepost/internal/question/check"
	"fencepost/internal/question/fences"
	"fencepost/internal/question/robust"
	"fencepost/internal/render/text"
	"fencepost/query"
	"fencepost/verdict"
)

// SearchAnswer is the answer to check, robust or fences.
type SearchAnswer struct {
	Diagnostics []verdict.Diagnostic `json:"diagnostics"`
	Findings    []Finding            `json:"findings"`
}

// Finding is a result in words, with what the page can do about it.
type Finding struct {
	Title   string `json:"title"`
	Verdict string `json:"verdict"`
	Model   string `json:"model"`
	Text    string `json:"text"` // the whole answer, as the command line prints it
	// Witness is an execution that shows the answer, nil if there is none.
	Witness *verdict.Witness `json:"witness,omitempty"`
	// Graph is one under c11, whose steps can be shown, but not taken.
	Graph *verdict.Witness `json:"graph,omitempty"`
	// Patched is the program with the fences that repair it, and Diff what they change.
	Patched string `json:"patched,omitempty"`
	Diff    string `json:"diff,omitempty"`
}

const textWidth = 110

func (a *asking) check() (any, error) {
	answer, err := check.Run(a.ctx, a.input, query.CheckOptions{Options: a.searchOptions()}.Under(a.model))
	for i := range answer.Results {
		// The whole build has one more engine.
		if !pipeline.Whole && a.ctx.Err() == nil && answer.Results[i].Verdict == verdict.Unknown {
			return nil, errPart
		}
	}
	return a.found(answer, err)
}

func (a *asking) robust() (any, error) {
	if a.model == "sc" {
		return nil, &Failure{Kind: BadRequest, Message: "robustness compares a model with SC: choose TSO or PSO"}
	}
	return a.found(robust.Run(a.ctx, a.input, query.RobustOptions{Options: a.searchOptions(), Models: query.Models{a.model}}))
}

func (a *asking) fences() (any, error) {
	if a.model == "sc" {
		return nil, &Failure{Kind: BadRequest, Message: "SC has no store buffers, so it needs no fences: choose TSO or PSO"}
	}
	opt := fences.Defaults(query.FenceOptions{Options: query.Defaults()})
	opt.Options, opt.Model = a.searchOptions(), a.model
	return a.found(fences.Run(a.ctx, a.input, opt))
}

// told returns the messages about the program that an answer has. A question that was given up has no answer.
func (a *asking) told(answer query.Answer, err error) ([]verdict.Diagnostic, error) {
	if err != nil {
		return nil, err
	}
	if err := a.ctx.Err(); err != nil {
		return nil, err
	}
	return checked(answer.Diagnostics)
}

// found puts results into words.
func (a *asking) found(answer query.Answer, err error) (any, error) {
	diags, err := a.told(answer, err)
	if err != nil {
		return nil, err
	}
	out := &SearchAnswer{Diagnostics: diags, Findings: []Finding{}}
	for i := range answer.Results {
		r := &answer.Results[i]
		var words strings.Builder
		text.Result(&words, r, text.Options{Width: textWidth})
		title, _, _ := strings.Cut(words.String(), "\n")
		f := Finding{Title: title, Verdict: r.Verdict.String(), Model: r.Model, Text: words.String()}
		for _, e := range r.Executions() {
			if e.Witness != nil && (e.Model == "" || e.Model == r.Model) {
				if f.Witness = e.Witness; e.Witness.Graph != nil {
					f.Witness, f.Graph = nil, e.Witness
				}
				break
			}
		}
		if r.Repair != nil && len(r.Repair.Patches) == 1 && r.Repair.Patches[0].File == a.Name {
			f.Patched, f.Diff = r.Repair.Patches[0].Text, r.Repair.Patches[0].Diff
		}
		out.Findings = append(out.Findings, f)
	}
	return out, nil
}
