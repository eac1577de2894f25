package cli

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"fencepost"
	"fencepost/internal/render/markdown"
	"fencepost/internal/render/text"
	"fencepost/query"
	"fencepost/render"
	"fencepost/verdict"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// outputs are the files an answer is written to beside what is printed. "-" is
// standard output, and then the answer itself is a line on standard error.
type outputs struct {
	html, svg, dot, sarif, summary string
	relations                      render.Relations // their names in pictures and pages
}

// fileValue is a file to write.
type fileValue struct{ name *string }

func (fileValue) Type() string { return "file" }

func (v fileValue) String() string {
	if v.name == nil {
		return ""
	}
	return *v.name
}

func (v fileValue) Set(s string) error {
	if s == "" {
		return fmt.Errorf("want a file name, or - for standard output")
	}
	*v.name = s
	return nil
}

// writers are the commands whose answers can be written to files.
var writers = []string{"check", "robust", "fences", "orders", "lin", "fuzz", "prove", "litmus", "traces", "report"}

// flags adds the options to a command. One that prints its graphs with --dot goes on
// doing so; --dot=FILE writes them.
func (o *outputs) flags(cmd *cobra.Command) {
	flags := cmd.Flags()
	bind(cmd, "html", &o.html)
	bind(cmd, "svg", &o.svg)
	if old := flags.Lookup("dot"); old != nil {
		old.Value, old.NoOptDefVal = dotValue{fileValue{&o.dot}, old.Value}, "-"
	} else {
		bind(cmd, "dot", &o.dot)
		flags.Lookup("dot").NoOptDefVal = "-"
	}
	bind(cmd, "relations", &o.relations)
	if cmd.Name() != "traces" { // which are no alerts
		bind(cmd, "sarif", &o.sarif)
		bind(cmd, "summary", &o.summary)
	}
	cmd.PreRunE = func(_ *cobra.Command, args []string) error {
		json, dot := flags.Lookup("json"), flags.Lookup("dot")
		if err := o.check(json != nil && json.Value.String() == "true", dot.Value.String() == "true"); err != nil {
			return err
		}
		taken := args
		for _, one := range o.list() {
			if err := spares(one.flag, one.name, taken); err != nil {
				return err
			}
			taken = append(slices.Clone(taken), one.name)
		}
		for _, one := range o.list() { // before the search, which may take long
			if err := writable(one.name); err != nil {
				return cannotWrite(one.name, err, fmt.Sprintf("check the path given with %s", one.flag))
			}
		}
		return nil
	}
}

// writable reports why a file cannot be written. It changes nothing: a file that exists is
// opened, and for a new one a file is made beside it and removed.
func writable(name string) error {
	if name == "-" {
		return nil
	}
	info, err := os.Stat(name)
	switch {
	case err == nil && !info.Mode().IsRegular() && !info.IsDir():
		return nil // a pipe or a device: opening it could wait
	case err == nil:
		f, err := os.OpenFile(name, os.O_WRONLY, 0)
		if err != nil {
			return err
		}
		return f.Close()
	}
	f, err := os.CreateTemp(filepath.Dir(name), ".fencepost-*")
	if err != nil {
		return err
	}
	return errors.Join(f.Close(), os.Remove(f.Name()))
}

// runFile is a file about a whole run: its option, its name and how it is written.
type runFile[T any] struct {
	flag, name string
	write      func(io.Writer, []T) error
}

// writeFiles writes the files of a run; "-" is the standard output.
func writeFiles[T any](a *app, stdout io.Writer, files []runFile[T], list []T) error {
	for _, one := range files {
		var out bytes.Buffer
		if err := one.write(&out, list); err != nil {
			return &internalError{err}
		}
		if one.name == "-" {
			stdout.Write(out.Bytes())
		} else if err := os.WriteFile(one.name, out.Bytes(), 0o644); err != nil {
			return cannotWrite(one.name, err, "check the path given with "+one.flag)
		} else {
			wrote(a, one.name, "")
		}
	}
	return nil
}

// cannotWrite is the error about a file that cannot be written.
func cannotWrite(name string, err error, hint string) error {
	if at := (*fs.PathError)(nil); errors.As(err, &at) {
		err = at.Err // of the file beside it
	}
	return &usageError{fmt.Sprintf("cannot write %s: %v", name, err), hint}
}

// spares refuses to write to a file that is read, or written by another option.
func spares(flag, name string, taken []string) error {
	for _, other := range taken {
		same := filepath.Clean(other) == filepath.Clean(name)
		if a, err := os.Stat(name); err == nil && !same {
			b, err := os.Stat(other)
			same = err == nil && a.Mode().IsRegular() && os.SameFile(a, b)
		}
		if same && name != "-" {
			return &usageError{fmt.Sprintf("%s would overwrite %s", flag, other), "give another file"}
		}
	}
	return nil
}

// dotValue is a switch that also takes a file.
type dotValue struct {
	fileValue
	old pflag.Value
}

func (v dotValue) String() string {
	if v.old != nil && v.old.String() == "true" {
		return "true"
	}
	return v.fileValue.String()
}

func (v dotValue) Set(s string) error {
	if s == "-" {
		return v.old.Set("true")
	}
	return v.fileValue.Set(s)
}

// relationsValue is the names of relations.
type relationsValue struct{ names *render.Relations }

func (relationsValue) Type() string { return "names" }

func (v relationsValue) String() string {
	if v.names != nil && *v.names == render.PaperNames {
		return "papers"
	}
	return "herd"
}

func (v relationsValue) Set(s string) error {
	switch s {
	case "herd":
		*v.names = render.HerdNames
	case "papers":
		*v.names = render.PaperNames
	default:
		return fmt.Errorf("want herd or papers")
	}
	return nil
}

// output is one of the files.
type output struct {
	flag, name string
	write      func(io.Writer, query.Answer) error
}

func (o *outputs) list() []output {
	var out []output
	for _, one := range []output{
		{"--html", o.html, func(w io.Writer, a query.Answer) error { return render.HTML(w, a.Results, o.relations) }},
		{"--svg", o.svg, func(w io.Writer, a query.Answer) error { return render.SVG(w, a.Results, o.relations) }},
		{"--dot", o.dot, func(w io.Writer, a query.Answer) error { return render.DOT(w, a.Results, o.relations) }},
		{"--sarif", o.sarif, func(w io.Writer, a query.Answer) error {
			return render.SARIF(w, a.Results, a.Diagnostics, fencepost.Version())
		}},
		{"--summary", o.summary, func(w io.Writer, a query.Answer) error { return markdown.Report(w, a.Results, a.Diagnostics) }},
	} {
		if one.name != "" {
			out = append(out, one)
		}
	}
	return out
}

// piped reports whether a file is standard output.
func (o *outputs) piped() bool {
	return slices.ContainsFunc(o.list(), func(one output) bool { return one.name == "-" })
}

// any reports whether something is written.
func (o *outputs) any() bool { return len(o.list()) > 0 }

// check refuses two things on standard output.
func (o *outputs) check(json, dot bool) error {
	taken := ""
	switch {
	case json:
		taken = "--json"
	case dot:
		taken = "--dot"
	}
	for _, one := range o.list() {
		switch {
		case one.name != "-":
		case taken != "":
			return &usageError{fmt.Sprintf("%s and %s cannot both go to standard output", taken, one.flag), fmt.Sprintf("write to a file with %s=FILE", one.flag)}
		default:
			taken = one.flag
		}
	}
	return nil
}

// withFiles writes the files before an answer is printed. If one of them is
// standard output, the answer is a line on standard error.
func (a *app) withFiles(print func(query.Answer) error) func(query.Answer) error {
	return func(answer query.Answer) error {
		printed, err := a.writeOutputs(answer)
		if !printed { // the answer is not lost with a file
			return errors.Join(err, print(answer))
		}
		if err != nil {
			return err
		}
		for i := range answer.Results {
			fmt.Fprintln(a.stderr, text.Headline(&answer.Results[i]))
		}
		return nil
	}
}

// wrote says on standard error that a file was written, and what is in it.
func wrote(a *app, name, what string) {
	if what != "" {
		what = " (" + what + ")"
	}
	fmt.Fprintf(a.stderr, "wrote %s%s\n", text.Printable(name), what)
}

// writeOutputs writes the files, and reports whether one went to standard output.
// Refused programs have no pictures; SARIF says that they were refused.
func (a *app) writeOutputs(answer query.Answer) (printed bool, err error) {
	return writeList(a, a.out.list(), answer)
}

// writeList writes files as writeOutputs does.
func writeList(a *app, list []output, answer query.Answer) (printed bool, err error) {
	for _, one := range list {
		if len(answer.Results) == 0 && answer.HasErrors() && one.flag != "--sarif" && one.flag != "--summary" {
			continue
		}
		var out bytes.Buffer
		if err := one.write(&out, answer); err != nil {
			return false, &internalError{err}
		}
		if one.name == "-" {
			printed = true
			a.stdout.Write(out.Bytes())
			continue
		}
		if err := os.WriteFile(one.name, out.Bytes(), 0o644); err != nil {
			return printed, cannotWrite(one.name, err, fmt.Sprintf("check the path given with %s", one.flag))
		}
		what := ""
		if (one.flag == "--svg" || one.flag == "--dot") && len(answer.Results) > 0 && !hasExecution(answer.Results) {
			what = "there is no execution to draw"
		}
		wrote(a, one.name, what)
	}
	return printed, nil
}

// hasExecution reports whether a result has an execution.
func hasExecution(results []verdict.Result) bool {
	return slices.ContainsFunc(results, func(r verdict.Result) bool { return len(r.Executions())+len(r.Breaks()) > 0 })
}
