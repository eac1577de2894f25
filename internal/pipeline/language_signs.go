//go:build !fencepost_small

package pipeline

import (
	"fencepost/internal/lazyregexp"
)

// Signs of languages in a text without its comments. The first one that matches counts.
var signs = []struct {
	lang string
	sign *lazyregexp.Regexp
}{
	{"litmus", lazyregexp.New(`(?s)^\s*(X86|X86_64|C|LISA|AArch64|ARM|PPC|RISCV|MIPS|Bell)[ \t]+\S+[^\n]*\n.*\b(exists|forall)\b`)},
	{"memorax", lazyregexp.New(`(?m)^\s*(forbidden\b|process\b.*|macro\s+\w+\s*\()`)},
	{"c", lazyregexp.New(`(?m)^\s*#\s*(include|define|if|ifdef|ifndef|pragma|line)\b|^# \d+ "|\bint\s+main\s*\(`)},
	{"trencher", lazyregexp.New(`(?m)^\s*(initial|transition|memory_size)\b|^\s*thread\s+\w+\s+initial\b`)},
	{"fp", lazyregexp.New(`(?m)^\s*(program|var|array|mutex)\s+\w+|\bthread\s+\w+[^;{}]*\{`)},
}

var comments = lazyregexp.New(`(?s)/\*.*?\*/|//[^\n]*|\(\*.*?\*\)`)

// guessLanguage returns the language that a text is written in, "" if it has the signs of none.
func guessLanguage(text string) string {
	const enough = 64 << 10
	text = comments.ReplaceAllString(text[:min(len(text), enough)], " ")
	for _, s := range signs {
		if s.sign.MatchString(text) {
			return s.lang
		}
	}
	return ""
}

// hasSigns reports whether a text has the signs of a language.
func hasSigns(text, lang string) bool {
	for _, s := range signs {
		if s.lang == lang && s.sign.MatchString(text) {
			return true
		}
	}
	return false
}
