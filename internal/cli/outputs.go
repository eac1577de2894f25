package cli

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path"

	"fencepost"
	"fencepost/internal/render/dot"
	"fencepost/internal/render/html"
	"fencepost/internal/render/sarif"
	"fencepost/internal/render/svg"
	"fencepost/internal/render/text"
	"fencepost/verdict"

	"github.com/spf13/pflag"
)

// outputs are the files an answer is written to beside what is printed. "-" is
// standard output, and then the answer itself is a line on standard error.
type outputs struct{ html, svg, dot, sarif string }

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

func (o *outputs) flags(flags *pflag.FlagSet) {
	flags.Var(fileValue{&o.html}, "html", "write a page with the executions, step by step")
	flags.Var(fileValue{&o.svg}, "svg", "draw the happens-before relation of each execution")
	flags.Var(fileValue{&o.dot}, "dot", "the same for Graphviz; printed if no =FILE is given")
	flags.Lookup("dot").NoOptDefVal = "-"
	flags.Var(fileValue{&o.sarif}, "sarif", "write SARIF, for code hosts and editors")
}

// output is one of the files.
type output struct {
	flag, name string
	write      func(io.Writer, fencepost.Answer) error
}

func (o *outputs) list() []output {
	var out []output
	for _, one := range []output{
		{"--html", o.html, func(w io.Writer, a fencepost.Answer) error { return html.Report(w, a.Results) }},
		{"--svg", o.svg, writeSVG},
		{"--dot", o.dot, writeDot},
		{"--sarif", o.sarif, func(w io.Writer, a fencepost.Answer) error {
			return sarif.Report(w, a.Results, sarif.Options{Version: fencepost.Version, Diagnostics: a.Diagnostics})
		}},
	} {
		if one.name != "" {
			out = append(out, one)
		}
	}
	return out
}

// any reports whether something is written.
func (o *outputs) any() bool { return len(o.list()) > 0 }

// check refuses two things on standard output.
func (o *outputs) check(asJSON bool) error {
	taken := ""
	if asJSON {
		taken = "--json"
	}
	for _, one := range o.list() {
		switch {
		case one.name != "-":
		case taken == "--json":
			return &usageError{fmt.Sprintf("--json and %s cannot be combined", one.flag), fmt.Sprintf("the JSON has everything; or write to a file with %s=FILE", one.flag)}
		case taken != "":
			return &usageError{fmt.Sprintf("%s and %s cannot both be printed", taken, one.flag), fmt.Sprintf("write one to a file with %s=FILE", one.flag)}
		default:
			taken = one.flag
		}
	}
	return nil
}

// present writes the files and prints the answer. Refused programs have no
// pictures; SARIF says that they were refused.
func (a *app) present(o *outputs, asJSON bool, answer fencepost.Answer) error {
	printed, err := a.writeOutputs(o, answer)
	if err != nil {
		return err
	}
	if !printed {
		return a.render(asJSON, answer)
	}
	for i := range answer.Results {
		fmt.Fprintln(a.stderr, text.Headline(&answer.Results[i]))
	}
	return nil
}

// writeOutputs writes the files, and reports whether one went to standard output.
func (a *app) writeOutputs(o *outputs, answer fencepost.Answer) (printed bool, err error) {
	for _, one := range o.list() {
		if len(answer.Results) == 0 && answer.HasErrors() && one.flag != "--sarif" {
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
			return false, &usageError{fmt.Sprintf("cannot write %s: %v", one.name, err), fmt.Sprintf("check the path given with %s", one.flag)}
		}
	}
	return printed, nil
}

func writeSVG(w io.Writer, a fencepost.Answer) error {
	var all []verdict.Execution
	title := "fencepost"
	for i := range a.Results {
		r := &a.Results[i]
		if i == 0 {
			title = path.Base(r.Program)
		}
		all = append(all, r.Executions()...)
	}
	return svg.File(w, title, all)
}

func writeDot(w io.Writer, a fencepost.Answer) error {
	for i := range a.Results {
		executions := a.Results[i].Executions()
		for k := range executions {
			dot.Execution(w, &executions[k])
		}
	}
	return nil
}
