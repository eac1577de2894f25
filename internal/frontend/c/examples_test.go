package c_test

import (
	"context"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"fencepost/internal/question/check"
	"fencepost/internal/question/robust"
	"fencepost/query"
)

// TestExamples: every C program in examples gets the verdicts its comment expects.
func TestExamples(t *testing.T) {
	paths, err := filepath.Glob(filepath.Join("..", "..", "..", "examples", "*.c"))
	if err != nil || len(paths) < 11 {
		t.Fatalf("%d examples (%v)", len(paths), err)
	}
	index, err := os.ReadFile(filepath.Join("..", "..", "..", "examples", "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range paths {
		t.Run(filepath.Base(p), func(t *testing.T) {
			text, err := os.ReadFile(p)
			if err != nil {
				t.Fatal(err)
			}
			expect := expectations(text)
			if len(expect) == 0 {
				t.Fatal("no expectation")
			}
			if !strings.Contains(string(index), "["+filepath.Base(p)+"]") {
				t.Error("the README of the examples does not mention it")
			}
			in := query.Input{Name: filepath.Base(p), Text: text}
			for _, pair := range expect {
				question, want, _ := strings.Cut(pair, "=")
				if got := ask(t, in, question); got != want {
					t.Errorf("%s: %s, want %s", question, got, want)
				}
			}
		})
	}
}

var expectComment = regexp.MustCompile(`// expect:(.*)`)

// expectations returns what the first comment "// expect:" says, in pairs QUESTION=ANSWER.
func expectations(text []byte) []string {
	m := expectComment.FindSubmatch(text)
	if m == nil {
		return nil
	}
	return strings.Fields(string(m[1]))
}

// ask is the verdict under a model, or yes or no to the question whether a
// program is robust.
func ask(t *testing.T, in query.Input, question string) string {
	t.Helper()
	opt := query.CheckOptions{Options: query.Defaults()}
	opt.Workers, opt.Timeout = 1, 0
	var a query.Answer
	var err error
	if question == "robust" {
		a, err = robust.Run(context.Background(), in, query.RobustOptions{Options: opt.Options})
	} else {
		a, err = check.Run(context.Background(), in, opt.Under(query.Model(question)))
	}
	if err != nil || a.HasErrors() {
		t.Fatalf("%v %+v", err, a.Diagnostics)
	}
	got := a.Results[0].Verdict.String()
	if question == "robust" {
		return map[string]string{"safe": "yes", "unsafe": "no"}[got]
	}
	return got
}
