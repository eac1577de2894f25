package svg_test

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"strings"
	"testing"

	"fencepost/internal/render/svg"
	"fencepost/verdict"
)

// TestPlots: a point per program with a time of the paper, a line per family, and names that cannot escape.
func TestPlots(t *testing.T) {
	list := []verdict.Bench{{Name: `<x y="`, Rows: []verdict.BenchRow{
		{Program: `</svg><x>"`, Model: "tso", Seconds: 0.5, PaperSeconds: "2"},
		{Program: "fam", N: 2, Seconds: 1e-9, PaperSeconds: "1e9"}, {Program: "fam", N: 4, Seconds: 3},
		{Program: "open", Seconds: 60, PaperSeconds: "1", Note: "time limit"},
		{Program: "wrong", Seconds: 1, PaperSeconds: "1", Answer: "safe", PaperAnswer: "unsafe"},
	}}}
	var out bytes.Buffer
	if err := svg.Plots(&out, list); err != nil {
		t.Fatal(err)
	}
	for dec := xml.NewDecoder(bytes.NewReader(out.Bytes())); ; {
		tok, err := dec.Token()
		if errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		if el, ok := tok.(xml.StartElement); ok && el.Name.Local == "x" {
			t.Error("text has become an element")
		}
	}
	for text, want := range map[string]int{"<circle": 6, `class="bad"`: 1, "<polyline": 2, "NaN": 0, "Inf": 0} {
		if n := strings.Count(out.String(), text); n != want {
			t.Errorf("%d times %s, want %d", n, text, want)
		}
	}
	out.Reset()
	if err := svg.Plots(&out, nil); err != nil || !strings.Contains(out.String(), "No figures to draw.") {
		t.Errorf("%v %s", err, out.String())
	}
	if err := svg.Plots(brokenWriter{}, nil); !errors.Is(err, errBroken) {
		t.Errorf("error %v", err)
	}
}
