package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"fencepost/internal/lazyregexp"
	"fencepost/internal/render/json"
	"fencepost/internal/render/text"
	"fencepost/query"
	"fencepost/verdict"

	"github.com/spf13/cobra"
)

const verifyHelp = `Check stored results, for reviewers who do not want to trust the search that found
an answer.

RESULT is a certificate of ` + "`check --certificate`" + `, or the output of ` + "`check`, `robust`, `fences`, `lin`, `fuzz`, `prove`, `traces` or `litmus`" + ` with
--json. The program is read again; its text and all included files must be the same
as in the result. A small interpreter of the memory models, which shares no code with
the engines, executes each execution in the result step by step: every step must be
possible and must read and write the values in the result, and the execution must end
as the result says (a failed assertion, a goal, a final state, a deadlock, a cycle in
happens-before). The description of the steps is also checked: positions,
instructions, names, the reason and the cause. Answers that no execution shows (that a
program is safe, bounds, final states, proofs) are computed again, with the options
stored in the result. For fences, every execution is replayed in its program, the
lower bound is computed from the executions, and the patch is applied. The last line
names the fields that were not checked.

A certificate has a proof that a program is safe. It is checked without a search, by
code that knows the rules of the memory models and no engine; the program is read
again for it.

Exit codes: 0 the result is confirmed, 1 something in it is wrong, 2 a limit was
reached before everything was checked, 3 bad input or usage, 4 internal error.`

const verifyExample = `  fencepost check dekker.fp --json > dekker.json
  fencepost verify-trace dekker.json dekker.fp
  fencepost check peterson.c --certificate peterson.cert
  fencepost verify peterson.cert peterson.c`

func (a *app) verifyCommand() *cobra.Command {
	var opt query.Options // a result carries its own
	cmd := &cobra.Command{
		Use:     "verify-trace RESULT FILE...",
		Aliases: []string{"verify"},
		Short:   "Check stored results and certificates again (short: verify)",
		Long:    verifyHelp,
		Example: verifyExample,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) < 2 {
				return &usageError{fmt.Sprintf("%s given, want a stored result and the program that it is about", plural(len(args), "file")),
					fmt.Sprintf("try `%s result.json dekker.fp`", cmd.CommandPath())}
			}
			if args[0] == "-" && slices.Contains(args[1:], "-") {
				return &usageError{"the result and the program cannot both come from standard input", "name a file for one of them"}
			}
			return oneProgram(cmd, args[1:])
		},
		RunE: func(_ *cobra.Command, args []string) error { return a.verifyTraces(args[0], args[1:], &opt) },
	}
	addOptions(cmd, &opt)
	flags := cmd.Flags()
	noDefault(flags, "timeout", "memory", "unroll")
	readC(cmd, &opt)
	return cmd
}

// stepPrefix is how replay begins an error about a step, which it counts from 0.
var stepPrefix = lazyregexp.New(`^step \d+(?: \(.*?\))?: `)

func (a *app) verifyTraces(result string, program []string, opt *query.Options) error {
	verify, limit, err := a.verifier(result)
	if err != nil {
		return err
	}
	in, err := a.readProgram(program)
	if err != nil {
		return err
	}
	var answer query.VerifyAnswer
	_, err = a.askUntil(cmp.Or(opt.Timeout, limit), in, opt, func(ctx context.Context, in query.Input) (query.Answer, error) {
		var err error
		answer, err = verify(ctx, in, *opt)
		return query.Answer{}, err
	})
	if damaged := (*query.DamagedError)(nil); errors.As(err, &damaged) {
		return &usageError{fmt.Sprintf("%s: %v", result, damaged), "write it again with `fencepost check --certificate`"}
	}
	if err != nil && !errors.Is(err, context.Canceled) {
		return &internalError{err}
	}
	a.diagnostics(answer.Diagnostics)
	if answer.HasErrors() {
		a.code = exitUsage
		return nil
	}
	judgements(a, &answer)
	return nil
}

// verifier reads what is stored, and returns how to verify it and the time limit of the first run.
func (a *app) verifier(result string) (func(context.Context, query.Input, query.Options) (query.VerifyAnswer, error), time.Duration, error) {
	if file := openCertificate(result); file != nil {
		return func(ctx context.Context, program query.Input, opt query.Options) (query.VerifyAnswer, error) {
			defer file.Close()
			return a.services.certificate(ctx, program, file, opt)
		}, 0, nil
	}
	in, err := a.read(result)
	if err != nil {
		return nil, 0, err
	}
	sets, err := json.ReadTraces(in.Text)
	if err == nil && sets == nil {
		var stored []verdict.Result
		stored, err = json.Read(in.Text)
		if err == nil {
			limit := longestLimit(stored, func(r *verdict.Result) *verdict.Asked { return r.Asked })
			return func(ctx context.Context, in query.Input, opt query.Options) (query.VerifyAnswer, error) {
				return a.services.verify(ctx, in, stored, opt)
			}, limit, nil
		}
	}
	if err != nil {
		return nil, 0, unreadable(in.Name, err)
	}
	limit := longestLimit(sets, func(s *verdict.TraceSet) *verdict.Asked { return s.Asked })
	return func(ctx context.Context, in query.Input, opt query.Options) (query.VerifyAnswer, error) {
		return a.services.verifyTraces(ctx, in, sets, opt)
	}, limit, nil
}

// longestLimit returns the longest time limit of stored questions, 0 if none has one. Numbers of JSON are float64.
func longestLimit[T any](stored []T, asked func(*T) *verdict.Asked) time.Duration {
	var longest float64
	for i := range stored {
		if a := asked(&stored[i]); a != nil {
			n, _ := a.Options["timeout"].(float64)
			longest = max(longest, n)
		}
	}
	return time.Duration(longest)
}

// judgements prints what was found.
func judgements(a *app, answer *query.VerifyAnswer) {
	bad, open := 0, 0
	for i := range answer.Checks {
		c := &answer.Checks[i]
		head := text.Printable(fmt.Sprintf("%s under %s", c.Name, strings.ToUpper(string(c.Model))))
		shows, why := text.Printable(c.Shows), ""
		if c.Err != nil {
			why = text.Printable(c.Err.Error())
		}
		switch {
		case c.Err == nil && c.Steps > 0:
			fmt.Fprintf(a.stdout, "ok        %s: %s, shows %s\n", head, plural(c.Steps, "step"), shows)
			continue
		case c.Err == nil:
			fmt.Fprintf(a.stdout, "ok        %s: %s\n", head, shows)
			continue
		case c.Open:
			fmt.Fprintf(a.stdout, "OPEN      %s: %s\n", head, why)
			open++
			continue
		case c.Step >= 0:
			fmt.Fprintf(a.stdout, "REJECTED  %s: step %d of %d: %s\n", head, c.Step+1, c.Steps, stepPrefix.ReplaceAllString(why, ""))
		default:
			fmt.Fprintf(a.stdout, "REJECTED  %s: %s\n", head, why)
		}
		bad++
	}
	if len(answer.NotChecked) > 0 {
		fmt.Fprintf(a.stdout, "not checked: %s\n", strings.Join(answer.NotChecked, ", "))
	}
	switch {
	case len(answer.Checks) == 0:
		a.code = exitUnknown
		fmt.Fprintln(a.stdout, "nothing checked: there is no result in it")
	case bad > 0:
		a.code = exitViolated
		fmt.Fprintf(a.stdout, "%d of %s rejected\n", bad, plural(len(answer.Checks), "check"))
	case open > 0:
		a.code = exitUnknown
	}
}

func plural(n int, word string) string {
	if n == 1 {
		return "1 " + word
	}
	return fmt.Sprintf("%d %ss", n, word)
}
