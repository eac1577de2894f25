package cli

import (
	"context"
	"fmt"
	"slices"

	"fencepost/internal/render/dot"
	"fencepost/internal/render/text"
	"fencepost/query"

	"github.com/spf13/cobra"
)

const robustHelp = `Check whether a program is robust against TSO, or with --model pso against PSO:
whether every execution with store buffers has the same happens-before relation as
some execution without.

A program that is robust against TSO behaves on x86 as under sequential consistency
(SC): every property that holds under SC also holds on x86. The assertions, goals and final
condition of the program are ignored, and buffers have no bound. If the program is
not robust, the answer shows an attack: a store and a later load of the same thread
that the store can be delayed past, an execution in which this happens, and the
cycle in its happens-before relation. Under PSO a store can also be delayed past a
later store. A fence between the two stops this attack. --all lists every attack.

Against c11, C11's own model, the question is whether some SC execution has the same
reads, and the same last stores where the final condition depends on them; a data race
is an execution that SC does not have. The answer shows an execution that SC forbids,
without what it does not need, and its cycle. It holds within the bounds of loops.

--criterion asks a stronger or weaker question. trf asks whether the program is
free of triangular races, which implies robustness against TSO. state asks whether the program
has the same final states under SC and under --model; the answer is exact for
programs without loops, and bounded by --buffer for others.

--method instrument answers the same question in another way: for every store and
later load of a thread it writes an instrumented program that reaches a goal under
SC if the store can be delayed past the load and close a cycle. --emit-instrumented
prints one of these programs, after a list of all attacks with their numbers;
` + "`fencepost export --promela --attack N`" + ` writes it for SPIN.
FILE is a program, or - for standard input. Several C files form one program.

Exit codes: 0 robust, 1 not robust, 2 unknown, 3 bad input or usage, 4 internal
error.`

const robustExample = `  fencepost robust dekker.fp
  fencepost robust dekker.fp --all --json
  fencepost robust dekker.fp --certificate dekker.cert
  fencepost robust dekker.fp --dot | dot -Tsvg > cycle.svg
  fencepost robust dekker.fp --model tso,pso
  fencepost robust queue.c --model c11
  fencepost robust dekker.fp --criterion trf
  fencepost robust dekker.fp --criterion state --model pso`

func (a *app) robustCommand() *cobra.Command {
	opt := query.RobustOptions{Options: query.Defaults(), Criterion: query.CriterionTrace, Method: query.MethodSearch, Models: query.Models{query.TSO}}
	var asJSON, asDot, emit bool
	certificate := ""
	attack := 1
	cmd := &cobra.Command{
		Use:     "robust FILE...",
		Short:   "Check whether a program behaves on x86 as under SC",
		Long:    robustHelp,
		Example: robustExample,
		Args:    oneProgram,
		RunE: func(cmd *cobra.Command, args []string) error {
			if asJSON && asDot {
				return &usageError{"--json and --dot cannot be combined", "the JSON contains the graphs"}
			}
			if cmd.Flags().Changed("attack") && !emit {
				return &usageError{"--attack needs --emit-instrumented: it selects the program to print", "also give --emit-instrumented"}
			}
			if err := criterionFlags(cmd, &opt, asDot); err != nil {
				return err
			}
			if err := modelFlags(&opt, emit); err != nil {
				return err
			}
			if err := anyThreads(opt.AnyThreads, &opt.Options, opt.Domain); err != nil {
				return err
			}
			if emit {
				return a.show(args, query.ShowOptions{Options: opt.Options, Attack: attack})
			}
			done, err := provesRobust(a, certificate, args, &opt)
			if err != nil {
				return err
			}
			defer done()
			ask := func(ctx context.Context, in query.Input) (query.Answer, error) {
				return a.services.robust(ctx, in, opt)
			}
			return a.answer(args, &opt.Options, ask, func(answer query.Answer) error {
				if asDot {
					a.graphs(answer)
					return nil
				}
				return a.render(asJSON, answer)
			})
		},
	}
	addOptions(cmd, &opt)
	readC(cmd, &opt.Options)
	a.compileFlag(cmd)
	bind(cmd, "emit-instrumented", &emit)
	bind(cmd, "attack", &attack)
	bind(cmd, "certificate", &certificate)
	bind(cmd, "json", &asJSON)
	bind(cmd, "dot", &asDot)
	return cmd
}

// provesRobust prepares the file of a certificate, and refuses questions that have none.
func provesRobust(a *app, certificate string, names []string, opt *query.RobustOptions) (func(), error) {
	if (opt.Certified || certificate != "") && (opt.AnyThreads || opt.Criterion != query.CriterionTrace) {
		return nil, &usageError{"there are no proofs with --param, --criterion trf and --criterion state", "leave out --certified and --certificate"}
	}
	return proofFile(a, certificate, names, len(opt.Models), &opt.Proofs)
}

// criterionFlags looks whether the flags about the criterion fit together.
func criterionFlags(cmd *cobra.Command, opt *query.RobustOptions, asDot bool) error {
	state := opt.Criterion == query.CriterionState
	switch opt.Criterion {
	case query.CriterionTrace, query.CriterionTRF, query.CriterionState:
	default:
		return &usageError{fmt.Sprintf("unknown criterion %q", opt.Criterion), "want trace, trf or state"}
	}
	if asDot && opt.Criterion != query.CriterionTrace {
		return &usageError{fmt.Sprintf("--dot draws attacks, which --criterion %s does not look for", opt.Criterion), "leave one of the two options out"}
	}
	if !state && cmd.Flags().Changed("buffer") {
		return &usageError{"--buffer needs --criterion state", "leave --buffer out: with the other criteria, buffers have no bound"}
	}
	return nil
}

// modelFlags looks whether the models fit the other flags.
func modelFlags(opt *query.RobustOptions, emit bool) error {
	if slices.Contains(opt.Models, query.SC) {
		return &usageError{"--model sc: every program is robust against SC", "give --model tso, pso, or tso,pso"}
	}
	model := query.PSO
	if slices.Contains(opt.Models, query.C11) {
		model = query.C11
	}
	if !slices.Contains(opt.Models, model) {
		return nil
	}
	with := ""
	switch {
	case model == query.C11 && opt.Criterion == query.CriterionState:
		with = "--criterion state: final states are compared under TSO and PSO"
	case opt.Criterion == query.CriterionTRF:
		with = "--criterion trf: triangular races are about TSO"
	case opt.Method == query.MethodInstrument:
		with = "--method instrument: the instrumentation is that of TSO"
	case emit:
		with = "--emit-instrumented: the instrumentation is that of TSO"
	case opt.AnyThreads:
		with = "--param: robustness of any number of threads is decided for TSO only"
	default:
		return nil
	}
	return &usageError{"--model " + string(model) + " cannot be combined with " + with, "give --model tso"}
}

// graphs prints the attacks as graphs, and the answer itself to stderr, where it
// does not get in Graphviz's way.
func (a *app) graphs(answer query.Answer) {
	for i := range answer.Results {
		r := &answer.Results[i]
		fmt.Fprintln(a.stderr, text.Headline(r))
		for k := range r.Attacks {
			dot.Attack(a.stdout, &r.Attacks[k], a.out.relations)
		}
	}
}
