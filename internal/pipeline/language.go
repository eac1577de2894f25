package pipeline

import (
	"fmt"
	"path"
	"slices"
	"sort"
	"strings"

	"fencepost/internal/frontend/litmus"
)

// The language of a program: as asked for, by the extension of its file, or else by its text.

// NeedsWhole is the code of the error about what only the whole build reads.
const NeedsWhole = litmus.NeedsWhole

// chooseLanguage returns the language of a program, or why there is none.
func chooseLanguage(name string, text []byte, lang string) (*language, string) {
	machineCode := strings.HasPrefix(string(text[:min(len(text), 4)]), "\x7fELF")
	ext := strings.ToLower(path.Ext(name))
	switch l := languageOf(ext, lang); {
	case lang != "" && l == nil:
		names := LanguageNames()
		sort.Strings(names)
		return nil, fmt.Sprintf("unknown language %q; the languages are %s", lang, strings.Join(names, ", "))
	case machineCode && lang != "" && l.name != "x86":
		return nil, fmt.Sprintf("this is machine code (ELF): read it without --lang %s", lang)
	case machineCode: // whatever its name
		return languageOf("", "x86"), ""
	case l != nil && (lang != "" || ext != anyText || hasSigns(string(text), l.name)):
		return l, ""
	}
	if other, ok := otherLanguages[ext]; ok {
		return nil, other.name + " is not read as source code; " + strings.ReplaceAll(other.instead, "FILE", strings.TrimSuffix(path.Base(name), path.Ext(name)))
	}
	if l := guessLanguage(string(text)); l != "" {
		return languageOf("", l), ""
	}
	names, exts := LanguageNames(), Extensions()
	sort.Strings(names)
	sort.Strings(exts)
	return nil, fmt.Sprintf("cannot tell the language from the file name or the text; known extensions: %s; or give --lang %s",
		strings.Join(exts, ", "), strings.Join(names, "|"))
}

// anyText is an extension of programs that other texts have, too.
const anyText = ".txt"

// languageOf returns the language with a name, or without a name the one with an extension.
func languageOf(ext, name string) *language {
	for i := range languages {
		l := &languages[i]
		if name == l.name || name == "" && slices.Contains(l.exts, ext) {
			return l
		}
	}
	return nil
}

// otherLanguages are languages that users try, with what to do.
var otherLanguages = func() map[string]struct{ name, instead string } {
	const (
		cpp  = "compile it and check the object: `g++ -O2 -g -c FILEEXT && fencepost check FILE.o`, or `fencepost check FILEEXT --compile 'g++ -O2'`"
		rust = "compile it and check the object: `rustc -O -g -C panic=abort --emit obj FILEEXT && fencepost check FILE.o`, or `fencepost check FILEEXT --compile 'rustc -O'`; without fn main, name the functions that are threads with --entry"
		llvm = "compile it and check the object: `clang -O2 -c FILEEXT && fencepost check FILE.o`"
		as   = "assemble it and check the object: `gcc -c FILEEXT && fencepost check FILE.o`"
		none = "write the part with the threads in C11, with <stdatomic.h> and <pthread.h>, or in .fp (`fencepost help languages`)"
	)
	out := map[string]struct{ name, instead string }{}
	for _, l := range []struct{ exts, name, instead string }{
		{".cpp .cc .cxx .c++", "C++", cpp}, {".rs", "Rust", rust}, {".ll", "LLVM's language", llvm}, {".bc", "LLVM's bitcode", llvm}, {".s", "assembly", as},
		{".hpp .hh .hxx", "C++", "write a client that includes it, compile that and check the object: `g++ -O2 -g -c client.cpp && fencepost check client.o`"},
		{".toml", "a Cargo project", "compile it and check the object: `cargo rustc --release -- -g --emit obj`, then `fencepost check target/release/deps/NAME.o`, or `fencepost check Cargo.toml --compile 'cargo rustc --release'`"},
		{".go", "Go", none}, {".java", "Java", none}, {".py", "Python", none}, {".cat", "cat, a language for memory models,", none},
	} {
		for _, ext := range strings.Fields(l.exts) {
			out[ext] = struct{ name, instead string }{l.name, strings.ReplaceAll(l.instead, "FILEEXT", "FILE"+ext)}
		}
	}
	return out
}()
