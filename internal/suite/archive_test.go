package suite

import (
	"errors"
	"strings"
	"testing"
)

const archive = `Why: the comment.
-- sb.fp --
var x;
-- expect --
options: --buffer 2 --deadlock
sc=safe robust=yes
-- answers --
sc: safe
`

// TestReadArchive: the program, its options and what it expects, with the lines of the archive.
func TestReadArchive(t *testing.T) {
	keys := []Key{{Name: "sc", Answers: []string{"safe", "unsafe"}}, {Name: "robust", Answers: []string{"yes", "no"}}}
	a, err := ReadArchive([]byte(archive))
	if err != nil || a.Name != "sb.fp" || string(a.Text) != "var x;\n" || a.Options.Buffer != 2 || !a.Options.Deadlock {
		t.Fatalf("%+v, %v", a, err)
	}
	list, err := a.expectations(keys)
	if err != nil || len(list) != 2 || list[1] != (Expectation{"robust", "yes", 6}) {
		t.Errorf("%+v, %v", list, err)
	}
	for name, c := range map[string]struct {
		old, new, want string
		line           int
	}{
		"two programs": {"-- answers --", "-- other.fp --", "several programs, sb.fp and other.fp", 7},
		"no program":   {"-- sb.fp --\nvar x;\n", "", "no program", 1},
		"bad option":   {"--buffer 2", "--buffer none", "--buffer needs a number", 5},
		"bad answer":   {"sc=safe", "sc=sfae", `sc cannot be "sfae"`, 6},
		"twice":        {"robust=yes", "sc=safe", "sc is expected twice", 6},
	} {
		a, err := ReadArchive([]byte(strings.Replace(archive, c.old, c.new, 1)))
		if err == nil {
			_, err = a.expectations(keys)
		}
		at := (*LineError)(nil)
		if !errors.As(err, &at) || at.Line != c.line || !strings.Contains(at.Message, c.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
