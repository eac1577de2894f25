package text

import (
	"encoding/csv"
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode/utf8"

	"fencepost/verdict"
)

// benchHead names the columns of a table of a paper.
func benchHead(b *verdict.Bench) []string {
	return []string{"program", "N", "model", "answer", "paper", b.Count, "paper", "seconds", "paper"}
}

// benchCells returns a row of a table as texts.
func benchCells(r *verdict.BenchRow) []string {
	n, answer := "", r.Answer
	if r.N > 0 {
		n = strconv.Itoa(r.N)
	}
	if r.Differs() {
		answer += " (!)"
	}
	return []string{oneLine(r.Program), n, strings.ToUpper(r.Model), oneLine(answer), oneLine(r.PaperAnswer), Count(r.Count), oneLine(r.PaperCount), fmt.Sprintf("%.3f", r.Seconds), oneLine(r.PaperSeconds)}
}

// numeric says which columns are numbers.
var numeric = [...]bool{1: true, 5: true, 6: true, 7: true, 8: true}

// Bench prints a table of a paper with our figures beside those of the paper.
func Bench(w io.Writer, b *verdict.Bench, opt Options) {
	p := &printer{w: w, opt: opt}
	p.line("%s", opt.paint(bold, fmt.Sprintf("%s: %s", b.Name, oneLine(b.Doc))))
	rows := [][]string{benchHead(b)}
	for i := range b.Rows {
		rows = append(rows, benchCells(&b.Rows[i]))
	}
	width := make([]int, len(numeric))
	for _, r := range rows {
		for i, c := range r {
			width[i] = max(width[i], utf8.RuneCountInString(c))
		}
	}
	for _, r := range rows {
		var line strings.Builder
		for i, c := range r {
			fill := strings.Repeat(" ", width[i]-utf8.RuneCountInString(c))
			if numeric[i] {
				c = fill + c
			} else {
				c += fill
			}
			line.WriteString("  " + c)
		}
		p.line("%s", strings.TrimRight(line.String(), " "))
	}
	for i := range b.Rows {
		if r := &b.Rows[i]; r.Note != "" {
			p.line("  %s under %s: %s", oneLine(r.Program), strings.ToUpper(r.Model), oneLine(r.Note))
		}
	}
	p.line("  paper: %s. Machines differ: compare orders of magnitude.", oneLine(b.Theirs))
}

// BenchCSV writes tables of papers as one CSV file.
func BenchCSV(w io.Writer, list []verdict.Bench) error {
	out := csv.NewWriter(w)
	rows := [][]string{{"table", "paper", "program", "source", "n", "model", "options", "answer", "paper_answer", "count_of", "count", "paper_count", "seconds", "paper_seconds", "note"}}
	for i := range list {
		b := &list[i]
		for k := range b.Rows {
			r := &b.Rows[k]
			n := ""
			if r.N > 0 {
				n = strconv.Itoa(r.N)
			}
			rows = append(rows, []string{b.Name, b.Paper, r.Program, r.Source, n, r.Model, r.Options, r.Answer, r.PaperAnswer, b.Count, strconv.FormatInt(r.Count, 10), r.PaperCount,
				strconv.FormatFloat(r.Seconds, 'f', 6, 64), r.PaperSeconds, r.Note})
		}
	}
	if err := out.WriteAll(rows); err != nil {
		return fmt.Errorf("writing CSV: %w", err)
	}
	return nil
}
