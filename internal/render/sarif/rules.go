package sarif

import (
	"strings"
	"unicode"
)

// known questions, and what they ask.
var known = map[string][2]string{
	"assertion":       {"An assertion fails", "An execution under this memory model violates an assertion of the program. The code flow shows it step by step, with what each store buffer holds."},
	"goal":            {"A state that must not be is reached", "An execution under this memory model reaches a goal state of the program."},
	"never":           {"A forbidden final state is reached", "An execution under this memory model ends in a state the program says must never be."},
	"forall":          {"A required final condition fails", "An execution under this memory model ends in a state that lacks what must hold of all."},
	"exists":          {"A final state is observed", "An execution under this memory model ends in the state the program asks about."},
	"deadlock":        {"Deadlock", "An execution under this memory model ends with no thread able to go on while one waits."},
	"non-termination": {"A loop never ends", "An execution under this memory model comes to loops that only wait, and no thread is left that could end them. The last steps of the code flow repeat for ever."},
	"robustness":      {"A store can be delayed past a later load", "The program has executions under this memory model whose happens-before relation no execution under sequential consistency has. A fence between the store and the load prevents this one."},
}

func describe(question string) (short, help string) {
	if k, ok := known[question]; ok {
		return k[0], k[1]
	}
	if question == "" {
		question = "error"
	}
	return "Violation: " + question, "An execution under this memory model shows the error. The code flow shows it step by step."
}

// slug is a question as a part of a rule's id.
func slug(question string) string {
	out := strings.Map(func(r rune) rune {
		switch {
		case unicode.IsLetter(r) || unicode.IsDigit(r):
			return unicode.ToLower(r)
		default:
			return '-'
		}
	}, question)
	out = strings.Join(strings.FieldsFunc(out, func(r rune) bool { return r == '-' }), "-")
	if out == "" {
		return "violation"
	}
	return out
}

// camel is a question as a rule's name.
func camel(question string) string {
	var b strings.Builder
	for _, word := range strings.Split(slug(question), "-") {
		r := []rune(word)
		b.WriteString(strings.ToUpper(string(r[:1])) + string(r[1:]))
	}
	return b.String()
}
