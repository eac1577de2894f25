package explorer

import (
	"fmt"
	"strings"

	"fencepost/internal/render/relation"
	"fencepost/internal/render/svg"
	"fencepost/internal/render/text"
	"fencepost/query"
	"fencepost/verdict"
)

// ShareAnswer is a run in a format that can be pasted elsewhere.
type ShareAnswer struct {
	Text string `json:"text"`
}

// share answers with a run as a drawing of its happens-before relation or as a table, or with the program as a litmus test
// or in C.
func (a *asking) share() (any, error) {
	switch a.Format {
	case "litmus", "c":
		return a.written()
	case "svg", "markdown", "tikz":
	default:
		return nil, &Failure{Kind: BadRequest, Message: fmt.Sprintf("there is no format %q, want svg, tikz, markdown, litmus or c", a.Format)}
	}
	found, err := a.explore(query.ExploreOptions{Run: a.Run, Advance: true})
	if err != nil {
		return nil, err
	}
	if found.State == nil {
		return nil, &Failure{Kind: BadRequest, Message: "the program has errors"}
	}
	if a.Format == "markdown" {
		return &ShareAnswer{Text: markdown(found)}, nil
	}
	e := executionOf(found.State)
	e.Reason = fmt.Sprintf("%s under %s", a.Name, strings.ToUpper(found.State.Model))
	if a.Format == "tikz" {
		return a.tikz(e)
	}
	var b strings.Builder
	if err := svg.File(&b, a.Name, []verdict.Execution{*e}, relation.HerdNames); err != nil {
		return nil, err
	}
	return &ShareAnswer{Text: b.String()}, nil
}

// markdown writes a run as a table with a column per thread.
func markdown(found *StateAnswer) string {
	s := found.State
	var b strings.Builder
	fmt.Fprintf(&b, "**%s under %s**\n\n| step |", cellText(s.Program), strings.ToUpper(s.Model))
	for _, t := range s.Threads {
		fmt.Fprintf(&b, " %s |", cellText(t.Name))
	}
	b.WriteString(" effect |\n|---|")
	b.WriteString(strings.Repeat("---|", len(s.Threads)+1) + "\n")
	for _, r := range found.Rows {
		fmt.Fprintf(&b, "| %d |", r.First+1)
		for t := range s.Threads {
			if t != r.Thread {
				b.WriteString("  |")
				continue
			}
			fmt.Fprintf(&b, " %s |", code(r.Text))
		}
		fmt.Fprintf(&b, " %s |\n", cellText(r.Effect))
	}
	if s.Final != "" {
		fmt.Fprintf(&b, "\nThe run ends in %s.\n", code(s.Final))
	}
	for _, v := range s.Violations {
		fmt.Fprintf(&b, "\n%s\n", cellText(v))
	}
	if s.Cause != nil {
		fmt.Fprintf(&b, "\n%s\n", cellText(strings.Join(s.Cause.Words, " ")))
	}
	return b.String()
}

// code returns a text as code in a cell of a table.
func code(s string) string {
	if strings.Contains(s, "`") {
		return cellText(s)
	}
	return "`" + strings.ReplaceAll(text.Printable(s), "|", "\\|") + "`"
}

// cellText makes the signs of Markdown harmless.
func cellText(s string) string {
	return strings.NewReplacer("\\", "\\\\", "|", "\\|", "*", "\\*", "_", "\\_", "`", "\\`", "<", "&lt;", "[", "\\[").Replace(text.Printable(s))
}
