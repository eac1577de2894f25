package read

import (
	"slices"
	"strings"
)

// The names that a declaration of our headers declares. Where the text is not of a known form, every
// word counts: a name too many costs time, a name too few would lose a declaration.

// keywords lists the keywords that our headers use. A keyword declares nothing.
var keywords = func() map[string]bool {
	out := map[string]bool{}
	for word := range strings.FieldsSeq("_Alignas _Atomic _Bool _Complex _Noreturn __asm__ __attribute__ __inline __restrict __typeof__ char const double else enum " +
		"extern float if inline int long return short signed static struct typedef union unsigned void volatile while") {
		out[word] = true
	}
	return out
}()

// operators are the keywords with arguments in parentheses that are part of a type.
var operators = []string{"_Alignas", "_Atomic", "__asm__", "__attribute__", "__typeof__"}

// declaredNames returns the names that a declaration or a function definition may declare at file
// scope: of functions and objects, of types, of structs inside, of enumerators.
func declaredNames(text []byte) []string {
	d := &declaredName{}
	for _, t := range tokensOf(text) {
		if word := string(text[t[0]:t[1]]); commentLength(text[t[0]:]) == 0 {
			d.tokens = append(d.tokens, word)
		}
	}
	if !d.walk() {
		return slices.DeleteFunc(wordsOf(string(text)), isKeyword)
	}
	return d.names
}

func isKeyword(word string) bool { return keywords[word] }

// declaredName walks through the tokens of a declaration.
type declaredName struct {
	tokens []string
	names  []string
}

// token returns a token, "" outside the declaration.
func (d *declaredName) token(i int) string {
	if i < 0 || i >= len(d.tokens) {
		return ""
	}
	return d.tokens[i]
}

// walk collects the names. It returns false if the declaration has a form that it does not know.
func (d *declaredName) walk() bool {
	var open []byte // what is open at a token: parentheses, brackets, braces, and e for the braces of an enum
	parameters := false
	for i, token := range d.tokens {
		before, after := d.token(i-1), d.token(i+1)
		switch token {
		case "(":
			if len(open) == 0 && !slices.Contains(operators, before) {
				switch pointer := after == "*" && d.token(i+3) == ")"; {
				case pointer:
					d.names = append(d.names, d.token(i+2))
				case isName(before):
					d.names = append(d.names, before)
				case !parameters: // else those of a pointer to a function
					return false
				}
				parameters = true
			}
			open = append(open, '(')
		case "{":
			kind := byte('{')
			if before == "enum" || d.token(i-2) == "enum" {
				kind = 'e'
			}
			if isName(before) {
				d.names = append(d.names, before)
			}
			if parameters && len(open) == 0 { // the body of a function, in which all is local
				return true
			}
			open = append(open, kind)
		case "[":
			open = append(open, '[')
		case ")", "]", "}":
			if len(open) == 0 {
				return false
			}
			open = open[:len(open)-1]
		default:
			inEnum := len(open) > 0 && open[len(open)-1] == 'e' && (before == "{" || before == ",")
			declared := len(open) == 0 && slices.Contains([]string{";", ",", "[", "=", "__attribute__", "__asm__"}, after)
			if isName(token) && (inEnum || declared) {
				d.names = append(d.names, token)
			}
		}
	}
	return len(open) == 0 && len(d.names) > 0
}

// isName reports whether a token is a name.
func isName(token string) bool {
	return token != "" && IsWord(token[0]) && (token[0] < '0' || token[0] > '9') && !isKeyword(token)
}
