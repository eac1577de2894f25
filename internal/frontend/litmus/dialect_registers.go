package litmus

import (
	"bytes"

	"fencepost/internal/ir"
	"fencepost/internal/source"
)

// Registers that no declaration names. For herd, a name such as r0 is a register of its thread wherever it stands, and
// some tests declare none. Here the first assignment in the body of a thread becomes a declaration, with the type of what
// is assigned.

// declaring stands before the first assignment of a register. It is C as gcc has it.
const declaring = "__auto_type "

// declareRegisters inserts declarations into C text from start to end, and returns where, as offsets in the new text.
func declareRegisters(text []byte, start, end int) (out []byte, inserted []int) {
	out = append(out, text[:start]...)
	depth := 0
	seen := map[string]bool{}
	before := byte('}') // the last character that is no space
	for i := start; i < end; {
		next := i + 1
		switch c := text[i]; {
		case c == '/' && i+1 < end && text[i+1] == '/':
			next = lineEnd(text, i)
		case c == '/' && i+1 < end && text[i+1] == '*':
			if n := bytes.Index(text[i+2:end], []byte("*/")); n >= 0 {
				next = i + 2 + n + 2
			}
		case c == '"' || c == '\'':
			next, before = min(cQuoted(text, i), end), c
		case isLetter(c) || isDigit(c):
			for next < end && isNamePart(text[next]) {
				next++
			}
			word := string(text[i:next])
			if depth == 1 && isPlainRegister(word) && !seen[word] && bytes.IndexByte([]byte("{};"), before) >= 0 && assigned(text[next:end]) {
				inserted = append(inserted, len(out))
				out = append(out, declaring...)
			}
			seen[word], before = true, c
		case c == '{':
			depth++
			before = c
		case c == '}':
			if depth--; depth == 0 {
				clear(seen)
			}
			before = c
		case c != ' ' && c != '\t' && c != '\n' && c != '\r':
			before = c
		}
		out = append(out, text[i:next]...)
		i = next
	}
	return append(out, text[end:]...), inserted
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

// undeclaring returns a function that writes fences into the text without the inserted declarations.
func undeclaring(write func([]ir.FenceAt, FenceStyle) []source.Edit, inserted []int) func([]ir.FenceAt, FenceStyle) []source.Edit {
	if write == nil || len(inserted) == 0 {
		return write
	}
	shift := func(at int) int {
		n := 0
		for _, i := range inserted {
			if i < at {
				n = min(n+len(declaring), n+at-i)
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
