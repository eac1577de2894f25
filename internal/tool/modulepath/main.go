// Command modulepath gives the module another path: in go.mod files, in the imports of all Go files, and in constants
// called module or modulePath. `make module PATH=...` runs it. The names of packages stay, so nothing else changes.
package main

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: modulepath PATH")
		os.Exit(2)
	}
	if err := rename(".", os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, "modulepath:", err)
		os.Exit(1)
	}
}

// valid is a module path: elements of letters, digits and a few other characters, the first with a dot unless
// there is only one.
var valid = regexp.MustCompile(`^([A-Za-z0-9_~-]+|[A-Za-z0-9_~-]+(\.[A-Za-z0-9_~-]+)+(/[A-Za-z0-9._~-]+)+)$`)

var moduleLine = regexp.MustCompile(`(?m)^module (\S+)$`)

// rename gives the module in a directory another path.
func rename(dir, to string) error {
	if !valid.MatchString(to) {
		return fmt.Errorf("%q is no module path, want one such as example.org/tools/fencepost", to)
	}
	name := filepath.Join(dir, "go.mod")
	text, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	m := moduleLine.FindSubmatch(text)
	if m == nil {
		return fmt.Errorf("%s has no module line", name)
	}
	from := string(m[1])
	if err := os.WriteFile(name, moduleLine.ReplaceAll(text, []byte("module "+to)), 0o644); err != nil {
		return err
	}
	return filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		switch base := d.Name(); {
		case err != nil:
			return err
		case d.IsDir() && name != dir && (base == "testdata" || base[0] == '.' || base[0] == '_'):
			return fs.SkipDir
		case base == "go.mod" && filepath.Dir(name) != filepath.Clean(dir):
			return renameInModule(name, from, to)
		case d.IsDir() || filepath.Ext(name) != ".go":
			return nil
		}
		return renameFile(name, from, to)
	})
}

// renameInModule changes the go.mod of a module below this one, which names this one.
func renameInModule(name, from, to string) error {
	text, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	path := regexp.MustCompile(`(?m)(^|\s)` + regexp.QuoteMeta(from) + `(/\S*)?(\s|$)`)
	return os.WriteFile(name, path.ReplaceAll(text, []byte("${1}"+to+"${2}${3}")), 0o644)
}

// renameFile changes the imports of a file.
func renameFile(name, from, to string) error {
	text, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	files := token.NewFileSet()
	file, err := parser.ParseFile(files, name, text, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return err
	}
	changed := false
	for _, spec := range file.Imports {
		imported, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			return err
		}
		if rest, ok := strings.CutPrefix(imported, from); ok && (rest == "" || rest[0] == '/') {
			spec.Path.Value, changed = strconv.Quote(to+rest), true
		}
	}
	for _, value := range moduleConstants(file, strconv.Quote(from)) {
		value.Value, changed = strconv.Quote(to), true
	}
	if !changed {
		return nil
	}
	ast.SortImports(files, file)
	var out bytes.Buffer
	if err := format.Node(&out, files, file); err != nil {
		return err
	}
	return os.WriteFile(name, out.Bytes(), 0o644)
}

// moduleConstants finds the constants that hold the path of the module.
func moduleConstants(file *ast.File, from string) []*ast.BasicLit {
	var found []*ast.BasicLit
	for _, decl := range file.Decls {
		gen, ok := decl.(*ast.GenDecl)
		if !ok || gen.Tok != token.CONST {
			continue
		}
		for _, spec := range gen.Specs {
			v := spec.(*ast.ValueSpec)
			for i, name := range v.Names {
				if i >= len(v.Values) || name.Name != "module" && name.Name != "modulePath" {
					continue
				}
				if lit, ok := v.Values[i].(*ast.BasicLit); ok && lit.Value == from {
					found = append(found, lit)
				}
			}
		}
	}
	return found
}
