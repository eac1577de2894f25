package cli

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"fencepost"

	"github.com/spf13/cobra"
)

const verifyHelp = `Replay the executions of stored results, for reviewers who want to check an
answer without trusting the search that found it.

RESULT is what ` + "`check`, `robust`, `fences` or `litmus`" + ` printed with --json. The
program is read again, and a small interpreter of the memory models, which shares nothing
with the engines, follows each execution step by step: every step must be
possible, read and write the values it claims, and the end must be what the
result says (a failed assertion, a goal, a final state, a deadlock, a cycle in
happens-before). What is said beside the steps must be right, too: positions,
instructions, names, the reason and the explanation. If the program's text or name
differs from the one the result carries, a warning says so.
Options that change how the program is read must be those of the first run.

Exit codes: 0 every execution replays, 1 some do not, 3 bad input or usage, or no
execution to replay, 4 internal error.`

const verifyExample = `  fencepost check dekker.fp --json > dekker.json
  fencepost verify-trace dekker.json dekker.fp`

func (a *app) verifyCommand() *cobra.Command {
	opt := fencepost.Defaults()
	cmd := &cobra.Command{
		Use:     "verify-trace RESULT FILE...",
		Short:   "Replay the executions of stored results",
		Long:    verifyHelp,
		Example: verifyExample,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) < 2 {
				return &usageError{fmt.Sprintf("%s given, want a stored result and the program it is about", plural(len(args), "file")),
					fmt.Sprintf("try `%s result.json dekker.fp`", cmd.CommandPath())}
			}
			if args[0] == "-" && slices.Contains(args[1:], "-") {
				return &usageError{"result and program cannot both come from standard input", "name one of the files"}
			}
			return oneProgram(cmd, args[1:])
		},
		RunE: func(_ *cobra.Command, args []string) error { return a.verifyTraces(args[0], args[1:], opt) },
	}
	flags := cmd.Flags()
	flags.SortFlags = false
	flags.Var(loopsValue{&opt.Unroll}, "unroll", "runs of a loop body, as in the first run")
	flags.Var(countValue{&opt.Threads, 1, maxCount}, "threads", "instances of templates, as in the first run")
	flags.StringVar(&opt.Lang, "lang", "", "language of the program; by the file's extension if not given")
	cFlags(flags, &opt)
	return cmd
}

// stepPrefix is how replay begins an error about a step, which it counts from 0.
var stepPrefix = regexp.MustCompile(`^step \d+(?: \(.*?\))?: `)

func (a *app) verifyTraces(result string, program []string, opt fencepost.Options) error {
	stored, err := a.stored(result)
	if err != nil {
		return err
	}
	in, err := a.readProgram(program)
	if err != nil {
		return err
	}
	answer, err := a.services.verify(in, stored.Results, opt)
	if err != nil {
		return &internalError{err}
	}
	a.diagnostics(answer.Diagnostics)
	if answer.HasErrors() {
		a.code = exitUsage
		return nil
	}
	if len(answer.Checks) == 0 {
		return &usageError{fmt.Sprintf("no execution in %s: there is nothing to replay", result), "results that are safe or unknown have none"}
	}
	bad := 0
	for i := range answer.Checks {
		c := &answer.Checks[i]
		head := fmt.Sprintf("%s under %s", c.Name, strings.ToUpper(c.Model))
		switch {
		case c.Err == nil:
			fmt.Fprintf(a.stdout, "ok        %s: %s, shows %s\n", head, plural(c.Steps, "step"), c.Claim)
			continue
		case c.Step >= 0:
			fmt.Fprintf(a.stdout, "REJECTED  %s: step %d of %d: %s\n", head, c.Step+1, c.Steps, stepPrefix.ReplaceAllString(c.Err.Error(), ""))
		default:
			fmt.Fprintf(a.stdout, "REJECTED  %s: %v\n", head, c.Err)
		}
		bad++
	}
	if bad > 0 {
		a.code = exitViolated
		fmt.Fprintf(a.stdout, "%d of %s rejected\n", bad, plural(len(answer.Checks), "execution"))
	}
	return nil
}

func plural(n int, word string) string {
	if n == 1 {
		return "1 " + word
	}
	return fmt.Sprintf("%d %ss", n, word)
}
