package dialect

import "fencepost/internal/source"

// Inserted is a stretch of the changed text that the text of the test does not have.
type Inserted struct{ Start, End int }

// MoveEdits moves edits of the changed text to the text without what was inserted.
func MoveEdits(edits []source.Edit, inserted []Inserted) {
	shift := func(at int) int {
		n := 0
		for _, i := range inserted {
			if i.Start < at {
				n += min(at, i.End) - i.Start
			}
		}
		return at - n
	}
	for i := range edits {
		edits[i].Start, edits[i].End = shift(edits[i].Start), shift(edits[i].End)
	}
}

// EndOfQuoted is where a string or character of C ends, at the latest with its line.
func EndOfQuoted(text []byte, i int) int {
	quote := text[i]
	for i++; i < len(text) && text[i] != '\n'; i++ {
		if text[i] == '\\' {
			i++
		} else if text[i] == quote {
			return i + 1
		}
	}
	return min(i, len(text))
}

// IsSpace reports whether a character is white space.
func IsSpace(c byte) bool {
	return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f' || c == '\v'
}

// IsDigit reports whether a character is a decimal digit.
func IsDigit(c byte) bool { return c >= '0' && c <= '9' }

// IsHexDigit reports whether a character is a hexadecimal digit.
func IsHexDigit(c byte) bool { return IsDigit(c) || c >= 'a' && c <= 'f' || c >= 'A' && c <= 'F' }

// IsLetter reports whether a character begins a name in a test; a dot does.
func IsLetter(c byte) bool { return c == '_' || c == '.' || c|0x20 >= 'a' && c|0x20 <= 'z' }

// IsNamePart reports whether a character is part of a name.
func IsNamePart(c byte) bool { return IsLetter(c) || IsDigit(c) }
