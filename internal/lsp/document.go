package lsp

import (
	"net/url"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"fencepost/verdict"
)

// pathOf returns the file that a URI names, "" if it names none.
func pathOf(uri string) string {
	u, err := url.Parse(uri)
	if err != nil || u.Scheme != "file" {
		return ""
	}
	return filepath.FromSlash(u.Path)
}

// uriOf returns the URI of a file.
func uriOf(path string) string {
	return (&url.URL{Scheme: "file", Path: filepath.ToSlash(path)}).String()
}

// lines splits a text, without the ends of lines.
func lines(text string) []string {
	all := strings.Split(text, "\n")
	for i := range all {
		all[i] = strings.TrimSuffix(all[i], "\r")
	}
	return all
}

// at converts a line and a column in bytes, both from 1, into a position of the protocol.
func at(text []string, line, col int) position {
	if line < 1 || len(text) == 0 {
		return position{}
	}
	line = min(line, len(text))
	s := text[line-1]
	return position{Line: line - 1, Character: utf16Length(s[:min(max(col-1, 0), len(s))])}
}

// utf16Length is how many units of UTF-16 a text has. A byte that is no text counts as one.
func utf16Length(s string) int {
	n := 0
	for len(s) > 0 {
		r, size := utf8.DecodeRuneInString(s)
		if n++; r > 0xffff {
			n++
		}
		s = s[size:]
	}
	return n
}

// rangeOf converts a position of an answer. One without an end reaches to the end of its line.
func rangeOf(text []string, pos *verdict.Pos) textRange {
	if pos == nil || pos.Line < 1 {
		return textRange{}
	}
	r := textRange{Start: at(text, pos.Line, pos.Col)}
	if pos.EndLine > 0 {
		r.End = at(text, pos.EndLine, pos.EndCol)
	} else {
		r.End = at(text, pos.Line, 1<<30)
	}
	return r
}
