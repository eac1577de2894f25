package cli

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"strconv"

	"fencepost/internal/render/json"
	"fencepost/internal/render/text"
	"fencepost/query"
	"fencepost/verdict"

	"github.com/spf13/cobra"
)

const stressHelp = `Run litmus tests on this machine's processor and compare the outcomes with TSO.

Each test becomes a C program that contains the instructions of the test; gcc or
clang compiles it. The program runs the test many times and counts the outcomes. An
outcome that is seen although TSO does not allow it is an error. An outcome that TSO
allows but that is not seen is no error: how often it occurs depends on the machine
and its load. Directories are searched for files that end in .litmus. This command
needs x86-64 and Linux.

Exit codes: 0 TSO allows every outcome seen, 1 TSO does not allow some outcome, 2 a
test was not run or has no definite answer, 3 bad usage, a test that cannot be read,
no compiler, or another processor, 4 internal error.`

const stressExample = `  fencepost stress SB.litmus
  fencepost stress SB.litmus MP.litmus --seconds 5
  fencepost stress tests/ --seconds 0.2 --json`

// maxSeconds is a day.
const maxSeconds = 24 * 60 * 60

func (a *app) stressCommand() *cobra.Command {
	f := &struct {
		opt  query.StressOptions
		json bool
	}{}
	f.opt.Options = query.Defaults()
	f.opt.Seconds = 1
	cmd := &cobra.Command{
		Use:     "stress TEST.litmus|DIR...",
		Short:   "Run litmus tests on this processor and compare with TSO",
		Long:    stressHelp,
		Example: stressExample,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return &usageError{"no file or directory given", fmt.Sprintf("try `%s TEST.litmus`, or - to read standard input", cmd.CommandPath())}
			}
			return nil
		},
		RunE: func(_ *cobra.Command, args []string) error { return a.stress(args, f.opt, f.json) },
	}
	addOptions(cmd, &f.opt)
	bind(cmd, "json", &f.json)
	return cmd
}

func (a *app) stress(args []string, opt query.StressOptions, asJSON bool) error {
	var err error
	if opt.Paths, opt.Inputs, err = a.suite(args); err != nil {
		return err
	}
	if opt.Memory == 0 {
		opt.Memory = defaultMemory()
	}
	defer debug.SetGCPercent(debug.SetGCPercent(400))
	var tests []*verdict.StressTest
	opt.Done = func(t *verdict.StressTest) {
		a.diagnostics(t.Diagnostics)
		switch {
		case t.Failure != "":
			fmt.Fprintln(a.stderr, &internalError{errors.New(t.Failure)})
		case !asJSON && !t.Refused():
			text.Stress(a.stdout, t, a.style(a.stdout))
		}
		tests = append(tests, t)
	}
	var finish func()
	opt.Tested, opt.Done, finish = withLine(a, "tests", opt.Timeout, opt.Done)
	defer finish()
	sum, err := interruptible(a, func() {}, func(ctx context.Context) (verdict.StressSummary, error) { return a.services.stress(ctx, opt) })
	if input := (*query.InputError)(nil); errors.As(err, &input) {
		return &usageError{input.Error(), "check the path"}
	}
	if un := (*query.UnavailableError)(nil); errors.As(err, &un) {
		return &usageError{un.Message, un.Hint}
	}
	if err != nil {
		return &internalError{err}
	}
	a.code = stressExit(&sum)
	if asJSON {
		if err := json.Stress(a.stdout, tests, &sum); err != nil {
			return &internalError{err}
		}
		return nil
	}
	text.StressSummary(a.stdout, &sum, a.style(a.stdout))
	return nil
}

// stressExit is the exit code for the tests together.
func stressExit(sum *verdict.StressSummary) int {
	return exitOfAll(counted{sum.Failed, exitInternal}, counted{sum.Refused, exitUsage}, counted{sum.Forbidden, exitViolated}, counted{sum.Unknown + sum.NotRun, exitUnknown})
}

// secondsValue is a time in seconds.
type secondsValue struct{ seconds *float64 }

func (v secondsValue) String() string {
	if v.seconds == nil {
		return ""
	}
	return strconv.FormatFloat(*v.seconds, 'f', -1, 64)
}

func (secondsValue) Type() string { return "n" }

func (v secondsValue) Set(s string) error {
	n, err := strconv.ParseFloat(s, 64)
	if err != nil || !(n > 0 && n <= maxSeconds) {
		return fmt.Errorf("want a number of seconds above 0, at most %d", maxSeconds)
	}
	*v.seconds = n
	return nil
}
