package html

import (
	"fmt"
	"html/template"
	"io"
	"strings"

	"fencepost/internal/render/svg"
	"fencepost/internal/render/text"
	"fencepost/verdict"
)

// benchPage is the input of the template of papers' tables.
type benchPage struct {
	frame
	Tables []benchTable
	Plots  template.HTML
}

type benchTable struct {
	Name, Doc, Count, Theirs string
	Rows                     []benchRow
}

type benchRow struct {
	Program, Source, N, Model, Options, Answer, PaperAnswer, Count, PaperCount, Seconds, PaperSeconds, Note string
	Class                                                                                                   string
}

// Bench writes a page with tables of papers, our figures beside theirs, and plots.
func Bench(w io.Writer, list []verdict.Bench) error {
	p := &benchPage{frame: frame{Title: "fencepost bench"}}
	for i := range list {
		b := &list[i]
		t := benchTable{Name: b.Name, Doc: b.Doc, Count: b.Count, Theirs: b.Theirs}
		for k := range b.Rows {
			r := &b.Rows[k]
			row := benchRow{
				Program: r.Program, Source: r.Source, Model: strings.ToUpper(r.Model), Options: r.Options, Answer: r.Answer, PaperAnswer: r.PaperAnswer,
				Count: text.Count(r.Count), PaperCount: r.PaperCount, Seconds: fmt.Sprintf("%.3f", r.Seconds), PaperSeconds: r.PaperSeconds, Note: r.Note, Class: "good",
			}
			if r.N > 0 {
				row.N = fmt.Sprint(r.N)
			}
			switch {
			case r.Note != "":
				row.Class = "open"
			case r.Differs():
				row.Class = "bad"
			case r.PaperAnswer == "":
				row.Class = "plain"
			}
			t.Rows = append(t.Rows, row)
		}
		p.Tables = append(p.Tables, t)
	}
	// Drawn by us, with all text escaped.
	p.Plots = template.HTML(svg.InlinePlots(list))
	p.Style, p.Script, p.Drawings = template.CSS(file("style.css")), script("theme.js"), svg.PlotSheet
	return write(w, "bench.html", p)
}
