package translate

import (
	"embed"
	"regexp"
	"strings"

	"fencepost/internal/source"
)

// The part of the library that is written in C. A file of it becomes part of the
// program when the program mentions one of the functions it defines and has none of
// that name; then its functions are functions like the program's own.

//go:embed library/*.c
var librarySources embed.FS

// libraryFile is one such file.
type libraryFile struct {
	file    *source.File
	defines []string
	taken   bool
}

var libraryFunction = regexp.MustCompile(`(?m)^[a-z][\w \t*]*?\**(\w+)\(.*\{$`)

// libraryFiles reads the files, and what they define: in them a definition begins
// with its line, and nothing else does that ends with a brace and has parentheses.
func libraryFiles() []*libraryFile {
	entries, err := librarySources.ReadDir("library")
	if err != nil {
		panic("BUG: " + err.Error())
	}
	var out []*libraryFile
	for _, e := range entries {
		text, err := librarySources.ReadFile("library/" + e.Name())
		if err != nil {
			panic("BUG: " + err.Error())
		}
		l := &libraryFile{file: source.NewFile(headerDir+"/"+e.Name(), text)}
		for _, m := range libraryFunction.FindAllSubmatch(text, -1) {
			l.defines = append(l.defines, string(m[1]))
		}
		out = append(out, l)
	}
	return out
}

// addLibrary parses the files of the library that the program needs.
func (c *symbols) addLibrary() {
	files := libraryFiles()
	for again := true; again; {
		again = false
		for _, l := range files {
			if !l.taken && c.needs(l) {
				l.taken, again = true, true
				c.in.files[l.file.Name] = l.file
				c.in.parseFile(l.file)
			}
		}
	}
}

// needs reports whether the program mentions a function of the file that it does not
// define.
func (c *symbols) needs(l *libraryFile) bool {
	for _, name := range l.defines {
		if s := c.linked[name]; c.mentioned[name] && (s == nil || s.def == nil) {
			return true
		}
	}
	return false
}

// isLibrary reports whether a file is one of the library's.
func isLibrary(name string) bool {
	return strings.HasPrefix(name, headerDir+"/") && strings.HasSuffix(name, ".c")
}
