package fencepost_test

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"fencepost"
	"fencepost/internal/cli"
	"fencepost/internal/ir/irtext"
)

var codeInSource = regexp.MustCompile(`"((?:FP|C|LT|IR|X)\d{4})"`)

// withoutExample are the codes that no small program shows, and why.
var withoutExample = map[string]string{
	"X0101":  "it takes machine code, which is no text",
	"X0102":  "it takes machine code, which is no text",
	"X0103":  "it takes machine code, which is no text",
	"X0104":  "it takes machine code, which is no text",
	"X0201":  "it takes machine code, which is no text",
	"X0301":  "it takes machine code, which is no text",
	"X0202":  "it takes machine code, which is no text",
	"X0203":  "it takes machine code, which is no text",
	"FP0917": "it takes a file that cannot be read",
	"FP0920": "it takes a search that meets a limit for one of several sets that cost the same",
	"FP0924": "it takes a time limit that is met after the set is found",
	"FP0925": "it takes the small part of the playground",
	"FP0932": "it takes invariants that hold and contradict each other",
}

// withoutSolver are the codes whose examples need a machine without an SMT solver.
var withoutSolver = map[string]bool{"FP0930": true}

// TestCodes: every code of a diagnostic is explained, and nothing else is.
func TestCodes(t *testing.T) {
	used := map[string]bool{}
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		text, err := os.ReadFile(path)
		for _, m := range codeInSource.FindAllSubmatch(text, -1) {
			used[string(m[1])] = true
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range fencepost.Explanations() {
		if !used[e.Code] {
			t.Errorf("%s is explained and nothing says it, or it is explained twice", e.Code)
		}
		delete(used, e.Code)
		if e.Title == "" || e.Advice == "" {
			t.Errorf("%s: no title or no advice", e.Code)
		}
		if why := withoutExample[e.Code]; (why == "") != (e.Command != "") {
			t.Errorf("%s: example %q, reason for none %q", e.Code, e.Command, why)
		}
	}
	for code := range used {
		t.Errorf("%s is not explained", code)
	}
}

// TestCodeExamples: the example of a code is answered with it.
func TestCodeExamples(t *testing.T) {
	dir := t.TempDir()
	for _, e := range fencepost.Explanations() {
		if e.Command == "" {
			continue
		}
		if e.Command == "ir" {
			_, diags := irtext.Parse("x.ir", []byte(e.Files[0].Text))
			found := false
			for _, d := range diags.All {
				found = found || d.Code == e.Code
			}
			if !found {
				t.Errorf("%s: its example says %v", e.Code, diags.All)
			}
			continue
		}
		args := strings.Fields(e.Command)
		if slices.Contains([]string{"check", "fences", "litmus", "prove", "robust", "traces"}, args[0]) && !strings.Contains(e.Command, "--timeout") {
			args = slices.Insert(args, 1, "--timeout=0") // a machine may be slow
		}
		for _, f := range e.Files {
			path := filepath.Join(dir, f.Name)
			if err := os.WriteFile(path, []byte(f.Text), 0o644); err != nil {
				t.Fatal(err)
			}
			for i := range args {
				if head, ok := strings.CutSuffix(args[i], f.Name); ok && (head == "" || strings.HasSuffix(head, "=")) {
					args[i] = head + path
				}
			}
		}
		var out bytes.Buffer
		path := os.Getenv("PATH")
		if withoutSolver[e.Code] {
			t.Setenv("PATH", "")
		}
		cli.Run(args, strings.NewReader(""), &out, &out)
		t.Setenv("PATH", path)
		if !strings.Contains(out.String(), "["+e.Code+"]") {
			t.Errorf("%s: fencepost %s says\n%s", e.Code, e.Command, out.String())
		}
	}
}
