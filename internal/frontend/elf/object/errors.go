package object

import "fmt"

// Error says why a file cannot be read. Advice says what to do about it, "" if nothing can be said.
type Error struct {
	File    string
	Message string
	Advice  string
}

func (e *Error) Error() string { return e.File + ": " + e.Message }

func problem(file, format string, args ...any) *Error {
	return &Error{File: file, Message: fmt.Sprintf(format, args...)}
}

func (e *Error) advise(format string, args ...any) *Error {
	e.Advice = fmt.Sprintf(format, args...)
	return e
}
