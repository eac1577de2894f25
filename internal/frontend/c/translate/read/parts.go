package read

import (
	"bytes"
	"io/fs"
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// Our headers in parts. A part is a declaration, the definition of a macro or another directive, and
// has whole lines. Headers are split once in a process; needed.go selects what a program needs.

// part is some lines of a header.
type part struct {
	text  string
	line  int // its first one
	lines int
	// names are all names that the part may declare or define: a program that mentions none of them
	// does not need it. Nil: every program needs the part.
	names []string
	words []string // all words in it
	paste bool     // it can make names that are written nowhere
}

// partIndex is our headers in parts.
type partIndex struct {
	headers map[string][]*part // predefined.h is one of them
	byName  map[string][]*part // the parts that may declare or define a name
	always  []string           // the words of the parts that every program needs
}

// namesOfParser are names that cc knows and no program mentions.
var namesOfParser = []string{"__predefined_declarator", "__predefined_size_t", "__predefined_wchar_t", "__predefined_ptrdiff_t"}

// ourParts returns our headers in parts.
var ourParts = sync.OnceValue(func() *partIndex {
	texts := map[string][]byte{}
	err := fs.WalkDir(headers, "include", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		texts[strings.TrimPrefix(name, "include/")], err = headers.ReadFile(name)
		return err
	})
	if err != nil {
		panic("BUG: " + err.Error())
	}
	return newPartIndex(texts)
})

// newPartIndex splits headers.
func newPartIndex(texts map[string][]byte) *partIndex {
	x := &partIndex{headers: map[string][]*part{}, byName: map[string][]*part{}, always: slices.Clone(namesOfParser)}
	macros := map[string][]*part{}
	for _, name := range slices.Sorted(maps.Keys(texts)) {
		x.headers[name] = split(texts[name])
		for _, p := range x.headers[name] {
			if p.text[0] == '#' && len(p.names) > 0 {
				macros[p.names[0]] = append(macros[p.names[0]], p)
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(texts)) {
		for _, p := range x.headers[name] {
			if p.text[0] != '#' {
				p.throughMacros(macros)
			}
			if p.names == nil {
				x.always = append(x.always, p.words...)
			}
			for _, n := range p.names {
				x.byName[n] = append(x.byName[n], p)
				if function, ok := strings.CutPrefix(n, "__builtin_"); ok { // cc finds it by that name too
					x.byName[function] = append(x.byName[function], p)
				}
			}
		}
	}
	return x
}

// throughMacros adds the names that a declaration declares if macros of our headers stand in it.
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
		p := &part{
			text: string(text[begin:end]) + "\n", line: bytes.Count(text[:begin], []byte("\n")) + 1, lines: bytes.Count(text[begin:end], []byte("\n")) + 1,
			names: names, paste: pastes(text[begin:end]),
		}
		if !includedName.MatchString(p.text) {
			p.words = wordsOf(text[begin:end])
		}
		out = append(out, p)
		at = end
	}
	return out
}

// skipBlanks returns where the first word or sign at or after an offset begins. Comments are blank.
func skipBlanks(text []byte, at int) int {
	for at < len(text) {
		n := commentLength(text[at:])
		if n == 0 && !isBlank(text[at]) {
			break
		}
		at += max(n, 1)
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
		if m := definition.FindSubmatch(text[begin:end]); m != nil {
			names = []string{string(m[1])}
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

var definition = regexp.MustCompile(`^#[ \t]*define[ \t]+(\w+)`)

// endOfDirective returns the end of the directive at an offset: that of its line, where a backslash or
// a comment continues a line.
func endOfDirective(text []byte, at int) int {
	for at < len(text) && text[at] != '\n' {
		switch n := commentLength(text[at:]); {
		case n > 0:
			at += n
		case text[at] == '\\':
			at = min(at+2, len(text))
		default:
			at++
		}
	}
	return at
}

// wordsOf returns the words of a text, also those of its comments.
func wordsOf(text []byte) []string {
	var out []string
	eachWord(text, func(word []byte) { out = append(out, string(word)) })
	return out
}

// eachWord calls f for every word of a text, also for those of comments and literals.
func eachWord(text []byte, f func(word []byte)) {
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
