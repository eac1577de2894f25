package query

import "fencepost/verdict"

// HasErrors reports whether a diagnostic is an error.
func HasErrors(all []verdict.Diagnostic) bool {
	for _, d := range all {
		if d.Severity == verdict.SeverityError {
			return true
		}
	}
	return false
}

// Answer is the results of a question, and the diagnostics about the input. With an error among the
// diagnostics there are no results.
type Answer struct {
	Results     []verdict.Result
	Diagnostics []verdict.Diagnostic
}

// HasErrors reports whether the input was refused.
func (a Answer) HasErrors() bool { return HasErrors(a.Diagnostics) }

// TextAnswer is a text, and the diagnostics about the input. With an error among the diagnostics the text is
// empty.
type TextAnswer struct {
	Text        string
	Choices     string // see ExportOptions.Choices; "": there is no violation
	Diagnostics []verdict.Diagnostic
}

// HasErrors reports whether the input was refused.
func (a TextAnswer) HasErrors() bool { return HasErrors(a.Diagnostics) }

// TraceAnswer is the traces of a program, without the list, and the diagnostics about the input.
type TraceAnswer struct {
	Set         verdict.TraceSet
	Diagnostics []verdict.Diagnostic
}

// HasErrors reports whether the input was refused.
func (a TraceAnswer) HasErrors() bool { return HasErrors(a.Diagnostics) }

// StateAnswer is a state, and the diagnostics about the input. With an error among the diagnostics there is no state.
type StateAnswer struct {
	State       *verdict.State
	Diagnostics []verdict.Diagnostic
}

// HasErrors reports whether the input was refused.
func (a StateAnswer) HasErrors() bool { return HasErrors(a.Diagnostics) }

// VerifyAnswer has a judgement on each execution and on the rest of each result.
type VerifyAnswer struct {
	Checks      []VerifyCheck
	Diagnostics []verdict.Diagnostic
	// NotChecked names the fields that were compared with nothing.
	NotChecked []string
}

// HasErrors reports whether the program was refused.
func (a *VerifyAnswer) HasErrors() bool { return HasErrors(a.Diagnostics) }

// VerifyCheck is the judgement on one execution, or on something else that a result says.
type VerifyCheck struct {
	Name  string // such as violation, attack 2, answer
	Model string
	Shows string // what the execution shows, according to the result
	Steps int    // of an execution
	// Err says what is wrong, nil if nothing is. Step is the step that it is about, from 0, or -1.
	Err  error
	Step int
	// Open: a limit was reached before anything could be said. Err says which.
	Open bool
}

// DamagedError says that the bytes of a file are not what the file should have.
type DamagedError struct{ Why string }

func (e *DamagedError) Error() string { return e.Why }
