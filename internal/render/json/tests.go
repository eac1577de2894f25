package json

import (
	"io"

	"fencepost/verdict"
)

// The report of `fencepost test`. Results has the answers that were not expected, so that a
// report of tests can be rendered and verified as any other.

type testReport struct {
	Schema  string               `json:"schema"`
	Tests   []testedProgram      `json:"tests"`
	Results []verdict.Result     `json:"results"`
	Summary *verdict.TestSummary `json:"summary"`
}

type testedProgram struct {
	File     string       `json:"file"`
	Problem  string       `json:"problem,omitempty"`
	Line     int          `json:"line,omitempty"`
	Seconds  float64      `json:"seconds"`
	Outcomes []testedFact `json:"outcomes"`
}

type testedFact struct {
	Key     string  `json:"key"`
	Want    string  `json:"want"`
	Got     string  `json:"got,omitempty"`
	Status  string  `json:"status"`
	Detail  string  `json:"detail,omitempty"`
	Line    int     `json:"line,omitempty"`
	Seconds float64 `json:"seconds"`
	Result  *int    `json:"result,omitempty"` // index into results
}

// Tests writes the outcomes of programs.
func Tests(w io.Writer, programs []*verdict.ProgramTest, sum *verdict.TestSummary) error {
	doc := testReport{Schema: verdict.Schema, Tests: []testedProgram{}, Results: []verdict.Result{}, Summary: sum}
	for _, p := range programs {
		one := testedProgram{File: p.File, Problem: p.Problem, Line: p.Line, Seconds: p.Seconds, Outcomes: []testedFact{}}
		for i := range p.Outcomes {
			o := &p.Outcomes[i]
			fact := testedFact{Key: o.Key, Want: o.Want, Got: o.Got, Status: o.Status.String(), Detail: o.Detail, Line: o.Line, Seconds: o.Seconds}
			if o.Result != nil && (o.Status == verdict.TestFailed || o.Status == verdict.TestKnown) {
				index := len(doc.Results)
				fact.Result = &index
				doc.Results = append(doc.Results, *o.Result)
			}
			one.Outcomes = append(one.Outcomes, fact)
		}
		doc.Tests = append(doc.Tests, one)
	}
	return encode(w, doc)
}
