package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"

	"fencepost/query"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

const exportHelp = `Write a program and its properties in the language of another tool.

--promela writes a model for SPIN. SPIN knows only sequential consistency, so with
--model tso the store buffers become part of the model. A comment at the top of the
output says how to run SPIN and how to read its answer. If a part of the program
cannot be written in Promela, it is reported with its position.

--litmus writes a litmus test for X86_64, as herd7 and litmus7 read it. Loops beside
assertions are unrolled (--unroll).

--c writes C11 with pthreads and atomics, for verifiers of C and for compilers.

--dimacs and --smt2 write the formula of the engine bmc, with its bounds, for SAT and
SMT solvers; report --model shows the execution of a solver's answer.

--sequential writes the sequential program that bmc encodes with rounds, in C; a
comment at its top says how to run it with all choices. With --choices FILE, bmc
searches for a violation, and the choices of its execution are written for ./a.out file FILE.

With --attack N and --promela, the output is the instrumented program that decides whether attack N
on robustness is feasible: SPIN reports an error if it is. The command
  fencepost robust FILE --emit-instrumented
lists the attacks with their numbers.

Exit codes: 0 written, 2 the time limit was met, 3 bad input or usage.`

const exportExample = `  fencepost export dekker.fp --promela -o dekker.pml
  fencepost export dekker.fp --promela --model sc | less
  fencepost export sb.fp --litmus -o sb.litmus
  fencepost export sb.fp --dimacs --model pso -o sb.cnf`

func (a *app) exportCommand() *cobra.Command {
	opt := query.ExportOptions{Options: query.Defaults()}
	var output, choices string
	cmd := &cobra.Command{
		Use:     "export FILE...",
		Short:   "Write a program for another tool",
		Long:    exportHelp,
		Example: exportExample,
		Args:    oneProgram,
		RunE: func(cmd *cobra.Command, args []string) error {
			if opt.Format == "" {
				return &usageError{"want one of " + formatFlags(), fmt.Sprintf("try `%s %s --promela`", cmd.CommandPath(), args[0])}
			}
			if err := anyThreads(opt.Format == query.ExportPNML, &opt.Options, opt.Domain); err != nil {
				return err
			}
			if err := spares("-o", output, args); output != "" && err != nil {
				return err
			}
			if err := spares("--choices", choices, args); choices != "" && err != nil {
				return err
			}
			if opt.Choices = choices != ""; opt.Choices && opt.Format != query.ExportSequential {
				return &usageError{"--choices is for --sequential only", "leave it out"}
			}
			return a.exportTo(args, output, choices, opt)
		},
	}
	addOptions(cmd, &opt)
	bind(cmd, "output", &output)
	bind(cmd, "choices", &choices)
	readC(cmd, &opt.Options)
	return cmd
}

// formatFlags lists the flags that choose a format.
func formatFlags() string {
	var flags []string
	for _, f := range query.ExportFormats() {
		flags = append(flags, "--"+string(f))
	}
	return strings.Join(flags, ", ")
}

// formatValue is a flag without a value that chooses a format.
type formatValue struct {
	at     *query.ExportFormat
	format query.ExportFormat
}

// format makes the flag of a format.
func format(f query.ExportFormat) value {
	return func(at any) pflag.Value { return formatValue{at.(*query.ExportFormat), f} }
}

func (v formatValue) Type() string     { return "bool" }
func (v formatValue) IsBoolFlag() bool { return true }
func (v formatValue) String() string {
	return strconv.FormatBool(v.at != nil && *v.at == v.format)
}

func (v formatValue) Set(s string) error {
	on, err := strconv.ParseBool(s)
	switch {
	case err != nil:
		return errors.New("want true or false")
	case on && *v.at != "" && *v.at != v.format:
		return fmt.Errorf("want one of %s", formatFlags())
	case on:
		*v.at = v.format
	case *v.at == v.format:
		*v.at = ""
	}
	return nil
}

func (a *app) exportTo(names []string, output, choices string, opt query.ExportOptions) error {
	answer, ok, err := a.written(names, func(ctx context.Context, in query.Input) (query.TextAnswer, error) {
		return a.services.export(ctx, in, opt)
	})
	if !ok {
		return err
	}
	if answer.Choices != "" {
		if err := os.WriteFile(choices, []byte(answer.Choices), 0o644); err != nil {
			return cannotWrite(choices, err, "check the path given with --choices")
		}
		wrote(a, choices, "")
	} else if choices != "" {
		fmt.Fprintln(a.stderr, "no violation within the bounds: there are no choices to write")
	}
	if output == "" {
		io.WriteString(a.stdout, answer.Text)
		return nil
	}
	if err := os.WriteFile(output, []byte(answer.Text), 0o644); err != nil {
		return cannotWrite(output, err, "check the path given with -o")
	}
	wrote(a, output, "")
	return nil
}
