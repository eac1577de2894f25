package diag_test

import (
	"strings"
	"testing"

	"fencepost/internal/diag"
	"fencepost/internal/source"
)

// TestExcerpt: the line as it is, and the caret under the right characters.
func TestExcerpt(t *testing.T) {
	long := strings.Repeat("é", 200)
	for name, c := range map[string]struct {
		text, at string // at is the text that the caret marks
		want     string
	}{
		"ascii":        {"x = y;", "y", "x = y;\n    ^"},
		"several":      {"x = yes;", "yes", "x = yes;\n    ^~~"},
		"tabs":         {"\tx\t= y;", "y", "\tx\t= y;\n\t \t  ^"},
		"utf-8 before": {`assert x, "größe"; y`, "y", "assert x, \"größe\"; y\n                   ^"},
		"utf-8 marked": {"x = größe;", "größe", "x = größe;\n    ^~~~~"},
		"cjk":          {"/* 変数 */ y", "y", "/* 変数 */ y\n         ^"},
		"control":      {"a\x01\x7f y", "y", "a.. y\n    ^"},
		"broken":       {"a\xff\xc3 y", "y", "a.. y\n    ^"},
		"right to left": {"a\u202e y", "y", // would turn the rest of the line around
			"a. y\n   ^"},
		"byte order mark": {"\ufeffx y", "y", "x y\n  ^"},
		"replacement":     {"\ufffd y", "y", "\ufffd y\n  ^"},
		"broken marked":   {"a \xff\xfe b", "\xff\xfe", "a .. b\n  ^~"},
		"carriage return": {"x y\r\nz", "y", "x y\n  ^"},
		"long":            {long + " y " + long, "y", strings.Repeat("é", 30) + " y " + strings.Repeat("é", 29) + "\n" + strings.Repeat(" ", 31) + "^"},
	} {
		t.Run(name, func(t *testing.T) {
			f := source.NewFile("f", []byte(c.text))
			start := strings.Index(c.text, c.at)
			got := diag.Excerpt(f, diag.Diagnostic{Span: f.Span(start, start+len(c.at))})
			if got != c.want {
				t.Errorf("got:\n%s\nwant:\n%s", got, c.want)
			}
		})
	}
}

// TestExcerptEnds: spans at and past the ends of lines.
func TestExcerptEnds(t *testing.T) {
	f := source.NewFile("f", []byte("first\nsecond\n"))
	for want, d := range map[string]diag.Diagnostic{
		"":                {},
		"first\n     ^":   {Span: f.Span(5, 5)},
		"first\n  ^~~":    {Span: f.Span(2, 9)},
		"second\n^":       {Span: source.At(source.Pos{File: "f", Line: 2, Col: 1})},
		"second\n      ^": {Span: source.At(source.Pos{File: "f", Line: 2, Col: 100})},
	} {
		if got := diag.Excerpt(f, d); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
	if got := diag.Excerpt(f, diag.Diagnostic{Span: f.Span(13, 13)}); got != "" {
		t.Errorf("an empty line is shown as %q", got)
	}
}

// TestCharacter: the first character of a text, or its first byte if that is not valid.
func TestCharacter(t *testing.T) {
	for text, want := range map[string]string{"$x": "'$'", "é": "'é'", "\xffa": "byte 0xff", "\x01": `'\x01'`, "\uFFFD": "'\uFFFD'"} {
		if got := diag.Character([]byte(text)); got != want {
			t.Errorf("%q: %s, want %s", text, got, want)
		}
	}
}
