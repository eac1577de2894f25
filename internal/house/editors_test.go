//go:build policy

package house_test

import (
	"encoding/json"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"fencepost/internal/frontend/statement"
)

// softWords are words that the grammar of .fp quotes and does not reserve.
var softWords = []string{"invariant"}

// TestEditors: the syntax files know the keywords of .fp, and no others.
func TestEditors(t *testing.T) {
	want := append(statement.Keywords(), softWords...)
	slices.Sort(want)
	for name, words := range map[string]func(*testing.T, string) []string{
		"editors/vim/syntax/fp.vim":                  vimKeywords,
		"editors/vscode/syntaxes/fp.tmLanguage.json": textMateKeywords,
	} {
		t.Run(name, func(t *testing.T) {
			text, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			got := words(t, string(text))
			for _, w := range want {
				if !slices.Contains(got, w) {
					t.Errorf("%q is missing", w)
				}
			}
			for _, w := range got {
				if !slices.Contains(want, w) {
					t.Errorf("%q is no keyword", w)
				}
			}
		})
	}
}

// vimKeywords returns the words after `syntax keyword GROUP`.
func vimKeywords(_ *testing.T, text string) []string {
	var words []string
	for line := range strings.Lines(text) {
		if rest, ok := strings.CutPrefix(line, "syntax keyword "); ok {
			words = append(words, strings.Fields(rest)[1:]...)
		}
	}
	return words
}

var alternatives = regexp.MustCompile(`^\\b\(\?:([a-z_|]+)\)\\b$`)

// textMateKeywords returns the alternatives of the patterns that are named keyword.
func textMateKeywords(t *testing.T, text string) []string {
	var grammar struct {
		Patterns []struct{ Name, Match string }
	}
	if err := json.Unmarshal([]byte(text), &grammar); err != nil {
		t.Fatal(err)
	}
	var words []string
	for _, p := range grammar.Patterns {
		if !strings.HasPrefix(p.Name, "keyword.") {
			continue
		}
		m := alternatives.FindStringSubmatch(p.Match)
		if m == nil {
			t.Fatalf("the pattern of %s is no list of words: %s", p.Name, p.Match)
		}
		words = append(words, strings.Split(m[1], "|")...)
	}
	return words
}

// TestEditorsCatch: both readers of syntax files find the words in them.
func TestEditorsCatch(t *testing.T) {
	if got := vimKeywords(t, "syntax keyword fpType byte half\nsyntax match fpNumber x\n"); !slices.Equal(got, []string{"byte", "half"}) {
		t.Errorf("Vim: %q", got)
	}
	if got := textMateKeywords(t, `{"patterns": [{"name": "keyword.x", "match": "\\b(?:byte|half)\\b"}, {"name": "comment", "match": "#"}]}`); !slices.Equal(got, []string{"byte", "half"}) {
		t.Errorf("TextMate: %q", got)
	}
}
