package pipeline

import (
	"fencepost/internal/diag"
	"fencepost/internal/lazyregexp"
)

// Common mistakes, and what to do about them. The front ends say what is wrong; this table adds the
// line that a beginner needs.

var commonMistakes = []struct {
	lang    string // "" for all
	code    string // "" for all
	message *lazyregexp.Regexp
	help    string // $1 is the first group of message
}{
	{"fp", "FP0201", lazyregexp.New(`^'(\w+)' is not declared`), "declare it: `reg $1;` in the thread, or `var $1;` outside for a shared variable"},
	{"fp", "FP0101", lazyregexp.New(`expected a declaration, found '(?:int|shared|global|volatile|long|char|bool|_Atomic|unsigned|static)'`),
		"shared variables have no type: `var x;`; registers of a thread are declared in it: `reg r;`"},
	{"fp", "FP0101", lazyregexp.New(`expected a declaration, found '(?:void|func|function|process|proc|def|fn)'`), "a thread is written `thread name { ... }`"},
	{"c", "C0002", lazyregexp.New(``), "look in other directories with -I DIR, as for a compiler"},
	{"c", "C0301", lazyregexp.New(`^(\w+) has no body`), "give the file that defines $1, too, as in `fencepost check FILE.c OTHER.c`"},
	{"c", "C0001", lazyregexp.New(`expected external declaration|unexpected '(?:int|void|static|char|long|struct|return|if|while|for)'`), "a `;` may be missing before this"},
	{"litmus", "", lazyregexp.New(`'&&?'|"&&?"`), "herd writes /\\ for and"},
	{"litmus", "", lazyregexp.New(`'\|\|?'|"\|\|?"`), "herd writes \\/ for or"},
	{"litmus", "LT0105", lazyregexp.New(`columns`), "separate the threads with | and end each row with ;"},
}

// helpFor returns what to do about a mistake.
func helpFor(lang string, d *diag.Diagnostic) []string {
	for _, m := range commonMistakes {
		if m.lang != "" && m.lang != lang || m.code != "" && m.code != d.Code {
			continue
		}
		if at := m.message.FindStringSubmatchIndex(d.Message); at != nil {
			return []string{string(m.message.ExpandString(nil, m.help, d.Message, at))}
		}
	}
	return nil
}
