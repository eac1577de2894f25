package main

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"io/fs"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// run is a run of go test with a test that passes, skipped ones and one that runs in part.
const run = `{"Action":"start","Package":"p"}
{"Action":"output","Package":"p","Test":"TestA","Output":"=== RUN   TestA\n"}
{"Action":"output","Package":"p","Test":"TestA","Output":"    a_test.go:3: no gcc here: nothing is compared\n"}
{"Action":"output","Package":"p","Test":"TestA","Output":"--- SKIP: TestA (0.00s)\n"}
{"Action":"skip","Package":"p","Test":"TestA"}
{"Action":"output","Package":"p","Test":"TestB","Output":"    b_test.go:3: no SMT solver found: z3 or cvc5 must be in PATH\n"}
{"Action":"skip","Package":"p","Test":"TestB"}
{"Action":"output","Package":"p","Test":"TestB2","Output":"    b_test.go:3: notice: z3 is not in PATH; on Debian run this\n"}
{"Action":"skip","Package":"p","Test":"TestB2"}
{"Action":"output","Package":"p","Test":"TestC","Output":"    c_test.go:3: it takes long: run with -fp.slow\n"}
{"Action":"skip","Package":"p","Test":"TestC"}
{"Action":"output","Package":"p","Test":"TestD","Output":"    d_test.go:3: there is no clang here: its machine code is not compared\n"}
{"Action":"pass","Package":"p","Test":"TestD"}
{"Action":"output","Package":"p","Output":"PASS\n"}
{"Action":"output","Package":"p","Output":"ok  \tp\t0.01s\n"}
{"Action":"pass","Package":"p"}
exit 0
`

const failing = `{"Action":"output","Package":"q","Test":"TestF","Output":"    f_test.go:3: wrong\n"}
{"Action":"output","Package":"q","Test":"TestG","Output":"said before the panic\n"}
{"Action":"fail","Package":"q","Test":"TestF"}
{"Action":"output","Package":"q","Output":"FAIL\tq\t0.01s\n"}
{"Action":"fail","Package":"q"}
exit 1
`

func TestReport(t *testing.T) {
	const skips = "ok  \tp\t0.01s\n4 tests skipped: no z3 (2), no gcc (1), slow: make fuzz runs them (1)\nparts of 1 test skipped: no clang (1)\n"
	for _, c := range []struct {
		name, in string
		strict   bool
		runs     int
		want     string
		good     bool
	}{
		{"skipped", run, false, 1, skips, true},
		{"strict", run, true, 1, skips + "FENCEPOST_STRICT is set, and 4 tests did not run for want of a tool: `make deps` installs the packages\n", false},
		{"strict without a missing tool", strings.Join(strings.Split(run, "\n")[9:11], "\n") + "\nexit 0\n", true, 1, "1 test skipped: slow: make fuzz runs them (1)\n", true},
		{"failed", failing, false, 1, "    f_test.go:3: wrong\nsaid before the panic\nFAIL\tq\t0.01s\nFAIL\n", false},
		{"the second run is missing", run, false, 2, skips + "FAIL\n", false},
		{"no build", "cannot find package\nexit 1\n", false, 1, "cannot find package\nFAIL\n", false},
	} {
		var out bytes.Buffer
		r := newReport(&out, c.strict)
		if err := r.read(strings.NewReader(c.in)); err != nil {
			t.Fatal(err)
		}
		if good := r.finish(c.runs); good != c.good || out.String() != c.want {
			t.Errorf("%s: %v:\n%s\nwant %v:\n%s", c.name, good, out.String(), c.good, c.want)
		}
	}
}

// TestRunning: what has begun and not ended is named.
func TestRunning(t *testing.T) {
	r := newReport(io.Discard, false)
	begun := run[:strings.LastIndex(run, `{"Action":"pass","Package":"p","Test":"TestD"}`)]
	if err := r.read(strings.NewReader(begun)); err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(r.running(), ", "); got != "p TestD" {
		t.Errorf("running: %q, want p TestD", got)
	}
}

// TestReasons: every message with which a test of the repository is skipped is in the tables, so that a test that needs
// a tool cannot be missed.
func TestReasons(t *testing.T) {
	found := 0
	err := filepath.WalkDir("../../..", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(name, ".go") || strings.Contains(name, "testreport") {
			return err
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
		if err != nil {
			return err
		}
		ast.Inspect(file, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok {
				return true
			}
			f, ok := call.Fun.(*ast.SelectorExpr)
			if !ok || f.Sel.Name != "Skip" && f.Sel.Name != "Skipf" || len(call.Args) == 0 {
				return true
			}
			text, ok := call.Args[0].(*ast.BasicLit)
			if !ok {
				return true
			}
			message, err := strconv.Unquote(text.Value)
			if err != nil {
				t.Errorf("%s: %v", name, err)
			}
			found++
			message = strings.ReplaceAll(message, "there is no %s", "there is no gcc")
			message = strings.ReplaceAll(message, "%s is not there", "x is not there")
			message = strings.ReplaceAll(message, "%s is not", "gcc is not")
			message = strings.ReplaceAll(message, "no %s here", "no gcc here")
			message = strings.ReplaceAll(message, "needs %s,", "needs gcc,")
			if !strings.HasPrefix(message, "notice: %v") && missingTool(message) == "" && otherReason(message) == unknown {
				t.Errorf("%s: %q is in no table of reason.go", name, message)
			}
			return true
		})
		return nil
	})
	if err != nil || found < 30 {
		t.Errorf("%d messages: %v", found, err)
	}
}
