package codes

import (
	"slices"
	"strings"
	"testing"
)

// TestEntries: codes are in order and unique, every entry has a title and advice, and an example has
// text in each of its files.
func TestEntries(t *testing.T) {
	all := All()
	if len(all) < 100 {
		t.Fatalf("%d entries", len(all))
	}
	if !slices.IsSortedFunc(all, func(a, b Entry) int { return strings.Compare(a.Code, b.Code) }) {
		t.Error("the entries are not in order")
	}
	seen := map[string]bool{}
	for _, e := range all {
		if seen[e.Code] {
			t.Errorf("%s has two entries", e.Code)
		}
		seen[e.Code] = true
		if e.Title == "" || e.Advice == "" {
			t.Errorf("%s: title %q, advice %q", e.Code, e.Title, e.Advice)
		}
		if (e.Command == "") != (len(e.Files) == 0) {
			t.Errorf("%s: command %q with %d files", e.Code, e.Command, len(e.Files))
		}
		for _, f := range e.Files {
			if f.Name == "" || f.Text == "" || f.Shown == "" {
				t.Errorf("%s: the file %+v", e.Code, f)
			}
		}
	}
}

// TestFind: a code is found in any case, and no other text is.
func TestFind(t *testing.T) {
	for code, want := range map[string]string{"FP0907": "FP0907", "fp0907": "FP0907", "c0301": "C0301", "FP09": "", "": ""} {
		if e, ok := Find(code); ok != (want != "") || e.Code != want {
			t.Errorf("%q: %q %v", code, e.Code, ok)
		}
	}
}

// TestParse: the form of the texts, with a further file and text that is repeated.
func TestParse(t *testing.T) {
	got := parse("# X0001 warning: a title\nTo be\ndone.\n> check --model sc x.c y.c\n| int a;\n|\n| {{3 b; }}c\n| file y.c\n| int d;\n# X0002 no example\nNothing.\n")
	if len(got) != 2 || got[1].Code != "X0002" || got[1].Command != "" || len(got[1].Files) != 0 {
		t.Fatalf("%+v", got)
	}
	e := got[0]
	if e.Code != "X0001" || e.Title != "warning: a title" || e.Advice != "To be done." || e.Command != "check --model sc x.c y.c" || len(e.Files) != 2 {
		t.Fatalf("%+v", e)
	}
	if f := e.Files[0]; f.Name != "x.c" || f.Text != "int a;\n\nb; b; b; c\n" || f.Shown != "int a;\n\nb;  ... (3 times) ... b; c\n" {
		t.Errorf("%+v", f)
	}
	if f := e.Files[1]; f.Name != "y.c" || f.Text != "int d;\n" {
		t.Errorf("%+v", f)
	}
}
