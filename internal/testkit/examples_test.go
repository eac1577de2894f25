package testkit_test

import (
	"context"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"fencepost/internal/question/robust"
	"fencepost/internal/testkit"
	"fencepost/query"
	"fencepost/verdict"
)

var expected = regexp.MustCompile(`expect:([^\n*]*)`)

// TestExamplesRobust: each example is robust exactly if its comment says so, and a robust
// one has the same verdict under TSO as under SC.
func TestExamplesRobust(t *testing.T) {
	paths, err := filepath.Glob(filepath.Join(testkit.Root(t), "examples", "*.*"))
	if err != nil || len(paths) == 0 {
		t.Fatalf("no examples (%v)", err)
	}
	for _, path := range paths {
		if filepath.Ext(path) == ".md" {
			continue
		}
		t.Run(filepath.Base(path), func(t *testing.T) {
			text, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			m := expected.FindSubmatch(text)
			if m == nil {
				t.Fatal("the example does not say what to expect")
			}
			want := map[string]string{}
			for _, pair := range strings.Fields(string(m[1])) {
				k, v, _ := strings.Cut(pair, "=")
				want[k] = v
			}
			opt := query.RobustOptions{Options: query.Defaults()}
			opt.Timeout, opt.Memory = 0, 512<<20
			answer, err := robust.Run(context.Background(), query.Input{Name: filepath.Base(path), Text: text}, opt)
			if err != nil || len(answer.Results) != 1 {
				t.Fatalf("%v %+v", err, answer.Diagnostics)
			}
			got := map[verdict.Verdict]string{verdict.Safe: "yes", verdict.Unsafe: "no", verdict.Unknown: "unknown"}[answer.Results[0].Verdict]
			if w := want["robust"]; w != "" && w != got {
				t.Errorf("robust %s, want %s", got, w)
			}
			if got == "yes" && want["sc"] != want["tso"] {
				t.Errorf("robust, but sc=%s and tso=%s", want["sc"], want["tso"])
			}
		})
	}
}
