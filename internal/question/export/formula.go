package export

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"fencepost/internal/pipeline"
	"fencepost/internal/question/check"
	"fencepost/query"
	"fencepost/verdict"
)

// The formula of bounded model checking. A comment at its beginning has the question, so that the answer of a solver can
// be read without the command line that wrote the formula.

// askedMark begins the comment with the question.
const askedMark = "fencepost asked "

// asked is the question of a formula.
type asked struct {
	Files   []string       `json:"files"`
	Model   query.Model    `json:"model"`
	Options map[string]any `json:"options"`
}

// formula writes the formula of a program.
func formula(ctx context.Context, in query.Input, opt query.ExportOptions) (query.TextAnswer, error) {
	ask := query.CheckOptions{Options: opt.Options, Engines: query.Engines{"bmc"}, Deadlock: opt.Deadlock, BMC: opt.BMC}
	about := asked{Files: []string{in.Name}, Model: opt.Model, Options: pipeline.NewAsked(check.Command, ask).Options}
	for _, f := range in.More {
		about.Files = append(about.Files, f.Name)
	}
	line, err := json.Marshal(about)
	if err != nil {
		return query.TextAnswer{}, fmt.Errorf("storing the question: %w", err)
	}
	var text strings.Builder
	ask.BMC.DIMACS, ask.BMC.WriteOnly = &text, true
	ask.BMC.Formula = query.Formula(opt.Format)
	ask.BMC.Header = fmt.Sprintf("%s under %s: satisfiable if an execution violates a property, up to the bounds\n", in.Name, strings.ToUpper(string(opt.Model))) +
		"`fencepost report THIS --model ANSWER` shows the execution of a solver's answer\n" +
		askedMark + string(line) + "\n" +
		"variables and what they stand for; a variable with a minus is false where it happens:"
	answer, err := check.Run(ctx, in, ask.Under(opt.Model))
	out := query.TextAnswer{Text: text.String(), Diagnostics: answer.Diagnostics}
	if err == nil && out.Text == "" && !answer.HasErrors() {
		r := &answer.Results[0]
		out.Diagnostics = append(out.Diagnostics, verdict.Diagnostic{Severity: verdict.SeverityError, Code: "FP0950", Pos: verdict.Pos{File: in.Name}, Message: "the formula cannot be written: " + r.Reason})
	}
	return out, err
}

// FormulaQuestion returns the names of the files of a program and the question whose formula a text is.
func FormulaQuestion(text string) ([]string, query.CheckOptions, error) {
	var opt query.CheckOptions
	for line := range strings.Lines(text) {
		if len(line) == 0 || line[0] != 'c' && line[0] != ';' {
			break
		}
		rest, ok := strings.CutPrefix(line[1:], " "+askedMark)
		if !ok {
			continue
		}
		var about asked
		if err := json.Unmarshal([]byte(rest), &about); err != nil {
			return nil, opt, fmt.Errorf("the question in the formula: %w", err)
		}
		if err := pipeline.Recall(about.Options, &opt); err != nil {
			return nil, opt, err
		}
		if len(about.Files) == 0 {
			return nil, opt, fmt.Errorf("the formula names no program")
		}
		return about.Files, opt.Under(about.Model), nil
	}
	return nil, opt, fmt.Errorf("this is no formula that `fencepost export --dimacs` or `--smt2` has written")
}
