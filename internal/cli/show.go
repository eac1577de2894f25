package cli

import (
	"io"
	"strings"

	"fencepost"

	"github.com/spf13/cobra"
)

const showHelp = `Print how fencepost reads a program: its threads as automata, whose edges are
the operations.

The structured form is what the front end made of the text, with calls; the
flat form is what the engines search, one automaton per thread.`

const showExample = `  fencepost show dekker.fp
  fencepost show dekker.fp --flat
  fencepost show dekker.fp --dot | dot -Tsvg > dekker.svg`

func (a *app) showCommand() *cobra.Command {
	opt := fencepost.Defaults()
	var flat, dot bool
	cmd := &cobra.Command{
		Use:     "show FILE...",
		Short:   "Print how a program is represented",
		Long:    showHelp,
		Example: showExample,
		Args:    oneProgram,
		RunE: func(_ *cobra.Command, args []string) error {
			switch {
			case flat && dot:
				return &usageError{"--flat and --dot cannot be combined", "give one of them"}
			case flat:
				return a.show(args, fencepost.ShowFlat, opt)
			case dot:
				return a.show(args, fencepost.ShowDot, opt)
			default:
				return a.show(args, fencepost.ShowStructured, opt)
			}
		},
	}
	flags := cmd.Flags()
	flags.SortFlags = false
	flags.BoolVar(&flat, "flat", false, "print one automaton per thread, calls inlined")
	flags.BoolVar(&dot, "dot", false, "print a graph for Graphviz")
	flags.Var(boundValue{&opt.Unroll, fencepost.DefaultUnroll}, "unroll", "runs of a loop body where a bound is needed")
	flags.Var(countValue{&opt.Threads, 1, maxCount}, "threads", "instances of templates with any number of threads")
	flags.StringVar(&opt.Lang, "lang", "", "language of the program; by the file's extension if not given")
	cFlags(flags, &opt)
	return cmd
}

func (a *app) show(names []string, form fencepost.ShowForm, opt fencepost.Options) error {
	in, err := a.readProgram(names)
	if err != nil {
		return err
	}
	out, diagnostics, err := a.services.show(in, form, opt)
	if err != nil {
		return &internalError{err}
	}
	a.diagnostics(diagnostics)
	if (fencepost.Answer{Diagnostics: diagnostics}).HasErrors() {
		a.code = exitUsage
		return nil
	}
	if out != "" && !strings.HasSuffix(out, "\n") {
		out += "\n"
	}
	io.WriteString(a.stdout, out)
	return nil
}
