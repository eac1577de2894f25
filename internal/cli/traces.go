package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"fencepost/internal/render/dot"
	"fencepost/internal/render/json"
	"fencepost/internal/render/text"
	"fencepost/query"
	"fencepost/render"
	"fencepost/verdict"

	"github.com/spf13/cobra"
)

const tracesHelp = `List the Shasha-Snir traces of a program under a memory model. A trace says which
load reads from which store, and in which order stores reach memory. No thread can
distinguish two executions that have the same trace.

Exactly one execution is explored for each trace that comes to its end. A check that
fails ends its thread, the others run to their end, and the trace is marked "fails".
Executions in which a thread stops at an assumption or waits for ever have no trace:
the last line says how many were explored, and --blocked lists them, too, one for each
class of what its loads read.
--by reads-from lists reads-from classes instead: executions in which every load reads
from the same store. There are fewer of them, since the order of stores that no load
tells apart does not count. With --algorithm, traces are explored and each class is
listed once.
--count only prints the number of traces, those in which a check fails included, which
is faster. It takes several models, such as --model sc,tso,c11.
Under c11 an execution is a graph: what each load reads from, and the order of the stores
to each location. --count counts graphs, and with --by reads-from classes.
--cross-check explores by traces and by reads-from classes, with two different
algorithms, and compares the classes.
FILE is a program, or - for standard input. Several C files form one program.

Exit codes: 0 all traces were found, 2 there may be more (a bound or the time
limit was reached), 3 bad input or usage, 4 internal error.`

const tracesExample = `  fencepost traces dekker.fp
  fencepost traces dekker.fp --html traces.html
  fencepost traces dekker.fp --model pso --dot | dot -Tsvg -O
  fencepost traces queue.c --count
  fencepost traces queue.c --count --model sc,tso,c11
  fencepost traces queue.c --by reads-from --count --cross-check`

type tracesFlags struct {
	model            anyModelsValue
	count, json, dot bool
	opt              query.TraceOptions
}

func (a *app) tracesCommand() *cobra.Command {
	f := &tracesFlags{model: anyModelsValue{query.TSO}, opt: query.TraceOptions{Options: query.Defaults()}}
	cmd := &cobra.Command{
		Use:     "traces FILE...",
		Short:   "List or count the traces of a program",
		Long:    tracesHelp,
		Example: tracesExample,
		Args:    oneProgram,
		RunE: func(_ *cobra.Command, args []string) error {
			switch {
			case len(f.model) != 1 && !f.count:
				return &usageError{"traces lists one model at a time", "give --model sc, tso or pso, or count with --count"}
			case f.json && f.dot:
				return &usageError{"--json and --dot cannot be combined", "the JSON contains the graphs"}
			case f.count && f.opt.Blocked:
				return &usageError{"--count cannot be combined with --blocked", "the count says how many executions are blocked"}
			case f.count && (f.dot || a.out.any()):
				return &usageError{"--count cannot be combined with --dot, --svg or --html", "without --count the traces are listed"}
			}
			if f.count {
				return a.countTraces(args, f)
			}
			return a.traces(args, f)
		},
	}
	addOptions(cmd, &f.opt)
	bind(cmd, "model", &f.model)
	bind(cmd, "count", &f.count)
	readC(cmd, &f.opt.Options)
	a.compileFlag(cmd)
	bind(cmd, "json", &f.json)
	bind(cmd, "dot", &f.dot)
	return cmd
}

func (a *app) traces(names []string, f *tracesFlags) error {
	var all []verdict.Trace
	each := &f.opt.Each
	files := a.out.any()
	switch {
	case f.json || files:
		*each = func(t *verdict.Trace) { all = append(all, *t) }
	case f.dot:
		*each = func(t *verdict.Trace) { dot.Trace(a.stdout, t, a.out.relations) }
	default:
		*each = func(t *verdict.Trace) { text.Trace(a.stdout, t); fmt.Fprintln(a.stdout) }
	}
	in, err := a.readProgram(names)
	if err != nil {
		return err
	}
	set, err := a.tracesUnder(in, f, f.model[0])
	if set == nil {
		return err
	}
	set.Traces = all
	printed, err := writeTraces(a, set)
	if err != nil {
		return err
	}
	switch {
	case printed:
		text.TraceSet(a.stderr, set, false)
	case files && !f.json && !f.dot:
		for i := range all {
			text.Trace(a.stdout, &all[i])
			fmt.Fprintln(a.stdout)
		}
		text.TraceSet(a.stdout, set, false)
	case f.json:
		if err := json.Traces(a.stdout, set); err != nil {
			return &internalError{err}
		}
	case f.dot:
		text.TraceSet(a.stderr, set, false)
	default:
		text.TraceSet(a.stdout, set, false)
	}
	return nil
}

// tracesUnder asks for the traces under a model. It returns nil if there are none to show.
func (a *app) tracesUnder(in query.Input, f *tracesFlags, model query.Model) (*verdict.TraceSet, error) {
	f.opt.Model, f.opt.Fingerprint = model, f.json
	var answer query.TraceAnswer
	_, err := a.ask(in, &f.opt.Options, func(ctx context.Context, in query.Input) (query.Answer, error) {
		var err error
		answer, err = a.services.traces(ctx, in, f.opt)
		return query.Answer{}, err
	})
	if err != nil && !errors.Is(err, context.Canceled) {
		return nil, &internalError{err}
	}
	a.diagnostics(answer.Diagnostics)
	if answer.HasErrors() {
		a.code = exitUsage
		return nil, nil
	}
	set := &answer.Set
	if set.Reason != "" || !set.Coverage.Exhaustive {
		a.code = exitUnknown
	}
	return set, nil
}

// countTraces prints numbers: of one model alone, or of each with its model. Standard error says what they leave out.
func (a *app) countTraces(names []string, f *tracesFlags) error {
	in, err := a.readProgram(names)
	if err != nil {
		return err
	}
	var sets []*verdict.TraceSet
	for _, m := range f.model {
		set, err := a.tracesUnder(in, f, m)
		if set == nil {
			return err
		}
		sets = append(sets, set)
		switch {
		case f.json:
			continue
		case len(f.model) > 1:
			fmt.Fprintf(a.stdout, "%s %d\n", m, set.Count+set.Failing)
		default:
			fmt.Fprintln(a.stdout, set.Count+set.Failing)
		}
		if set.Reason != "" || !set.Coverage.Exhaustive {
			text.TraceSet(a.stderr, set, true)
		}
	}
	if f.json {
		if err := json.Traces(a.stdout, sets...); err != nil {
			return &internalError{err}
		}
	}
	return nil
}

// writeTraces writes the files of traces, and reports whether one went to standard output.
func writeTraces(a *app, set *verdict.TraceSet) (printed bool, err error) {
	list := a.out.list()
	for i := range list {
		draw := map[string]func(io.Writer, *verdict.TraceSet, ...render.Relations) error{
			"--html": render.TracesHTML, "--svg": render.TracesSVG, "--dot": render.TracesDOT,
		}[list[i].flag]
		if draw == nil {
			return false, &usageError{"traces cannot be written as " + strings.TrimPrefix(list[i].flag, "--"), "use --html, --svg or --dot"}
		}
		list[i].write = func(w io.Writer, _ query.Answer) error { return draw(w, set, a.out.relations) }
	}
	return writeList(a, list, query.Answer{})
}
