// Package render writes answers of fencepost: as text for people, as JSON to store them, as pages and drawings,
// and as SARIF and JUnit for other tools. It takes results and nothing else, so results that were stored render
// as they would have at once.
package render

import (
	"bytes"
	"io"
	"path"
	"strconv"
	"strings"
	"unicode/utf8"

	"fencepost/internal/render/dot"
	"fencepost/internal/render/html"
	"fencepost/internal/render/json"
	"fencepost/internal/render/junit"
	"fencepost/internal/render/relation"
	"fencepost/internal/render/sarif"
	"fencepost/internal/render/svg"
	"fencepost/internal/render/text"
	"fencepost/verdict"
)

// TextOptions say how text is laid out.
type TextOptions struct {
	Width int  // columns, 0 for a default
	Color bool // with colours, for terminals
	Full  bool // every step of an execution, without folds
	Asm   bool // the instructions of machine code instead of the lines of its source
}

// Text writes results as the command line prints them: as a table if one program was checked under several
// memory models, else one after the other.
func Text(w io.Writer, results []verdict.Result, opt TextOptions) error {
	how := text.Options{Width: opt.Width, Color: opt.Color, Full: opt.Full, Asm: opt.Asm}
	return buffered(w, func(out io.Writer) {
		if text.Comparable(results) {
			text.Comparison(out, results, how)
			return
		}
		for i := range results {
			if i > 0 {
				io.WriteString(out, "\n")
			}
			text.Result(out, &results[i], how)
		}
	})
}

// Diagnostics writes messages about a program, with the lines that they are about.
func Diagnostics(w io.Writer, diagnostics []verdict.Diagnostic, opt TextOptions) error {
	return buffered(w, func(out io.Writer) {
		for _, d := range diagnostics {
			text.Diagnostic(out, d, text.Options{Width: opt.Width, Color: opt.Color})
		}
	})
}

// buffered writes what a renderer wrote, and returns the error of that.
func buffered(w io.Writer, write func(io.Writer)) error {
	var out bytes.Buffer
	write(&out)
	_, err := w.Write(out.Bytes())
	return err
}

// JSON writes results and diagnostics in the versioned layout that ReadJSON reads.
func JSON(w io.Writer, results []verdict.Result, diagnostics []verdict.Diagnostic) error {
	return json.Report(w, results, diagnostics)
}

// ReadJSON reads the results that JSON wrote.
func ReadJSON(document []byte) ([]verdict.Result, error) { return json.Read(document) }

// Relations says by which names pictures and pages call relations.
type Relations = relation.Names

// The names of relations.
const (
	HerdNames  Relations = relation.HerdNames  // rf, co, fr
	PaperNames Relations = relation.PaperNames // src, st, cf, as text and JSON have them
)

// named returns the names that were asked for, or herd's.
func named(names []Relations) Relations {
	if len(names) > 0 {
		return names[0]
	}
	return HerdNames
}

// HTML writes one self-contained page that steps through the executions of results. Relations have herd's names
// unless others are given; the page can change that.
func HTML(w io.Writer, results []verdict.Result, names ...Relations) error {
	return html.Report(w, results, named(names))
}

// TracesHTML writes one self-contained page with the traces of a program as a grid of happens-before graphs.
// Relations have herd's names unless others are given.
func TracesHTML(w io.Writer, set *verdict.TraceSet, names ...Relations) error {
	return html.Traces(w, set, named(names))
}

// TracesSVG draws the traces of a program, below each other. Relations have herd's names unless others are given.
func TracesSVG(w io.Writer, set *verdict.TraceSet, names ...Relations) error {
	var all []verdict.Execution
	for i := range set.Traces {
		all = append(all, relation.OfTrace(&set.Traces[i]))
	}
	return svg.File(w, path.Base(set.Program), all, named(names))
}

// TracesDOT writes the traces of a program as graphs for Graphviz. Relations have herd's names unless others are
// given.
func TracesDOT(w io.Writer, set *verdict.TraceSet, names ...Relations) error {
	return buffered(w, func(out io.Writer) {
		for i := range set.Traces {
			dot.Trace(out, &set.Traces[i], named(names))
		}
	})
}

// TestsHTML writes one self-contained page for programs that say what they expect: every expectation, and the
// answers that were not expected with their executions.
func TestsHTML(w io.Writer, programs []*verdict.ProgramTest, names ...Relations) error {
	return html.Tests(w, programs, named(names))
}

// Bench writes a table of a paper as text, with our figures beside those of the paper.
func Bench(w io.Writer, b *verdict.Bench, opt TextOptions) error {
	return buffered(w, func(out io.Writer) { text.Bench(out, b, text.Options{Width: opt.Width, Color: opt.Color}) })
}

// BenchCSV writes tables of papers as CSV.
func BenchCSV(w io.Writer, list []verdict.Bench) error { return text.BenchCSV(w, list) }

// BenchSVG draws tables of papers: our times against those of the papers, and times of families against their size.
func BenchSVG(w io.Writer, list []verdict.Bench) error { return svg.Plots(w, list) }

// BenchHTML writes one self-contained page with tables of papers and plots.
func BenchHTML(w io.Writer, list []verdict.Bench) error { return html.Bench(w, list) }

// SVG draws the happens-before relation of every execution of results. Relations have herd's names unless others
// are given.
func SVG(w io.Writer, results []verdict.Result, names ...Relations) error {
	var all []verdict.Execution
	title := "fencepost"
	for i := range results {
		if i == 0 {
			title = path.Base(results[i].Program)
		}
		all = append(all, results[i].Executions()...)
	}
	return svg.File(w, title, all, named(names))
}

// DOT writes the happens-before relation of every execution of results as a graph for Graphviz. Relations have
// herd's names unless others are given.
func DOT(w io.Writer, results []verdict.Result, names ...Relations) error {
	return buffered(w, func(out io.Writer) {
		for i := range results {
			executions := results[i].Executions()
			for k := range executions {
				dot.Execution(out, &executions[k], named(names))
			}
		}
	})
}

// SARIF writes results and diagnostics as SARIF 2.1.0, for code hosts and editors. version is the version of the
// tool that answered.
func SARIF(w io.Writer, results []verdict.Result, diagnostics []verdict.Diagnostic, version string) error {
	return sarif.Report(w, results, sarif.Options{Version: version, Diagnostics: diagnostics, Fixes: fixes})
}

// fixes returns the patches of a repair, for the execution that they prevent, as edits of lines.
func fixes(r *verdict.Result, _ *verdict.Execution) []sarif.Fix {
	if r.Repair == nil || len(r.Repair.Patches) == 0 {
		return nil
	}
	fix := sarif.Fix{Description: "Insert the fences that make this execution impossible"}
	if len(r.Repair.Orders) > 0 {
		fix.Description = "Write the memory orders with which the program is right"
	}
	for _, p := range r.Repair.Patches {
		if edits := edits(p.File, p.Diff); len(edits) > 0 {
			fix.Replacements = append(fix.Replacements, edits...)
			continue
		}
		before := strings.Split(r.Sources[p.File], "\n")
		end := verdict.Pos{File: p.File, Line: 1, Col: 1, EndLine: len(before), EndCol: 1 + utf8.RuneCountInString(before[len(before)-1])}
		fix.Replacements = append(fix.Replacements, sarif.Replacement{Pos: end, Text: p.Text})
	}
	return []sarif.Fix{fix}
}

// edits returns the changes of a unified diff as replacements of whole lines. It returns none for a diff that it
// does not understand, such as one about the end of the last line.
func edits(file, diff string) []sarif.Replacement {
	var out []sarif.Replacement
	line, in := 0, false // the next line of the old text, in a hunk
	var open *sarif.Replacement
	for text := range strings.Lines(diff) {
		text = strings.TrimSuffix(text, "\n")
		switch {
		case strings.HasPrefix(text, "@@ -"):
			from, _, _ := strings.Cut(strings.TrimPrefix(text, "@@ -"), " ")
			first, count, given := strings.Cut(from, ",")
			n, err := strconv.Atoi(first)
			if err != nil {
				return nil
			}
			if given && count == "0" {
				n++
			}
			line, in, open = n, true, nil
		case !in:
		case strings.HasPrefix(text, "\\"):
			return nil
		case strings.HasPrefix(text, "+"), strings.HasPrefix(text, "-"):
			if open == nil {
				out = append(out, sarif.Replacement{Pos: verdict.Pos{File: file, Line: line, Col: 1, EndLine: line, EndCol: 1}})
				open = &out[len(out)-1]
			}
			if text[0] == '+' {
				open.Text += text[1:] + "\n"
			} else {
				line++
				open.Pos.EndLine = line
			}
		default:
			line, open = line+1, nil
		}
	}
	return out
}

// Fingerprints returns what recognises the violations of a result after lines have moved, as SARIF has it.
func Fingerprints(r *verdict.Result) []string { return sarif.Fingerprints(r) }

// TestsJSON writes the outcome of programs that say what they expect, with the answers that were not expected.
func TestsJSON(w io.Writer, programs []*verdict.ProgramTest, sum *verdict.TestSummary) error {
	return json.Tests(w, programs, sum)
}

// JUnit writes the outcome of programs that say what they expect as JUnit XML, for continuous integration.
func JUnit(w io.Writer, programs []*verdict.ProgramTest) error { return junit.Report(w, programs) }
