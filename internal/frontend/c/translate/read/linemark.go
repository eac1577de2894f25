package read

import (
	"bytes"
	"strconv"

	"fencepost/internal/lazyregexp"
	"fencepost/internal/source"
)

// Output of a preprocessor. Lines such as `# 12 "queue.c" 2` say where the text after
// them comes from. They are obeyed, so that every position is one of
// the files the text comes from. These files are put together again from the
// pieces, line by line, so that answers can quote them: what a line says after
// macros are expanded, in the columns where the preprocessor put it.
//
// Fence sites are positions in the file that is given, so there the lines are left
// alone.

var lineMark = lazyregexp.New(`^#[ \t]+(\d+)[ \t]+"((?:[^"\\]|\\.)*)"((?:[ \t]+\d+)*)[ \t]*\r?$`)

// maxMarkedLine bounds the lines of a file that is put together: a number in a text
// must not decide how much memory is taken.
const maxMarkedLine = 1 << 20

// original is a file that is put together again.
type original struct {
	lines  [][]byte
	system []bool // by line: its text is a header's, and gives way to the user's
}

// unmark returns the files that the output of a preprocessor comes from. nil if there are none, or
// the marks cannot be obeyed.
func unmark(name string, text []byte) (files []*source.File) {
	originals := map[string]*original{}
	var order []string
	var at *original
	line, system := 0, false
	for rest := text; len(rest) > 0; {
		var this []byte
		if n := bytes.IndexByte(rest, '\n'); n >= 0 {
			this, rest = rest[:n], rest[n+1:]
		} else {
			this, rest = rest, nil
		}
		if m := lineMark.FindSubmatch(this); m != nil {
			n, err := strconv.Atoi(string(m[1]))
			file := string(m[2])
			if err != nil || n > maxMarkedLine || file == name {
				return nil
			}
			if at = originals[file]; at == nil {
				at = &original{}
				originals[file] = at
				order = append(order, file)
			}
			line, system = n, bytes.Contains(m[3], []byte(" 3"))
			continue
		}
		if at != nil {
			at.add(line, this, system)
			line++
		}
	}
	for _, file := range order {
		files = append(files, source.NewFile(file, bytes.Join(originals[file].lines, []byte("\n"))))
	}
	return files
}

// add lays a piece over a line.
func (o *original) add(line int, piece []byte, system bool) {
	if line < 1 || line > maxMarkedLine || len(bytes.TrimSpace(piece)) == 0 {
		return
	}
	for len(o.lines) < line {
		o.lines, o.system = append(o.lines, nil), append(o.system, true)
	}
	old := o.lines[line-1]
	if len(old) == 0 || o.system[line-1] && !system {
		o.lines[line-1], o.system[line-1] = bytes.Clone(piece), system
		return
	}
	begin := len(piece) - len(bytes.TrimLeft(piece, " \t"))
	if begin > len(old) { // else something stands there already
		o.lines[line-1] = append(old, piece[len(old):]...)
	}
}

// IsMarked reports whether a text comes from a preprocessor.
// It has lines such as # 3 "file.c".
func IsMarked(text []byte) bool {
	const blanks, digits = " \t", "0123456789"
	for at := 0; ; {
		i := bytes.IndexByte(text[at:], '#')
		if i < 0 {
			return false
		}
		at += i + 1
		if at > 1 && text[at-2] != '\n' {
			continue
		}
		number := bytes.TrimLeft(text[at:], blanks)
		space := bytes.TrimLeft(number, digits)
		name := bytes.TrimLeft(space, blanks)
		if len(number) < len(text)-at && len(space) < len(number) && len(name) < len(space) && bytes.HasPrefix(name, []byte(`"`)) {
			return true
		}
	}
}
