package param_test

import (
	"context"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"testing"

	question "fencepost/internal/question/param"
	"fencepost/query"
	"fencepost/verdict"
)

var expectation = regexp.MustCompile(`(robust|check)=(any|\d+)`)

// TestCorpus: each program says for which number of threads it is first violated, or
// that it holds for any.
func TestCorpus(t *testing.T) {
	files, err := filepath.Glob("testdata/*.fp")
	if err != nil || len(files) < 8 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			found := expectation.FindAllStringSubmatch(string(text), -1)
			if len(found) == 0 {
				t.Fatal("it expects nothing")
			}
			for _, e := range found {
				in := query.Input{Name: file, Text: text}
				a, err := question.Robust(context.Background(), in, query.RobustOptions{Options: query.Defaults()})
				if e[1] == "check" {
					a, err = question.Check(context.Background(), in, query.CheckOptions{Options: query.Defaults()}.Under(query.SC))
				}
				if err != nil {
					t.Fatal(err)
				}
				if a.HasErrors() {
					t.Fatalf("%+v", a.Diagnostics)
				}
				r := &a.Results[0]
				got := r.Verdict.String()
				switch {
				case r.Verdict == verdict.Safe && r.Coverage.Exhaustive && r.Coverage.Threads == verdict.AnyThreads:
					got = "any"
				case r.Verdict == verdict.Unsafe:
					got = strconv.Itoa(r.Instance)
				}
				if got != e[2] {
					t.Errorf("%s: want %s, got %s %s", e[1], e[2], got, r.Reason)
				}
				if n := r.Stats.Net; n != nil {
					t.Logf("%s=%s: %d places, %d transitions, %d of %d predecessors pruned, %d elements, %.2f s", e[1], got, n.PetriPlaces, n.Transitions, n.Pruned, n.Tried, n.Elements, r.Stats.Seconds)
				}
			}
		})
	}
}
