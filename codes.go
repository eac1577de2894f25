package fencepost

import (
	"fencepost/internal/codes"
)

// Explanation says what the code of a diagnostic means, what to do, and which program is answered with it.
type Explanation struct {
	Code   string
	Title  string // a few words; warnings begin with "warning:"
	Advice string // what to do
	// Command is the command line of the example, without the program's name; "" if there is no example.
	Command string
	Files   []ExampleFile
}

// ExampleFile is a file of an example. Shown is its text for readers, in which long repetitions occur once.
type ExampleFile struct{ Name, Text, Shown string }

// Explain finds the explanation of a code such as C0301.
func Explain(code string) (Explanation, bool) {
	e, ok := codes.Find(code)
	return explanation(e), ok
}

// Explanations returns the explanations of all codes, in their order.
func Explanations() []Explanation {
	var out []Explanation
	for _, e := range codes.All() {
		out = append(out, explanation(e))
	}
	return out
}

func explanation(e codes.Entry) Explanation {
	out := Explanation{Code: e.Code, Title: e.Title, Advice: e.Advice, Command: e.Command}
	for _, f := range e.Files {
		out.Files = append(out.Files, ExampleFile{Name: f.Name, Text: f.Text, Shown: f.Shown})
	}
	return out
}
