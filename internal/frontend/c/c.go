package c

import (
	"strings"

	"fencepost/internal/diag"
	"fencepost/internal/frontend/c/translate"
	"fencepost/internal/frontend/c/translate/library"
	"fencepost/internal/frontend/c/translate/read"
	"fencepost/internal/property"
	"fencepost/internal/source"
)

// What the translation of C brings along.
type (
	Options    = translate.Options
	Range      = translate.Range
	Annotation = read.Annotation
)

// RangeWarning is the code of the warning that an input takes some of its values only.
const RangeWarning = translate.RangeWarning

// Unit is a translated program and what is asked of it.
type Unit struct {
	translate.Unit
	Props *property.Set
	// Expect is the text after "expect:" in the first such comment, "" if none.
	Expect string
}

// Parse translates the files of one program. The unit is never nil; its Program
// is nil exactly if the list has errors.
func Parse(files []*source.File, opt Options) (*Unit, *diag.List) {
	translated, diags := translate.Program(files, library.New(), opt)
	u := &Unit{Unit: *translated}
	for _, f := range files {
		if u.Expect == "" {
			u.Expect = expectation(f)
		}
	}
	if u.Program != nil {
		u.Props = &property.Set{Checks: true, Deadlock: true, Whole: true, Objects: u.Objects, CodeInvariants: u.Invariants}
	}
	return u, diags
}

// expectation returns the text of the first comment that says what to expect.
func expectation(f *source.File) string {
	for n := 1; ; n++ {
		line := f.Line(n)
		if line == "" && f.Pos(len(f.Text)).Line < n {
			return ""
		}
		_, comment, ok := strings.Cut(line, "//")
		if !ok {
			_, comment, ok = strings.Cut(line, "/*")
		}
		if !ok {
			continue
		}
		if _, text, ok := strings.Cut(comment, "expect:"); ok {
			return strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(text), "*/"))
		}
	}
}
