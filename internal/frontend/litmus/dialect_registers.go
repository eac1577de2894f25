//go:build !fencepost_small

package litmus

import (
	"bytes"
	"strings"

	"fencepost/internal/ir"
	"fencepost/internal/source"
)

// What herd takes and C does not. For herd, a name such as r0 is a register of its thread wherever it stands, and some
// tests declare none; and a register has no type, so that one which was declared as a number can hold an address. Here
// the first assignment becomes a declaration, with the type of what is assigned, and what is read or written through a
// register goes through a macro, which makes a pointer of a number.

const (
	// declaring stands before the first assignment of a register. It is C as gcc has it.
	declaring = "__auto_type "
	// throughRegister is the macro; registerPrelude defines it.
	throughRegister = "__fp_at("
	registerPrelude = "#define __fp_at(r) __builtin_choose_expr(__builtin_types_compatible_p(__typeof__(r), int) || " +
		"__builtin_types_compatible_p(__typeof__(r), long), (__typeof__(r) *)(long)(r), (r))\n"
)

// registerText is the C of a test under change.
type registerText struct {
	out      []byte
	inserted []extent // in out
}

func (r *registerText) insert(text string) {
	r.inserted = append(r.inserted, extent{len(r.out), len(r.out) + len(text)})
	r.out = append(r.out, text...)
}

// declareRegisters inserts declarations and macros into C text from start to end, and returns where, as extents in the
// new text.
func declareRegisters(text []byte, start, end int) (out []byte, inserted []extent) {
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
			next = min(cQuoted(text, i), end)
			before, earlier = c, before
		case isLetter(c) || isDigit(c):
			for next < end && isNamePart(text[next]) {
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
		case !isSpace(c):
			before, earlier = c, before
		}
		if through {
			r.insert(throughRegister)
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
		case isLetter(c) || isDigit(c):
			for next < len(text) && isNamePart(text[next]) {
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
		if !isDigit(word[i]) {
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

// undeclaring returns a function that writes fences into the text without what was inserted.
func undeclaring(write func([]ir.FenceAt, FenceStyle) []source.Edit, inserted []extent) func([]ir.FenceAt, FenceStyle) []source.Edit {
	if write == nil || len(inserted) == 0 {
		return write
	}
	shift := func(at int) int {
		n := 0
		for _, i := range inserted {
			if i.start < at {
				n += min(at, i.end) - i.start
			}
		}
		return at - n
	}
	return func(fences []ir.FenceAt, style FenceStyle) []source.Edit {
		edits := write(fences, style)
		for i := range edits {
			edits[i].Start, edits[i].End = shift(edits[i].Start), shift(edits[i].End)
		}
		return edits
	}
}
