// Command updates prints the tests that write what they expect: for each package whose tests have a flag -update, the
// directory and a regular expression for -run. `make update` runs these tests and no others.
//
// A test belongs to them if it reads the flag, or mentions a function or method of its package's tests that does, over
// any number of steps. Names are compared, not types: a test too many costs time, a test that is missing would leave a
// file as it was.
package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

func main() {
	if err := list(".", os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "updates:", err)
		os.Exit(1)
	}
}

// list writes a line for each package below root that has tests with the flag.
func list(root string, out io.Writer) error {
	packages := map[string][]*ast.File{}
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && path != root && (d.Name() == "testdata" || strings.HasPrefix(d.Name(), ".") || isModule(path)):
			return fs.SkipDir
		case d.IsDir() || !strings.HasSuffix(path, "_test.go"):
			return nil
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		if err == nil {
			packages[filepath.Dir(path)] = append(packages[filepath.Dir(path)], file)
		}
		return err
	})
	if err != nil {
		return err
	}
	for _, dir := range slices.Sorted(maps.Keys(packages)) {
		if tests := updating(packages[dir]); len(tests) > 0 {
			fmt.Fprintf(out, "./%s ^(%s)$\n", filepath.ToSlash(dir), strings.Join(tests, "|"))
		}
	}
	return nil
}

func isModule(dir string) bool {
	_, err := os.Stat(filepath.Join(dir, "go.mod"))
	return err == nil
}

// updating are the tests of a package that depend on the flag.
func updating(files []*ast.File) []string {
	mentions := map[string]map[string]bool{} // names in the bodies of functions and the values of variables
	depends := map[string]bool{}
	for _, file := range files {
		for _, decl := range file.Decls {
			switch d := decl.(type) {
			case *ast.FuncDecl:
				collect(mentions, d.Name.Name, d)
			case *ast.GenDecl:
				for _, spec := range d.Specs {
					v, ok := spec.(*ast.ValueSpec)
					if !ok {
						continue
					}
					for _, name := range v.Names {
						collect(mentions, name.Name, v)
						if slices.ContainsFunc(v.Values, isFlag) {
							depends[name.Name] = true
						}
					}
				}
			}
		}
	}
	for grown := len(depends) > 0; grown; {
		grown = false
		for name, others := range mentions {
			if depends[name] {
				continue
			}
			for other := range others {
				if depends[other] {
					depends[name], grown = true, true
					break
				}
			}
		}
	}
	var tests []string
	for name := range depends {
		if strings.HasPrefix(name, "Test") && name != "TestMain" {
			tests = append(tests, name)
		}
	}
	slices.Sort(tests)
	return tests
}

// collect adds all names inside node to the mentions of name.
func collect(mentions map[string]map[string]bool, name string, node ast.Node) {
	if mentions[name] == nil {
		mentions[name] = map[string]bool{}
	}
	ast.Inspect(node, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok && id.Name != name {
			mentions[name][id.Name] = true
		}
		return true
	})
}

// isFlag tells the value flag.Bool("update", ...).
func isFlag(e ast.Expr) bool {
	call, ok := e.(*ast.CallExpr)
	if !ok || len(call.Args) == 0 {
		return false
	}
	s, ok := call.Args[0].(*ast.BasicLit)
	if !ok {
		return false
	}
	text, err := strconv.Unquote(s.Value)
	f, isSelector := call.Fun.(*ast.SelectorExpr)
	return err == nil && text == "update" && isSelector && f.Sel.Name == "Bool"
}
