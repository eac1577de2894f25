package suite

import (
	"fmt"
	"slices"
	"strings"

	"fencepost/query"
)

// Archives: the format of the corpus, txtar. A line `-- NAME --` begins a file, and what comes before the first
// file is a comment. An archive has one program, a file expect with its expectations and options, and perhaps a
// file answers, which is for people.
//
//	-- expect --
//	options: --buffer 2
//	sc=safe tso=unsafe robust=no

// ArchiveExtension is how the names of archives end.
const ArchiveExtension = ".txtar"

// Archive is a program with what it expects.
type Archive struct {
	Name    string // of the program
	Text    []byte
	Options query.CheckOptions
	expect  string
	line    int // of the first line of expect
}

// archiveFile is a file in an archive.
type archiveFile struct {
	name string
	line int // of its first line in the archive
	text string
}

// ReadArchive reads an archive. An archive without a program, or with several, is a *LineError.
func ReadArchive(text []byte) (*Archive, error) {
	a := &Archive{}
	var programs []string
	for _, f := range archiveFiles(string(text)) {
		switch f.name {
		case "expect":
			a.expect, a.line = f.text, f.line
		case "answers":
		default:
			programs = append(programs, f.name)
			a.Name, a.Text = f.name, []byte(f.text)
		}
		if len(programs) > 1 {
			return nil, &LineError{f.line - 1, fmt.Sprintf("the archive has several programs, %s; one is wanted", strings.Join(programs, " and "))}
		}
	}
	if len(programs) == 0 {
		return nil, &LineError{1, "the archive has no program: a line such as -- dekker.fp -- begins one"}
	}
	n := a.line
	for line := range strings.Lines(a.expect) {
		if words, ok := strings.CutPrefix(line, "options:"); ok {
			if err := parseOptions(&a.Options, strings.Fields(words), n); err != nil {
				return nil, err
			}
		}
		n++
	}
	return a, nil
}

// archiveFiles splits an archive.
func archiveFiles(text string) []archiveFile {
	var out []archiveFile
	n := 0
	for line := range strings.Lines(text) {
		n++
		bare := strings.TrimRight(line, "\r\n")
		if name, ok := strings.CutPrefix(bare, "-- "); ok && strings.HasSuffix(name, " --") {
			out = append(out, archiveFile{name: strings.TrimSpace(strings.TrimSuffix(name, " --")), line: n + 1})
		} else if len(out) > 0 {
			out[len(out)-1].text += line
		}
	}
	return out
}

// expectations returns what the archive expects.
func (a *Archive) expectations(keys []Key) ([]Expectation, error) {
	var all []Expectation
	n := a.line
	for line := range strings.Lines(a.expect) {
		if !strings.HasPrefix(line, "options:") {
			for pair := range strings.FieldsSeq(line) {
				e, err := parsePair(pair, n, keys)
				if err != nil {
					return nil, err
				}
				if slices.ContainsFunc(all, func(old Expectation) bool { return old.Key == e.Key }) {
					return nil, &LineError{n, e.Key + " is expected twice"}
				}
				all = append(all, e)
			}
		}
		n++
	}
	return all, nil
}
