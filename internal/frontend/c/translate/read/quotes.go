package read

import "bytes"

// Quotes without an end. In a group that #if skips, text need not be C: `#if 0`, a line that says
// "don't", `#endif`. gcc warns there, and cc refuses the file. Such a quote becomes a character that
// no program has: cc skips it where it skips the group, and reports it where it does not.

// lonely stands for a quote without an end.
const lonely = '`'

// endQuotes returns a text without quotes in groups of #if that have no end on their line.
func endQuotes(text []byte) []byte {
	if !bytes.Contains(text, []byte("#")) {
		return text
	}
	out, depth := text, 0
	for i, begin := 0, true; i < len(text); {
		switch c := text[i]; {
		case begin:
			begin = false
			if d := directiveAt(text[i:]); d != nil {
				depth = max(0, depth+nesting(d))
				if errorLine.Match(text[i:lineEnd(text, i)]) {
					i = lineEnd(text, i)
				}
			}
		case c == '\n':
			i, begin = i+1, true
		case bytes.HasPrefix(text[i:], []byte("/*")):
			n := bytes.Index(text[i+2:], []byte("*/"))
			if n < 0 {
				return out
			}
			i += n + 4
		case bytes.HasPrefix(text[i:], []byte("//")):
			i = lineEnd(text, i)
		case c == '"' || c == '\'':
			end, ok := quoteEnd(text, i)
			if !ok && depth > 0 {
				if &out[0] == &text[0] {
					out = bytes.Clone(text)
				}
				out[i] = lonely
				end = i + 1
			}
			i = end
		default:
			i++
		}
	}
	return out
}

// directiveAt returns the name of the directive at the beginning of a line, nil if there is none.
func directiveAt(line []byte) []byte {
	line = bytes.TrimLeft(line, " \t")
	if len(line) == 0 || line[0] != '#' {
		return nil
	}
	line = bytes.TrimLeft(line[1:], " \t")
	n := 0
	for n < len(line) && line[n] >= 'a' && line[n] <= 'z' {
		n++
	}
	return line[:n]
}

// nesting returns by how much a directive changes the number of groups around the lines after it.
func nesting(directive []byte) int {
	switch string(directive) {
	case "if", "ifdef", "ifndef":
		return 1
	case "endif":
		return -1
	}
	return 0
}

// lineEnd returns where the line of a position ends, with the lines that continue it.
func lineEnd(text []byte, i int) int {
	for ; i < len(text) && text[i] != '\n'; i++ {
		if text[i] == '\\' && i+1 < len(text) {
			if i++; text[i] == '\r' && i+1 < len(text) {
				i++
			}
		}
	}
	return i
}

// quoteEnd returns where the text in the quotes that begin at a position ends, and whether it has an end
// on its line. It reads no further than that: a long line may have many quotes.
func quoteEnd(text []byte, i int) (end int, ok bool) {
	quote := text[i]
	for i++; i < len(text) && text[i] != '\n'; i++ {
		switch text[i] {
		case '\\':
			if i+1 == len(text) {
				continue
			}
			if i++; text[i] == '\r' && i+1 < len(text) {
				i++
			}
		case quote:
			return i + 1, true
		}
	}
	return i, false
}
