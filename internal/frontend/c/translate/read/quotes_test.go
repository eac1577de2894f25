package read_test

import (
	"strings"
	"testing"

	"fencepost/internal/testkit"
)

// TestQuotesWithoutEnd: text that #if skips may have quotes without an end; text that is compiled may not, and the
// message says where the quote is.
func TestQuotesWithoutEnd(t *testing.T) {
	const end = "int main(void) { return 0; }\n"
	for text, want := range map[string]string{
		"#if 0\ndon't\n#endif\n" + end:                                                     "",
		"#ifdef NEVER\n#error can't\nit's \"open\n#endif\n" + end:                          "",
		"#if 1\n" + end + "#else\nisn't \\\n\"this\n#endif\n":                              "",
		"#if 1\nchar c = '\"', *s = \"it's /* \\\" \"; /* it's */ // it's\n#endif\n" + end: "",
		"#define X /* it's\nlong */ 1\n#if X\n" + end + "#endif\n":                         "",
		"#pragma message can't\n" + end:                                                    "",
		"#if 1\nint x = don't;\n#endif\n" + end:                                            "main.c:2:12: C0001: this quote has no end on its line",
		"int x = don't;\n" + end:                                                           "main.c:1:12: C0001: character constant not terminated",
		"#error can't\n" + end:                                                             "main.c:1:2: C0001: can t",
	} {
		u, diags := parseWith(text, nil)
		got := ""
		if u.Program == nil {
			got = testkit.Messages(diags)
		}
		if want == "" && got != "" || !strings.HasPrefix(got, want) {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}
