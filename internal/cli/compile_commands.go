package cli

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"fencepost/internal/gcc"
	"fencepost/internal/inputfile"
)

// Compilation databases, as build tools write them: a list of commands in JSON
// (https://clang.llvm.org/docs/JSONCompilationDatabase.html).

// buildCommand is an entry of a database.
type buildCommand struct {
	Directory string   `json:"directory"`
	File      string   `json:"file"`
	Command   string   `json:"command"`
	Arguments []string `json:"arguments"`
}

// commandsOf returns the flags of the files that have an entry in a database. At least one must have one.
func commandsOf(database string, files []string) (map[string][]string, error) {
	text, err := inputfile.Read(database)
	if err != nil {
		return nil, openError(database, err)
	}
	var entries []buildCommand
	if err := json.Unmarshal(text, &entries); err != nil {
		return nil, &usageError{fmt.Sprintf("%s is not a compilation database: %v", database, err), "name a compile_commands.json that a build wrote"}
	}
	out := map[string][]string{}
	for _, file := range files {
		for _, e := range entries {
			dir := e.Directory
			if !filepath.IsAbs(dir) {
				dir = filepath.Join(filepath.Dir(database), dir)
			}
			if !sameFile(relativeTo(dir, e.File), file) {
				continue
			}
			words := e.Arguments
			if len(words) == 0 {
				words = shellWords(e.Command)
			}
			if len(words) > 0 {
				at := func(path string) string { return relativeTo(dir, path) }
				out[file] = gcc.Relocate(words[1:], at, func(path string) string {
					if _, err := os.Stat(at(path)); err != nil {
						return path // it is searched like an included file
					}
					return at(path)
				})
			}
			break
		}
	}
	if len(out) == 0 {
		return nil, &usageError{fmt.Sprintf("%s has no command for %s", database, strings.Join(files, ", ")), "name files that the build compiles, or write the flags after --"}
	}
	return out, nil
}

func relativeTo(dir, path string) string {
	if filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(dir, path)
}

// sameFile reports whether two paths name one file.
func sameFile(a, b string) bool {
	x, err := os.Stat(a)
	if err != nil {
		return false
	}
	y, err := os.Stat(b)
	return err == nil && os.SameFile(x, y)
}

// shellWords splits a command as a POSIX shell does, without expanding anything.
func shellWords(command string) []string {
	var out []string
	var word strings.Builder
	in, quote := false, rune(0)
	escaped := false
	for _, r := range command {
		switch {
		case escaped:
			if quote == '"' && !strings.ContainsRune("\"\\$`", r) {
				word.WriteRune('\\')
			}
			word.WriteRune(r)
			escaped = false
		case r == '\\' && quote != '\'':
			in, escaped = true, true
		case quote != 0 && r == quote:
			quote = 0
		case quote != 0:
			word.WriteRune(r)
		case r == '"' || r == '\'':
			in, quote = true, r
		case r == ' ' || r == '\t' || r == '\n':
			if in {
				out = append(out, word.String())
				word.Reset()
			}
			in = false
		default:
			in = true
			word.WriteRune(r)
		}
	}
	if in {
		out = append(out, word.String())
	}
	return out
}
