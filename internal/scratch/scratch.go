package scratch

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
)

// lockName is the file in a directory that its user holds.
const lockName = ".lock"

// Dir makes a directory for temporary files, and removes those with the same prefix that killed runs left. The caller
// removes the directory with the function that it gets.
func Dir(prefix string) (dir string, remove func(), err error) {
	sweepDirs(os.TempDir(), prefix)
	dir, err = os.MkdirTemp("", prefix)
	if err != nil {
		return "", nil, err
	}
	held, err := os.OpenFile(filepath.Join(dir, lockName), os.O_CREATE|os.O_EXCL|os.O_RDWR, 0o600)
	if err == nil {
		err = hold(held)
	}
	if err != nil {
		return "", nil, errors.Join(err, os.RemoveAll(dir))
	}
	return dir, func() {
		os.RemoveAll(dir)
		held.Close()
	}, nil
}

// sweepDirs removes the directories that no process holds. A directory that has no lock yet is left alone.
func sweepDirs(dir, prefix string) {
	for _, name := range names(dir, prefix) {
		at := filepath.Join(dir, name)
		info, err := os.Lstat(at)
		if err != nil || !info.IsDir() || !ours(info) {
			continue
		}
		if free(filepath.Join(at, lockName)) {
			os.RemoveAll(at)
		}
	}
}

// File makes a temporary file in a directory, and removes those with the same prefix that killed runs left. The lock
// ends when the file is closed.
func File(dir, prefix string) (*os.File, error) {
	for _, name := range names(dir, prefix) {
		at := filepath.Join(dir, name)
		if info, err := os.Lstat(at); err == nil && info.Mode().IsRegular() && ours(info) && free(at) {
			os.Remove(at)
		}
	}
	f, err := os.CreateTemp(dir, prefix+"*")
	if err != nil {
		return nil, err
	}
	if err := hold(f); err != nil {
		return nil, errors.Join(err, f.Close(), os.Remove(f.Name()))
	}
	return f, nil
}

// names lists what has the names that os makes from a prefix: digits follow.
func names(dir, prefix string) []string {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil
	}
	var list []string
	for _, e := range entries {
		if rest, ok := strings.CutPrefix(e.Name(), prefix); ok && rest != "" && strings.Trim(rest, "0123456789") == "" {
			list = append(list, e.Name())
		}
	}
	return list
}
