package sarif

import (
	"fmt"
	"path"
	"sort"
	"strconv"
	"strings"
	"unicode/utf8"

	"fencepost/verdict"
)

// files are the sources of all results.
type files struct {
	lines     map[string][]string
	index     map[string]int
	artifacts []artifact
}

func newFiles(results []verdict.Result) *files {
	f := &files{lines: map[string][]string{}, index: map[string]int{}}
	var names []string
	for i := range results {
		for name, text := range results[i].Sources {
			if f.lines[name] == nil {
				names = append(names, name)
				f.lines[name] = strings.Split(text, "\n")
			}
		}
	}
	sort.Strings(names)
	for i, name := range names {
		length := len(strings.Join(f.lines[name], "\n"))
		f.artifacts = append(f.artifacts, artifact{Location: artifactLocation{URI: uri(name)}, Length: length})
		f.index[name] = i
	}
	return f
}

// uri is a file's name as a URI: relative where the name is.
func uri(name string) string {
	name = strings.TrimPrefix(strings.ReplaceAll(name, `\`, "/"), "./")
	var b strings.Builder
	if path.IsAbs(name) {
		b.WriteString("file://")
	}
	for _, c := range []byte(name) {
		letter := c|0x20 >= 'a' && c|0x20 <= 'z' || c >= '0' && c <= '9'
		if letter || strings.IndexByte("/-._~", c) >= 0 {
			b.WriteByte(c)
		} else {
			fmt.Fprintf(&b, "%%%02X", c)
		}
	}
	return b.String()
}

func (f *files) artifact(name string) artifactLocation {
	a := artifactLocation{URI: uri(name)}
	if i, ok := f.index[name]; ok {
		a.Index = &i
	}
	return a
}

func (f *files) line(file string, n int) string {
	lines := f.lines[file]
	if n < 1 || n > len(lines) {
		return ""
	}
	return strings.TrimSuffix(lines[n-1], "\r")
}

func (f *files) location(p *verdict.Pos, words string) location {
	file, line := p.SourceLine()
	l := location{Physical: &physicalLocation{Artifact: f.artifact(file), Region: f.region(p)}}
	if p.Source != "" { // an instruction: what the line of the listing says is no text of the source
		l.Physical.Region = f.sourceRegion(p, file, line)
	}
	if words != "" {
		l.Message = &message{words}
	}
	return l
}

// sourceRegion is the region of a position of machine code in its source: from its column to the end of the line, if the
// source is there.
func (f *files) sourceRegion(p *verdict.Pos, file string, line int) *region {
	r := &region{StartLine: line}
	text := f.line(file, line)
	if _, at, ok := strings.Cut(p.Source[len(file):], fmt.Sprintf(":%d:", line)); ok {
		if col, err := strconv.Atoi(at); err == nil && col >= 1 {
			r.StartColumn = f.column(file, line, col)
		}
	}
	if s := strings.TrimSpace(text); s != "" {
		r.Snippet = &message{strings.ToValidUTF8(s, "\uFFFD")}
	}
	return r
}

// region is a position with columns counted in characters, as SARIF wants them, or
// nil where there is only a file.
func (f *files) region(p *verdict.Pos) *region {
	if p.Line < 1 {
		return nil
	}
	r := &region{StartLine: p.Line, StartColumn: f.column(p.File, p.Line, p.Col)}
	if p.EndLine >= p.Line && p.EndCol > 0 {
		r.EndLine, r.EndColumn = p.EndLine, f.column(p.File, p.EndLine, p.EndCol)
		if r.EndLine == r.StartLine && r.EndColumn < r.StartColumn {
			r.EndColumn = r.StartColumn
		}
	}
	if line := f.line(p.File, p.Line); strings.TrimSpace(line) != "" && r.EndLine <= r.StartLine {
		from, to := clamp(line, p.Col), len(line)
		if r.EndLine == r.StartLine {
			to = clamp(line, p.EndCol)
		}
		if from < to {
			r.Snippet = &message{strings.ToValidUTF8(line[from:to], "\uFFFD")}
		}
	}
	return r
}

// clamp is the offset of a column, inside the line.
func clamp(line string, col int) int { return max(0, min(col-1, len(line))) }

// column turns a column in bytes into one in characters.
func (f *files) column(file string, line, col int) int {
	if col < 1 {
		return 1
	}
	text := f.line(file, line)
	if col-1 > len(text) {
		return col
	}
	return utf8.RuneCountInString(text[:col-1]) + 1
}
