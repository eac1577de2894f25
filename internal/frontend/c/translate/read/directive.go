package read

import (
	"bytes"
	"fmt"
	"path"
	"strconv"
	"strings"
	"sync"

	"fencepost/internal/lazyregexp"
	"fencepost/internal/source"
)

// Directives that cc answers in another way than gcc. Their lines are changed before cc
// reads them; no line but that of a #define (variadic.go), #elifdef, #include or #pragma pack gets longer
// or shorter, so all positions stay.
//
//   - __has_include(<linux/futex.h>) is answered here: cc expands the macro linux in it.
//   - __has_c_attribute(gnu::packed) is answered here: cc has no such names.
//   - __has_feature and __has_extension, which gcc 12 does not have, get another name: cc
//     answers them even where the program defines macros of that name.
//   - Binary numbers in conditions, 0b101, become hexadecimal ones.
//   - Variable arguments: see variadic.go. cc needs a space between a comma and ##.
//   - An apostrophe in the text of an #error has no end for cc, even if the line is skipped. So has
//     one in other text that is skipped: see quotes.go.
//   - #pragma pack becomes a declaration, see pack.go.
//   - an #include of a file that does not exist becomes a pragma that we report. cc would end the text
//     there, and its parser does not return from every text that ends early.
//   - #elifdef and #elifndef, which cc does not know, become an #elif.
//   - A directive that neither cc nor gcc 12 knows, or that only gcc knows, such as #embed, becomes an #error: cc would
//     skip it.
//   - defined(__builtin_expect) asks for another name: what gcc builds in is often a macro
//     here, and is none for gcc.

var (
	directiveLine = lazyregexp.New(`(?m)^[ \t]*#(?:[^\n\\]|\\(?:\r?\n|.))*`)
	hasInclude    = lazyregexp.New(`__has_include(?:__)?[ \t]*\([ \t]*(<[^>\n]*>|"[^"\n]*")[ \t]*\)`)
	hasScoped     = lazyregexp.New(`__has_c(?:pp)?_attribute[ \t]*\([ \t]*(?:__)?gnu(?:__)?[ \t]*::[ \t]*(\w+)[ \t]*\)`)
	clangQuestion = lazyregexp.New(`\b__has_(feature|extension)\b`)
	definedName   = lazyregexp.New(`\b(?:ifdef|ifndef|defined)\b[ \t]*\(?[ \t]*(\w+)`)
	conditionLine = lazyregexp.New(`^[ \t]*#[ \t]*(?:el)?if\b`)
	binaryNumber  = lazyregexp.New(`\b0[bB][01]+`)
	commaPaste    = lazyregexp.New(`,##`)
	errorLine     = lazyregexp.New(`^[ \t]*#[ \t]*(?:error|warning|pragma|ident)\b`)
	includeLine   = lazyregexp.New(`^[ \t]*#[ \t]*include[ \t]*(<[^>\n]+>|"[^"\n]+")`)
	knownLine     = lazyregexp.New(`^[ \t]*#[ \t]*(?:$|\r|\\|/[/*]|\d|(?:if|ifdef|ifndef|elif|else|endif|include|include_next|define|undef|line|error|warning|pragma|ident|sccs)\b)`)
	elseDefined   = lazyregexp.New(`^([ \t]*#[ \t]*elif)(n?)def\b`)
	includeLevel  = []byte("__INCLUDE_LEVEL__")
)

// stands for the macros of predefined.h, which gcc does not define as macros.
var builtinMacros = sync.OnceValue(func() map[string]bool {
	out := map[string]bool{}
	for _, p := range ourHeader(predefinedName).parts {
		if strings.HasPrefix(p.text, "#define ") {
			out[p.names[0]] = true
		}
	}
	delete(out, "__FENCEPOST__")
	return out
})

// directives returns the text of a file with its directives as cc must get them.
func (r *reader) directives(f *source.File, text []byte) []byte {
	name := f.Name
	if isOurs(name) || !bytes.Contains(text, []byte("#")) {
		return text
	}
	text = endQuotes(text)
	return directiveLine.ReplaceAllFunc(text, func(line []byte) []byte {
		if pack := packPragma(line); pack != nil {
			return pack
		}
		if m := elseDefined.FindSubmatch(line); m != nil {
			defined := " defined "
			if len(m[2]) > 0 {
				defined = " !defined "
			}
			line = append(append(bytes.Clone(m[1]), defined...), line[len(m[0]):]...)
		}
		if !knownLine.Match(line) && !bytes.Contains(line, []byte("*/")) { // which may end a comment
			return fmt.Appendf(nil, "%s#error the directive #%s is not supported", line[:bytes.IndexByte(line, '#')], directiveAt(line))
		}
		if m := includeLine.FindSubmatch(line); m != nil {
			if _, found := r.resolve(name, string(m[1])); !found {
				return []byte("#pragma " + missingPragma)
			}
		}
		line = commaPaste.ReplaceAll(variadic(line), []byte(", ##"))
		if conditionLine.Match(line) {
			line = binaryNumber.ReplaceAllFunc(line, hexadecimal)
		}
		if bytes.Count(line, []byte("'"))%2 == 1 && errorLine.Match(line) {
			line = bytes.ReplaceAll(line, []byte("'"), []byte(" "))
		}
		if !bytes.Contains(line, []byte("__")) {
			return line
		}
		line = replaceGroup(line, hasInclude, func(arg string) string {
			_, found := r.resolve(name, arg)
			return answer(found)
		})
		line = replaceGroup(line, hasScoped, func(arg string) string { return answer(knownAttribute(arg)) })
		line = clangQuestion.ReplaceAllFunc(line, func(word []byte) []byte { return bytes.Replace(word, []byte("__has"), []byte("__Has"), 1) })
		if m := definedName.FindAllSubmatchIndex(line, -1); m != nil {
			line = bytes.Clone(line)
			for _, at := range m {
				if word := line[at[2]:at[3]]; builtinMacros()[string(word)] {
					copy(word, "_F") // no program has such a name
				}
			}
		}
		return line
	})
}

// hexadecimal returns a binary number as a hexadecimal one of the same length.
func hexadecimal(number []byte) []byte {
	v, err := strconv.ParseUint(string(number[2:]), 2, 64)
	if err != nil {
		return number
	}
	return fmt.Appendf(nil, "0x%0*x", len(number)-2, v)
}

func answer(yes bool) string {
	if yes {
		return "1"
	}
	return "0"
}

// replaceGroup replaces what a pattern matches by a value of its first group, and keeps
// the length.
func replaceGroup(line []byte, pattern *lazyregexp.Regexp, value func(group string) string) []byte {
	return pattern.ReplaceAllFunc(line, func(match []byte) []byte {
		out := []byte(value(string(pattern.FindSubmatch(match)[1])))
		return append(out, bytes.Repeat([]byte(" "), len(match)-len(out))...)
	})
}

// knownAttribute reports whether gcc knows an attribute.
func knownAttribute(name string) bool {
	return strings.Contains(attributeAnswers()[name], "#define __fp_has_attribute_")
}

// resolve returns the file that an #include of a name, in brackets or quotes, finds.
func (r *reader) resolve(from, arg string) (file string, ok bool) {
	dirs := r.angled
	if arg[0] == '"' {
		dirs = r.quoted
	}
	for _, dir := range dirs {
		if dir == "" {
			dir = path.Dir(from)
		}
		file := path.Join(dir, arg[1:len(arg)-1])
		if _, asked := r.present[file]; !asked {
			_, found := r.text(file)
			r.present[file] = found || r.known[file] != nil
		}
		if r.present[file] {
			return file, true
		}
	}
	return "", false
}
