package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"

	"fencepost"
	"fencepost/internal/render/json"
	"fencepost/internal/render/text"
	"fencepost/query"
	"fencepost/verdict"

	"github.com/spf13/cobra"
)

const reportHelp = `Render a stored result, the output of ` + "`check`, `robust`, `fences`, `prove`, `litmus`" + `
or ` + "`traces`" + ` with --json, as an HTML page, a picture, SARIF or text. The result is not
checked again; ` + "`fencepost verify-trace`" + ` does that.
FILE is a stored result, or - for standard input. Without an option, the text is
printed.

With --merge, the FILEs are the results of all shards of one check (check --shard),
and the answer, with its exit code, is that of one check of everything. If the shards
were asked with --certified, the proof is put together and checked.

With --model, FILE is a formula that export --dimacs or --smt2 has written, and ANSWER
what cadical, minisat (its second file), z3 or another solver has printed about it. The
program is encoded again, the values must satisfy every clause, and the execution that
they stand for is replayed and shown, as check shows it.

Exit codes: 0 rendered, whatever the verdict; 3 bad file or usage; 4 internal error.
With --merge and --model, as check.`

const reportExample = `  fencepost check dekker.fp --json > dekker.json
  fencepost report dekker.json --html dekker.html
  fencepost report dekker.json --sarif dekker.sarif --svg cycle.svg --text
  fencepost check queue.c --shard 0/2 --json > 0.json
  fencepost check queue.c --shard 1/2 --json > 1.json
  fencepost report --merge 0.json 1.json
  fencepost export dekker.fp --dimacs -o dekker.cnf
  fencepost report dekker.cnf --model answer`

func (a *app) reportCommand() *cobra.Command {
	var asText, merge, asJSON bool
	var model, certificate string
	cmd := &cobra.Command{
		Use:     "report FILE...",
		Short:   "Render stored results as HTML, SVG, SARIF or text",
		Long:    reportHelp,
		Example: reportExample,
		Args: func(cmd *cobra.Command, args []string) error {
			if merge && len(args) > 0 {
				return nil
			}
			return oneFile(cmd, args)
		},
		RunE: func(_ *cobra.Command, args []string) error {
			if merge {
				return mergeShards(a, args, certificate, asJSON)
			}
			if certificate != "" {
				return &usageError{"--certificate needs --merge", "a stored result has no proof; `fencepost check --certificate` makes one"}
			}
			if model != "" {
				return reportModel(a, args[0], model, asJSON)
			}
			if asJSON {
				return &usageError{"--json needs --merge or --model", "the stored result is JSON already"}
			}
			return a.reportAgain(args[0], asText)
		},
	}
	flags := cmd.Flags()
	flags.SortFlags = false
	bind(cmd, "text", &asText)
	bind(cmd, "merge", &merge)
	bind(cmd, "json", &asJSON)
	bind(cmd, "model", &model)
	bind(cmd, "certificate", &certificate)
	return cmd
}

func (a *app) reportAgain(name string, asText bool) error {
	in, err := a.read(name)
	if err != nil {
		return err
	}
	if sets, err := json.ReadTraces(in.Text); err != nil {
		return unreadable(in.Name, err)
	} else if sets != nil {
		return reportTraces(a, sets, asText)
	}
	answer, err := stored(in)
	if err != nil {
		return err
	}
	printed, err := a.writeOutputs(answer)
	if err != nil {
		return err
	}
	if asText && printed {
		return &usageError{"--text and another format cannot both go to standard output", "give the other format a file name"}
	}
	if !asText && a.out.any() {
		return nil
	}
	if slices.ContainsFunc(answer.Results, func(r verdict.Result) bool { return r.Litmus == nil }) {
		a.storedText = true
		return a.render(false, answer)
	}
	for i := range answer.Results {
		text.Litmus(a.stdout, &answer.Results[i], true)
	}
	return nil
}

// reportModel shows the execution that the answer of a solver to a formula stands for.
func reportModel(a *app, name, model string, asJSON bool) error {
	formula, err := a.read(name)
	if err != nil {
		return err
	}
	said, err := a.read(model)
	if err != nil {
		return err
	}
	files, opt, err := fencepost.FormulaQuestion(string(formula.Text))
	if err != nil {
		return &usageError{fmt.Sprintf("%s: %v", name, err), "`fencepost export FILE --dimacs` writes a formula"}
	}
	if len(bytes.TrimSpace(said.Text)) == 0 {
		return &usageError{model + " is empty", "store what the solver prints, or the file that it writes"}
	}
	opt.BMC.Answer = string(said.Text)
	return a.answer(files, &opt.Options, func(ctx context.Context, in query.Input) (query.Answer, error) {
		answer, err := a.services.check(ctx, in, opt)
		if wrong := (*query.AnswerError)(nil); errors.As(err, &wrong) {
			return answer, &usageError{fmt.Sprintf("%s: %s", model, wrong.Why), "store what the solver prints about " + name}
		}
		return answer, err
	}, func(answer query.Answer) error { return a.render(asJSON, answer) })
}

// reportTraces renders stored traces.
func reportTraces(a *app, sets []verdict.TraceSet, asText bool) error {
	if len(sets) > 1 && a.out.any() {
		return &usageError{"several programs' traces cannot be one file", "render one result at a time"}
	}
	for i := range sets {
		printed, err := writeTraces(a, &sets[i])
		if err != nil {
			return err
		}
		if printed || !asText && a.out.any() {
			continue
		}
		for k := range sets[i].Traces {
			text.Trace(a.stdout, &sets[i].Traces[k])
			fmt.Fprintln(a.stdout)
		}
		text.TraceSet(a.stdout, &sets[i], false)
	}
	return nil
}

// stored reads results.
func stored(in query.Input) (query.Answer, error) {
	results, err := json.Read(in.Text)
	if err != nil {
		return query.Answer{}, unreadable(in.Name, err)
	}
	return query.Answer{Results: results}, nil
}

// unreadable says what is wrong with a stored result.
func unreadable(name string, err error) error {
	if bad := (*json.ReadError)(nil); errors.As(err, &bad) {
		return &usageError{fmt.Sprintf("%s:%v", name, bad), "`fencepost check FILE --json` prints a result that can be stored"}
	}
	return &internalError{err}
}

// mergeShards answers from the results of shards.
func mergeShards(a *app, names []string, certificate string, asJSON bool) error {
	proofs := query.Proofs{}
	write, err := proofFile(a, certificate, names, 1, &proofs)
	if err != nil {
		return err
	}
	var shards []verdict.Result
	for _, name := range names {
		in, err := a.read(name)
		if err != nil {
			return err
		}
		answer, err := stored(in)
		if err != nil {
			return err
		}
		if len(answer.Results) != 1 || answer.Results[0].Shard == nil {
			return &usageError{fmt.Sprintf("%s is not the result of a shard", name), "`fencepost check FILE --shard i/n --json` prints one"}
		}
		shards = append(shards, answer.Results...)
	}
	answer, err := fencepost.Merge(context.Background(), shards, proofs)
	if wrong := (*fencepost.MergeError)(nil); errors.As(err, &wrong) {
		return &usageError{wrong.Why, "name the results of all shards of one check, each once"}
	}
	if err != nil {
		return &internalError{err}
	}
	var codes []int
	for i := range answer.Results {
		codes = append(codes, exitOf(&answer.Results[i]))
	}
	a.code = worst(codes...)
	write()
	return a.withFiles(func(answer query.Answer) error { return a.render(asJSON, answer) })(answer)
}
