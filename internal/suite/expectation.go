package suite

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"fencepost/query"
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
func Expectations(text string, keys []Key) ([]Expectation, query.CheckOptions, error) {
	var all []Expectation
	var opt query.CheckOptions
	n := 0
	for line := range strings.Lines(text) {
		n++
		m := marked.FindStringSubmatch(strings.TrimRight(line, "\r\n"))
		if m == nil {
			continue
		}
		if m[1] == "options" {
			if err := parseOptions(&opt, strings.Fields(m[2]), n); err != nil {
				return nil, opt, err
			}
			continue
		}
		pairs := strings.Fields(m[2])
		if len(pairs) == 0 {
			return nil, opt, &LineError{n, "the expect: comment is empty; write, for example, expect: sc=safe tso=unsafe"}
		}
		for _, pair := range pairs {
			e, err := parsePair(pair, n, keys)
			if err != nil {
				return nil, opt, err
			}
			for _, old := range all {
				if old.Key == e.Key {
					return nil, opt, &LineError{n, fmt.Sprintf("%s is expected twice, first in line %d", e.Key, old.Line)}
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
		return Expectation{}, &LineError{line, fmt.Sprintf("%q does not have the form question=answer", pair)}
	}
	var names []string
	for _, k := range keys {
		names = append(names, k.Name)
		if k.Name != name {
			continue
		}
		if !k.allows(want) {
			return Expectation{}, &LineError{line, fmt.Sprintf("%s cannot be %q: want %s", name, want, k.answers())}
		}
		return Expectation{name, want, line}, nil
	}
	return Expectation{}, &LineError{line, fmt.Sprintf("unknown question %q; known: %s", name, strings.Join(names, ", "))}
}

// number is an option with a whole number, and the least it takes.
type number struct {
	name  string
	into  func(*query.CheckOptions) *int
	least int
}

var numbers = []number{
	{"--buffer", func(o *query.CheckOptions) *int { return &o.Buffer }, 1},
	{"--unroll", func(o *query.CheckOptions) *int { return &o.Unroll }, 1},
	{"--threads", func(o *query.CheckOptions) *int { return &o.Threads }, 1},
	{"--rounds", func(o *query.CheckOptions) *int { return &o.BMC.Rounds }, 1},
	{"--clock", func(o *query.CheckOptions) *int { return &o.BMC.Clock }, 1},
	{"--queue", func(o *query.CheckOptions) *int { return &o.BMC.Queue }, 2},
	{"--width", func(o *query.CheckOptions) *int { return &o.BMC.Width }, 1},
}

// livenessValues says which loops can be demanded to end.
var livenessValues = []string{"off", "spin", "fair"}

// parseOptions adds the options that a program sets for its own test.
func parseOptions(o *query.CheckOptions, words []string, line int) error {
	for i := 0; i < len(words); i++ {
		name, value, has := strings.Cut(words[i], "=")
		if name == "--deadlock" && !has {
			o.Deadlock = true
			continue
		}
		if name == "--liveness" {
			if !has && i+1 < len(words) {
				i++
				value = words[i]
			}
			if !slices.Contains(livenessValues, value) {
				return &LineError{line, fmt.Sprintf("%s needs one of %s", name, strings.Join(livenessValues, ", "))}
			}
			o.Liveness = query.Liveness(value)
			continue
		}
		at := slices.IndexFunc(numbers, func(n number) bool { return n.name == name })
		if at < 0 && name != "--nondet-range" {
			return &LineError{line, fmt.Sprintf("unknown option %q; known: --deadlock, --liveness spin, %s", words[i], knownOptions())}
		}
		if !has && i+1 < len(words) {
			i++
			value = words[i]
		}
		if at < 0 {
			from, to, ok := strings.Cut(value, "..")
			lo, err1 := strconv.ParseInt(from, 0, 32)
			hi, err2 := strconv.ParseInt(to, 0, 32)
			if !ok || err1 != nil || err2 != nil || lo > hi {
				return &LineError{line, fmt.Sprintf("%s needs two whole numbers such as -1..4", name)}
			}
			o.C.NondetRange = []int64{lo, hi}
			continue
		}
		n, err := strconv.Atoi(value)
		if err != nil || n < numbers[at].least {
			return &LineError{line, fmt.Sprintf("%s needs a number from %d", name, numbers[at].least)}
		}
		*numbers[at].into(o) = n
	}
	return nil
}

// Merge adds the options that a program sets for its own test to those of a question; with replace also where the
// question has them.
func Merge(into, from *query.CheckOptions, replace bool) {
	into.Deadlock = into.Deadlock || from.Deadlock
	for _, n := range numbers {
		if to, value := n.into(into), *n.into(from); value > 0 && (replace || *to == 0) {
			*to = value
		}
	}
	if from.Liveness != "" && (replace || into.Liveness == "") {
		into.Liveness = from.Liveness
	}
	if from.C.NondetRange != nil && (replace || into.C.NondetRange == nil) {
		into.C.NondetRange = from.C.NondetRange
	}
}

func knownOptions() string {
	var names []string
	for _, n := range numbers {
		names = append(names, n.name+" k")
	}
	return strings.Join(append(names, "--nondet-range lo..hi"), ", ")
}
