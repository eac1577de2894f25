package read

import (
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
