package json

import (
	"encoding/json"
	"fmt"
	"io"

	"fencepost/verdict"
)

// Traces writes the traces of a program.
func Traces(w io.Writer, set *verdict.TraceSet) error {
	enc := json.NewEncoder(w)
	enc.SetIndent("", "  ")
	enc.SetEscapeHTML(false)
	doc := struct {
		Schema  string              `json:"schema"`
		Results []*verdict.TraceSet `json:"results"`
	}{verdict.Schema, []*verdict.TraceSet{set}}
	if err := enc.Encode(doc); err != nil {
		return fmt.Errorf("writing JSON: %w", err)
	}
	return nil
}
