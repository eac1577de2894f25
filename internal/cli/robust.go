package cli

import (
	"fmt"

	"fencepost"
	"fencepost/internal/render/dot"
	"fencepost/internal/render/text"

	"github.com/spf13/cobra"
)

const robustHelp = `Check whether a program is robust against TSO: whether every execution with
store buffers has the happens-before relation of one without.

A robust program behaves on x86 as under sequential consistency, so whatever
holds there holds on x86, too. The program's assertions, goals and final
condition play no part, and buffers have no bound. If the program is not robust,
the answer names a store and a later load it can be delayed past, with an
execution and the cycle in its happens-before relation; a fence between the two
stops this attack. --all lists every such pair.
FILE is a program, or - for standard input.

Exit codes: 0 robust, 1 not robust, 2 unknown, 3 bad input or usage, 4 internal
error.`

const robustExample = `  fencepost robust dekker.fp
  fencepost robust dekker.fp --all --json
  fencepost robust dekker.fp --dot | dot -Tsvg > cycle.svg`

func (a *app) robustCommand() *cobra.Command {
	opt := fencepost.Defaults()
	var asJSON, asDot bool
	cmd := &cobra.Command{
		Use:     "robust FILE",
		Short:   "Check whether a program behaves on x86 as under SC",
		Long:    robustHelp,
		Example: robustExample,
		Args:    oneFile,
		RunE: func(_ *cobra.Command, args []string) error {
			if asJSON && asDot {
				return &usageError{"--json and --dot cannot be combined", "the JSON has the graphs, too"}
			}
			return a.answer(args[0], opt, a.services.robust, func(answer fencepost.Answer) error {
				if asDot {
					a.graphs(answer)
					return nil
				}
				return a.render(asJSON, answer)
			})
		},
	}
	flags := cmd.Flags()
	flags.SortFlags = false
	flags.BoolVar(&opt.KeepGoing, "all", false, "report every attack, not only the first")
	flags.Var(timeoutValue{&opt.Timeout}, "timeout", "time limit such as 90s or 5m; 0 for none")
	flags.Var(sizeValue{&opt.Memory}, "memory", "limit for stored states, such as 8GiB or 512MiB")
	flags.Var(countValue{&opt.Unroll, 1, maxCount}, "unroll", "runs of a loop body where a bound is needed")
	flags.Var(countValue{&opt.Threads, 1, maxCount}, "threads", "instances of templates with any number of threads")
	flags.Var(countValue{&opt.Workers, 0, maxWorkers}, "workers", "searches side by side; 0 for one per core")
	flags.StringVar(&opt.Lang, "lang", "", "language of the program; by the file's extension if not given")
	cFlags(flags, &opt)
	flags.BoolVar(&asJSON, "json", false, "print the result as JSON")
	flags.BoolVar(&asDot, "dot", false, "print the happens-before relation of each attack for Graphviz")
	return cmd
}

// graphs prints the attacks as graphs, and the answer itself to stderr, where it
// does not get in Graphviz's way.
func (a *app) graphs(answer fencepost.Answer) {
	for i := range answer.Results {
		r := &answer.Results[i]
		fmt.Fprintln(a.stderr, text.Headline(r))
		for k := range r.Attacks {
			dot.Attack(a.stdout, &r.Attacks[k])
		}
	}
}
