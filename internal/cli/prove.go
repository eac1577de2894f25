package cli

import (
	"context"
	"errors"

	"fencepost"

	"github.com/spf13/cobra"
)

const proveHelp = `Prove that a program reaches the same shared states with and without store
buffers, for any number of threads and any data, and that its assertions hold.

Each store must move left across whatever other threads do, or every load that
can overtake it must move right; an SMT solver checks this for two instructions at
a time. The answer is a table: every store and why it is atomic, or the pairs of
instructions in the way, each with a state, and what would help; then every
assertion, proved by induction or by a search under SC, or not. The last line has
the paper's PO (proof obligations) and VT (time).

Templates ("thread worker * n", in C --replicate or //@ replicate in front of the
function) stand for any number of threads. Invariants ("invariant e;", in C
//@ invariant e in front of a statement, //@ global e) are checked and used; simple
ones are found. Loads and read-modify-writes in the way may be made to do more than
they do: then the proof is about the program abstracted in this way, and what holds of
that under SC holds of the program under TSO.

A failed proof says nothing about the program. Needs z3 or cvc5.
FILE is a program, or - for standard input.

Exit codes: 0 proved, what the program asserts included; 2 not proved; 3 bad input
or usage or no solver; 4 internal error.`

const proveExample = `  fencepost prove queue.fp
  fencepost prove queue.c --replicate worker
  fencepost prove queue.fp --no-abstraction --json`

// arithmeticValue is how numbers are taken.
type arithmeticValue struct{ how *fencepost.Arithmetic }

func (v arithmeticValue) String() string { return string(*v.how) }
func (arithmeticValue) Type() string     { return "int|bv" }

func (v arithmeticValue) Set(s string) error {
	if n := fencepost.Arithmetic(s); n != fencepost.Integers && n != fencepost.BitVectors {
		return errors.New("not int or bv")
	}
	*v.how = fencepost.Arithmetic(s)
	return nil
}

func (a *app) proveCommand() *cobra.Command {
	opt := fencepost.ProveOptions{Options: fencepost.Defaults()}
	var asJSON bool
	cmd := &cobra.Command{
		Use:     "prove FILE...",
		Short:   "Prove that any number of threads behave on x86 as under SC",
		Long:    proveHelp,
		Example: proveExample,
		Args:    oneProgram,
		RunE: func(_ *cobra.Command, args []string) error {
			ask := func(ctx context.Context, in fencepost.Input) (fencepost.Answer, error) {
				return a.services.prove(ctx, in, opt)
			}
			return a.answer(args, &opt.Options, ask, func(answer fencepost.Answer) error { return a.render(asJSON, answer) })
		},
	}
	flags := cmd.Flags()
	flags.SortFlags = false
	flags.BoolVar(&opt.NoInference, "no-inference", false, "use the invariants given and look for no others")
	flags.BoolVar(&opt.NoAbstraction, "no-abstraction", false, "abstract no loads")
	flags.Var(arithmeticValue{&opt.Arithmetic}, "arithmetic", "numbers: int (they never wrap) or bv (exact); by the program if not given")
	flags.StringVar(&opt.Replicate, "replicate", "", "with C, the function whose threads stand for any number of threads")
	flags.Var(timeoutValue{&opt.Timeout}, "timeout", "time limit, such as 90s or 5m; 0: none")
	flags.Var(countValue{&opt.Threads, 1, maxCount}, "threads", "so many instances of templates instead of any number")
	flags.StringVar(&opt.Lang, "lang", "", "language of the program (default: by the file's extension)")
	cFlags(flags, &opt.Options)
	flags.BoolVar(&asJSON, "json", false, "print the result as JSON")
	return cmd
}
