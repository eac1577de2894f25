//go:build !fencepost_small

package explorer

import (
	"strings"

	"fencepost/internal/question/export"
	"fencepost/internal/render/relation"
	"fencepost/internal/render/svg"
	"fencepost/query"
	"fencepost/verdict"
)

// written answers with the program in the language of another tool.
func (a *asking) written() (any, error) {
	answer, err := export.Run(a.ctx, a.input, query.ExportOptions{Options: a.options(), Format: query.ExportFormat(a.Format)})
	if err != nil {
		return nil, err
	}
	for _, d := range answer.Diagnostics {
		if answer.HasErrors() {
			return nil, &Failure{Kind: BadRequest, Message: d.Pos.String() + ": " + d.Message}
		}
	}
	return &ShareAnswer{Text: answer.Text}, nil
}

// tikz answers with the drawing of a run as a picture for LaTeX.
func (a *asking) tikz(e *verdict.Execution) (any, error) {
	var b strings.Builder
	if err := svg.TikZ(&b, e.Reason, e, relation.HerdNames); err != nil {
		return nil, err
	}
	return &ShareAnswer{Text: b.String()}, nil
}
