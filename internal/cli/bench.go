package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"fencepost"
	"fencepost/query"
	"fencepost/render"
	"fencepost/verdict"

	"github.com/spf13/cobra"
)

func benchHelp() string {
	var b strings.Builder
	b.WriteString("Run our versions of the programs of the papers, and print our figures beside those of\nthe papers. Without a name, the tables are listed; several names run one after the other.\n\nThe tables:\n")
	for _, t := range fencepost.BenchTables() {
		fmt.Fprintf(&b, "  %-9s %s\n", t.Name, t.Doc)
	}
	b.WriteString(`
The programs are in the binary; fencepost gen writes the members of their families.
--dir runs the programs of a directory in Trencher's language instead, with the
figures of its file expected.tsv.

Exit codes: 0 every answer is that of the paper, 1 one is another, 2 a program has no
answer within --timeout, 3 bad usage, 4 internal error.`)
	return b.String()
}

const benchExample = `  fencepost bench movers
  fencepost bench scaling lazy --timeout 5m --csv figures.csv --svg plots.svg --html figures.html
  fencepost bench trencher --dir trencher/examples`

type benchFlags struct {
	opt            query.BenchOptions
	csv, svg, html string
}

func (a *app) benchCommand() *cobra.Command {
	f := &benchFlags{}
	f.opt.Timeout = time.Minute
	cmd := &cobra.Command{
		Use:     "bench [TABLE...]",
		Short:   "Run the tables of the papers again",
		Long:    benchHelp(),
		Example: benchExample,
		RunE:    func(_ *cobra.Command, args []string) error { return bench(a, args, f) },
	}
	for _, t := range fencepost.BenchTables() {
		cmd.ValidArgs = append(cmd.ValidArgs, t.Name)
	}
	addOptions(cmd, &f.opt)
	bind(cmd, "csv", &f.csv)
	bind(cmd, "svg", &f.svg)
	bind(cmd, "html", &f.html)
	return cmd
}

func bench(a *app, names []string, f *benchFlags) error {
	if len(names) == 0 {
		for _, t := range fencepost.BenchTables() {
			fmt.Fprintf(a.stdout, "%-9s %s\n", t.Name, t.Doc)
		}
		return nil
	}
	if f.opt.Memory == 0 {
		f.opt.Memory = defaultMemory()
	}
	files := []runFile[verdict.Bench]{{"--csv", f.csv, render.BenchCSV}, {"--svg", f.svg, render.BenchSVG}, {"--html", f.html, render.BenchHTML}}
	files = slices.DeleteFunc(files, func(one runFile[verdict.Bench]) bool { return one.name == "" })
	taken := ""
	for _, one := range files {
		if err := tryOutput(&taken, one.flag, one.name); err != nil {
			return err
		}
	}
	report := a.stdout
	if taken != "" { // what is piped must be one document
		a.stdout = a.stderr
		defer func() { a.stdout = report }()
	}
	var list []verdict.Bench
	for _, name := range names {
		opt := f.opt
		tested, _, finish := withLine[*verdict.BenchRow](a, "programs", opt.Timeout, nil)
		opt.Tested = tested
		table, err := interruptible(a, func() {}, func(ctx context.Context) (verdict.Bench, error) { return a.services.bench(ctx, name, opt) })
		finish()
		if errors.Is(err, context.Canceled) {
			err = nil
		}
		if err != nil {
			return &usageError{err.Error(), "see `fencepost bench --help`"}
		}
		list = append(list, table)
		if err := render.Bench(a.stdout, &table, render.TextOptions{}); err != nil {
			return &internalError{err}
		}
		a.code = worst(a.code, benchExit(&table))
	}
	if err := writeFiles(a, report, files, list); err != nil {
		return err
	}
	return nil
}

// benchExit is the exit code of a table.
func benchExit(b *verdict.Bench) int {
	code := exitHolds
	for i := range b.Rows {
		switch r := &b.Rows[i]; {
		case r.Note != "":
			code = worst(code, exitUnknown)
		case r.Differs():
			code = worst(code, exitViolated)
		}
	}
	return code
}
