package json

import (
	"encoding/json"
	"io"

	"fencepost/verdict"
)

// Traces writes the traces of a program, under one or several models.
func Traces(w io.Writer, sets ...*verdict.TraceSet) error {
	return encode(w, struct {
		Schema  string              `json:"schema"`
		Results []*verdict.TraceSet `json:"results"`
	}{verdict.Schema, sets})
}

// ReadTraces reads what Traces wrote; nil if the text is another report. Every error is a
// *ReadError.
func ReadTraces(text []byte) ([]verdict.TraceSet, error) {
	var kind struct {
		Results []struct {
			Count   *int64          `json:"count"`
			Verdict json.RawMessage `json:"verdict"`
		} `json:"results"`
	}
	if json.Unmarshal(text, &kind) != nil || len(kind.Results) == 0 || kind.Results[0].Count == nil || kind.Results[0].Verdict != nil {
		return nil, nil
	}
	var doc struct {
		Schema  string             `json:"schema"`
		Results []verdict.TraceSet `json:"results"`
	}
	if err := json.Unmarshal(text, &doc); err != nil {
		return nil, decodeError(text, err)
	}
	if doc.Schema != verdict.Schema {
		return nil, readError(text, locate(text, "schema"), "schema %q: this version reads %q", doc.Schema, verdict.Schema)
	}
	for i := range doc.Results {
		if err := doc.Results[i].Validate(); err != nil {
			return nil, readError(text, 0, "results[%d].%v", i, err)
		}
	}
	return doc.Results, nil
}
