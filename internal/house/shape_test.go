//go:build policy

// The sizes of the code as a test: no file above 500 lines, no function above 80, or above
// 100 in a test, no struct above 20 fields. What has to be larger gives the reason: // shape: REASON, in
// the comment of the function or type, or, for a file, in any comment before its
// package clause.

package house_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"strings"
	"testing"
	"testing/fstest"
)

const (
	maxFileLines     = 500
	maxFunctionLines = 80
	maxTestLines     = 100 // of a function
	maxFields        = 20
)

// tooLarge is one problem of shape: what is too large, and the figures.
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
	pkg, maxLines := path.Dir(name), maxFunctionLines
	if strings.HasSuffix(name, "_test.go") {
		maxLines = maxTestLines
	}
	if lines := strings.Count(string(text), "\n"); lines > maxFileLines && !fileExcused(file) {
		found = append(found, tooLarge{"file " + name, fmt.Sprintf("%d lines, at most %d", lines, maxFileLines)})
	}
	for _, decl := range file.Decls {
		switch decl := decl.(type) {
		case *ast.FuncDecl:
			lines := fset.Position(decl.End()).Line - fset.Position(decl.Pos()).Line + 1
			if lines > maxLines && !excused(decl.Doc) {
				found = append(found, tooLarge{"function " + pkg + "." + functionName(decl), fmt.Sprintf("%d lines, at most %d", lines, maxLines)})
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

// TestShape: nothing is too large without a reason.
func TestShape(t *testing.T) {
	found, err := sourceShapes(os.DirFS("."))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range found {
		t.Errorf("%s: %s: split it, or give the reason in its comment (// shape: REASON)", f.name, f.figures)
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
		{"function of 80 lines", "package p\n" + function(80), ""},
		{"function of 81 lines", "package p\n" + function(81), "function x.f: 81 lines"},
		{"method of 81 lines", "package p\ntype t int\n" + strings.Replace(function(81), "func f", "func (*t) f", 1), "function x.t.f: 81 lines"},
		{"function with a reason", "package p\n// f does it.\n// shape: a table\n" + function(81), ""},
		{"struct of 20 fields", "package p\n" + structure(20), ""},
		{"struct of 21 fields", "package p\n" + structure(21), "struct x.t: 21 fields"},
		{"fields with one type", "package p\ntype t struct { " + strings.Repeat("a, ", 20) + "a int }\n", "struct x.t: 21 fields"},
		{"struct with a reason", "package p\n// shape: a record\n" + structure(21), ""},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			found, err := sourceShapes(fstest.MapFS{"x/a.go": {Data: []byte(c.code)}})
			if err != nil {
				t.Fatal(err)
			}
			var problems []string
			for _, f := range found {
				problems = append(problems, f.name+": "+f.figures)
			}
			got := strings.Join(problems, "\n")
			if c.want == "" && got != "" || !strings.Contains(got, c.want) {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}
