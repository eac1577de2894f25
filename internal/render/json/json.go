package json

import (
	"encoding/json"
	"fmt"
	"io"

	"fencepost/verdict"
)

// document is a report with what there was to say about the input.
type document struct {
	verdict.Report
	Diagnostics []verdict.Diagnostic `json:"diagnostics,omitempty"`
}

// Report writes the results and diagnostics. Neither need exist: results is
// always an array, diagnostics is left out where there are none.
func Report(w io.Writer, results []verdict.Result, diagnostics []verdict.Diagnostic) error {
	if results == nil {
		results = []verdict.Result{}
	}
	return encode(w, document{Report: verdict.Report{Schema: verdict.Schema, Results: results}, Diagnostics: diagnostics})
}

// encode writes a document.
func encode(w io.Writer, doc any) error {
	enc := json.NewEncoder(w)
	enc.SetIndent("", "  ")
	enc.SetEscapeHTML(false) // source text is full of < and &
	if err := enc.Encode(doc); err != nil {
		return fmt.Errorf("writing JSON: %w", err)
	}
	return nil
}
