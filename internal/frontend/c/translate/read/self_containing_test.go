package read

import (
	"io/fs"
	"math/rand/v2"
	"regexp"
	"slices"
	"testing"

	"fencepost/internal/source"
)

// TestContainsItself: a struct that has itself as a member is found, with the position
// of the member's tag; pointers, parameters and other structs are no such members.
func TestContainsItself(t *testing.T) {
	for text, want := range map[string]string{
		"struct s { int a; struct s b; };":                                "s 1:26",
		"struct s { struct s *next; };":                                   "",
		"struct s {\n  union { struct s b; };\n};":                        "s 2:18",
		"struct s { struct t { struct s x; } y; };":                       "s 1:30",
		"struct s { const struct s volatile b; };":                        "s 1:25",
		"struct s { struct s const *b; };":                                "",
		"struct s { struct s b[2]; };":                                    "s 1:19",
		"struct s { int (*f)(struct s); };":                               "",
		"struct s { struct s (*f)(void); };":                              "",
		"struct s { int a; }; struct t { struct s b; };":                  "",
		"struct s { /* struct s b; */ char *c; }; // struct s { struct s": "",
		"char *c = \"struct s { struct s b; }\";":                         "",
		"union u { union u b; };":                                         "u 1:17",
	} {
		at, tag, found := containsItself(source.NewFile("x.c", []byte(text)))
		got := ""
		if found {
			got = tag + " " + at.Pos.String()[len("x.c:"):]
		}
		if got != want {
			t.Errorf("%s\ngot %q, want %q", text, got, want)
		}
	}
}

// TestTokens: a regular expression finds the same tokens in random texts.
func TestTokens(t *testing.T) {
	slowly := regexp.MustCompile(`/\*(?s:.*?)\*/|//[^\n]*|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|\w+|[^\s\w]`)
	parts := []string{"a", "_b9", " ", "\n", "\t", "\"", "'", "\\", "/", "*", "/*", "*/", "//", "{", "(", "\v", "\f", "#"}
	r := rand.New(rand.NewPCG(1, 2))
	for range 20000 {
		text := ""
		for range r.IntN(14) {
			text += parts[r.IntN(len(parts))]
		}
		var want [][2]int
		for _, m := range slowly.FindAllStringIndex(text, -1) {
			want = append(want, [2]int{m[0], m[1]})
		}
		if got := tokensOf([]byte(text)); !slices.Equal(got, want) {
			t.Fatalf("%q: %v, want %v", text, got, want)
		}
	}
}

// TestHeadersContainNothing: no struct of our headers contains itself, which is not looked for.
func TestHeadersContainNothing(t *testing.T) {
	err := fs.WalkDir(headers, ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := headers.ReadFile(path)
		if _, tag, found := containsItself(source.NewFile(path, text)); found {
			t.Errorf("%s: %s contains itself", path, tag)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}
