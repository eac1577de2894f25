package testkit

import (
	"context"
	"fmt"
	"os"
	"regexp"
	"sort"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"fencepost/internal/diag"
	"fencepost/internal/frontend/c/translate"
	"fencepost/internal/frontend/c/translate/library"
	"fencepost/internal/ir"
	"fencepost/internal/question/check"
	"fencepost/internal/source"
	"fencepost/query"
	"fencepost/verdict"
)

// Messages lists diagnostics, one per line, with position, code and message.
func Messages(l *diag.List) string {
	var b strings.Builder
	for _, d := range l.All {
		fmt.Fprintf(&b, "%s: %s: %s\n", d.Span.Pos, d.Code, d.Message)
	}
	return b.String()
}

// ZeroedC are options under which memory that was never written holds zero, for tests of what has nothing to do with it.
func ZeroedC() translate.Options {
	return translate.Options{COptions: query.COptions{Uninitialised: query.UninitialisedZero}}
}

// TranslateC translates a C program that must be accepted, and verifies the result.
func TranslateC(t testing.TB, opt translate.Options, files ...*source.File) *translate.Unit {
	t.Helper()
	unit, diags := translate.Program(files, library.New(), opt)
	if diags.HasErrors() {
		t.Fatalf("refused:\n%s", Messages(diags))
	}
	if errs := ir.Verify(unit.Program); len(errs) > 0 {
		t.Fatalf("a broken program: %v", errs)
	}
	return unit
}

// CheckC returns the verdict about a C program, which must be accepted, under SC.
func CheckC(t testing.TB, text string) verdict.Verdict {
	t.Helper()
	return CheckCAs(t, "", text)
}

// CheckCAs is CheckC for a program in a version of C, such as c23; "": the default.
func CheckCAs(t testing.TB, std, text string) verdict.Verdict {
	t.Helper()
	opt := query.CheckOptions{Options: query.Defaults()}
	opt.C.Std = std
	opt.Workers, opt.Timeout = 1, 0
	a, err := check.Run(context.Background(), query.Input{Name: "gen.c", Text: []byte(text)}, opt.Under("sc"))
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	if a.HasErrors() {
		t.Fatalf("refused: %+v\n%s", a.Diagnostics, text)
	}
	return a.Results[0].Verdict
}

var wantedCode = regexp.MustCompile(`// want (C\d{4})`)

// WantedCodes returns the codes that the C programs of a txtar file expect, in comments
// of the form "// want C0123", as a set.
func WantedCodes(t testing.TB, path string) map[string]bool {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	codes := map[string]bool{}
	for _, m := range wantedCode.FindAllStringSubmatch(string(text), -1) {
		codes[m[1]] = true
	}
	return codes
}

// CheckRefusals translates each C program of a txtar file. The diagnostics must be the
// ones that comments "// want C0123" expect on their lines, and no others.
func CheckRefusals(t *testing.T, path string) {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range txtar.Parse(data).Files {
		t.Run(f.Name, func(t *testing.T) {
			var want, got []string
			for i, line := range strings.Split(string(f.Data), "\n") {
				for _, m := range wantedCode.FindAllStringSubmatch(line, -1) {
					want = append(want, fmt.Sprintf("%s:%d %s", f.Name, i+1, m[1]))
				}
			}
			unit, diags := translate.Program([]*source.File{source.NewFile(f.Name, f.Data)}, library.New(), translate.Options{COptions: query.COptions{Strict: true}})
			for _, d := range diags.All {
				got = append(got, fmt.Sprintf("%s:%d %s", d.Span.File, d.Span.Line, d.Code))
				if d.Message == "" || strings.Contains(d.Message, ".go:") {
					t.Errorf("a message that does not help: %q", d.Message)
				}
			}
			sort.Strings(want)
			sort.Strings(got)
			if fmt.Sprint(want) != fmt.Sprint(got) {
				t.Errorf("want %v\ngot  %v\n%s", want, got, Messages(diags))
			}
			if diags.HasErrors() != (unit.Program == nil) {
				t.Errorf("errors: %v, program: %v", diags.HasErrors(), unit.Program != nil)
			}
			// What is only not supported is no error if nothing has to run it.
			if unit, _ := translate.Program([]*source.File{source.NewFile(f.Name, f.Data)}, library.New(), translate.Options{}); unit.Program != nil {
				if errs := ir.Verify(unit.Program); len(errs) > 0 {
					t.Errorf("not strict: %v", errs[0])
				}
			}
		})
	}
}
