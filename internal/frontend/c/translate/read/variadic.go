package read

import (
	"bytes"

	"fencepost/internal/lazyregexp"
)

// Macros with a variable number of arguments, as gcc has them and cc has not.
//
//   - #define LOG(format, args...) names its variable arguments: the name becomes __VA_ARGS__.
//   - __VA_OPT__(,) before __VA_ARGS__ becomes the older , ##__VA_ARGS__, which differs only for arguments that expand to nothing.
//     Elsewhere it becomes a macro that chooses by the number of arguments (include/predefined.h); beside #
//     or ## it is refused where the macro is used.
//
// Only lines of #define change, and none becomes two.

var (
	defineLine    = lazyregexp.New(`^[ \t]*#(?:[ \t]|\\\r?\n)*define\b`)
	namedVariadic = lazyregexp.New(`^([^()]*\((?:[^()]*,)?(?:[ \t]|\\\r?\n)*)(\w+)((?:[ \t]|\\\r?\n)*\.\.\.(?:[ \t]|\\\r?\n)*\))`)
	optionalComma = lazyregexp.New(`__VA_OPT__[ \t]*\([ \t]*,[ \t]*\)((?:[ \t]|\\\r?\n)*)__VA_ARGS__`)
	literalOrWord = lazyregexp.New(`"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|\w+`)
	vaOpt         = []byte("__VA_OPT__")
	// optionalHelpers are the macros that stand for __VA_OPT__.
	optionalHelpers = []string{"__fp_opt", "__fp_opt_select", "__fp_opt_0", "__fp_opt_1", "__fp_has_args", "__fp_argument_129"}
	optionalChoice  = []byte("__fp_opt(__fp_has_args(__VA_ARGS__))")
	pastedOption    = lazyregexp.New(`#[ \t]*__VA_OPT__`)
)

// variadic returns a line of #define as cc must get it.
func variadic(line []byte) []byte {
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
	return optional(line)
}

// optional replaces __VA_OPT__ in a line of #define. Beside # and ## it stays a name that is not declared.
func optional(line []byte) []byte {
	if !bytes.Contains(line, vaOpt) || pastedOption.Match(line) {
		return line
	}
	rest := line
	var out []byte
	for {
		i := bytes.Index(rest, vaOpt)
		if i < 0 {
			return append(out, rest...)
		}
		after := bytes.TrimLeft(rest[i+len(vaOpt):], " \t")
		end := optionEnd(after)
		if end < 0 || bytes.HasPrefix(bytes.TrimLeft(after[end:], " \t\\\r\n"), []byte("##")) {
			return line
		}
		out = append(append(append(out, rest[:i]...), optionalChoice...), after[:end]...)
		rest = after[end:]
	}
}

// optionEnd returns where the parentheses at the beginning of a text end, negative if there are none.
func optionEnd(text []byte) int {
	depth := 0
	for i, c := range text {
		switch c {
		case '(':
			depth++
		case ')':
			if depth--; depth == 0 {
				return i + 1
			}
		case '"', '\'': // parentheses may stand in the text
			return -1
		}
		if depth == 0 {
			return -1
		}
	}
	return -1
}
