package read

import (
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"

	"fencepost/internal/gcc"
)

// What a program needs of our headers and of the predefined macros. cc would read thousands of
// declarations of which a program mentions ten, and this takes longer than everything else that
// happens to a small program. So cc gets only parts that may declare or define a name which the
// program mentions, the names which these parts mention, and so on.
//
// A name is mentioned if it stands anywhere in a file of the user, also in a comment or where a
// condition skips it. Nothing is left out
//   - if the program can make names that are written nowhere (with ##);
//   - if cc opens a file of the user that was not searched for names;
//   - if the program has errors, so that all messages are about complete headers.

// selection is the parts that a program needs.
type selection struct {
	index      *partIndex
	gcc        map[string]string // gcc's macros
	parts      map[*part]bool    // needed
	macros     map[string]bool   // needed ones of gcc
	attributes map[string]bool   // words of the program that are names of attributes
	asks       bool              // the program asks for attributes
	everything bool              // nothing can be left out
}

// selects returns the parts that a program with these texts needs, nil if it may need all. Of all that
// cc reads, only included files are missing in the texts.
func (r *reader) selects(s *gcc.Settings, from string, texts ...[]byte) *selection {
	n := &selection{index: ourParts(), gcc: s.PredefinedMacros(), parts: map[*part]bool{}, macros: map[string]bool{}, attributes: map[string]bool{}}
	for _, word := range n.index.always {
		n.need([]byte(word))
	}
	for _, text := range texts {
		r.search(n, from, text)
	}
	if n.everything {
		return nil
	}
	return n
}

// search notes the words of a text and of the files of the user that it may include.
func (r *reader) search(n *selection, name string, text []byte) {
	if n.everything = n.everything || pastes(text); n.everything {
		return
	}
	eachWord(text, n.need)
	for _, m := range includedName.FindAllSubmatch(text, -1) {
		file, ok := r.resolve(name, string(m[1]))
		if !ok || isOurs(file) || r.searched[path.Clean(file)] {
			continue
		}
		r.searched[path.Clean(file)] = true
		if included, ok := r.text(file); ok {
			r.search(n, file, included)
		}
	}
}

// need notes that the program mentions a word.
func (n *selection) need(word []byte) {
	for _, p := range n.index.byName[string(word)] {
		if !n.parts[p] {
			n.parts[p] = true
			n.everything = n.everything || p.paste
			for _, w := range p.words {
				n.need([]byte(w))
			}
		}
	}
	if line, ok := n.gcc[string(word)]; ok && !n.macros[string(word)] {
		n.macros[string(word)] = true
		n.everything = n.everything || pastes([]byte(line))
		eachWord([]byte(line), n.need)
	}
	if _, ok := attributeAnswers()[string(word)]; ok {
		n.attributes[string(word)] = true
	}
	n.asks = n.asks || strings.HasPrefix(string(word), "__has_c") || string(word) == "__has_attribute"
}

// header returns the text of one of our headers with the parts that are needed. Each stays on its line.
func (n *selection) header(name string) []byte {
	var b strings.Builder
	line := 1
	for _, p := range n.index.headers[name] {
		if p.names == nil || n.parts[p] {
			toLine(&b, line, p.line)
			b.WriteString(p.text)
			line = p.line + p.lines
		}
	}
	return []byte(b.String())
}

// toLine writes line breaks, or a directive if there would be many.
func toLine(b *strings.Builder, from, to int) {
	if to-from < 4 {
		b.WriteString(strings.Repeat("\n", to-from))
		return
	}
	b.WriteString("#line " + strconv.Itoa(to) + "\n")
}

// gccMacros returns the macros of gcc that are needed.
func (n *selection) gccMacros() string {
	var b strings.Builder
	for _, name := range slices.Sorted(maps.Keys(n.macros)) {
		b.WriteString("#define " + n.gcc[name] + "\n")
	}
	return b.String()
}

// hasAttributes returns the answers of gcc to __has_attribute that are needed.
func (n *selection) hasAttributes() string {
	if !n.asks {
		return ""
	}
	var b strings.Builder
	b.WriteString(attributeMacros)
	for _, name := range slices.Sorted(maps.Keys(n.attributes)) {
		b.WriteString(attributeAnswers()[name])
	}
	return b.String()
}

// isOurs reports whether a file is one of our headers.
func isOurs(file string) bool { return strings.HasPrefix(file, HeaderDir+"/") }
