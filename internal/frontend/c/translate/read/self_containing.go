package read

import (
	"regexp"

	"fencepost/internal/source"
)

// Structs that contain themselves. cc does not always notice, follows the members
// without an end, and no caller can stop it; so the text is looked at first. What C allows, a pointer to the outer struct or a
// parameter of a function type, passes.

var containToken = regexp.MustCompile(`/\*(?s:.*?)\*/|//[^\n]*|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|\w+|[^\s\w]`)

// opened is a brace, with the tag of the struct or union it opens.
type opened struct {
	tag    string
	parens int // parentheses around it
}

// containsItself finds a struct that has itself as a member, directly or through
// structs inside.
func containsItself(f *source.File) (at source.Span, tag string, found bool) {
	tokens := containToken.FindAllIndex(f.Text, -1)
	word := func(i int) string {
		if i < 0 || i >= len(tokens) {
			return ""
		}
		return string(f.Text[tokens[i][0]:tokens[i][1]])
	}
	var stack []opened
	parens, last := 0, "" // last is the tag that may be followed by a brace
	for i := range tokens {
		w := word(i)
		switch w {
		case "(":
			parens++
		case ")":
			parens--
		case "{":
			stack = append(stack, opened{last, parens})
		case "}":
			if len(stack) > 0 {
				stack = stack[:len(stack)-1]
			}
		}
		last = ""
		if p := word(i - 1); p != "struct" && p != "union" {
			continue
		}
		last = w
		next := i + 1
		for t := word(next); t != "" && IsWord(t[0]); t = word(next) { // qualifiers, empty macros
			next++
		}
		if word(next) == "*" || word(next) == "{" || word(next) == "(" && word(next+1) == "*" {
			continue
		}
		for _, o := range stack {
			if o.tag == w && o.parens == parens {
				return f.Span(tokens[i][0], tokens[i][1]), w, true
			}
		}
	}
	return source.Span{}, "", false
}
