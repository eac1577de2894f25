package lex

import "bytes"

// Phases 1 and 2 of translation: trigraphs are replaced, and lines joined that end with a
// backslash, blanks after it allowed, as in gcc.

var trigraph = [256]byte{'=': '#', '(': '[', '/': '\\', ')': ']', '\'': '^', '<': '{', '!': '|', '>': '}', '-': '~'}

// join returns the text with joined lines and an end that stops every loop of the lexer,
// and the table that leads back to the original.
func join(text []byte, trigraphs bool) ([]byte, []cut) {
	trigraphs = trigraphs && bytes.Contains(text, []byte("??"))
	out := make([]byte, 0, len(text)+2)
	if !trigraphs && bytes.IndexByte(text, '\\') < 0 {
		return append(append(out, text...), "\n\x00"...), nil
	}
	var cuts []cut
	drop := func(n int) { // n bytes of the original are not in out
		shift := uint32(n)
		if len(cuts) > 0 {
			shift += cuts[len(cuts)-1].shift
		}
		cuts = append(cuts, cut{uint32(len(out)), shift})
	}
	for i := 0; i < len(text); {
		next := len(text)
		if n := bytes.IndexByte(text[i:], '\\'); n >= 0 {
			next = i + n
		}
		if trigraphs {
			if n := bytes.Index(text[i:next], []byte("??")); n >= 0 {
				next = i + n
			}
		}
		out = append(out, text[i:next]...)
		if i = next; i == len(text) {
			break
		}
		c, width := text[i], 1
		if c == '?' {
			if i+2 >= len(text) || trigraph[text[i+2]] == 0 {
				out = append(out, c)
				i++
				continue
			}
			c, width = trigraph[text[i+2]], 3
		}
		end := i + width
		for c == '\\' && end < len(text) && (text[end] == ' ' || text[end] == '\t' || text[end] == '\r' || text[end] == '\f' || text[end] == '\v') {
			end++
		}
		if c == '\\' && end < len(text) && text[end] == '\n' {
			drop(end + 1 - i)
			i = end + 1
			continue
		}
		out = append(out, c)
		if width > 1 {
			drop(width - 1)
		}
		i += width
	}
	return append(out, "\n\x00"...), cuts
}
