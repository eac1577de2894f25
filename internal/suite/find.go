package suite

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"fencepost/query"
)

// Test is a file with a test.
type Test struct {
	Path string // as messages name it
	// Name is the path relative to the directory that was given, with slashes, or
	// Path where the file itself was given.
	Name  string
	Found bool   // in a directory, rather than named
	Text  []byte // if not nil, what to run instead of the file's text
}

// ext of the files looked for in directories.
const ext = ".litmus"

// Find lists the tests in the files and directories named: files whatever their
// extension, directories with everything below them. A file is listed once.
func Find(paths []string) ([]Test, error) {
	return findIn(paths, func(file string) bool { return strings.EqualFold(filepath.Ext(file), ext) }, query.NothingFound(ext))
}

// findIn is Find for files that are wanted; none is the error about a directory
// that has none.
func findIn(paths []string, wanted func(file string) bool, none error) ([]Test, error) {
	var out []Test
	seen := map[string]bool{}
	add := func(path, name string, found bool) {
		if clean := filepath.Clean(path); !seen[clean] {
			seen[clean] = true
			out = append(out, Test{Path: path, Name: filepath.ToSlash(name), Found: found})
		}
	}
	for _, path := range paths {
		info, err := os.Stat(path)
		if err != nil {
			return nil, &query.InputError{Path: path, Err: reason(err)}
		}
		if !info.IsDir() {
			add(path, path, false)
			continue
		}
		any := false
		// The walk is in lexical order.
		err = filepath.WalkDir(path, func(file string, d fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			if d.IsDir() || !wanted(file) {
				return nil
			}
			any = true
			name, err := filepath.Rel(path, file)
			if err != nil {
				return err
			}
			add(file, name, true)
			return nil
		})
		if err != nil {
			return nil, &query.InputError{Path: path, Err: reason(err)}
		}
		if !any {
			return nil, &query.InputError{Path: path, Err: none}
		}
	}
	return out, nil
}

// reason is an error without the path, which is said already.
func reason(err error) error {
	if p, ok := err.(*fs.PathError); ok {
		return p.Err
	}
	return err
}
