package cli

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestNamesDoNotSteerTheTerminal: control characters in the names of files, programs and directories,
// and in what is read from files, do not reach the terminal, whatever the command does with them.
func TestNamesDoNotSteerTheTerminal(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "d\x1b[31m")
	file := func(name, text string) string {
		t.Helper()
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		return path
	}
	const body = "program p\nvar x, y;\nthread a { reg r; x = 1; r = y; }\nthread b { reg s; y = 1; s = x; }\nnever a:r == 0 && b:s == 0;\n"
	bad := file("bad\x1b]0;t\x07.fp", "program \x1b[5m\n")
	sb := file("sb\x1b[1m.fp", "// expect: tso=safe\n"+body)
	c := file("c\x1b[2m.c", "#include \"no\x1b[7m.h\"\nint main(void) { return 0; }\n")
	test := file("l\x1b[4m.litmus", "X86 SB\x1b[4m\n{ x=0; }\nP0 ;\nMOV [x],$1 ;\nexists (x=1)\n")
	result := file("r\x1b[6m.json", `{"schema": "fencepost/1", "results": [{"program": "\u001b[31m", "verdict": "\u001b[32m"}]}`)
	for _, args := range [][]string{
		{"check", sb}, {"check", bad}, {"check", c}, {"check", sb + "\x1b[9m"}, {"check", sb, "--engine", "\x1b[31m"},
		{"check", sb, "--html", filepath.Join(dir, "page\x1b[1m.html")}, {"check", sb, "--svg", filepath.Join(dir, "none", "x")},
		{"check", sb, "--json=" + filepath.Join(dir, "j\x1b[1m.json")}, {"check", sb, "--model", "sc,tso,pso"},
		{"robust", sb}, {"fences", sb}, {"fences", sb, "--diff"}, {"fences", sb, "-o", filepath.Join(dir, "o\x1b[1m.fp")},
		{"traces", sb}, {"traces", sb, "--by", "reads-from"}, {"litmus", test}, {"litmus", dir}, {"litmus", test, "--compare"},
		{"test", dir}, {"test", sb}, {"test", "-v", dir}, {"test", dir, "--junit", filepath.Join(dir, "u\x1b[1m.xml")},
		{"verify-trace", result, sb}, {"verify-trace", result, result}, {"report", result}, {"report", sb}, {"show", sb}, {"show", bad},
		{"explain", "\x1b[31m"}, {"\x1b[31m"}, {"bench", "\x1b[31m"}, {"gen", "\x1b[31m"}, {"help", "\x1b[31m"},
		{"export", sb, "--promela"}, {"init", c, "-o", filepath.Join(dir, "h\x1b[1m.c")}, {"--\x1b[31m"},
	} {
		var stdout, stderr bytes.Buffer
		code := Run(args, strings.NewReader(""), &stdout, &stderr)
		if code == exitInternal {
			t.Errorf("%q: internal error: %s", args, stderr.String())
		}
		for name, out := range map[string]string{"standard output": stdout.String(), "standard error": stderr.String()} {
			if at := strings.IndexAny(out, "\x1b\x07"); at >= 0 {
				t.Errorf("%q: %s has a control character: %q", args, name, out[max(0, at-60):min(len(out), at+30)])
			}
		}
	}
}
