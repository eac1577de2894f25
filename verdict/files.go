package verdict

import (
	"path"
	"strings"
)

// ShortFiles returns a function that shortens the names of files: to the last part of the
// path, or to as many parts as tell it from the other files.
func ShortFiles(files []string) func(file string) string {
	short := make(map[string]string, len(files))
	for _, f := range files {
		short[f] = path.Base(f)
	}
	for parts := 2; ; parts++ {
		users := map[string]int{}
		for _, s := range short {
			users[s]++
		}
		again := false
		for f, s := range short {
			if users[s] > 1 && s != f {
				short[f] = lastParts(f, parts)
				again = true
			}
		}
		if !again {
			break
		}
	}
	return func(file string) string {
		if s, ok := short[file]; ok {
			return s
		}
		return path.Base(file)
	}
}

// lastParts returns the last parts of a path.
func lastParts(file string, n int) string {
	at := len(file)
	for range n {
		if at = strings.LastIndexByte(file[:at], '/'); at < 0 {
			return file
		}
	}
	return file[at+1:]
}

// ShortFiles returns the short names of the files that the steps come from.
func (w *Witness) ShortFiles() func(file string) string {
	seen := map[string]bool{}
	var files []string
	for i := range w.Steps {
		if p := w.Steps[i].Pos; p != nil && !seen[p.File] {
			seen[p.File] = true
			files = append(files, p.File)
		}
	}
	return ShortFiles(files)
}
