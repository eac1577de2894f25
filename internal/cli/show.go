package cli

import (
	"context"
	"io"
	"slices"
	"strings"

	"fencepost/query"
	"fencepost/verdict"

	"github.com/spf13/cobra"
)

const showHelp = `Print the internal form of a program: functions as automata whose edges are
operations.

By default this is the structured form, with calls, that the front end produces.
--flat prints the form that the engines search: one automaton per thread.

Exit codes: 0 printed, 2 the time limit was met, 3 bad input or usage.`

const showExample = `  fencepost show dekker.fp
  fencepost show dekker.fp --flat
  fencepost show queue.c --flat --model c11
  fencepost show dekker.fp --dot | dot -Tsvg > dekker.svg`

func (a *app) showCommand() *cobra.Command {
	opt := query.ShowOptions{Options: query.Defaults(), Form: query.FormStructured}
	var flat, dot bool
	model := anyModelsValue{query.TSO}
	cmd := &cobra.Command{
		Use:     "show FILE...",
		Short:   "Print the internal form of a program",
		Long:    showHelp,
		Example: showExample,
		Args:    oneProgram,
		RunE: func(cmd *cobra.Command, args []string) error {
			switch {
			case cmd.Flags().Changed("model") && !flat:
				return &usageError{"--model needs --flat", "the structured form is the same for all models"}
			case len(model) != 1:
				return &usageError{"show takes one model at a time", "give --model c11, or another one"}
			case flat && dot:
				return &usageError{"--flat and --dot cannot be combined", "give one of them"}
			case flat:
				opt.Form, opt.Model = query.FormFlat, model[0]
			case dot:
				opt.Form = query.FormDot
			}
			return a.show(args, opt)
		},
	}
	addOptions(cmd, &opt)
	bind(cmd, "flat", &flat)
	bind(cmd, "dot", &dot)
	bind(cmd, "model", &model)
	readC(cmd, &opt.Options)
	a.compileFlag(cmd)
	return cmd
}

func (a *app) show(names []string, opt query.ShowOptions) error {
	answer, ok, err := a.written(names, func(ctx context.Context, in query.Input) (query.TextAnswer, error) {
		return a.services.show(ctx, in, opt)
	})
	if !ok {
		return err
	}
	out := answer.Text
	if out != "" && !strings.HasSuffix(out, "\n") {
		out += "\n"
	}
	io.WriteString(a.stdout, out)
	return nil
}

// written asks for a text about a program, and prints the diagnostics. It reports whether there is a text.
func (a *app) written(names []string, ask func(context.Context, query.Input) (query.TextAnswer, error)) (query.TextAnswer, bool, error) {
	in, err := a.readProgram(names)
	if err != nil {
		return query.TextAnswer{}, false, err
	}
	heard := func() {}
	if lines := newProgress(a, 0); lines != nil {
		heard = lines.interrupted
		defer lines.finish()
	}
	answer, err := interruptible(a, heard, func(ctx context.Context) (query.TextAnswer, error) { return ask(ctx, in) })
	if err != nil {
		return answer, false, &internalError{err}
	}
	a.diagnostics(answer.Diagnostics)
	if answer.HasErrors() {
		a.code = exitUsage
		if !slices.ContainsFunc(answer.Diagnostics, func(d verdict.Diagnostic) bool { return d.Severity == verdict.SeverityError && d.Code != "FP0916" }) {
			a.code = exitUnknown // a limit was met
		}
	}
	return answer, !answer.HasErrors(), nil
}
