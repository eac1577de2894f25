package query

import (
	"fmt"
	"slices"
	"strings"
)

// OptionError is an option with a value that it cannot have.
type OptionError struct {
	Option string // such as "memory model"
	Value  string
	Want   string // the values that the option can have
}

func (e *OptionError) Error() string {
	return fmt.Sprintf("unknown %s %q, want %s", e.Option, e.Value, e.Want)
}

// oneOf returns an *OptionError unless a value is one of several. An empty one is not named.
func oneOf[T ~string](option string, value T, want ...T) error {
	if slices.Contains(want, value) {
		return nil
	}
	var words []string
	for _, w := range want {
		if w != "" {
			words = append(words, string(w))
		}
	}
	last := len(words) - 1
	text := words[last]
	if last > 0 {
		text = strings.Join(words[:last], ", ") + " or " + text
	}
	return &OptionError{Option: option, Value: string(value), Want: text}
}

// InputError is about something that the caller named: a path that cannot be read, or a malformed table.
type InputError struct {
	Path string
	Err  error
}

func (e *InputError) Error() string {
	if nothing, ok := e.Err.(NothingFound); ok {
		return fmt.Sprintf("%s: %v", e.Path, nothing)
	}
	return fmt.Sprintf("cannot read %s: %v", e.Path, e.Err)
}

// Unwrap returns the error of the file system or of the reader.
func (e *InputError) Unwrap() error { return e.Err }

// NothingFound is about a directory without programs. It names the extensions of programs.
type NothingFound string

func (e NothingFound) Error() string { return "no file in it ends in " + string(e) }

// UnavailableError says why stress programs cannot run here: another processor, or no compiler.
type UnavailableError struct{ Message, Hint string }

func (e *UnavailableError) Error() string { return e.Message }
