package lazyregexp

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// TestStart: front ends, stages and questions compile no expression before the first byte of input is read. Renderers and
// leaves, which have few, may.
func TestStart(t *testing.T) {
	global := regexp.MustCompile(`(?m)^(?:var \w+ +=|\t\w+ +=|\t\{.*) ?regexp\.MustCompile\(.*`)
	for _, tree := range []string{"frontend", "pipeline", "question", "engine", "cli"} {
		err := filepath.WalkDir(filepath.Join("..", tree), func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
				return err
			}
			text, err := os.ReadFile(path)
			for _, line := range global.FindAllString(string(text), -1) {
				t.Errorf("%s: use lazyregexp.New: %s", path, line)
			}
			return err
		})
		if err != nil {
			t.Error(err)
		}
	}
}

// TestPatterns: every expression of the other packages can be compiled, used or not.
func TestPatterns(t *testing.T) {
	literal := regexp.MustCompile("`[^`]*`|\"(?:[^\"\\\\]|\\\\.)*\"")
	use := regexp.MustCompile(`lazyregexp\.New\(((?:` + literal.String() + `|[+\s])+)\)`)
	n := 0
	err := filepath.WalkDir("..", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") {
			return err
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		for _, m := range use.FindAllSubmatch(text, -1) {
			n++
			pattern := ""
			for _, quoted := range literal.FindAllString(string(m[1]), -1) {
				part, err := strconv.Unquote(quoted)
				if err != nil {
					t.Errorf("%s: %s: %v", path, quoted, err)
				}
				pattern += part
			}
			if _, err := regexp.Compile(pattern); err != nil {
				t.Errorf("%s: %s: %v", path, pattern, err)
			}
		}
		return nil
	})
	if err != nil || n < 20 {
		t.Errorf("%d expressions found (%v)", n, err)
	}
}
