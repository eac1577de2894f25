package cli

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"slices"

	"fencepost/internal/render/json"
	"fencepost/internal/render/text"
	"fencepost/query"
	"fencepost/verdict"

	"github.com/spf13/cobra"
)

const litmusHelp = `Run litmus tests in herd's format and print the answers in herd's layout.

Directories are searched for files that end in .litmus. The numbers in the answers
count final states, where herd counts executions. --compare prints a table of the
outcomes under several models instead, and one execution for each outcome that SC
forbids. --expect compares the answers with a table and prints only the differences.

Exit codes: 0 all tests ran, 1 an answer differs from the expected one, 2 a test ran
out of time or met a bound that you did not set, 3 bad usage or a test that cannot be
read (the others still run), 4 internal error.`

const litmusExample = `  fencepost litmus SB.litmus
  fencepost litmus tests/ --model sc,tso,pso --compare
  fencepost litmus tests/ --model tso --expect expected.tsv
  fencepost litmus spin.litmus --unroll 4 --json`

type litmusFlags struct {
	json    bool
	compare bool
	opt     query.SuiteOptions
}

func (a *app) litmusCommand() *cobra.Command {
	f := &litmusFlags{}
	f.opt.Models = query.Models{query.TSO}
	f.opt.Options = query.Defaults()
	cmd := &cobra.Command{
		Use:     "litmus FILE|DIR...",
		Short:   "Run litmus tests and answer as herd does",
		Long:    litmusHelp,
		Example: litmusExample,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return &usageError{"no file or directory given", fmt.Sprintf("try `%s FILE`, or - to read standard input", cmd.CommandPath())}
			}
			return nil
		},
		RunE: func(_ *cobra.Command, args []string) error { return a.litmus(args, f) },
	}
	addOptions(cmd, &f.opt)
	bind(cmd, "compare", &f.compare)
	bind(cmd, "json", &f.json)
	return cmd
}

// suite returns the paths among the arguments of a command about many tests, and the input that "-" stands
// for.
func (a *app) suite(args []string) (paths []string, inputs []query.Input, err error) {
	for _, name := range args {
		if name != "-" {
			paths = append(paths, name)
			continue
		}
		in, err := a.read(name)
		if err != nil {
			return nil, nil, err
		}
		inputs = append(inputs, in)
	}
	return paths, inputs, nil
}

func (a *app) litmus(args []string, f *litmusFlags) error {
	if f.json && f.compare {
		return &usageError{"--json and --compare cannot be combined", "the JSON contains everything that --compare shows"}
	}
	opt := f.opt
	var err error
	if opt.Paths, opt.Inputs, err = a.suite(args); err != nil {
		return err
	}
	if opt.Memory == 0 {
		opt.Memory = defaultMemory()
	}
	files := a.out.any()
	opt.Witnesses, opt.AllWitnesses = f.json || f.compare || files, files
	if f.compare && !slices.Contains(opt.Models, query.SC) {
		opt.Models = append([]query.Model{query.SC}, opt.Models...)
	}
	// Every test leaves little garbage, and there are many tests.
	defer debug.SetGCPercent(debug.SetGCPercent(400))
	var tests []*verdict.LitmusTest
	opt.Done = func(t *verdict.LitmusTest) {
		a.litmusTest(t, f, opt)
		if f.json || files {
			tests = append(tests, t)
		}
	}
	report := a.stdout
	if a.out.piped() { // what is piped must be one document
		a.stdout = a.stderr
		defer func() { a.stdout = report }()
	}
	sum, err := a.runLitmus(opt)
	if input := (*query.InputError)(nil); errors.As(err, &input) {
		return &usageError{input.Error(), "check the path"}
	}
	if err != nil {
		return &internalError{err}
	}
	a.code = litmusExit(&sum)
	if files {
		var all query.Answer
		for _, t := range tests {
			all.Results = append(all.Results, t.Results...)
			all.Diagnostics = append(all.Diagnostics, t.Diagnostics...)
		}
		out := a.stdout
		a.stdout = report
		_, err := a.writeOutputs(all)
		a.stdout = out
		if err != nil {
			return err
		}
	}
	if f.json {
		if err := json.Litmus(a.stdout, tests, &sum); err != nil {
			return &internalError{err}
		}
		return nil
	}
	text.LitmusSummary(a.stdout, &sum, a.style(a.stdout))
	return nil
}

// litmusTest prints a test as soon as it is its turn.
func (a *app) litmusTest(t *verdict.LitmusTest, f *litmusFlags, opt query.SuiteOptions) {
	a.diagnostics(t.Diagnostics)
	if t.Failure != "" {
		fmt.Fprintln(a.stderr, &internalError{errors.New(t.Failure)})
	}
	switch {
	case f.json:
	case f.compare:
		text.LitmusCompare(a.stdout, t, a.style(a.stdout))
	case f.opt.Expect == "":
		for i := range t.Results {
			text.Litmus(a.stdout, &t.Results[i], len(opt.Models) > 1)
		}
	}
}

// litmusExit is the exit code for the tests together.
func litmusExit(sum *verdict.LitmusSummary) int {
	return exitOfAll(counted{sum.Failed, exitInternal}, counted{sum.Refused, exitUsage}, counted{len(sum.Differences), exitViolated}, counted{sum.Unknown + sum.NotRun, exitUnknown})
}

// runLitmus runs the tests with progress, until they end or are interrupted.
func (a *app) runLitmus(opt query.SuiteOptions) (verdict.LitmusSummary, error) {
	var finish func()
	opt.Tested, opt.Done, finish = withLine(a, "tests", opt.Timeout, opt.Done)
	defer finish()
	return interruptible(a, func() {}, func(ctx context.Context) (verdict.LitmusSummary, error) { return a.services.litmus(ctx, opt) })
}
