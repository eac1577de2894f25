package html

import (
	"fmt"
	"io"
	"strings"

	"fencepost/internal/render/relation"
	"fencepost/internal/render/text"
	"fencepost/verdict"
)

// testRow is an expectation and what became of it, as the script reads it.
type testRow struct {
	File    string `json:"file"`
	What    string `json:"what"` // such as tso
	Want    string `json:"want"`
	Got     string `json:"got"`
	Status  string `json:"status"`
	Class   string `json:"class"`
	Detail  string `json:"detail"`
	Seconds string `json:"seconds"`
	Address string `json:"address,omitempty"` // of the answer
}

// maxTestSteps is how many steps of executions a page about many programs has. Answers beyond that are only lines.
const maxTestSteps = 20_000

// Tests writes one page for a run of many programs with expectations: a row per expectation, and the answers that
// were not expected with their executions. Relations have the names given until the reader wants others.
func Tests(w io.Writer, programs []*verdict.ProgramTest, names relation.Names) error {
	var sum verdict.TestSummary
	var results []verdict.Result
	var rows []testRow
	steps := 0
	for _, p := range programs {
		sum.Add(p)
		if p.Problem != "" {
			rows = append(rows, testRow{File: at(p.File, p.Line), Status: "ERROR", Class: "bad", Detail: p.Problem})
		}
		for i := range p.Outcomes {
			o := &p.Outcomes[i]
			row := testRow{
				File: at(p.File, o.Line), What: o.Key, Want: o.Want, Got: o.Got, Status: o.Status.String(), Class: statusClass(o.Status),
				Detail: strings.Join(strings.Fields(o.Detail), " "), Seconds: fmt.Sprintf("%.2f s", o.Seconds),
			}
			if r := o.Result; r != nil && o.Status == verdict.TestFailed {
				for _, e := range r.Executions() {
					steps += len(e.Witness.Steps)
				}
				if steps <= maxTestSteps {
					results = append(results, *r)
					row.Address = fmt.Sprintf("#r%d", len(results))
				}
			}
			rows = append(rows, row)
		}
	}
	p := newPage(results)
	p.Data.Tests = rows
	bad := sum.Failed + sum.Refused + sum.Broken + sum.Problems
	p.Summary = &summary{Class: "good", Word: "all as expected"}
	if bad > 0 {
		p.Summary.Class, p.Summary.Word = "bad", fmt.Sprintf("%s not as expected", text.Count(int64(bad)))
	}
	line := fmt.Sprintf("%s, %s as expected", plural(sum.Programs, "program"), plural(sum.Passed, "answer"))
	for _, c := range []struct {
		n    int
		what string
	}{{sum.Failed, "not as expected"}, {sum.Refused, "refused"}, {sum.Broken, "broken"}, {sum.Problems, "with a problem"}, {sum.NotChecked, "not checked"}} {
		if c.n > 0 {
			line += fmt.Sprintf(", %s %s", text.Count(int64(c.n)), c.what)
		}
	}
	p.Summary.Lines = []string{line + "."}
	p.Title = "fencepost test: " + p.Summary.Word
	return write(w, "page.html", p.with(names))
}

func at(file string, line int) string {
	if line == 0 {
		return file
	}
	return fmt.Sprintf("%s:%d", file, line)
}

func statusClass(s verdict.TestStatus) string {
	switch s {
	case verdict.TestPassed:
		return "good"
	case verdict.TestNotChecked, verdict.TestKnown:
		return "plain"
	case verdict.TestRefused:
		return "open"
	default:
		return "bad"
	}
}
