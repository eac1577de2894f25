package read

import (
	"bytes"
	"strings"

	"fencepost/internal/source"
)

// Structs that contain themselves. cc does not always notice, follows the members
// without an end, and no caller can stop it; so the text is looked at first. What C allows, a pointer to the outer struct or a
// parameter of a function type, passes.

// tokensOf returns where the words and signs of a text begin and end. Comments and literals are
// one token each, blanks none.
func tokensOf(text []byte) [][2]int {
	var out [][2]int
	for at := 0; at < len(text); {
		end := at + 1
		switch c := text[at]; {
		case isBlank(c):
			at = end
			continue
		case IsWord(c):
			for end < len(text) && IsWord(text[end]) {
				end++
			}
		case c == '/' && bytes.HasPrefix(text[at:], []byte("//")):
			if end = bytes.IndexByte(text[at:], '\n') + at; end < at {
				end = len(text)
			}
		case c == '/' && bytes.HasPrefix(text[at:], []byte("/*")):
			if n := bytes.Index(text[at+2:], []byte("*/")); n >= 0 {
				end = at + 2 + n + 2
			}
		case c == '"' || c == '\'':
			if n := literal(text[at:]); n > 0 {
				end = at + n
			}
		}
		out = append(out, [2]int{at, end})
		at = end
	}
	return out
}

func isBlank(c byte) bool { return c == ' ' || '\t' <= c && c <= '\r' && c != '\v' }

// literal returns the length of the string or character that a text begins with, 0 if it does
// not end on its line.
func literal(text []byte) int {
	for i := 1; i < len(text); i++ {
		switch text[i] {
		case text[0]:
			return i + 1
		case '\n':
			return 0
		case '\\':
			if i++; i < len(text) && text[i] == '\n' {
				return 0
			}
		}
	}
	return 0
}

// opened is a brace, with the tag of the struct or union it opens.
type opened struct {
	tag    string
	parens int // parentheses around it
}

// containsItself finds a struct that has itself as a member, directly or through
// structs inside. Our headers have none.
func containsItself(f *source.File) (at source.Span, tag string, found bool) {
	if strings.HasPrefix(f.Name, HeaderDir+"/") {
		return source.Span{}, "", false
	}
	tokens := tokensOf(f.Text)
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
