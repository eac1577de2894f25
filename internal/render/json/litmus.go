package json

import (
	"io"

	"fencepost/verdict"
)

// litmusDocument is a report about litmus tests: the results of all tests one
// after the other, and their summary.
type litmusDocument struct {
	document
	Failures []string              `json:"failures,omitempty"`
	Summary  verdict.LitmusSummary `json:"summary"`
}

// Litmus writes the results of litmus tests.
func Litmus(w io.Writer, tests []*verdict.LitmusTest, sum *verdict.LitmusSummary) error {
	doc := litmusDocument{Summary: *sum}
	doc.Schema = verdict.Schema
	doc.Results = []verdict.Result{}
	for _, t := range tests {
		doc.Results = append(doc.Results, t.Results...)
		doc.Diagnostics = append(doc.Diagnostics, t.Diagnostics...)
		if t.Failure != "" {
			doc.Failures = append(doc.Failures, t.Failure)
		}
	}
	return encode(w, doc)
}
