package cli

import (
	"context"
	"path/filepath"

	"fencepost/query"

	"github.com/spf13/cobra"
)

const fuzzHelp = `Run a program again and again under random schedules, and look for an execution that
violates an assertion, a goal or the final condition, or has a memory error. It is for
programs that check cannot decide because they are too large.

A schedule gives threads and store buffers random priorities: the first one that can take
a step takes it. At up to --depth random moments the one that is about to take a step
gets a low priority instead. A bug that needs few such moments is found soon.

Execution number i has the seed that --seed says, plus i. What is found says its seed:
--seed S --runs 1 runs that execution again. It is replayed, shortened and explained as
check does.

The answer is never safe: it is unsafe, or unknown with the number of executions, and
with the part of the program's instructions before which another thread ran.

A header is a library, as for lin: clients of it with 40 random calls are run, and what
they return is compared with the calls made one at a time. ` + "`fencepost lin FILE --fuzz 40`" + `
says more about the operations.

Exit codes: 1 violated, 2 unknown, 3 bad input or usage, 4 internal error, and 0 where
the program asks whether a final state exists, and one was found.`

const fuzzExample = `  fencepost fuzz server.c
  fencepost fuzz queue.h
  fencepost fuzz server.c --model sc,tso,pso,c11 --timeout 10m
  fencepost fuzz queue.c --runs 100000 --depth 8 --workers 4
  fencepost fuzz queue.c --seed 1742 --runs 1 --html found.html`

// isHeader reports whether a file is a header, which has no main.
func isHeader(name string) bool { return filepath.Ext(name) == ".h" }

// programOrLibrary demands a program, or a header with the C files that it needs.
func programOrLibrary(cmd *cobra.Command, args []string) error {
	if len(args) > 0 && isHeader(args[0]) {
		return oneLibrary(cmd, args)
	}
	return oneProgram(cmd, args)
}

// maxSeed bounds seeds and numbers of executions.
const maxSeed = 1 << 40

func fuzzCommand(a *app) *cobra.Command {
	opt := query.FuzzOptions{Options: query.Defaults(), Models: query.Models{query.TSO}, Seed: 1}
	var asJSON bool
	cmd := &cobra.Command{
		Use:     "fuzz FILE...",
		Short:   "Look for violations in executions under random schedules",
		Long:    fuzzHelp,
		Example: fuzzExample,
		Args:    programOrLibrary,
		RunE: func(_ *cobra.Command, args []string) error {
			if opt.Runs == 0 && opt.Timeout == 0 {
				return &usageError{"fuzz without a time limit needs a number of executions", "give --runs, or --timeout"}
			}
			ask := func(ctx context.Context, in query.Input) (query.Answer, error) { return a.services.fuzz(ctx, in, opt) }
			if isHeader(args[0]) {
				lin := query.LinOptions{Options: opt.Options, Models: opt.Models, Fuzz: query.DefaultFuzz, Seed: opt.Seed, Runs: opt.Runs, Depth: opt.Depth}
				if !asJSON {
					lin.Found = a.saysObject(args[0])
				}
				ask = func(ctx context.Context, in query.Input) (query.Answer, error) {
					lin.Options = opt.Options // with the progress
					return a.services.lin(ctx, in, lin)
				}
			}
			return a.answer(args, &opt.Options, ask, func(answer query.Answer) error { return a.render(asJSON, answer) })
		},
	}
	addOptions(cmd, &opt)
	readC(cmd, &opt.Options)
	bind(cmd, "json", &asJSON)
	return cmd
}
