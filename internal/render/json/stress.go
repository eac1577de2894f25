package json

import (
	"io"

	"fencepost/verdict"
)

// stressDocument is a report about litmus tests on the processor.
type stressDocument struct {
	Schema  string                `json:"schema"`
	Stress  []*verdict.StressTest `json:"stress"`
	Summary verdict.StressSummary `json:"summary"`
}

// Stress writes what litmus tests gave on the processor.
func Stress(w io.Writer, tests []*verdict.StressTest, sum *verdict.StressSummary) error {
	doc := stressDocument{Schema: verdict.Schema, Stress: tests, Summary: *sum}
	if doc.Stress == nil {
		doc.Stress = []*verdict.StressTest{}
	}
	return encode(w, doc)
}
