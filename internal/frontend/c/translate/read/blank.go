package read

import "bytes"

// skipBlanks returns where the first word or sign at or after an offset begins. Comments are blank.
func skipBlanks(text []byte, at int) int {
	for at < len(text) {
		switch {
		case text[at] == ' ' || text[at] >= '\t' && text[at] <= '\r':
			at++
		case text[at] == '/' && commentLength(text[at:]) > 0:
			at += commentLength(text[at:])
		default:
			return at
		}
	}
	return at
}

// commentLength returns the length of the comment that a text begins with, 0 if there is none.
func commentLength(text []byte) int {
	switch {
	case bytes.HasPrefix(text, []byte("//")):
		if n := bytes.IndexByte(text, '\n'); n >= 0 {
			return n
		}
		return len(text)
	case bytes.HasPrefix(text, []byte("/*")):
		if n := bytes.Index(text[2:], []byte("*/")); n >= 0 {
			return n + 4
		}
		return len(text)
	}
	return 0
}

// endOfDirective returns the end of the directive at an offset: that of its line, where a backslash or
// a comment continues a line.
func endOfDirective(text []byte, at int) int {
	for at < len(text) && text[at] != '\n' {
		switch text[at] {
		case '/':
			at += max(commentLength(text[at:]), 1)
		case '\\':
			at = min(at+2, len(text))
		default:
			at++
		}
	}
	return at
}
