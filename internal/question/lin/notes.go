package lin

import (
	"fmt"
	"strconv"
	"strings"

	"fencepost/internal/lazyregexp"
	"fencepost/internal/source"
)

// Comments of the user in front of a function:
//
//	//@ op                     the function is an operation
//	//@ op thread producer     one thread makes all calls of it and of others with the same word
//	//@ arg v in 1..2          what parameter v can be
//	//@ may fail -1            the call may return -1 although it need not

// note is one such comment.
type note struct {
	pos       source.Pos
	op        bool
	role      string
	arg       string
	low, high int
	fails     *int64
}

var (
	// finds matches names of functions that look for a key.
	finds = lazyregexp.New(`(?i)(^|_)(contains|find|lookup|has|member|search|erase|remove|delete|exists)(_|$)`)

	opNote   = lazyregexp.New(`^op(?:\s+thread\s+(\w+))?$`)
	argNote  = lazyregexp.New(`^arg\s+(\w+)\s+in\s+(-?\d+)\s*\.\.\s*(-?\d+)$`)
	failNote = lazyregexp.New(`^may\s+fail\s+(-?\w+)$`)
	ours     = lazyregexp.New(`^(op|arg|may)\b`)
)

// notesBefore returns the notes in the lines right before a line, in their order.
func notesBefore(lines []string, file string, line int) ([]note, error) {
	first := line
	for first > 1 && strings.HasPrefix(strings.TrimSpace(lines[first-2]), "//") {
		first--
	}
	var out []note
	for n := first; n < line; n++ {
		text, is := strings.CutPrefix(strings.TrimSpace(lines[n-1]), "//@")
		if text = strings.TrimSpace(text); !is || !ours.MatchString(text) {
			continue
		}
		one, err := parseNote(text)
		if err != nil {
			return nil, &noteError{source.Pos{File: file, Line: n, Col: 1 + strings.Index(lines[n-1], "//@")}, err.Error()}
		}
		one.pos = source.Pos{File: file, Line: n, Col: 1}
		out = append(out, one)
	}
	return out, nil
}

// noteError is a mistake in a comment.
type noteError struct {
	pos  source.Pos
	text string
}

func (e *noteError) Error() string { return e.text }

func parseNote(text string) (note, error) {
	if m := opNote.FindStringSubmatch(text); m != nil {
		return note{op: true, role: m[1]}, nil
	}
	if m := argNote.FindStringSubmatch(text); m != nil {
		low, err1 := strconv.Atoi(m[2])
		high, err2 := strconv.Atoi(m[3])
		if err1 != nil || err2 != nil || low > high || high-low > 7 {
			return note{}, fmt.Errorf("a range of arguments has at most 8 numbers, the smaller one first")
		}
		return note{arg: m[1], low: low, high: high}, nil
	}
	if m := failNote.FindStringSubmatch(text); m != nil {
		v, err := constant(m[1])
		if err != nil {
			return note{}, err
		}
		return note{fails: &v}, nil
	}
	return note{}, fmt.Errorf("unknown comment %q: want op, op thread NAME, arg NAME in LOW..HIGH, or may fail VALUE", "//@ "+text)
}

// constant returns the number that a word of C stands for.
func constant(word string) (int64, error) {
	switch word {
	case "NULL", "false", "nullptr":
		return 0, nil
	case "true":
		return 1, nil
	}
	v, err := strconv.ParseInt(word, 0, 64)
	if err != nil {
		return 0, fmt.Errorf("%q is no number", word)
	}
	return v, nil
}

// apply gives an operation what the comment says.
func (n *note) apply(op *Operation) error {
	if n.role != "" {
		op.Role = n.role
	}
	if n.fails != nil {
		if op.Result == "void" {
			return &noteError{n.pos, op.Name + " returns nothing with which it could fail"}
		}
		op.MayFail = n.fails
	}
	if n.arg == "" {
		return nil
	}
	for i := range op.Params {
		if p := &op.Params[i]; p.Name == n.arg {
			if p.Kind != ValueArg && p.Kind != FixedArg {
				return &noteError{n.pos, fmt.Sprintf("parameter %s of %s is no number", n.arg, op.Name)}
			}
			p.Kind, p.Low, p.High = KeyArg, n.low, n.high
			if n.low == n.high {
				p.Kind = FixedArg
			}
			return nil
		}
	}
	return &noteError{n.pos, fmt.Sprintf("%s has no parameter %s", op.Name, n.arg)}
}
