// Package markdown writes results as Markdown, for the summaries of pipelines and for comments on changes. Every answer
// stands with its model and what it covers, in the words of package text.
package markdown

import (
	"fmt"
	"io"
	"strings"

	"fencepost/internal/render/text"
	"fencepost/verdict"
)

// mostText is how many lines of an answer are shown.
const mostText = 200

// Report writes results and the diagnostics about their programs.
func Report(w io.Writer, results []verdict.Result, diagnostics []verdict.Diagnostic) error {
	var b strings.Builder
	if len(results) > 0 {
		b.WriteString("| | model | answer |\n|---|---|---|\n")
		for i := range results {
			r := &results[i]
			fmt.Fprintf(&b, "| %s | %s | %s |\n", sign(r.Verdict), strings.ToUpper(r.Model), answer(r))
		}
	}
	for _, d := range diagnostics {
		at := d.Pos.File
		if d.Pos.Line > 0 {
			at += fmt.Sprintf(":%d", d.Pos.Line)
		}
		fmt.Fprintf(&b, "\n- **%s** %s: %s\n", d.Severity, cell(at), cell(d.Message))
	}
	for i := range results {
		if v := results[i].Verdict; v == verdict.Unsafe || v == verdict.Unknown {
			details(&b, &results[i])
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func programs(n int) string {
	if n == 1 {
		return "1 program"
	}
	return fmt.Sprintf("%d programs", n)
}

// Tests writes how the expectations of programs fared.
func Tests(w io.Writer, tests []*verdict.ProgramTest) error {
	var sum verdict.TestSummary
	for _, t := range tests {
		sum.Add(t)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "**%d of %d expectations met**, %s", sum.Passed, sum.Passed+sum.Failed+sum.Refused+sum.Broken+sum.Known, programs(sum.Programs))
	for _, more := range []struct {
		n     int
		words string
	}{{sum.Failed, "failed"}, {sum.Known, "known from the baseline"}, {sum.Refused, "refused"}, {sum.Broken, "broken"}, {sum.NotChecked, "not checked"}, {sum.Problems, "could not be read"}} {
		if more.n > 0 {
			fmt.Fprintf(&b, "; %d %s", more.n, more.words)
		}
	}
	b.WriteString("\n\n| program | question | expected | answer |\n|---|---|---|---|\n")
	for _, t := range tests {
		if t.Problem != "" {
			fmt.Fprintf(&b, "| %s | | | %s |\n", cell(t.File), cell(t.Problem))
		}
		for _, o := range t.Outcomes {
			words := cell(o.Got)
			if o.Status != verdict.TestPassed && o.Detail != "" {
				words = cell(strings.TrimPrefix(o.Got+": "+o.Detail, ": "))
			} else if o.Result != nil {
				words = answer(o.Result)
			}
			mark := "✅ "
			if o.Status != verdict.TestPassed {
				mark = "❌ "
			}
			if o.Status == verdict.TestKnown || o.Status == verdict.TestNotChecked {
				mark = "➖ "
			}
			fmt.Fprintf(&b, "| %s | %s | %s | %s%s |\n", cell(t.File), cell(o.Key), cell(o.Want), mark, words)
		}
	}
	for _, t := range tests {
		for _, o := range t.Outcomes {
			if o.Status == verdict.TestFailed && o.Result != nil {
				details(&b, o.Result)
			}
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// answer is the first line of an answer, and under it what was checked and what was not asked.
func answer(r *verdict.Result) string {
	lines := text.Covered(r)
	for i := range lines {
		lines[i] = cell(lines[i])
	}
	return strings.Join(lines, "<br>")
}

// sign is a sign for an answer, beside its words.
func sign(v verdict.Verdict) string {
	switch v {
	case verdict.Unsafe:
		return "❌"
	case verdict.Unknown:
		return "❔"
	case verdict.Safe, verdict.ValueRobust, verdict.NotObserved:
		return "✅"
	default:
		return "ℹ️"
	}
}

// details writes an answer as the command line prints it, folded.
func details(b *strings.Builder, r *verdict.Result) {
	var words strings.Builder
	text.Result(&words, r, text.Options{Width: 110})
	lines := strings.Split(strings.TrimRight(words.String(), "\n"), "\n")
	left := len(lines) - mostText
	if left > 0 {
		lines = append(lines[:mostText], fmt.Sprintf("... %d more lines", left))
	}
	fence := "```"
	for strings.Contains(words.String(), fence) {
		fence += "`"
	}
	fmt.Fprintf(b, "\n<details><summary>%s</summary>\n\n%s\n%s\n%s\n\n</details>\n", html(text.Headline(r)), fence, strings.Join(lines, "\n"), fence)
}

func html(s string) string {
	return strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;").Replace(text.Printable(s))
}

// cell writes a text into a cell of a table. The signs of Markdown become harmless.
func cell(s string) string {
	return strings.NewReplacer("\\", "\\\\", "|", "\\|", "*", "\\*", "_", "\\_", "`", "\\`", "<", "&lt;", "[", "\\[").Replace(text.Printable(s))
}
