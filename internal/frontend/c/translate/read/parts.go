package read

import (
	"bytes"
	"slices"
	"strings"
	"sync"
)

// Our headers in parts. A part is a declaration, the definition of a macro or another directive, and
// has whole lines. A header is split once in a process; needed.go selects what a program needs.

// part is some lines of a header.
type part struct {
	text  string
	line  int // its first one
	lines int
	// names are all names that the part may declare or define: a program that mentions none of them
	// does not need it. Nil: every program needs the part.
	names []string
	words []string // all words in it, but for keywords and names of files
	paste bool     // it can make names that are written nowhere
}

// header is one of our headers.
type header struct {
	parts    []*part
	byName   map[string][]*part // the parts that may declare or define a name
	includes []string           // in angle brackets
}

var (
	splitHeaders = map[string]*header{}
	splitMutex   sync.Mutex
)

// ourHeader returns one of our headers in parts, nil if there is none of that name.
func ourHeader(name string) *header {
	splitMutex.Lock()
	defer splitMutex.Unlock()
	if h := splitHeaders[name]; h != nil {
		return h
	}
	text, err := headers.ReadFile("include/" + name)
	if err != nil {
		return nil
	}
	h := newHeader(text)
	splitHeaders[name] = h
	return h
}

// newHeader splits the text of a header.
func newHeader(text []byte) *header {
	h := &header{parts: split(text), byName: map[string][]*part{}}
	macros := map[string][]*part{}
	for _, p := range h.parts {
		if p.text[0] != '#' {
			continue
		}
		for _, n := range p.names {
			macros[n] = append(macros[n], p)
		}
		if p.names != nil {
			continue
		}
		if m := includedName.FindStringSubmatch(p.text); m != nil {
			h.includes = append(h.includes, m[1])
			p.words = nil
		}
	}
	for _, p := range h.parts {
		if p.text[0] != '#' {
			p.throughMacros(macros)
		}
		for _, n := range p.names {
			h.byName[n] = append(h.byName[n], p)
			if function, ok := strings.CutPrefix(n, "__builtin_"); ok { // cc finds it by that name too
				h.byName[function] = append(h.byName[function], p)
			}
		}
	}
	return h
}

// throughMacros adds the names that a declaration declares if macros of its header stand in it.
func (p *part) throughMacros(macros map[string][]*part) {
	for _, word := range p.words {
		for _, m := range macros[word] {
			switch {
			case m.paste: // names that are written nowhere
				p.names = nil
			case slices.Contains(p.names, word):
				p.names = append(p.names, m.words...)
			}
		}
		if p.names == nil {
			return
		}
	}
}

// split returns the parts of a header. What begins in the line in which another part ends belongs to
// that part.
func split(text []byte) []*part {
	var out []*part
	line, counted := 1, 0
	for at := skipBlanks(text, 0); at < len(text); at = skipBlanks(text, at) {
		begin := bytes.LastIndexByte(text[:at], '\n') + 1
		if len(bytes.TrimSpace(text[begin:at])) > 0 { // the end of a comment
			begin = at
		}
		end, names := onePart(text, at)
		for {
			next := skipBlanks(text, end)
			if next >= len(text) || bytes.IndexByte(text[end:next], '\n') >= 0 {
				break
			}
			more := names
			if end, more = onePart(text, next); names == nil || more == nil {
				names = nil
			} else {
				names = append(names, more...)
			}
		}
		line += bytes.Count(text[counted:begin], []byte("\n"))
		counted = begin
		p := &part{text: string(text[begin:end]) + "\n", line: line, names: names, paste: pastes(text[begin:end])}
		p.lines = strings.Count(p.text, "\n")
		p.words = slices.DeleteFunc(wordsOf(p.text), isKeyword)
		out = append(out, p)
		at = end
	}
	return out
}

// skipBlanks returns where the first word or sign at or after an offset begins. Comments are blank.
func skipBlanks(text []byte, at int) int {
	for at < len(text) {
		switch {
		case isBlank(text[at]):
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

// onePart returns the end of the directive, declaration or function definition that begins at an
// offset, and the names it may declare.
func onePart(text []byte, begin int) (end int, names []string) {
	if text[begin] == '#' {
		end = endOfDirective(text, begin)
		if words := strings.Fields(string(text[begin+1 : end])); len(words) > 1 && words[0] == "define" {
			names = wordsOf(words[1])[:1]
		}
		return end, names
	}
	depth, conditional, isFunction, last := 0, false, false, byte(0)
	at := begin
	for ; at < len(text); at = skipBlanks(text, at) {
		c := text[at]
		switch c {
		case '(', '[', '{':
			isFunction = isFunction || c == '{' && depth == 0 && last == ')'
			depth++
		case ')', ']', '}':
			depth--
		case '"', '\'':
			at += max(literal(text[at:]), 1) - 1
		case '#':
			conditional = true
			at = endOfDirective(text, at) - 1
		}
		last = c
		at++
		if depth == 0 && (c == ';' || c == '}' && isFunction) {
			break
		}
	}
	if conditional {
		return at, nil
	}
	return at, declaredNames(text[begin:at])
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

// wordsOf returns the words of a text, also those of its comments.
func wordsOf(text string) []string {
	var out []string
	eachWord(text, func(word string) { out = append(out, word) })
	return out
}

// eachWord calls f for every word of a text, also for those of comments and literals.
func eachWord(text string, f func(word string)) {
	for at := 0; at < len(text); at++ {
		if !IsWord(text[at]) {
			continue
		}
		begin := at
		for at++; at < len(text) && IsWord(text[at]); at++ {
		}
		f(text[begin:at])
	}
}

// pastes reports whether a text can make names that are written nowhere in it: with ##, or with a line
// that ends inside a name.
func pastes(text []byte) bool {
	if bytes.Contains(text, []byte("##")) || bytes.Contains(text, []byte("%:%:")) {
		return true
	}
	for at := 0; ; at++ {
		n := bytes.IndexByte(text[at:], '\\')
		if n < 0 {
			return false
		}
		at += n
		rest := bytes.TrimPrefix(text[at+1:], []byte("\r"))
		if at > 0 && IsWord(text[at-1]) && len(rest) > 1 && rest[0] == '\n' && IsWord(rest[1]) {
			return true
		}
	}
}
