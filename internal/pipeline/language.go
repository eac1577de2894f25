package pipeline

import (
	"fmt"
	"path"
	"sort"
	"strings"

	"fencepost/internal/frontend/litmus"
)

// The language of a program: as asked for, by the extension of its file, or else by its text.

// NeedsWhole is the code of the error about what only the whole build reads.
const NeedsWhole = litmus.NeedsWhole

// chooseLanguage returns the language of a program, or why there is none.
func chooseLanguage(name string, text []byte, lang string) (*language, string) {
	var names, exts []string
	ext := strings.ToLower(path.Ext(name))
	for i := range languages {
		l := &languages[i]
		names, exts = append(names, l.name), append(exts, l.exts...)
		if lang == l.name {
			return l, ""
		}
		for _, e := range l.exts {
			if lang == "" && ext == e {
				return l, ""
			}
		}
	}
	sort.Strings(names)
	sort.Strings(exts)
	if lang != "" {
		return nil, fmt.Sprintf("unknown language %q; the languages are %s", lang, strings.Join(names, ", "))
	}
	if other, ok := otherLanguages[ext]; ok {
		return nil, other + " is not supported; " + insteadOf
	}
	if strings.HasPrefix(string(text[:min(len(text), 4)]), "\x7fELF") { // an executable has any name
		return chooseLanguage(name, text, "x86")
	}
	if l := guessLanguage(string(text)); l != "" {
		return chooseLanguage(name, text, l)
	}
	return nil, fmt.Sprintf("cannot tell the language from the file name or the text; known extensions: %s; or give --lang %s",
		strings.Join(exts, ", "), strings.Join(names, "|"))
}

// otherLanguages are languages that users try.
var otherLanguages = map[string]string{
	".cpp": "C++", ".cc": "C++", ".cxx": "C++", ".c++": "C++", ".hpp": "C++", ".hh": "C++",
	".rs": "Rust", ".go": "Go", ".java": "Java", ".py": "Python", ".ll": "LLVM's language", ".bc": "LLVM's bitcode",
	".s": "assembly", ".cat": "cat, a language for memory models,",
}

const insteadOf = "write the part with the threads in C11, with <stdatomic.h> and <pthread.h>, or in .fp (`fencepost help languages`)"
