// Honest verdicts as a test: results are assembled, and Safe is said, in one file.

package fencepost_test

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

// concluder is the file that may assemble results and say Safe.
const concluder = "internal/pipeline/conclude.go"

// conclusions lists what files other than the concluder do that only it may: a composite literal of
// verdict.Result with fields, and a use of verdict.Safe that is neither a comparison nor a case of a
// switch. Package verdict, which defines both, and tests are exempt.
func conclusions(root fs.FS) ([]string, error) {
	var found []string
	err := fs.WalkDir(root, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		base := d.Name()
		if d.IsDir() {
			if name != "." && (base == "testdata" || base == "testkit" || base[0] == '.' || base[0] == '_' || name == "verdict") {
				return fs.SkipDir
			}
			return nil
		}
		if path.Ext(name) != ".go" || strings.HasSuffix(name, "_test.go") || name == concluder {
			return nil
		}
		text, err := fs.ReadFile(root, name)
		if err != nil {
			return err
		}
		files := token.NewFileSet()
		file, err := parser.ParseFile(files, name, text, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		compared := map[ast.Expr]bool{}
		ast.Inspect(file, func(n ast.Node) bool {
			switch x := n.(type) {
			case *ast.BinaryExpr:
				if x.Op == token.EQL || x.Op == token.NEQ {
					compared[x.X], compared[x.Y] = true, true
				}
			case *ast.CaseClause:
				for _, e := range x.List {
					compared[e] = true
				}
			case *ast.CompositeLit:
				if isVerdict(x.Type, "Result") && len(x.Elts) > 0 {
					found = append(found, fmt.Sprintf("%s assembles a result: only %s may", files.Position(x.Pos()), concluder))
				}
			case *ast.SelectorExpr:
				if isVerdict(x, "Safe") && !compared[x] {
					found = append(found, fmt.Sprintf("%s says Safe: only %s may", files.Position(x.Pos()), concluder))
				}
			}
			return true
		})
		return nil
	})
	return found, err
}

// isVerdict reports whether an expression is a name of package verdict.
func isVerdict(e ast.Expr, name string) bool {
	sel, ok := e.(*ast.SelectorExpr)
	if !ok || sel.Sel.Name != name {
		return false
	}
	pkg, ok := sel.X.(*ast.Ident)
	return ok && pkg.Name == "verdict"
}

func TestConclusions(t *testing.T) {
	found, err := conclusions(os.DirFS("."))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range found {
		t.Error(f)
	}
}

// TestConclusionsCatches holds the checker itself to account.
func TestConclusionsCatches(t *testing.T) {
	for _, c := range []struct {
		name, file, code string
		want             string // "" for allowed
	}{
		{"assignment", "internal/x/x.go", "func f(r *verdict.Result) { r.Verdict = verdict.Safe }", "says Safe"},
		{"field of a literal", "internal/x/x.go", "var e = verdict.EngineReport{Verdict: verdict.Safe}", "says Safe"},
		{"return", "internal/x/x.go", "func f() verdict.Verdict { return verdict.Safe }", "says Safe"},
		{"argument", "internal/x/x.go", "func f() { g(verdict.Safe) }", "says Safe"},
		{"result", "internal/x/x.go", `var r = &verdict.Result{Program: "p"}`, "assembles a result"},
		{"in the concluder", concluder, `var r = &verdict.Result{Verdict: verdict.Safe}`, ""},
		{"in a test", "internal/x/x_test.go", `var r = &verdict.Result{Verdict: verdict.Safe}`, ""},
		{"comparison", "internal/x/x.go", "func f(r *verdict.Result) bool { return r.Verdict == verdict.Safe || verdict.Safe != r.Verdict }", ""},
		{"case", "internal/x/x.go", "func f(r *verdict.Result) { switch r.Verdict { case verdict.Safe, verdict.Unsafe: } }", ""},
		{"zero result", "internal/x/x.go", "var r verdict.Result = verdict.Result{}", ""},
		{"list of results", "internal/x/x.go", "var r = []verdict.Result{}", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			text := "package x\n\nimport \"fencepost/verdict\"\n\n" + c.code + "\n"
			found, err := conclusions(fstest.MapFS{c.file: {Data: []byte(text)}})
			if err != nil {
				t.Fatal(err)
			}
			got := strings.Join(found, "\n")
			if c.want == "" && got != "" || !strings.Contains(got, c.want) {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}
