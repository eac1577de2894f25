package read

import (
	"bytes"
	"path"

	"fencepost/internal/lazyregexp"
)

// The headers of gcc with the instructions of the processor, in the output of a
// preprocessor. They define thousands of functions on vectors, which cc cannot check. A
// body with vectors, or with a builtin that has no meaning here, is dropped; the
// function stays declared, and a call of it is refused by name. Other bodies, such as
// that of _mm_pause, stay.

// isIntrinsicHeader reports whether a file is such a header.
func isIntrinsicHeader(file string) bool {
	base := path.Base(file)
	return bytes.HasSuffix([]byte(base), []byte("intrin.h")) || base == "mm_malloc.h" || base == "cpuid.h"
}

var (
	vectorWord     = lazyregexp.New(`\b__(?:m(?:64|128|256|512)\w*|v\d+\w*|mmask\d+|tile\w*)\b|\b_Float16\b|\bconvertvector\b|\bshuffle\b`)
	processorWord  = lazyregexp.New(`\b__builtin_ia32_\w+`)
	unknownBuiltin = func(body []byte) bool {
		for _, word := range processorWord.FindAll(body, -1) {
			if !builtinMacros()[string(word)] {
				return true
			}
		}
		return false
	}
)

// dropBodies drops the bodies that cannot be read from the text of such a header. Lines
// stay lines, and directives in a body stay too.
func dropBodies(text []byte) []byte {
	out := make([]byte, 0, len(text))
	for len(text) > 0 {
		open := bytes.IndexByte(text, '{')
		if open < 0 {
			break
		}
		end := closingBrace(text, open)
		if end < 0 {
			break
		}
		head, body := text[:open], text[open:end]
		begin := bytes.LastIndexByte(head, ';') + 1
		begin = max(begin, bytes.LastIndexByte(head, '}')+1)
		isFunction := bytes.HasSuffix(bytes.TrimSpace(withoutDirectives(head)), []byte(")"))
		out = append(out, head...)
		if isFunction && (vectorWord.Match(body) || vectorWord.Match(head[begin:]) || unknownBuiltin(body)) {
			out = append(append(out, ';'), onlyLines(body)...)
		} else {
			out = append(out, body...)
		}
		text = text[end:]
	}
	return append(out, text...)
}

// closingBrace returns the offset after the brace that closes the one at open, or -1.
func closingBrace(text []byte, open int) int {
	depth := 0
	for i := open; i < len(text); i++ {
		switch text[i] {
		case '{':
			depth++
		case '}':
			if depth--; depth == 0 {
				return i + 1
			}
		}
	}
	return -1
}

var directiveOfText = lazyregexp.New(`(?m)^#[^\n]*`)

func withoutDirectives(text []byte) []byte { return directiveOfText.ReplaceAll(text, nil) }

// onlyLines is the line breaks and directives of a text.
func onlyLines(text []byte) []byte {
	var out []byte
	for line := range bytes.Lines(text) {
		if line[0] == '#' {
			out = append(out, line...)
		} else if line[len(line)-1] == '\n' {
			out = append(out, '\n')
		}
	}
	return out
}
