//go:build !fencepost_small

package explorer

import (
	"fencepost/internal/question/export"
	"fencepost/query"
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
