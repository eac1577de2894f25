// The sizes of the code as a test: no file above 500 lines, no function above 100, no
// struct above 30 fields, no type above 60 methods, promoted ones counted. What has to
// be larger gives the reason: // shape: REASON, in the comment of the function or type,
// or, for a file, in any comment before its package clause. testdata/shape.txt lists
// what is still to be split. The list only shrinks:
//
//	go test -run TestShape -update .
//
// drops the lines that are no longer needed. Nothing adds one.

package fencepost_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
)

const (
	maxFileLines     = 500
	maxFunctionLines = 100
	maxFields        = 30
	maxMethods       = 60
)

// shapeToDo lists the files, functions, structs and types that are too large and not
// yet split, a line each, as the problems name them.
const shapeToDo = "testdata/shape.txt"

// tooLarge is one problem of shape: a name that stays the same while the code around
// it changes, and the figures.
type tooLarge struct{ name, figures string }

// sourceShapes returns the files, functions and structs below root that are too large.
func sourceShapes(root fs.FS) ([]tooLarge, error) {
	var found []tooLarge
	err := eachGoFile(root, func(name string, text []byte) error {
		list, err := fileShapes(name, text)
		found = append(found, list...)
		return err
	})
	return found, err
}

func fileShapes(name string, text []byte) ([]tooLarge, error) {
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, name, text, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return nil, fmt.Errorf("reading the shape: %w", err)
	}
	var found []tooLarge
	pkg := path.Dir(name)
	if lines := strings.Count(string(text), "\n"); lines > maxFileLines && !fileExcused(file) {
		found = append(found, tooLarge{"file " + name, fmt.Sprintf("%d lines, at most %d", lines, maxFileLines)})
	}
	for _, decl := range file.Decls {
		switch decl := decl.(type) {
		case *ast.FuncDecl:
			lines := fset.Position(decl.End()).Line - fset.Position(decl.Pos()).Line + 1
			if lines > maxFunctionLines && !excused(decl.Doc) {
				found = append(found, tooLarge{"function " + pkg + "." + functionName(decl), fmt.Sprintf("%d lines, at most %d", lines, maxFunctionLines)})
			}
		case *ast.GenDecl:
			for _, spec := range decl.Specs {
				spec, ok := spec.(*ast.TypeSpec)
				if !ok {
					continue
				}
				s, ok := spec.Type.(*ast.StructType)
				if !ok || excused(spec.Doc) || excused(decl.Doc) {
					continue
				}
				if n := s.Fields.NumFields(); n > maxFields {
					found = append(found, tooLarge{"struct " + pkg + "." + spec.Name.Name, fmt.Sprintf("%d fields, at most %d", n, maxFields)})
				}
			}
		}
	}
	return found, nil
}

func functionName(f *ast.FuncDecl) string {
	if f.Recv == nil || len(f.Recv.List) == 0 {
		return f.Name.Name
	}
	t := f.Recv.List[0].Type
	for {
		switch u := t.(type) {
		case *ast.StarExpr:
			t = u.X
		case *ast.IndexExpr:
			t = u.X
		case *ast.Ident:
			return u.Name + "." + f.Name.Name
		default:
			return f.Name.Name
		}
	}
}

// excused says whether a comment gives a reason for the shape of its declaration.
func excused(doc *ast.CommentGroup) bool {
	if doc == nil {
		return false
	}
	for _, c := range doc.List {
		if reason, ok := strings.CutPrefix(c.Text, "// shape:"); ok && strings.TrimSpace(reason) != "" {
			return true
		}
	}
	return false
}

func fileExcused(file *ast.File) bool {
	for _, group := range file.Comments {
		if group.Pos() < file.Package && excused(group) {
			return true
		}
	}
	return false
}

// listed is a package as `go list -export -json` prints it.
type listed struct {
	Dir, ImportPath, Export string
	GoFiles                 []string
	DepOnly                 bool
}

// listPackages returns the packages of the module with those they import, each with
// a file of export data.
func listPackages() ([]listed, error) {
	cmd := exec.Command("go", "list", "-export", "-deps", "-json=Dir,ImportPath,Export,GoFiles,DepOnly", "./...")
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("go list: %w", err)
	}
	var list []listed
	for dec := json.NewDecoder(out); ; {
		var p listed
		if err := dec.Decode(&p); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return nil, fmt.Errorf("go list: %w", err)
		}
		list = append(list, p)
	}
	return list, cmd.Wait()
}

// moduleMethods returns the types of the module that have too many methods.
func moduleMethods() ([]tooLarge, error) {
	list, err := listPackages()
	if err != nil {
		return nil, err
	}
	exports := make(map[string]string)
	for _, p := range list {
		exports[p.ImportPath] = p.Export
	}
	fset := token.NewFileSet()
	load := importer.ForCompiler(fset, "gc", func(p string) (io.ReadCloser, error) {
		if exports[p] == "" {
			return nil, fmt.Errorf("no export data for %s", p)
		}
		return os.Open(exports[p])
	})
	var found []tooLarge
	for _, p := range list {
		if p.DepOnly {
			continue
		}
		var files []*ast.File
		for _, name := range p.GoFiles {
			file, err := parser.ParseFile(fset, path.Join(p.Dir, name), nil, parser.ParseComments)
			if err != nil {
				return nil, err
			}
			files = append(files, file)
		}
		more, err := packageMethods(p.ImportPath, fset, files, load)
		if err != nil {
			return nil, err
		}
		found = append(found, more...)
	}
	return found, nil
}

// packageMethods returns the types of one package whose pointers have too many
// methods, with those of embedded fields.
func packageMethods(pkg string, fset *token.FileSet, files []*ast.File, load types.Importer) ([]tooLarge, error) {
	conf := types.Config{Importer: load, FakeImportC: true, IgnoreFuncBodies: true}
	checked, err := conf.Check(pkg, fset, files, nil)
	if err != nil {
		return nil, fmt.Errorf("type checking %s: %w", pkg, err)
	}
	reasons := make(map[string]bool)
	for _, file := range files {
		for _, decl := range file.Decls {
			if decl, ok := decl.(*ast.GenDecl); ok {
				for _, spec := range decl.Specs {
					if spec, ok := spec.(*ast.TypeSpec); ok {
						reasons[spec.Name.Name] = excused(spec.Doc) || excused(decl.Doc)
					}
				}
			}
		}
	}
	short, ok := relative(pkg)
	if !ok {
		short = pkg
	}
	var found []tooLarge
	for _, name := range checked.Scope().Names() {
		t, ok := checked.Scope().Lookup(name).(*types.TypeName)
		if !ok || t.IsAlias() || reasons[name] {
			continue
		}
		var n int
		if _, isInterface := t.Type().Underlying().(*types.Interface); isInterface {
			n = types.NewMethodSet(t.Type()).Len()
		} else {
			n = types.NewMethodSet(types.NewPointer(t.Type())).Len()
		}
		if n > maxMethods {
			found = append(found, tooLarge{"type " + short + "." + name, fmt.Sprintf("%d methods with promoted ones, at most %d", n, maxMethods)})
		}
	}
	return found, nil
}

// shapeProblems compares what is too large with the list of what is still to do. It
// returns the problems and the lines of the list that are still needed.
func shapeProblems(found []tooLarge, list []string) (problems, rest []string) {
	var names []string
	for _, f := range found {
		names = append(names, f.name)
		if !slices.Contains(list, f.name) {
			problems = append(problems, fmt.Sprintf("%s: %s: split it, or give the reason in its comment (// shape: REASON)", f.name, f.figures))
		}
	}
	for _, name := range list {
		if slices.Contains(names, name) {
			rest = append(rest, name)
			continue
		}
		problems = append(problems, fmt.Sprintf("%s: %s is not too large any more: drop it from the list (go test -run TestShape -update .)", shapeToDo, name))
	}
	return problems, rest
}

const shapeHead = "# What is still too large: see shape_test.go. This list only shrinks.\n"

func shapeList(text string) []string {
	var list []string
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line != "" && line[0] != '#' {
			list = append(list, line)
		}
	}
	return list
}

// TestShape: nothing is too large, but for what is on the list or has a reason.
func TestShape(t *testing.T) {
	found, err := sourceShapes(os.DirFS("."))
	if err != nil {
		t.Fatal(err)
	}
	methods, err := moduleMethods()
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(shapeToDo)
	if err != nil {
		t.Fatal(err)
	}
	found = append(found, methods...)
	problems, rest := shapeProblems(found, shapeList(string(text)))
	if *update {
		text := shapeHead + strings.Join(append(rest, ""), "\n")
		if err := os.WriteFile(shapeToDo, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		problems, _ = shapeProblems(found, rest)
	}
	for _, p := range problems {
		t.Error(p)
	}
}

// TestShapeCatches: the checks of sizes find what is too large by one, and accept a reason.
func TestShapeCatches(t *testing.T) {
	function := func(lines int) string { return "func f() {\n" + strings.Repeat("_ = 1\n", lines-2) + "}\n" }
	structure := func(fields int) string { return "type t struct {\n" + strings.Repeat("a int\n", fields) + "}\n" }
	cases := []struct {
		name, code string
		want       string // "" for nothing
	}{
		{"file of 500 lines", "package p\n" + strings.Repeat("\n", 499), ""},
		{"file of 501 lines", "package p\n" + strings.Repeat("\n", 500), "file x/a.go: 501 lines"},
		{"file with a reason", "// shape: a table\n\npackage p\n" + strings.Repeat("\n", 500), ""},
		{"reason that is empty", "// shape:\n\npackage p\n" + strings.Repeat("\n", 500), "file x/a.go"},
		{"reason at the wrong place", "package p\n// shape: a table\n" + strings.Repeat("\n", 500), "file x/a.go"},
		{"function of 100 lines", "package p\n" + function(100), ""},
		{"function of 101 lines", "package p\n" + function(101), "function x.f: 101 lines"},
		{"method of 101 lines", "package p\ntype t int\n" + strings.Replace(function(101), "func f", "func (*t) f", 1), "function x.t.f: 101 lines"},
		{"function with a reason", "package p\n// f does it.\n// shape: a table\n" + function(101), ""},
		{"struct of 30 fields", "package p\n" + structure(30), ""},
		{"struct of 31 fields", "package p\n" + structure(31), "struct x.t: 31 fields"},
		{"fields with one type", "package p\ntype t struct { " + strings.Repeat("a, ", 30) + "a int }\n", "struct x.t: 31 fields"},
		{"struct with a reason", "package p\n// shape: a record\n" + structure(31), ""},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			found, err := sourceShapes(fstest.MapFS{"x/a.go": {Data: []byte(c.code)}})
			if err != nil {
				t.Fatal(err)
			}
			problems, _ := shapeProblems(found, nil)
			got := strings.Join(problems, "\n")
			if c.want == "" && got != "" || !strings.Contains(got, c.want) {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

// TestShapeCountsPromoted: methods of embedded types count, on values and pointers.
func TestShapeCountsPromoted(t *testing.T) {
	var code strings.Builder
	code.WriteString("package p\ntype base struct{}\ntype whole struct { *base }\n// shape: a list\ntype excused struct { base }\n")
	for i := range maxMethods {
		fmt.Fprintf(&code, "func (*base) m%d() {}\n", i)
	}
	code.WriteString("func (whole) last() {}\nfunc (excused) last() {}\n")
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "a.go", code.String(), parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	found, err := packageMethods("fencepost/x", fset, []*ast.File{file}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if len(found) != 1 || found[0] != (tooLarge{"type x.whole", "61 methods with promoted ones, at most 60"}) {
		t.Errorf("got %v, want whole with 61 methods alone", found)
	}
}

// TestShapeListShrinks: the list excuses what it names and nothing else.
func TestShapeListShrinks(t *testing.T) {
	found := []tooLarge{{"file a.go", "501 lines"}, {"file b.go", "502 lines"}}
	problems, rest := shapeProblems(found, shapeList(shapeHead+"file a.go\nfile c.go\n"))
	got := strings.Join(problems, "\n")
	for _, want := range []string{"file b.go: 502 lines", "file c.go is not too large any more"} {
		if !strings.Contains(got, want) {
			t.Errorf("got %q, want a problem with %q", got, want)
		}
	}
	if strings.Contains(got, "a.go:") {
		t.Errorf("got %q, which does not excuse a.go", got)
	}
	if !slices.Equal(rest, []string{"file a.go"}) {
		t.Errorf("the rest of the list is %q, want a.go alone", rest)
	}
}
