package lsp

import (
	"fmt"
	"path/filepath"
	"strings"

	"fencepost/query"
)

// directive is a question in a comment of a file: `// fencepost: check [FILE...] [options]`. The files, relative to the
// one with the comment, form the program; without any it is the file itself.
type directive struct {
	line  int // of the comment, from 1; 0: there is none
	files []string
	opt   query.CheckOptions
}

const mark = "fencepost:"

// directiveOf finds the comment of a file.
func (s *Server) directiveOf(path, text string) (directive, error) {
	d := directive{files: []string{path}, opt: s.with.Options}
	for i, line := range lines(text) {
		before, rest, found := strings.Cut(line, mark)
		if !found || !isComment(before) {
			continue
		}
		d.line = i + 1
		words := strings.Fields(strings.TrimSuffix(strings.TrimSpace(rest), "*/"))
		if len(words) == 0 || words[0] != "check" {
			return d, fmt.Errorf("after %q comes the word check, and then files and options of `fencepost check`", mark)
		}
		files, opt, err := s.with.Parse(words[1:])
		if err != nil {
			return d, err
		}
		d.opt = opt
		if len(files) > 0 {
			d.files = nil
		}
		for _, f := range files {
			if !filepath.IsAbs(f) {
				f = filepath.Join(filepath.Dir(path), f)
			}
			d.files = append(d.files, f)
		}
		return d, nil
	}
	return d, nil
}

// isComment reports whether what stands before a mark opens a comment and nothing else.
func isComment(before string) bool {
	switch strings.TrimSpace(before) {
	case "//", "/*", "*", "(*", "///":
		return true
	}
	return false
}

// isProgram reports whether a file is checked when it is saved: it has a comment that says so, or is a program by
// itself.
func isProgram(path, text string, d directive) bool {
	switch filepath.Ext(path) {
	case ".fp", ".litmus":
		return true
	case ".c", ".i":
		return d.line > 0 || strings.Contains(text, "main(") || strings.Contains(text, "main (")
	}
	return d.line > 0
}
