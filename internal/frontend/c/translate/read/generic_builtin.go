package read

import (
	"slices"
	"strings"
	"sync"

	"modernc.org/cc/v4"

	"fencepost/internal/lazyregexp"
)

// Builtins that a _Generic names: _Generic(p, int *: __atomic_load_n, ...)(p, order). Most builtins are macros here,
// which need their arguments, so the call moves into the associations: _Generic(p, int *: __atomic_load_n(p, order), ...).
// The preprocessor has run, so the macro is expanded here.

// callMacro is a macro of predefined.h with parameters.
type callMacro struct {
	params   []string
	variadic bool
	body     []string // words
}

var (
	macroHead = lazyregexp.New(`^#define (\w+)\(([^)]*)\) (.*)`)
	macroWord = lazyregexp.New(`\w+|==|\|\||&&|<<|>>|->|[^\s\w]`)
)

// callMacros are the macros of predefined.h that a program may name without a call.
var callMacros = sync.OnceValue(func() map[string]*callMacro {
	out := map[string]*callMacro{}
	for _, p := range ourHeader(predefinedName).parts {
		m := macroHead.FindStringSubmatch(p.text)
		if m == nil || strings.Contains(m[3], "#") || strings.HasPrefix(m[1], "__fp_") {
			continue
		}
		c := &callMacro{body: macroWord.FindAllString(m[3], -1)}
		for _, param := range strings.Split(m[2], ",") {
			if param = strings.TrimSpace(param); param == "..." {
				c.variadic = true
			} else if param != "" {
				c.params = append(c.params, param)
			}
		}
		out[m[1]] = c
	}
	return out
})

// genericBuiltins moves calls into the associations of a _Generic that names a builtin.
func genericBuiltins(tokens []ccToken) []ccToken {
	if !slices.ContainsFunc(tokens, func(t ccToken) bool { return t.Ch == rune(cc.IDENTIFIER) && t.SrcStr() == "_Generic" }) {
		return tokens
	}
	var out []ccToken
	kept := 0
	for i := range tokens {
		if i < kept || tokens[i].Ch != rune(cc.IDENTIFIER) || tokens[i].SrcStr() != "_Generic" {
			continue
		}
		open := afterBlanks(tokens, i+1)
		if open >= len(tokens) || tokens[open].Ch != '(' {
			continue
		}
		end := closingParenthesis(tokens, open)
		call := afterBlanks(tokens, end+1)
		if end < 0 || call >= len(tokens) || tokens[call].Ch != '(' {
			continue
		}
		last := closingParenthesis(tokens, call)
		if last < 0 {
			continue
		}
		if with := callInside(tokens[i:end+1], open-i, tokens[call+1:last]); with != nil {
			out = append(append(out, tokens[kept:i]...), with...)
			kept = last + 1
		}
	}
	if kept == 0 {
		return tokens
	}
	return append(out, tokens[kept:]...)
}

// callInside returns a _Generic with calls in its associations, nil if it names no builtin.
func callInside(generic []ccToken, open int, args []ccToken) []ccToken {
	parts := atTop(generic[open+1:len(generic)-1], ',')
	values := atTop(args, ',')
	out := slices.Clone(generic[:open+1])
	found := false
	for k, part := range parts {
		if k == 0 {
			out = append(out, part...)
			continue
		}
		out = append(out, sign(generic[open], ','))
		pair := atTop(part, ':')
		if len(pair) != 2 {
			return nil
		}
		name := trimmed(pair[1])
		out = append(append(out, pair[0]...), sign(generic[open], ':'))
		if m := macroOf(name); m != nil {
			expanded, ok := m.expand(name[0], values)
			if !ok {
				return nil
			}
			out, found = append(out, expanded...), true
			continue
		}
		out = append(append(append(out, pair[1]...), sign(generic[open], '(')), args...)
		out = append(out, sign(generic[open], ')'))
	}
	if !found {
		return nil
	}
	return append(out, generic[len(generic)-1])
}

// macroOf returns the macro that tokens name, nil if they do not.
func macroOf(name []ccToken) *callMacro {
	if len(name) != 1 {
		return nil
	}
	return callMacros()[name[0].SrcStr()]
}

// expand returns the text of the macro with arguments, false if it does not take that many.
func (m *callMacro) expand(at ccToken, args [][]ccToken) ([]ccToken, bool) {
	if len(args) < len(m.params) || len(args) > len(m.params) && !m.variadic {
		return nil, false
	}
	var out []ccToken
	for i := 0; i < len(m.body); i++ {
		word := m.body[i]
		if k := slices.Index(m.params, word); k >= 0 {
			out = append(out, args[k]...)
			continue
		}
		t := madeTokens(at, word)
		if kind, ok := operatorKinds[word]; ok {
			t[0].Ch = kind
		}
		out = append(out, t...)
	}
	return again(out)
}

// again expands the macros of predefined.h that the text of a macro calls.
func again(tokens []ccToken) ([]ccToken, bool) {
	for i := range tokens {
		m := callMacros()[tokens[i].SrcStr()]
		open := afterBlanks(tokens, i+1)
		if m == nil || open >= len(tokens) || tokens[open].Ch != '(' {
			continue
		}
		end := closingParenthesis(tokens, open)
		if end < 0 {
			return nil, false
		}
		inner, ok := m.expand(tokens[i], atTop(tokens[open+1:end], ','))
		if !ok {
			return nil, false
		}
		return slices.Concat(tokens[:i], inner, tokens[end+1:]), true
	}
	return tokens, true
}

// atTop cuts tokens at a sign outside parentheses.
func atTop(tokens []ccToken, at rune) [][]ccToken {
	var out [][]ccToken
	depth, from := 0, 0
	for i := range tokens {
		switch tokens[i].Ch {
		case '(', '[', '{':
			depth++
		case ')', ']', '}':
			depth--
		case at:
			if depth == 0 {
				out = append(out, tokens[from:i])
				from = i + 1
			}
		}
	}
	return append(out, tokens[from:])
}

// trimmed returns tokens without blank ones at both ends.
func trimmed(tokens []ccToken) []ccToken {
	from, to := afterBlanks(tokens, 0), beforeBlanks(tokens, len(tokens)-1)
	if from > to {
		return nil
	}
	return tokens[from : to+1]
}
