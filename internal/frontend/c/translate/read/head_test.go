package read_test

import (
	"strings"
	"testing"

	"fencepost/internal/frontend/c/translate/read"
)

// TestHead: an include goes after the other ones, inside the guard of a header, and never under a
// condition, into a comment or between declarations. <here> is where, and an & says that <stdatomic.h>
// is there.
func TestHead(t *testing.T) {
	for _, text := range []string{
		"<here>\nint x;\n",
		"#include <a.h>\n#include \"b.h\"\n<here>int x;\n#include \"rest.c\"\n",
		"/*\n#include <a.h>\n*/\n#include <b.h> /* more\n lines */\n<here>int x;\n",
		"// A header.\n#ifndef A_H\n#define A_H\n\n<here>int x;\n#endif\n",
		"#if !defined(A_H)\n# define A_H 1\n#include <a.h>\n<here>int x;\n#endif\n",
		"#pragma once\n\n<here>struct s;\n",
		"#ifndef N\n#define N 4\n#include <n.h>\n#endif\n#include <a.h>\n<here>int x;\n",
		"<here>\n#ifndef N\n#define N 4\n#endif\nint x;\n",
		"#include <a.h>\n<here>#ifdef B\n#include <b.h>\n#endif\nint x;\n",
		"#ifdef __cplusplus\nextern \"C\" {\n#endif\n#include <a.h>\n<here>int x;\n",
		"#include <a.h>\n<here>enum {\n#include \"list.h\"\n};\n",
		"#define F(x) \\\n  do { x; } while (0)\n#include <a.h>\n<here>int x;\n",
		"&#include <stdatomic.h>\n<here>int x;\n",
		"#include <a.h>\n<here>#ifdef B\n#include <stdatomic.h>\n#endif\n",
	} {
		text, atomics := strings.CutPrefix(text, "&")
		before, after, _ := strings.Cut(text, "<here>")
		after = strings.TrimPrefix(after, "\n")
		blank := ""
		if strings.HasSuffix(before, "\n\n") {
			before, blank = strings.TrimSuffix(before, "\n"), "\n"
		}
		head := read.FindHead([]byte(before + after))
		if head.HasAtomics() != atomics {
			t.Errorf("%q: includes <stdatomic.h>: %v, want %v", text, head.HasAtomics(), atomics)
		}
		want := blank + "new\n"
		if before == "" {
			want += "\n"
		}
		if at, lines := head.Insert("new\n"); at != len(before) || lines != want {
			t.Errorf("%q: %q at %d, want %q at %d", before+after, lines, at, want, len(before))
		}
	}
}
