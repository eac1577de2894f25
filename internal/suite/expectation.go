package suite

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// Expectations in programs. A comment that begins with expect: holds pairs of a
// question and its answer, another that begins with options: changes how the
// program is asked:
//
//	// expect: sc=safe tso=unsafe robust=no
//	// options: --buffer 2 --deadlock
//
// Several such lines add up.

// Expectation is one pair.
type Expectation struct {
	Key, Want string
	Line      int
}

// ProgramOptions are what a program can say about how it is to be asked.
type ProgramOptions struct {
	Deadlock                bool
	Buffer, Unroll, Threads int // 0: not given
}

// marked is a comment of one of the languages with one of the two words.
var marked = regexp.MustCompile(`^\s*(?://|/\*|\(\*|\*|#|--)\s*(expect|options):\s*(.*?)\s*(?:\*/|\*\))?\s*$`)

// LineError is about a line of a program.
type LineError struct {
	Line    int
	Message string
}

func (e *LineError) Error() string { return fmt.Sprintf("line %d: %s", e.Line, e.Message) }

// Expectations finds what a program expects; nothing if it has no such comment.
// Errors are *LineErrors.
func Expectations(text string, keys []Key) ([]Expectation, ProgramOptions, error) {
	var all []Expectation
	var opt ProgramOptions
	n := 0
	for line := range strings.Lines(text) {
		n++
		m := marked.FindStringSubmatch(strings.TrimRight(line, "\r\n"))
		if m == nil {
			continue
		}
		if m[1] == "options" {
			if err := opt.parse(strings.Fields(m[2]), n); err != nil {
				return nil, opt, err
			}
			continue
		}
		pairs := strings.Fields(m[2])
		if len(pairs) == 0 {
			return nil, opt, &LineError{n, "expect: says nothing; write, for instance, expect: sc=safe tso=unsafe"}
		}
		for _, pair := range pairs {
			e, err := parsePair(pair, n, keys)
			if err != nil {
				return nil, opt, err
			}
			for _, old := range all {
				if old.Key == e.Key {
					return nil, opt, &LineError{n, fmt.Sprintf("%s is expected a second time, first in line %d", e.Key, old.Line)}
				}
			}
			all = append(all, e)
		}
	}
	return all, opt, nil
}

func parsePair(pair string, line int, keys []Key) (Expectation, error) {
	name, want, ok := strings.Cut(pair, "=")
	if !ok {
		return Expectation{}, &LineError{line, fmt.Sprintf("%q is not question=answer", pair)}
	}
	var names []string
	for _, k := range keys {
		names = append(names, k.Name)
		if k.Name != name {
			continue
		}
		if !k.allows(want) {
			return Expectation{}, &LineError{line, fmt.Sprintf("%s is never %q: want %s", name, want, k.answers())}
		}
		return Expectation{name, want, line}, nil
	}
	return Expectation{}, &LineError{line, fmt.Sprintf("unknown question %q; known: %s", name, strings.Join(names, ", "))}
}

func (o *ProgramOptions) parse(words []string, line int) error {
	for i := 0; i < len(words); i++ {
		name, value, has := strings.Cut(words[i], "=")
		if name == "--deadlock" && !has {
			o.Deadlock = true
			continue
		}
		into := map[string]*int{"--buffer": &o.Buffer, "--unroll": &o.Unroll, "--threads": &o.Threads}[name]
		if into == nil {
			return &LineError{line, fmt.Sprintf("unknown option %q; known: --deadlock, --buffer k, --unroll k, --threads k", words[i])}
		}
		if !has && i+1 < len(words) {
			i++
			value = words[i]
		}
		n, err := strconv.Atoi(value)
		if err != nil || n < 1 {
			return &LineError{line, fmt.Sprintf("%s needs a number from 1", name)}
		}
		*into = n
	}
	return nil
}
