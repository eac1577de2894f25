package read

import (
	"bytes"
	"regexp"

	"fencepost/internal/source"
)

// Macros with a variable number of arguments, as gcc has them and cc has not.
//
//   - #define LOG(format, args...) names its variable arguments: the name becomes __VA_ARGS__.
//   - __VA_OPT__(,) before __VA_ARGS__ becomes the older , ##__VA_ARGS__, which means the same.
//     Other uses of __VA_OPT__ are refused: cc would take them for a name.
//
// Only lines of #define change, and none becomes two.

var (
	defineLine    = regexp.MustCompile(`^[ \t]*#(?:[ \t]|\\\r?\n)*define\b`)
	namedVariadic = regexp.MustCompile(`^([^()]*\((?:[^()]*,)?(?:[ \t]|\\\r?\n)*)(\w+)((?:[ \t]|\\\r?\n)*\.\.\.(?:[ \t]|\\\r?\n)*\))`)
	optionalComma = regexp.MustCompile(`__VA_OPT__[ \t]*\([ \t]*,[ \t]*\)((?:[ \t]|\\\r?\n)*)__VA_ARGS__`)
	literalOrWord = regexp.MustCompile(`"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|\w+`)
	vaOpt         = []byte("__VA_OPT__")
)

// variadic returns a line of #define as cc must get it; at is where the line begins in f.
func (r *reader) variadic(f *source.File, at int, line []byte) []byte {
	if !defineLine.Match(line) {
		return line
	}
	if m := namedVariadic.FindSubmatchIndex(line); m != nil {
		name := string(line[m[4]:m[5]])
		head := append(bytes.Clone(line[:m[4]]), line[m[6]:m[1]]...)
		body := literalOrWord.ReplaceAllFunc(line[m[1]:], func(word []byte) []byte {
			if string(word) == name {
				return []byte("__VA_ARGS__")
			}
			return word
		})
		line = append(head, body...)
	}
	if bytes.Contains(line, vaOpt) {
		line = optionalComma.ReplaceAll(line, []byte(", $1##__VA_ARGS__"))
	}
	if bytes.Contains(line, vaOpt) {
		r.errorf(CodeSyntax, f.Span(min(at, len(f.Text)), min(at, len(f.Text))), "__VA_OPT__ is supported as __VA_OPT__(,) __VA_ARGS__ only")
	}
	return line
}
