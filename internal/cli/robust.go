package cli

import (
	"context"
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

--criterion asks for something stronger or weaker: trf for the absence of
triangular races, which implies robustness; state for equal final states under SC
and --model, exact for programs without loops and bounded by --buffer otherwise.

--method instrument answers the same in another way: for every store and later
load of a thread it makes a program that under SC comes to a goal if the store
can be delayed past the load and close a cycle. --emit-instrumented prints such
a program, with the numbers of all attacks in front; "fencepost export --promela
--attack N" writes it for SPIN.
FILE is a program, or - for standard input; several files of C are one program.

Exit codes: 0 robust, 1 not robust, 2 unknown, 3 bad input or usage, 4 internal
error.`

const robustExample = `  fencepost robust dekker.fp
  fencepost robust dekker.fp --all --json
  fencepost robust dekker.fp --dot | dot -Tsvg > cycle.svg
  fencepost robust dekker.fp --criterion trf
  fencepost robust dekker.fp --criterion state --model pso`

func (a *app) robustCommand() *cobra.Command {
	opt := fencepost.RobustOptions{Options: fencepost.Defaults()}
	criterion, model := string(fencepost.CriterionTrace), string(fencepost.TSO)
	var asJSON, asDot, emit bool
	var any paramFlags
	attack := 1
	method := choiceValue{value: string(fencepost.MethodSearch), choices: []string{string(fencepost.MethodSearch), string(fencepost.MethodInstrument)}}
	cmd := &cobra.Command{
		Use:     "robust FILE...",
		Short:   "Check whether a program behaves on x86 as under SC",
		Long:    robustHelp,
		Example: robustExample,
		Args:    oneProgram,
		RunE: func(cmd *cobra.Command, args []string) error {
			if asJSON && asDot {
				return &usageError{"--json and --dot cannot be combined", "the JSON has the graphs, too"}
			}
			if cmd.Flags().Changed("attack") && !emit {
				return &usageError{"--attack is the number of an attack to print", "give --emit-instrumented, too"}
			}
			opt.Criterion, opt.Model = fencepost.Criterion(criterion), fencepost.Model(model)
			if err := criterionFlags(cmd, &opt, asDot); err != nil {
				return err
			}
			opt.Method, opt.AnyThreads = fencepost.Method(method.value), any.on
			var err error
			if opt.Domain, err = any.set(&opt.Options); err != nil {
				return err
			}
			if emit {
				return a.show(args, fencepost.ShowOptions{Options: opt.Options, Attack: attack})
			}
			ask := func(ctx context.Context, in fencepost.Input) (fencepost.Answer, error) {
				return a.services.robust(ctx, in, opt)
			}
			return a.answer(args, &opt.Options, ask, func(answer fencepost.Answer) error {
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
	flags.StringVar(&criterion, "criterion", criterion, "what is asked: trace, trf or state")
	flags.StringVarP(&model, "model", "m", model, "memory model: tso, or pso with --criterion state")
	flags.BoolVar(&opt.KeepGoing, "all", false, "report every attack, not only the first")
	flags.Var(timeoutValue{&opt.Timeout}, "timeout", "time limit, such as 90s or 5m; 0: none")
	flags.Var(sizeValue{&opt.Memory}, "memory", "memory limit for stored states, such as 8GiB or 512MiB")
	flags.Var(boundValue{&opt.Buffer, fencepost.DefaultBuffer}, "buffer", "entries per store buffer in programs with loops, with --criterion state")
	flags.Var(boundValue{&opt.Unroll, fencepost.DefaultUnroll}, "unroll", "iterations of a loop, where a bound is needed")
	flags.Var(countValue{&opt.Threads, 1, maxCount}, "threads", "number of threads per template")
	any.flags(flags, &opt.Options, "decide it for any number of instances of templates")
	flags.Var(countValue{&opt.Workers, 0, maxWorkers}, "workers", "parallel workers; 0: one per core")
	flags.BoolVar(&opt.NoReduction, "no-reduction", false, "search without ruling out attacks first; with --criterion state, visit every interleaving")
	flags.StringVar(&opt.Lang, "lang", "", "language of the program (default: by the file's extension)")
	cFlags(flags, &opt.Options)
	flags.Var(methodValue{&method}, "method", "search: one search for all attacks; instrument: an SC query for each")
	flags.BoolVar(&emit, "emit-instrumented", false, "print the instrumented program of an attack and ask nothing")
	flags.Var(countValue{&attack, 1, maxCount}, "attack", "number of the attack to print")
	flags.BoolVar(&asJSON, "json", false, "print the result as JSON")
	flags.BoolVar(&asDot, "dot", false, "print the happens-before relation of each attack for Graphviz")
	return cmd
}

// criterionFlags looks whether the flags about the criterion fit together.
func criterionFlags(cmd *cobra.Command, opt *fencepost.RobustOptions, asDot bool) error {
	state := opt.Criterion == fencepost.CriterionState
	switch opt.Criterion {
	case fencepost.CriterionTrace, fencepost.CriterionTRF, fencepost.CriterionState:
	default:
		return &usageError{fmt.Sprintf("unknown criterion %q", opt.Criterion), "want trace, trf or state"}
	}
	if opt.Model != fencepost.TSO && !(state && opt.Model == fencepost.PSO) {
		return &usageError{fmt.Sprintf("--model %s does not go with --criterion %s", opt.Model, opt.Criterion), "robustness is against tso; --criterion state also takes pso"}
	}
	if asDot && opt.Criterion != fencepost.CriterionTrace {
		return &usageError{fmt.Sprintf("--dot draws attacks, and --criterion %s has none", opt.Criterion), "leave one of the two out"}
	}
	if !state && cmd.Flags().Changed("buffer") {
		return &usageError{"--buffer goes with --criterion state only", "otherwise buffers have no bound"}
	}
	return nil
}

// methodValue is a choice that help calls a method.
type methodValue struct{ *choiceValue }

func (methodValue) Type() string { return "method" }

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
