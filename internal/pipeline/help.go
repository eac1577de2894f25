package pipeline

import (
	"strings"

	"fencepost/internal/diag"
)

// Common mistakes, and what to do about them. The front ends say what is wrong; this table adds the
// line that a beginner needs.

var commonMistakes = []struct {
	lang    string // "" for all
	code    string // "" for all
	message func(string) (name string, ok bool)
	help    string // $1 is the name in the message
}{
	{"fp", "FP0201", has("'true' is not declared", "'false' is not declared"), "write 1 for true and 0 for false, as in `while (1) { ... }`"},
	{"fp", "FP0201", nameBetween("'", "' is not declared"), "declare it: `reg $1;` in the thread, or `var $1;` outside for a shared variable"},
	{"fp", "FP0101", quotes("expected a declaration, found '", "int shared global volatile long char bool _Atomic unsigned static"),
		"shared variables have no type: `var x;`; registers of a thread are declared in it: `reg r;`"},
	{"fp", "FP0101", quotes("expected a declaration, found '", "void func function process proc def fn"), "a thread is written `thread name { ... }`"},
	{"c", "C0002", has(""), "look in other directories with -I DIR, as for a compiler"},
	{"c", "C0301", nameBetween("", " has no body"), "give the file that defines $1, too, as in `fencepost check FILE.c OTHER.c`"},
	{"c", "C0001", has("';' is expected before"), missingSemicolon},
	{"litmus", "", has("'&'", "'&&'", `"&"`, `"&&"`), "herd writes /\\ for and"},
	{"litmus", "", has("'|'", "'||'", `"|"`, `"||"`), "herd writes \\/ for or"},
	{"litmus", "LT0105", has("columns"), "separate the threads with | and end each row with ;"},
}

const missingSemicolon = "a `;` may be missing before this"

// has accepts messages with one of several parts in them.
func has(parts ...string) func(string) (string, bool) {
	return func(message string) (string, bool) {
		for _, p := range parts {
			if strings.Contains(message, p) {
				return "", true
			}
		}
		return "", false
	}
}

// quotes accepts messages that have one of several words, each with an apostrophe at its end, after a text.
func quotes(before, words string) func(string) (string, bool) {
	var parts []string
	for _, w := range strings.Fields(words) {
		parts = append(parts, before+w+"'")
	}
	return has(parts...)
}

// nameBetween accepts messages that begin with a name between two texts.
func nameBetween(before, after string) func(string) (string, bool) {
	return func(message string) (string, bool) {
		rest, begins := strings.CutPrefix(message, before)
		name, _, ends := strings.Cut(rest, after)
		return name, begins && ends && name != "" && strings.IndexFunc(name, func(r rune) bool { return !isNameRune(r) }) < 0
	}
}

func isNameRune(r rune) bool {
	return r == '_' || r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z'
}

// helpFor returns what to do about a mistake.
func helpFor(lang string, d *diag.Diagnostic) []string {
	for _, m := range commonMistakes {
		if m.lang != "" && m.lang != lang || m.code != "" && m.code != d.Code {
			continue
		}
		if name, ok := m.message(d.Message); ok {
			return []string{strings.ReplaceAll(m.help, "$1", name)}
		}
	}
	return nil
}
