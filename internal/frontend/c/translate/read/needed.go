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

// namesOfParser are names that cc knows and no program mentions.
var namesOfParser = []string{"__predefined_declarator", "__predefined_size_t", "__predefined_wchar_t", "__predefined_ptrdiff_t"}

// selection is the parts that a program needs.
type selection struct {
	headers    map[string]*header // ours that the program may include, and predefined.h
	texts      []string           // of the user's files
	parts      map[*part]bool     // needed
	gcc        map[string]string  // gcc's macros
	macros     map[string]bool    // needed ones of them
	attributes map[string]bool    // words of the program that are names of attributes
	asks       bool               // the program asks for attributes
	everything bool               // nothing can be left out
}

// selects returns the parts that a program with these texts needs, nil if it may need all. Of all that
// cc reads, only included files are missing in the texts.
func (r *reader) selects(s *gcc.Settings, from string, texts ...string) *selection {
	n := &selection{
		headers: map[string]*header{predefinedName: ourHeader(predefinedName)}, gcc: s.PredefinedMacros(), parts: map[*part]bool{}, macros: map[string]bool{},
		attributes: map[string]bool{},
	}
	for _, text := range texts {
		r.search(n, from, text)
	}
	if n.everything {
		return nil
	}
	for _, h := range n.headers {
		for _, p := range h.parts {
			if p.names == nil {
				n.needPart(p)
			}
		}
	}
	for _, word := range namesOfParser {
		n.need(word)
	}
	for _, text := range n.texts {
		eachWord(text, n.need)
	}
	if n.everything {
		return nil
	}
	return n
}

// search notes a text of the user, and the files that it may include.
func (r *reader) search(n *selection, name, text string) {
	if n.everything = n.everything || pastes([]byte(text)); n.everything {
		return
	}
	n.texts = append(n.texts, text)
	for _, m := range includedName.FindAllStringSubmatch(text, -1) {
		r.searchFile(n, name, m[1])
	}
}

// searchFile notes the file that an #include finds.
func (r *reader) searchFile(n *selection, from, arg string) {
	file, ok := r.resolve(from, arg)
	if !ok || r.searched[path.Clean(file)] {
		return
	}
	r.searched[path.Clean(file)] = true
	if ours, ok := strings.CutPrefix(file, HeaderDir+"/"); ok {
		h := ourHeader(ours)
		n.headers[ours] = h
		for _, arg := range h.includes {
			r.searchFile(n, file, arg)
		}
	} else if text, ok := r.text(file); ok {
		r.search(n, file, string(text))
	}
}

// need notes that the program mentions a word.
func (n *selection) need(word string) {
	for _, h := range n.headers {
		for _, p := range h.byName[word] {
			n.needPart(p)
		}
	}
	if line, ok := n.gcc[word]; ok && !n.macros[word] {
		n.macros[word] = true
		n.everything = n.everything || pastes([]byte(line))
		eachWord(line, n.need)
	}
	if attributeAnswers()[word] != "" {
		n.attributes[word] = true
	}
	if word == string(vaOpt) { // see variadic.go
		for _, helper := range optionalHelpers {
			n.need(helper)
		}
	}
	n.asks = n.asks || word == "__has_attribute" || word == "__has_c_attribute" || word == "__has_cpp_attribute"
}

// needPart notes a part and its words.
func (n *selection) needPart(p *part) {
	if n.parts[p] {
		return
	}
	n.parts[p] = true
	n.everything = n.everything || p.paste
	for _, word := range p.words {
		n.need(word)
	}
}

// header returns the text of one of our headers with the parts that are needed, each on its line. It
// returns false for a header that is not among those which the program may include.
func (n *selection) header(name string) (text []byte, ok bool) {
	h := n.headers[name]
	if h == nil {
		return nil, false
	}
	var b strings.Builder
	line := 1
	for _, p := range h.parts {
		if n.parts[p] {
			toLine(&b, line, p.line)
			b.WriteString(p.text)
			line = p.line + p.lines
		}
	}
	return []byte(b.String()), true
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
