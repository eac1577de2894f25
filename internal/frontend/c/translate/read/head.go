package read

import (
	"bytes"
	"regexp"

	"fencepost/internal/lazyregexp"
)

// Head is the directives at the beginning of a C file, before the first declaration.
type Head struct {
	at     int  // where the next #include belongs
	guard  bool // the file begins with #ifndef NAME, #define NAME, or #pragma once
	some   bool // there is an #include that no condition decides about
	atomic bool // one of them is <stdatomic.h>
}

var (
	includeGuard = lazyregexp.New(`^#\s*(?:ifndef\s+|if\s*!\s*defined\s*\(?\s*)(\w+)`)
	conditional  = lazyregexp.New(`^#\s*if`)
	endOfIf      = lazyregexp.New(`^#\s*endif\b`)
	include      = lazyregexp.New(`^#\s*include\b`)
	stdatomic    = lazyregexp.New(`^#\s*include\s*<stdatomic\.h>`)
	once         = lazyregexp.New(`^#\s*pragma\s+once\b`)
	cplusplus    = lazyregexp.New(`^#\s*if.*\b__cplusplus\b`)
)

// FindHead reads the head of a file. Declarations for C++ alone do not end it.
func FindHead(text []byte) Head {
	var h Head
	depth, foreign := 0, 0 // conditions around; the depth of the one about C++
	guard := ""            // a name that #ifndef tested and that must be defined next
	for n, at := 0, skipBlanks(text, 0); at < len(text); n, at = n+1, skipBlanks(text, at) {
		if text[at] != '#' {
			if foreign == 0 {
				break
			}
			at += max(bytes.IndexByte(text[at:], '\n'), 1)
			continue
		}
		end := endOfDirective(text, at)
		line := text[at:end]
		next := min(end+1, len(text))
		switch {
		case n == 0 && includeGuard.Match(line):
			guard = string(includeGuard.FindSubmatch(line)[1])
			depth++
		case n == 1 && guard != "" && regexp.MustCompile(`^#\s*define\s+`+guard+`\b`).Match(line):
			h.guard, h.at = true, next
			depth--
		case conditional.Match(line):
			depth++
			if foreign == 0 && cplusplus.Match(line) {
				foreign = depth
			}
		case endOfIf.Match(line) && depth == 0: // no guard, but a default for a macro
			h = Head{}
		case endOfIf.Match(line):
			if depth == foreign {
				foreign = 0
			}
			depth--
		case depth > 0:
		case once.Match(line):
			h.guard, h.at = true, next
		case include.Match(line):
			h.some, h.at = true, next
			h.atomic = h.atomic || stdatomic.Match(line)
		}
		at = end
	}
	return h
}

// HasAtomics says whether the file includes <stdatomic.h> in any case.
func (h Head) HasAtomics() bool { return h.atomic }

// Insert returns where lines go that the rest of the file needs, and the lines with a blank line
// around them where there is no other #include beside them.
func (h Head) Insert(lines string) (at int, text string) {
	switch {
	case h.some:
		return h.at, lines
	case h.guard:
		return h.at, "\n" + lines
	default:
		return 0, lines + "\n"
	}
}
