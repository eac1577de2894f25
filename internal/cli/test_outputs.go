package cli

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"fencepost"
	"fencepost/internal/render/json"
	"fencepost/internal/render/sarif"
	"fencepost/internal/render/text"
	"fencepost/render"
	"fencepost/verdict"
)

// The outputs of `fencepost test` beside what people read, and the results of an earlier run.

// oneDocument refuses two documents on standard output, and files that cannot be written.
func (f *testFlags) oneDocument(files []testFile) error {
	taken := ""
	if f.json {
		taken = "--json"
	}
	for _, one := range files {
		if err := tryOutput(&taken, one.flag, one.name); err != nil {
			return err
		}
	}
	if f.github && taken != "" {
		return &usageError{fmt.Sprintf("--github and %s cannot both go to standard output", taken), "write the other one to a file"}
	}
	return nil
}

// tryOutput refuses a second document on standard output, which taken notes, and a file that cannot be
// written.
func tryOutput(taken *string, flag, name string) error {
	switch {
	case name == "-" && *taken != "":
		return &usageError{fmt.Sprintf("%s and %s cannot both go to standard output", *taken, flag), fmt.Sprintf("write to a file with %s=FILE", flag)}
	case name == "-":
		*taken = flag
	}
	if err := writable(name); err != nil {
		return cannotWrite(name, err, "check the path given with "+flag)
	}
	return nil
}

// unexpectedSARIF writes the answers that are not as expected.
func unexpectedSARIF(w io.Writer, tests []*verdict.ProgramTest) error {
	var results []verdict.Result
	var diagnostics []verdict.Diagnostic
	for _, t := range tests {
		if t.Problem != "" {
			diagnostics = append(diagnostics, verdict.Diagnostic{Severity: verdict.SeverityError, Pos: verdict.Pos{File: t.File, Line: t.Line}, Message: t.Problem})
		}
		for _, o := range t.Outcomes {
			switch {
			case (o.Status == verdict.TestFailed || o.Status == verdict.TestKnown) && o.Result != nil:
				results = append(results, *o.Result)
			case o.Status == verdict.TestRefused || o.Status == verdict.TestBroken:
				diagnostics = append(diagnostics, verdict.Diagnostic{Severity: verdict.SeverityError, Pos: verdict.Pos{File: t.File, Line: o.Line}, Message: o.Detail})
			}
		}
	}
	return render.SARIF(w, results, diagnostics, fencepost.Version())
}

// annotate prints what is wrong with a program as commands for GitHub Actions.
func annotate(w io.Writer, t *verdict.ProgramTest) {
	say := func(file string, line int, title, words string) {
		at := "file=" + property(file)
		if line > 0 {
			at += fmt.Sprintf(",line=%d", line)
		}
		fmt.Fprintf(w, "::error %s,title=%s::%s\n", at, property(title), escaped(words))
	}
	if t.Problem != "" {
		say(t.File, t.Line, "fencepost", t.Problem)
	}
	for _, o := range t.Outcomes {
		switch o.Status {
		case verdict.TestPassed, verdict.TestNotChecked, verdict.TestKnown:
			continue
		}
		file, line := t.File, o.Line
		title, words := fmt.Sprintf("%s is %s, expected %s", o.Key, o.Got, o.Want), o.Detail
		if o.Got == "" {
			title = fmt.Sprintf("%s has no answer, expected %s", o.Key, o.Want)
		}
		if r := o.Result; r != nil {
			if r.Pos != nil && r.Pos.Line > 0 {
				file, line = r.Pos.File, r.Pos.Line
			}
			if r.Cause != nil {
				words += "\n" + strings.Join(r.Cause.Words, "\n")
			}
		}
		say(file, line, title, words)
	}
}

// escaped writes a message as GitHub's commands want it. Control characters become dots.
func escaped(s string) string {
	var lines []string
	for line := range strings.SplitSeq(s, "\n") {
		lines = append(lines, strings.ReplaceAll(text.Printable(line), "%", "%25"))
	}
	return strings.Join(lines, "%0A")
}

// property writes a value of a command.
func property(s string) string {
	return strings.NewReplacer("%", "%25", ":", "%3A", ",", "%2C").Replace(text.Printable(s))
}

// seeAlso returns the command that shows the execution of an outcome, "" if there is none.
func seeAlso(file string, o *verdict.TestOutcome) string {
	if o.Result == nil || o.Result.Asked == nil || strings.ContainsAny(file, " '\"\\$`*?") {
		return ""
	}
	command := fmt.Sprintf("fencepost %s %s", o.Result.Asked.Command, text.Printable(file))
	if o.Result.Asked.Command == "check" {
		command += " --model " + o.Result.Model
	}
	return command
}

// known has the violations of an earlier run.
type known struct {
	prints []string
	given  bool
}

// readBaseline reads the results of an earlier run.
func readBaseline(a *app, name string) (*known, error) {
	k := &known{}
	if name == "" {
		return k, nil
	}
	k.given = true
	in, err := a.read(name)
	if err != nil {
		return nil, err
	}
	if prints, ok := sarif.ReadFingerprints(in.Text); ok {
		k.prints = prints
		return k, nil
	}
	results, err := json.Read(in.Text)
	if err != nil {
		return nil, &usageError{fmt.Sprintf("%s: neither SARIF nor a result of fencepost: %v", in.Name, err), "give what `fencepost test --sarif FILE` or `fencepost test --json` wrote"}
	}
	for i := range results {
		k.prints = append(k.prints, render.Fingerprints(&results[i])...)
	}
	return k, nil
}

// mark notes at outcomes that they are not new: all their violations were there in the earlier run.
func (k *known) mark(t *verdict.ProgramTest) {
	if !k.given {
		return
	}
	for i := range t.Outcomes {
		o := &t.Outcomes[i]
		if o.Status != verdict.TestFailed || o.Result == nil {
			continue
		}
		prints := render.Fingerprints(o.Result)
		if len(prints) > 0 && !slices.ContainsFunc(prints, func(p string) bool { return !slices.Contains(k.prints, p) }) {
			o.Status = verdict.TestKnown
		}
	}
}

// recount counts the failures without what is known.
func (k *known) recount(sum *verdict.TestSummary, all []*verdict.ProgramTest) {
	sum.Failed, sum.Known = 0, 0
	for _, t := range all {
		for _, o := range t.Outcomes {
			switch o.Status {
			case verdict.TestFailed:
				sum.Failed++
			case verdict.TestKnown:
				sum.Known++
			}
		}
	}
}
