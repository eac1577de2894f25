package cli

import (
	"context"
	"fmt"
	"io"
	"os"

	"fencepost/query"

	"github.com/spf13/cobra"
)

const exportHelp = `Write a program and its properties in the language of another tool.

--promela writes a model for SPIN. SPIN knows only sequential consistency, so with
--model tso the store buffers become part of the model. A comment at the top of the
output says how to run SPIN and how to read its answer. If a part of the program
cannot be written in Promela, it is reported with its position.

With --attack N, the output is the instrumented program that decides whether attack N
on robustness is feasible: SPIN reports an error if it is. The command
  fencepost robust FILE --emit-instrumented
lists the attacks with their numbers.

Exit codes: 0 written, 2 the time limit was met, 3 bad input or usage.`

const exportExample = `  fencepost export dekker.fp --promela -o dekker.pml
  fencepost export dekker.fp --promela --model sc | less`

func (a *app) exportCommand() *cobra.Command {
	opt := query.ExportOptions{Options: query.Defaults()}
	var promela, pnml bool
	var output string
	cmd := &cobra.Command{
		Use:     "export FILE...",
		Short:   "Write a program for another tool",
		Long:    exportHelp,
		Example: exportExample,
		Args:    oneProgram,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := anyThreads(pnml, &opt.Options, opt.Domain); err != nil {
				return err
			}
			if promela == pnml {
				return &usageError{"want one of --promela and --pnml", fmt.Sprintf("try `%s %s --promela`", cmd.CommandPath(), args[0])}
			}
			opt.Format = query.ExportPromela
			if pnml {
				opt.Format = query.ExportPNML
			}
			if err := spares("-o", output, args); output != "" && err != nil {
				return err
			}
			return a.exportTo(args, output, opt)
		},
	}
	addOptions(cmd, &opt)
	flags := cmd.Flags()
	flags.BoolVar(&promela, "promela", false, "write Promela, for SPIN")
	flags.BoolVar(&pnml, "pnml", false, "write a Petri net for any number of threads: that of the program with --model sc, otherwise that of the robustness question")
	flags.StringVarP(&output, "output", "o", "", "`file` to write (default: standard output)")
	readC(cmd, &opt.Options)
	return cmd
}

func (a *app) exportTo(names []string, output string, opt query.ExportOptions) error {
	in, err := a.readProgram(names)
	if err != nil {
		return err
	}
	answer, err := a.written(func(ctx context.Context) (query.TextAnswer, error) { return a.services.export(ctx, in, opt) })
	if err != nil || answer.HasErrors() {
		return err
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
