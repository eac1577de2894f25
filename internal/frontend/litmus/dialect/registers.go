//go:build !fencepost_small

package dialect

import (
	"bytes"
	"strings"
)

// What herd takes and C does not. For herd, a name such as r0 is a register of its thread wherever it stands, and some
// tests declare none; and a register has no type, so that one which was declared as a number can hold an address. Here
// the first assignment becomes a declaration, with the type of what is assigned, and what is read or written through a
// register goes through a macro, which makes a pointer of a number.

const (
	// declaring stands before the first assignment of a register. It is C as gcc has it.
	declaring = "__auto_type "
	// ThroughRegister is the macro for what is read or written through a register.
	ThroughRegister = "__fp_at("
	// RegisterPrelude defines the macro.
	RegisterPrelude = "#define __fp_at(r) __builtin_choose_expr(__builtin_types_compatible_p(__typeof__(r), int) || " +
		"__builtin_types_compatible_p(__typeof__(r), long), (__typeof__(r) *)(long)(r), (r))\n"
)

// registerText is the C of a test under change.
type registerText struct {
	out      []byte
	inserted []Inserted // of out
}

func (r *registerText) insert(text string) {
	r.inserted = append(r.inserted, Inserted{len(r.out), len(r.out) + len(text)})
	r.out = append(r.out, text...)
}

// DeclareRegisters inserts declarations and macros into C text from start to end, and returns where, as stretches of the
// new text.
func DeclareRegisters(text []byte, start, end int) (out []byte, inserted []Inserted) {
	r := registerText{out: append([]byte{}, text[:start]...)}
	depth := 0
	seen := map[string]bool{}
	var before, earlier byte = '}', '}' // the last two characters that are no space
	for i := start; i < end; {
		next, through := i+1, false
		switch c := text[i]; {
		case c == '/' && i+1 < end && text[i+1] == '/':
			next = lineEnd(text, i)
		case c == '/' && i+1 < end && text[i+1] == '*':
			if n := bytes.Index(text[i+2:end], []byte("*/")); n >= 0 {
				next = i + 2 + n + 2
			}
		case c == '"' || c == '\'':
			next = min(EndOfQuoted(text, i), end)
			before, earlier = c, before
		case IsLetter(c) || IsDigit(c):
			for next < end && IsNamePart(text[next]) {
				next++
			}
			word := string(text[i:next])
			if depth > 0 && isPlainRegister(word) {
				if !seen[word] && isOneOf(before, "{};") && assigned(text[next:end]) && (depth == 1 || !usedAfterBlock(text[next:end], word, depth)) {
					r.insert(declaring)
				}
				through = before == '*' && isOneOf(earlier, "(,;{}=")
			}
			seen[word] = true
			before, earlier = c, before
		case c == '{':
			depth++
			before, earlier = c, before
		case c == '}':
			if depth--; depth == 0 {
				clear(seen)
			}
			before, earlier = c, before
		case !IsSpace(c):
			before, earlier = c, before
		}
		if through {
			r.insert(ThroughRegister)
		}
		r.out = append(r.out, text[i:next]...)
		if through {
			r.insert(")")
		}
		i = next
	}
	return append(r.out, text[end:]...), r.inserted
}

func isOneOf(c byte, set string) bool { return strings.IndexByte(set, c) >= 0 }

// usedAfterBlock reports whether a word occurs between the end of the block in which text begins and the end of the
// function. depth is how deep the block lies.
func usedAfterBlock(text []byte, word string, depth int) bool {
	block, left := depth, false
	for i := 0; i < len(text) && depth > 0; {
		next := i + 1
		switch c := text[i]; {
		case c == '{':
			depth++
		case c == '}':
			depth--
			left = left || depth < block
		case IsLetter(c) || IsDigit(c):
			for next < len(text) && IsNamePart(text[next]) {
				next++
			}
			if left && string(text[i:next]) == word {
				return true
			}
		}
		i = next
	}
	return false
}

// lineEnd returns where the line of an offset ends.
func lineEnd(text []byte, i int) int {
	if n := bytes.IndexByte(text[i:], '\n'); n >= 0 {
		return i + n
	}
	return len(text)
}

// isPlainRegister reports whether a word is r and a number.
func isPlainRegister(word string) bool {
	for i := 1; i < len(word); i++ {
		if !IsDigit(word[i]) {
			return false
		}
	}
	return len(word) > 1 && word[0] == 'r'
}

// assigned reports whether text begins with an assignment to what stands before it.
func assigned(text []byte) bool {
	text = bytes.TrimLeft(text, " \t\r\n")
	return len(text) > 1 && text[0] == '=' && text[1] != '='
}
